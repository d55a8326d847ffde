"""The records that a service had at the beginning of a recording, from its responses."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from mockpets.contract.collections import identity
from mockpets.contract.document_records import DocumentRecords, set_at, value_at
from mockpets.contract.fields import INVALID

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mockpets.contract.contract_model import Contracts, Key
    from mockpets.recording.exchange import Exchange


def _with_parent(exchange: Exchange, record: dict[str, Any]) -> dict[str, Any]:
    """Return a record with the key of its parent, which only the path of the request may have."""
    operation = exchange.operation
    if operation is None or operation.details is None:
        return record
    result = dict(record)
    for name, text in operation.in_path(exchange.path).items():
        path = operation.details.guess.where.get(name)
        if path and value_at(result, path) is INVALID:
            set_at(result, path, identity(text))
    return result


def first_records(
    exchanges: Iterable[Exchange], contracts: Contracts
) -> Mapping[str, list[dict[str, Any]]]:
    """Return each record as it was seen first, by collection and key.

    Those that the recording creates are left out.
    """
    records: dict[str, dict[Key, dict[str, Any]]] = {name: {} for name in contracts.collections}
    created: set[tuple[str, Key | None]] = set()
    for exchange in exchanges:
        operation = exchange.operation
        if operation is None or operation.collection is None:
            continue
        collection = operation.collection
        if operation.role == "create":
            created.add((collection.name, exchange.created_id))
        described = operation.responses.get(exchange.status or 0)
        if described is None or exchange.status not in (200, 201):
            continue
        for record in map(partial(_with_parent, exchange), exchange.records):
            schema = collection.schema
            if isinstance(schema, DocumentRecords):
                has_key = collection.key in record or schema.guessed.is_single
                is_valid = has_key and not schema.problems(record)
            else:
                is_valid = not described.schema.problems(record)
            if not is_valid:
                continue
            key = record.get(collection.key, "")
            if (collection.name, key) not in created:
                records[collection.name].setdefault(identity(key), record)
    return {name: [known[key] for key in sorted(known)] for name, known in records.items()}
