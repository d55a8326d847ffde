"""What `mockpets report` and `mockpets compare` check, and the formats in which they report it."""
