"""The benchmark: mockpets beside its peers, on one machine, in one run; ``python -m benchmarks``.

The way of a run: `peers` installs what it needs into a folder outside the checkout, `subjects` says
what is started, `checks` asks each for right answers before anything is timed, `rounds` starts one
after the other, round after round, and has `load` ask; `scale` measures what only mockpets has
goals for. What was found is one JSON value; `report` makes the tables of it and `plot` the picture.
"""
