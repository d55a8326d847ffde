"""The Flask app: requests, responses, and the order of checks."""
