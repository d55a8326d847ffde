"""Make scenarios from recorded requests: the pets of the beginning, and stubs for what differs."""
