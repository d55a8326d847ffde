"""The state file (`--state`): sessions saved to an SQLite database and restored after a restart.

`persistence` is the way in: it opens the `database`, restores what `records` reads from it, and
runs the `saver`.
"""
