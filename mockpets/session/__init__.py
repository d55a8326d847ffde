"""Isolated sessions: each has its own pets, scenarios, counters and journal."""
