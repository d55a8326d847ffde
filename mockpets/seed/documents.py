"""Generate the values and the records that a document describes."""

from __future__ import annotations

from functools import lru_cache
from itertools import count as count_from
from typing import TYPE_CHECKING, cast

from mockpets.constants import GENERATED_RECORDS
from mockpets.contract.collections import identity, key_problem
from mockpets.contract.document_records import DocumentRecords, parent_property, set_at, value_at
from mockpets.contract.fields import INVALID
from mockpets.contract.shapes import singular
from mockpets.seed.values import Values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mockpets.contract.details import Api
    from mockpets.contract.model import Key, Record, Records


@lru_cache(8)
def values_of(api: Api, seed: int, now: int) -> Values:
    """Return what generates the values of a document.

    :param now: in ms since 1970; times follow it.
    """
    return Values(api.document, api.is_valid, seed=seed, now=now)


def generate_records(records: Records, count: int, seed: int) -> list[Record]:
    """Return generated records with different keys, and the links to others that exist."""
    assert isinstance(records, DocumentRecords)  # noqa: S101 - those of a document are
    api, guessed = records.api, records.guessed
    values = values_of(api, seed, api.now)
    parents = _keys(api, guessed.parent, seed)
    people = next((each.name for each in api.inferred.collections.values() if each.is_people), "")
    owners = _keys(api, people, seed) if guessed.owner and people != guessed.name else []
    refers = {path: _keys(api, name, seed) for path, name in guessed.refers.items()}
    key = records.properties.get(guessed.key)
    is_text = key is not None and "string" in key.types_named
    if guessed.is_single:
        count = max(1, len(parents))
    elif parents and count:
        count = max(count, 2 * len(parents))
    taken: set[Key] = set()
    result = []
    for number in range(1, count + 1):
        record = values.record(guessed.name, guessed.schema, number)
        given = record.get(records.key)
        if not isinstance(given, (int, str)) or key_problem(given) or identity(given) in taken:
            text = f"{given or singular(guessed.name)}-{number}"
            again = values.record(guessed.name, guessed.schema, count + number).get(guessed.key)
            is_new = isinstance(again, str) and identity(again) not in taken
            given = again if is_text and is_new else text if is_text else _free(number, taken)
            record[records.key] = given
        taken.add(identity(cast("Key", given)))
        if parents:
            link = guessed.link or (parent_property(guessed.parent),)
            set_at(record, link, parents[(number - 1) % len(parents)])
        if owners:
            set_at(record, guessed.owner, owners[(number - 1) % len(owners)])
        for path, keys in refers.items():
            if keys and value_at(record, path) not in (INVALID, None):
                set_at(record, path, keys[(number - 1) % len(keys)])
        result.append(record)
    return result


def completed(records: Records, given: Sequence[Record]) -> list[Record]:
    """Return records with generated values for what they lack, and with different keys."""
    assert isinstance(records, DocumentRecords)  # noqa: S101 - those of a document are
    api, guessed, key = records.api, records.guessed, records.key
    values = values_of(api, 1, api.now)
    taken = {identity(each[key]) for each in given if isinstance(each.get(key), (int, str))}
    result = []
    for number, each in enumerate(given, 1):
        record = {**values.record(guessed.name, guessed.schema, number, echo=each), **each}
        if key not in each:
            known = record.get(key)
            is_free = isinstance(known, (int, str)) and identity(known) not in taken
            own = records.properties.get(key)
            is_text = own is not None and "string" in own.types_named
            record[key] = known if is_free else _free(number, taken)
            if is_text and not is_free:
                record[key] = f"{singular(guessed.name)}-{number}"
            taken.add(identity(record[key]))
        result.append(record)
    return result


def _free(number: int, taken: set[Key]) -> int:
    """Return the first integer from a number on that is no key yet."""
    return next(each for each in count_from(number) if each not in taken)


@lru_cache(256)
def _keys(api: Api, name: str, seed: int) -> list[Key]:
    """Return the keys of the generated records of a collection; none for an unknown one."""
    guessed = api.inferred.collections.get(name)
    if guessed is None or guessed.shows:
        return []
    records = DocumentRecords(api, guessed)
    return [each[records.key] for each in generate_records(records, int(GENERATED_RECORDS), seed)]
