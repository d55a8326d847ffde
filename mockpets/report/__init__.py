"""What `mockpets report` checks, and the formats in which it reports it."""
