"""Make scenarios from recorded requests: the first records, and stubs for the rest."""
