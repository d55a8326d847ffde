"""The pet store's contract: schemas, their fields, values, the Error body, the OpenAPI document.

`control_types` has the JSON of the control API.
"""
