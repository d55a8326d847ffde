"""Compare mockpets with its peers on one machine, in one run: ``python -m benchmarks``.

`peers` installs the peers into a folder outside the checkout and `subjects` lists the servers.
`checks` verifies the responses of each server before it is timed. `rounds` starts the servers one
after another, round after round; `load` sends single requests, and `mix_load` the front-end mix,
which `mix` defines. `scale` measures the goals that only mockpets has. The result is one JSON
value, from which `report` makes the tables and `plot` the picture. `loops` measures what users
wait for, in a run of its own.
"""
