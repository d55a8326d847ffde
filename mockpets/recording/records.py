"""The records that a service had at the beginning of a recording, from its responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockpets.contract.collections import identity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mockpets.contract.model import Contracts, Key
    from mockpets.recording.exchange import Exchange


def first_records(
    exchanges: Iterable[Exchange], contracts: Contracts
) -> Mapping[str, list[dict[str, Any]]]:
    """Return each record as it was seen first, by collection and key.

    Those that the recording creates are left out.
    """
    records: dict[str, dict[Key, dict[str, Any]]] = {name: {} for name in contracts.collections}
    created: set[tuple[str, Key | None]] = set()
    for exchange in exchanges:
        operation, body = exchange.operation, exchange.body
        if operation is None or operation.collection is None:
            continue
        collection = operation.collection
        if operation.role == "create":
            created.add((collection.name, exchange.created_id))
        described = operation.responses.get(exchange.status or 0)
        if described is None or exchange.status not in (200, 201):
            continue
        for record in body if isinstance(body, list) else [body]:
            if not isinstance(record, dict) or described.schema.problems(record):
                continue
            key = record[collection.key]
            if (collection.name, key) not in created:
                records[collection.name].setdefault(identity(key), record)
    return {name: [known[key] for key in sorted(known)] for name, known in records.items()}
