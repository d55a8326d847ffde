"""The view of the control API that logs a user in, without a name or a password."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from mockpets.contract.document_records import value_at, visible
from mockpets.contract.fields import INVALID
from mockpets.errors import RequestError, did_you_mean
from mockpets.records.store import NO_FILTERS
from mockpets.records.table import parse_row
from mockpets.strict_json import dump_json
from mockpets.units import dotted, either, quote, shortened
from mockpets.web.control.call import body_text, json_response
from mockpets.web.operations import read_records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mockpets.contract import control_types as types
    from mockpets.contract.document_records import DocumentRecords
    from mockpets.contract.json_schema import SchemaField
    from mockpets.contract.model import Collection, Contract, Contracts, Operation, Record
    from mockpets.contract.query_meanings import PropertyPath
    from mockpets.records.store import Contents
    from mockpets.web.control.call import ControlRequest, JsonResponse

_LOG_IN: Final = "a log-in is a POST whose body has a password and whose response has a token"
_SHOWN: Final = 5
"""How many values a message lists."""
_COMPARED: Final = 1000
"""How many values are compared with the wanted one, which takes long."""


def log_in(call: ControlRequest) -> JsonResponse[types.LoggedIn]:
    """Return a token, and headers or a cookie, with which requests are those of a user.

    The user is the first record with these properties in the collection of those who log in.
    Nothing changes, and no password is needed. A token names its user in every session that has
    this user, also after a reset or an import. That of a deleted user is the first user's.
    """
    from mockpets.scenario.language.control_bodies import parse_user
    from mockpets.web.stateful.people import identity_of

    wanted = parse_user(body_text(call.request), call.contracts)
    contract, operation = _log_in_of(call.contracts, call.query.get("contract", ""))
    collection = operation.collection
    assert collection is not None  # noqa: S101 - that of those who log in
    store = call.store(collection)

    def find(contents: Contents) -> Record:
        return _find([*map(parse_row, contents.rows())], wanted, collection)

    # The path has no record: all may have to be read.
    user = read_records(call.request, store, find, NO_FILTERS, [*wanted] or [collection.key])
    identity = identity_of(contract, operation, user, call.session, call.stack(), call.request)
    cookie: types.LoginCookie = {"name": identity.cookie, "value": identity.token}
    return json_response(
        {
            "user": cast("Mapping[str, Any]", identity.person),
            "token": identity.token,
            "headers": {**identity.headers},
            "cookie": cookie if identity.cookie else None,
            "collection": collection.name,
            "key": user[collection.key],
        }
    )


def _log_in_of(contracts: Contracts, label: str) -> tuple[Contract, Operation]:
    """Return a contract and its log-in.

    :param label: of the contract; empty for the only one with a log-in.
    """
    from mockpets.web.stateful.people import log_in_of

    known = {each.label: (each, log_in_of(each)) for each in contracts.all}
    able = {name: (each, one) for name, (each, one) in known.items() if one is not None}
    if label in able:
        return able[label]
    if label:
        others = (
            f"; {either(able, 'and')} {'has' if len(able) == 1 else 'have'} one" if able else ""
        )
        raise RequestError("not_found", f"{label} has no log-in: {_LOG_IN}{others}")
    if not able:
        names = either(known, "and")
        raise RequestError("not_found", f"no contract has a log-in ({names}): {_LOG_IN}")
    if len(able) > 1:
        message = f"several contracts have a log-in; add the parameter contract={either(able)}"
        raise RequestError("invalid_request", message)
    return next(iter(able.values()))


def _find(records: Sequence[Record], wanted: Mapping[str, Any], collection: Collection) -> Record:
    """Return the first record that has some properties."""
    if not records:
        message = f"{collection.name} has no records to log in as; add one"
        raise RequestError("not_found", message)
    left = records
    met: list[str] = []
    for path, value in _leaves(wanted):
        having = [each for each in left if _has(value_at(visible(each), path), value)]
        if not having:
            _check_known(path, records, collection)
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
    from mockpets.web.stateful.comparison import equal, has

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
