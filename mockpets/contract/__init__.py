"""The contract: its document, and the model of operations, schemas, collections and errors.

`control_types` has the JSON of the control API.
"""
