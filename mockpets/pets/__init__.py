"""Pets: made from a seed, kept in a store."""
