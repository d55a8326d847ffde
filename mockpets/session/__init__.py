"""Isolated sessions: each has its own records, scenarios, counters and request log."""
