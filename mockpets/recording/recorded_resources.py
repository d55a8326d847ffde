"""The resources that a service has outside the contract, from its responses."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mockpets.recording.exchange import Exchange


def first_resources(exchanges: Sequence[Exchange]) -> dict[str, list[Any]]:
    """Return the path of each collection that remembers a POST: a later GET has the record.

    Its records are those of the first list, without those that the recording creates.
    """
    created: dict[str, dict[Any, Any]] = {}
    items: dict[str, dict[Any, Any]] = {}
    remembers: set[str] = set()
    for exchange in exchanges:
        path, status = exchange.path, exchange.status
        body: Any = exchange.body
        if exchange.operation is not None:
            continue
        if exchange.method == "POST" and status == HTTPStatus.CREATED and _has_id(body):
            created.setdefault(path, {})[body["id"]] = body
        elif exchange.method == "GET" and status == HTTPStatus.OK and isinstance(body, list):
            rows = {row["id"]: row for row in body if _has_id(row)}
            if len(rows) < len(body):
                continue
            new = created.get(path, {})
            if not rows.keys().isdisjoint(new):
                remembers.add(path)
            known = items.setdefault(path, {})
            for number, row in rows.items():
                if number not in new:
                    known.setdefault(number, row)
    return {path: [*items[path].values()] for path in items if path in remembers}


def _has_id(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("id"), (int, str))
