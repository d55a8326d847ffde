"""Scenarios: read from files, matched against requests, decided on."""
