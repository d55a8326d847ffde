"""The state file (`--state`): sessions saved to a file and restored after a restart."""
