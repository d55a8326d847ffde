"""The pet store's contract: schemas, their fields, the Error body, the OpenAPI document."""
