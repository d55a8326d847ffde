"""Generate the values and the records that a document describes."""

from __future__ import annotations

from functools import lru_cache
from itertools import count as count_from
from typing import TYPE_CHECKING, Final, cast

from mockpets.constants import GENERATED_RECORDS
from mockpets.contract.collections import identity, key_problem
from mockpets.contract.document_records import (
    OWN,
    DocumentRecords,
    link_of,
    set_at,
    value_at,
    visible,
)
from mockpets.contract.fields import INVALID
from mockpets.contract.media_types import json_media
from mockpets.contract.schema_shapes import singular
from mockpets.errors import RequestError
from mockpets.seed.values import Values

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mockpets.contract.contract_model import Collection, Key, Record, Records
    from mockpets.contract.details import Api
    from mockpets.records.store import Store


_NAMED: Final = {"enum", "const", "example", "examples", "pattern"}
"""What says of the `type` of a resource in JSON:API which text it is."""


@lru_cache(8)
def values_of(api: Api, seed: int, now: int) -> Values:
    """Return what generates the values of a document.

    :param now: in ms since 1970; times follow it.
    """
    return Values(api.document, api.is_valid, api.sent, seed=seed, now=now)


def generate_records(
    records: Records, count: int, seed: int, *, is_awkward: bool = False
) -> list[Record]:
    """Return generated records with different keys, linked to existing records.

    :param is_awkward: whether their free texts are those of `awkward`.
    """
    assert isinstance(records, DocumentRecords)  # noqa: S101 - those of a document are
    api, guessed = records.api, records.guessed
    result = _with_keys(records, count, seed)
    people = next((each.name for each in api.inferred.collections.values() if each.is_people), "")
    owners = _keys(api, people, seed) if guessed.owner and people != guessed.name else []
    refers = {path: _keys(api, name, seed) for path, name in guessed.refers.items()}
    for index, record in enumerate(result):
        if owners:
            set_at(record, guessed.owner, owners[index % len(owners)])
        for path, keys in refers.items():
            known = value_at(record, path)
            if not keys or known in (INVALID, None) or path == (records.key,):
                continue
            start = index % len(keys)
            dealt = [*keys[start:], *keys[:start]]
            value: object = dealt[: len(known)] if isinstance(known, list) else dealt[0]
            field = records.properties.get(path[0])
            if field is None or field.accept(value) is not INVALID:
                set_at(record, path, value)
    if is_awkward:
        from mockpets.seed.awkward import make_awkward

        links = [path[0] for path in (*guessed.refers, guessed.owner, link_of(guessed)) if path]
        values = values_of(api, seed, api.now)
        make_awkward(values, guessed.schema, result, kept={records.key, *links})
    return result


def _with_keys(records: DocumentRecords, count: int, seed: int) -> list[Record]:
    """Return records with different keys and their parents, but without other links.

    Other links may form a circle: an author has a favorite book, and a book has an author.
    """
    api, guessed = records.api, records.guessed
    values = values_of(api, seed, api.now)
    parents = _keys(api, guessed.parent, seed)
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
            set_at(record, link_of(guessed), parents[(number - 1) % len(parents)])
        if records.is_resource and not records.properties["type"].openapi.keys() & _NAMED:
            record["type"] = guessed.name
        result.append(record)
    if guessed.is_people and result and not guessed.shows:
        _name_as_in_examples(records, *result)
    return result


def _name_as_in_examples(records: DocumentRecords, first: Record, *others: Record) -> None:
    """Let the first person log in with the example of a log-in in the document."""
    api = records.api
    for described in api.described:
        credentials = api.inferred.roles[described.name].credentials
        media = json_media((described.body or {}).get("content") or {})
        if credentials is None or media is None or not credentials.name:
            continue
        examples = (media[1].get("examples") or {}).values()
        named = (api.document.resolve(each).get("value") for each in examples)
        for example in (media[1].get("example"), *named):
            value = value_at(example, credentials.name)
            name = credentials.name[-1]
            known = records.properties.get(name)
            if value is INVALID or known is None or known.accept(value) is INVALID:
                continue
            if all(each.get(name) != value for each in others):
                first[name] = value
                return


def completed_record(collection: Collection, given: Record, store: Store) -> Record:
    """Return a record for a store with generated values for what it lacks, but no key.

    :raise RequestError: ``conflict`` for a second single object.
    """
    records = collection.schema
    assert isinstance(records, DocumentRecords)  # noqa: S101 - those of a document are
    guessed = records.guessed
    if guessed.is_single and not guessed.parent and store.total():
        message = f"{collection.name} is a single object, which exists already; change it instead"
        raise RequestError("conflict", message)
    (record,) = completed(records, [given], first=store.next_key)
    return {name: value for name, value in record.items() if name != records.key or name in given}


def parents_of(collection: Collection, collections: Iterable[Collection]) -> list[Collection]:
    """Return the collections, at most one, to whose records those of a collection belong."""
    records = collection.schema
    assert isinstance(records, DocumentRecords)  # noqa: S101 - those of a document are
    parent = records.api, records.api.stored(records.guessed.parent)
    return [
        each
        for each in collections
        if isinstance(other := each.schema, DocumentRecords)
        and (other.api, other.guessed.name) == parent
    ]


def give_parent(record: Record, collection: Collection, keys: Sequence[Key]) -> None:
    """Make a generated record belong to an existing record, if it belongs to one that does not.

    :param keys: those of the existing records of `parents_of`.
    """
    records = collection.schema
    assert isinstance(records, DocumentRecords)  # noqa: S101 - those of a document are
    link = link_of(records.guessed)
    if keys and value_at(record, link) not in keys:
        set_at(record, link, keys[0])


def completed(
    records: Records,
    given: Sequence[Record],
    parents: Sequence[Key] | None = None,
    first: int = 1,
) -> list[Record]:
    """Return records as they are if they are valid and have a key; others are completed.

    They get generated values for what they lack, different keys, and existing parents.

    :param parents: their keys; None for those of the generated records.
    :param first: the number of the first one; others have other values.
    """
    assert isinstance(records, DocumentRecords)  # noqa: S101 - those of a document are
    api, guessed, key = records.api, records.guessed, records.key
    values = values_of(api, 1, api.now)
    parents = _keys(api, guessed.parent, 1) if parents is None else parents
    link = link_of(guessed)
    field = records.field()
    taken = {identity(each[key]) for each in given if isinstance(each.get(key), (int, str))}
    result = []
    for number, each in enumerate(given, first):
        is_whole = key in each and field.accept(visible(each)) is not INVALID
        made = {} if is_whole else values.record(guessed.name, guessed.schema, number, echo=each)
        record = {**made, **each}
        is_linked = value_at(each, link) is not INVALID or (is_whole and link[0][:1] != OWN)
        if parents and not is_linked:
            set_at(record, link, parents[(number - 1) % len(parents)])
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


def _keys(api: Api, name: str, seed: int) -> list[Key]:
    """Return the keys of the generated records of a collection; none for an unknown one."""
    known: list[Key] | None = api.results.get(("keys", name, seed))
    if known is not None:
        return known
    guessed = api.inferred.collections.get(name)
    if guessed is None or guessed.shows:
        return []
    records = DocumentRecords(api, guessed)
    made = _with_keys(records, int(GENERATED_RECORDS), seed)
    return api.results.keep(("keys", name, seed), [each[records.key] for each in made])
