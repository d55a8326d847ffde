"""HTTP/1.1 as pure functions: bytes in, values out; no sockets."""
