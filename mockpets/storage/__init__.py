"""Sessions in a file: what `--state` saves, and brings back after a restart."""
