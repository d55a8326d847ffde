"""The command line: options, commands and their output."""
