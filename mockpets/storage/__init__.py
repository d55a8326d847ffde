"""The state file (`--state`): sessions saved to an SQLite database and restored."""
