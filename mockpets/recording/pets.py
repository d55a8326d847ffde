"""The pets that a service had at the beginning of a recording, from its responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockpets.contract.pet_store import PET_STORE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mockpets.recording.exchange import Exchange


def first_pets(exchanges: Iterable[Exchange]) -> list[dict[str, Any]]:
    """Return each pet as it was seen first, by id, without those that the recording creates."""
    pets: dict[int, dict[str, Any]] = {}
    created: set[object] = set()
    for exchange in exchanges:
        body, operation = exchange.body, exchange.operation
        if PET_STORE.role_of(operation) == "create":
            created.add(exchange.created_id)
        if operation is None or exchange.status not in (200, 201):
            continue
        for pet in body if isinstance(body, list) else [body]:
            if not isinstance(pet, dict) or PET_STORE.schemas["Pet"].problems(pet):
                continue
            if pet["id"] not in created:
                pets.setdefault(pet["id"], pet)
    return [pets[number] for number in sorted(pets)]
