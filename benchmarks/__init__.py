"""Measure mockpets, and compare it with its peers in one run: ``python -m benchmarks``.

Each question has a module: `mix`, `operations` (list and create), `start`, `memory` and `curves`.
`compare` starts the servers in turn for the first four; `subjects` and `peers.toml` list the
servers, and `checks` verifies their responses before they are timed. `RESULTS.md` has the results.
"""
