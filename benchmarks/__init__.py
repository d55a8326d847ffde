"""Measure mockpets, and compare it with its peers in one run: ``python -m benchmarks``.

Each question has a module: `mix`, `operations` (list, get, create), `start`, `memory` and `curves`.
`compare` starts the servers in turn for the first four; `contracts` lists what they serve,
`subjects` and `peers.toml` list the servers, and `checks` verifies their responses before they are
timed. `RESULTS.md` has the results.
"""
