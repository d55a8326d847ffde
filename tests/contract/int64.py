"""Let Schemathesis know the range of the format int64, which the document does not give.

Without it, the property tests send larger integers and expect them to be accepted.
"""

from typing import Any

import schemathesis

from mockpets.contract.fields import INT64_BOUNDS


@schemathesis.hook
def before_load_schema(_: object, raw_schema: dict[str, Any]) -> None:
    add_bounds(raw_schema)


def add_bounds(node: object) -> None:
    """Add the range to every int64 in a document."""
    if isinstance(node, dict):
        if node.get("format") == "int64":
            node |= INT64_BOUNDS
        for each in node.values():
            add_bounds(each)
    elif isinstance(node, list):
        for each in node:
            add_bounds(each)
