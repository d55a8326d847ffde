"""Pets: generated from a seed, kept in a store."""
