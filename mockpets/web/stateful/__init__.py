"""Serve the operations of OpenAPI documents that read and change records."""
