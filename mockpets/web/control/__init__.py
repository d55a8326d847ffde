"""The control API: every path under ``/__mockpets``."""
