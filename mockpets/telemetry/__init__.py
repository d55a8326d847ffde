"""The access log and the metrics of a server."""
