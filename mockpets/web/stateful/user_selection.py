"""Select the user to log in by properties, and explain why no user has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from mockpets.contract.document_records import value_at, visible
from mockpets.contract.fields import INVALID
from mockpets.errors import RequestError, did_you_mean
from mockpets.strict_json import dump_json
from mockpets.units import dotted, either, quote, shortened
from mockpets.web.stateful.value_comparison import equal, has

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mockpets.contract.contract_model import Collection, Record
    from mockpets.contract.document_records import DocumentRecords
    from mockpets.contract.json_schema import SchemaField
    from mockpets.contract.query_meanings import PropertyPath

_SHOWN: Final = 5
"""How many values a message lists."""
_COMPARED: Final = 1000
"""How many values are compared with the wanted one, which takes long."""


def user_with(
    records: Sequence[Record], wanted: Mapping[str, Any], collection: Collection
) -> Record:
    """Return the first record that has some properties.

    :param wanted: their values, also in objects; of a list, any item.
    :raise RequestError: ``not_found``, or ``invalid_request`` for an unknown property.
    """
    if not records:
        message = f"{collection.name} has no records to log in as; add one"
        raise RequestError("not_found", message)
    left = records
    met: list[str] = []
    for path, value in _leaves(wanted):
        having = [each for each in left if _has(value_at(visible(each), path), value)]
        if not having or value is None:  # which records without the property have, too
            _check_known(path, records, collection)
        if not having:
            raise _no_user(path, value, left, met, collection)
        left = having
        met.append(f"{dotted(path)} {_shown(value)}")
    return left[0]


def _leaves(
    value: Mapping[str, Any], above: PropertyPath = ()
) -> Iterator[tuple[PropertyPath, Any]]:
    """Yield the paths of the values in an object that are not objects themselves."""
    for name, each in value.items():
        if isinstance(each, dict) and each:
            yield from _leaves(each, (*above, name))
        else:
            yield (*above, name), each


def _has(value: object, wanted: object) -> bool:
    """Return whether a value is the wanted one, or a list that contains it."""
    if wanted is None:
        return value in (None, INVALID)
    return equal(value, wanted) or has(value, wanted)


def _check_known(path: PropertyPath, records: Sequence[Record], collection: Collection) -> None:
    """Raise `RequestError` if neither the schema nor a record has a property."""
    schema = cast("DocumentRecords", collection.schema)
    fields: Mapping[str, SchemaField] = schema.properties
    for index, name in enumerate(path):
        known = {*fields, *_names(value_at(visible(each), path[:index]) for each in records)}
        if name not in known:
            what = f"no record of {collection.name} has the property {quote('.'.join(path))}"
            hint = did_you_mean(name, known)
            if name in (each.password[-1] for each in schema.api.credentials):
                hint = "leave it out, because no password is needed"
            elif not hint and known:
                hint = f"known properties: {shortened(sorted(known), 'and')}"
            raise RequestError("invalid_request", f"{what}; {hint}" if hint else what)
        fields = fields[name].shape.fields if name in fields else {}


def _names(values: Iterable[object]) -> set[str]:
    """Return the names of the properties of objects, also of those in lists."""
    names: set[str] = set()
    for each in values:
        if isinstance(each, list):
            names |= _names(each)
        elif isinstance(each, dict):
            names |= each.keys()
    return names


def _no_user(
    path: PropertyPath,
    wanted: object,
    records: Sequence[Record],
    met: Sequence[str],
    collection: Collection,
) -> RequestError:
    """Return the error for a value that no record has.

    :param records: those with the properties before it, which `met` has as texts.
    """
    from difflib import SequenceMatcher  # not needed without an error

    values: dict[str, None] = {}
    for each in records:
        value = value_at(visible(each), path)
        for one in value if isinstance(value, list) else [value]:
            if one is not INVALID and one is not None and not isinstance(one, (dict, list)):
                values[_shown(one)] = None
    compared = SequenceMatcher(b=_shown(wanted).lower())

    def distance(text: str) -> float:
        compared.set_seq1(text.lower())
        return -compared.ratio()

    known = [*values]
    near = sorted(known[:_COMPARED], key=distance) + known[_COMPARED:]
    among = f" with {either(met, 'and')}" if met else ""
    message = f"no record of {collection.name}{among} has the {dotted(path)} {_shown(wanted)}"
    listed = f"known: {shortened(near, 'and', _SHOWN)}" if near else "they have no value for it"
    return RequestError("not_found", f"{message}; {listed}")


def _shown(value: object) -> str:
    """Return a value as a message shows it."""
    return quote(value) if isinstance(value, str) else dump_json(value).decode()[:80]
