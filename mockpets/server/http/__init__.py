"""HTTP/1.1 as pure functions: bytes in, values out, and the head of a response back."""
