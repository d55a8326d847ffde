"""Scenarios: load them from files, match them against requests, and decide on a response."""
