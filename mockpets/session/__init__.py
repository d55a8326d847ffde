"""Isolated sessions: each has its own pets, scenarios, counters, journal and snapshots."""
