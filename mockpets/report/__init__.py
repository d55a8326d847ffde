"""What `mockpets report` prints: read the input, build one model, write it in a format."""
