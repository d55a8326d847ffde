"""The contract: its document, and the model of operations, schemas, collections and errors.

`control_calls` has the calls of the control API, `control_types` their JSON.
"""
