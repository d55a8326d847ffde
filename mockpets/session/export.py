"""Export a session as JSON, and read it for an import into another server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple, cast

from mockpets.clock import time_text
from mockpets.constants import VERSION
from mockpets.contract.error_messages import store_full
from mockpets.errors import RequestError
from mockpets.memory_budget import Charge
from mockpets.pets.store import Saved, Store
from mockpets.pets.table import ENTRY_BYTES, make_table
from mockpets.scenario.engine import Count
from mockpets.scenario.language.control_bodies import BODY
from mockpets.scenario.language.session_export import FORMAT, parse_export
from mockpets.session.data import read_dump
from mockpets.session.session import Draws

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.contract import control_types as types
    from mockpets.contract.schemas import Pet
    from mockpets.scenario.language.control_bodies import SessionConfig
    from mockpets.scenario.language.session_export import ExportedPets
    from mockpets.scenario.model import Scenario
    from mockpets.session.data import Changed
    from mockpets.session.session import Session, SharedState

    Names = tuple[str, ...]


def export(session: Session) -> types.SessionExport:
    """Return the pets, records, scenarios, counters, seed and clock of a session.

    Combinations of scenarios that no longer exist are left out.
    """
    stores, counters, clock = session.stores(), session.counters(), session.clock
    own, library = stores.pop(()).store, session.library
    stacks: list[types.ExportedStack] = []
    for names in sorted({*stores, *counters}):
        if not library.scenarios.keys() >= {*names}:
            continue
        labels = {stub.label for stub in library.stack(names).stubs}
        stack: types.ExportedStack = {
            "scenarios": [*names],
            "counters": {
                label: {"passed": count.passed, "used": count.used}
                for label, count in counters.get(names, {}).items()
                if label in labels
            },
        }
        if names in stores:
            stack["pets"] = _pets(stores[names].store)
        if len(stack) > 2 or stack["counters"]:
            stacks.append(stack)
    start = own.start
    resources = [one for each in library.scenarios.values() for one in each.resources]
    known = {(one.scenario, one.name) for one in resources}
    records = cast("list[types.ExportedRecords]", session.data.dump())
    return {
        "mockpets": VERSION,
        "format": FORMAT,
        "session": session.name,
        "scenario": [
            json.loads(session.inline[name][1]) if name in session.inline else name
            for name in session.active
        ],
        "overrides": {name: text for name, (_, text) in session.overrides.items()},
        "seed": session.seed,
        "draws": session.drawn,
        "clock": (
            {"now": None}
            if clock is None
            else {"now": time_text(clock.now()), "frozen": clock.frozen}
        ),
        "start": [*map(json.loads, start.some(None, len(start.rows)))],
        "pets": _pets(own),
        "stacks": stacks,
        "records": [each for each in records if (each["scenario"], each["name"]) in known],
    }


def _pets(store: Store) -> types.ExportedPets:
    saved = store.save(None)
    rows = saved.rows(None, saved.total())
    added, next_id = len(saved.own.rows), saved.next_id
    return {"pets": [*map(json.loads, rows)], "added": added, "next_id": next_id}


class Imported(NamedTuple):
    """The contents of a session, ready for `Session.load`."""

    config: SessionConfig
    random: Draws | None
    stores: Mapping[Names, Store]
    counters: Mapping[Names, Mapping[str, Count]]
    records: Changed
    overrides: Mapping[str, tuple[Scenario, str]]


def read_export(text: str, shared: SharedState) -> Imported:
    """Return the contents of an exported session; this may take a second.

    :raise RequestError: ``store_full`` if the pets exceed a limit of the server.
    :raise InputError: as `parse_export`.
    """
    exported = parse_export(text, shared.library())
    stores = {}
    for names, each in exported.stores.items():
        start = None if names else exported.start
        stores[names] = _store(each, start, shared)
    random = None
    if exported.draws:
        random = Draws(exported.config.seed)
        for _ in range(exported.draws):
            random.random()
    counters = {
        names: {label: Count(**count) for label, count in counts.items()}
        for names, counts in exported.counters.items()
    }
    documents = {**exported.config.inline, **exported.overrides}
    library = shared.library_with(documents)
    records = read_dump(exported.records, library, BODY)
    return Imported(exported.config, random, stores, counters, records, exported.overrides)


def _store(exported: ExportedPets, start: tuple[Pet, ...] | None, shared: SharedState) -> Store:
    """Return a store with its pets now; `start` is None for those that requests did not add."""
    if exported.added > shared.max_new:
        raise RequestError("store_full", store_full(shared.max_new))
    split = len(exported.pets) - exported.added
    first = exported.pets[:split]
    base, added = make_table(first, shared.pets), make_table(exported.pets[split:])
    is_same = start is None or start == first
    initial = base if is_same else make_table(start or (), shared.pets)
    charge = Charge(None)
    charge.add(sum(map(len, added.rows.values())) + ENTRY_BYTES * len(added.rows))
    store = Store(initial, shared.max_new, shared.pets)
    store.restore(Saved(base, base, added, charge, exported.next_id))
    return store
