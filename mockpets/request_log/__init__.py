"""The bounded request log of a session: entries, queries, verification, HAR."""
