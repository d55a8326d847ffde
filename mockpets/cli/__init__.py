"""The command line: what a person types, checked, run and reported."""
