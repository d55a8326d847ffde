"""The bounded record of what a session was asked: entries, queries, verification, HAR."""
