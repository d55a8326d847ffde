"""The Flask app: everything that knows HTTP messages."""
