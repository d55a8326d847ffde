"""Public mode (``--public``): a session for each visitor, and limits for its requests.

The rest of the package has `Limits` and `Admission` instead, and does not know what they are of.
"""
