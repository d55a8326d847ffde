"""List records: filter, sort and page them."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockpets.contract.document_records import OWN, value_at
from mockpets.contract.fields import INVALID
from mockpets.contract.query_meanings import Meaning
from mockpets.contract.schema_shapes import plain
from mockpets.records.table import parse_row
from mockpets.strict_json import dump_json, dump_text, json_array
from mockpets.web.stateful.action import GONE
from mockpets.web.stateful.new_records import given_value
from mockpets.web.stateful.paging import page_of, query_names
from mockpets.web.stateful.rendering import (
    envelope,
    filled,
    in_envelope,
    rendered_all,
    respond_with,
)
from mockpets.web.stateful.value_comparison import (
    compare,
    contains,
    equal,
    has,
    is_true,
    sort_key,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mockpets.contract.contract_model import Record
    from mockpets.contract.query_meanings import PropertyPath
    from mockpets.web.messages import Response
    from mockpets.web.stateful.action import Action

    Sort = tuple[PropertyPath, bool]
    """A property, and whether its greatest value is first."""

_FILTERS: Final = ("equal", "flag", "least", "most", "toggled", "search")
_SELECTING: Final = (*_FILTERS, "sort", "direction")
"""The meanings of parameters that decide which records a list has, and in which order."""


class Filter(NamedTuple):
    """A condition on the records of a list.

    :param passes: returns whether an expanded record meets it.
    :param may_pass: returns whether a row may meet it, without parsing it; None if any may.
    """

    passes: Callable[[Record], bool]
    may_pass: Callable[[bytes], bool] | None = None


def list_records(action: Action, given: Sequence[bytes] | None = None) -> Response:
    """Return a page of the records that a request selects.

    :param given: all records of the list, in place of those in the store.
    """
    if given is None:
        action.check_parents()
        rows = _in_store(action)
    else:
        rows = _selected(action, given, [], _asked(action))
    page = page_of(action, rows)
    shown = json_array(rendered_all(action, rows[page.start : page.end]))
    if action.guess.paging and action.guess.envelope:
        body = filled(page.described(envelope(action).around), shown)
    else:
        body = in_envelope(action, shown)
    response = respond_with(action, body)
    page.set_headers(response)
    return response


def _in_store(action: Action) -> Sequence[bytes]:
    """Return the records of the store that a request selects, which the next change forgets."""
    results, others, guess = action.store.results, action.people_results, action.guess
    pages = {name for name, each in guess.query.items() if each.word not in _SELECTING}
    asked = {name: each for name, each in action.arguments.query.items() if name not in pages}
    me = action.my_key if guess.mine or guess.fixed or action.additions.is_personal else None
    key = (action.details.identity, repr((asked, action.arguments.path, me)))
    known: tuple[object, Sequence[bytes]] | None = results.get(key)
    if known is not None and known[0] is others:
        return known[1]
    conditions, filters = _list_conditions(action), [*_asked(action), *_fixed(action)]
    rows = _selected(action, action.store.rows(), conditions, filters)
    results.keep(key, (others, rows))
    return rows


def list_values(action: Action) -> Response:
    """Return the distinct values of a property."""
    results, path = action.store.results, action.guess.values
    if path not in results:
        values: dict[bytes, None] = {}
        for row in action.store.rows():
            value = value_at(parse_row(row), path)
            for each in value if isinstance(value, list) else [value]:
                if each is not INVALID:
                    values[dump_json(each)] = None
        results.keep(path, json_array(values))
    return respond_with(action, in_envelope(action, results[path]))


def _selected(
    action: Action,
    rows: Iterable[bytes],
    conditions: Sequence[Filter],
    filters: Sequence[Filter],
) -> list[bytes]:
    """Return the rows of a list in its order; those without the property of a sort are last.

    :param conditions: see `_list_conditions`.
    """
    sorts = _sorts(action)
    if not (conditions or filters or sorts):
        return [*rows]
    for each in (*conditions, *filters):
        rows = filter(each.may_pass, rows) if each.may_pass else rows
    is_expanded = bool(filters and action.additions.paths)
    # With their keys, without the parsed records: thousands of them delay Python's collector.
    pairs: list[tuple[bytes, list[Any]]] = []
    for row in rows:
        record = parse_row(row)
        if all(each.passes(record) for each in conditions):
            whole = action.expanded(row) if is_expanded else record
            if all(each.passes(whole) for each in filters):
                pairs.append((row, [_key(value_at(record, path)) for path, _ in sorts]))
    for index, (_, reverse) in reversed([*enumerate(sorts)]):  # equal ones keep their order
        known = [pair for pair in pairs if pair[1][index] is not None]
        known.sort(key=lambda pair: pair[1][index], reverse=reverse)
        pairs = known + [pair for pair in pairs if pair[1][index] is None]
    return [row for row, _ in pairs]


def _list_conditions(action: Action) -> list[Filter]:
    """Return the conditions on all records of a list: they exist, below the parents in the path."""
    result = []
    if action.collection.is_open:
        result.append(Filter(lambda record: GONE not in record))
    if action.guess.mine:
        path, me = action.collection.owner or (action.key_name,), action.my_key
        is_mine = _with_any(written(me))
        result.append(Filter(lambda record: equal(value_at(record, path), me), is_mine))
    if action.parents:
        values = (value for _, value in action.parents if action.collection.parent)
        tests = [each for each in map(_with_any, map(written, values)) if each]
        result.append(Filter(action.is_below, lambda row: all(each(row) for each in tests)))
    return result


def _key(value: object) -> object:
    """Return the key by which a value is sorted; None without a value."""
    return None if value is INVALID or value is None else sort_key(value)


def _asked(action: Action) -> list[Filter]:
    """Return the filters in the query."""
    query, added = action.arguments.query, action.additions.paths
    return [
        _filter(meaning, query[name], added)
        for name, meaning in action.guess.query.items()
        if meaning.word in _FILTERS and name in query and query[name] not in ("", [])
    ]


def _fixed(action: Action) -> list[Filter]:
    """Return the filters of the operation itself."""
    added = action.additions.paths
    return [
        _filter(Meaning("equal", path), given_value(action, value, {}), added)
        for path, value in action.guess.fixed.items()
    ]


def _filter(meaning: Meaning, wanted: Any, added: Sequence[PropertyPath]) -> Filter:
    """Return the filter for a value of the query.

    :param added: the properties that rows lack or have otherwise.
    """
    word, path = meaning.word, meaning.path
    several = wanted if isinstance(wanted, list) else [wanted]
    match word:
        case "flag":
            return Filter(lambda record: not is_true(wanted) or value_at(record, path) is True)
        case "least" | "most":
            allowed = (0, 1) if word == "least" else (0, -1)
            return Filter(lambda record: compare(value_at(record, path), wanted) in allowed)
        case "toggled":
            name = OWN + ".".join(path)
            return Filter(lambda record: any(has(record.get(name, []), key) for key in several))
        case "search":
            texts = [*map(str, several)]
            return Filter(
                lambda record: any(contains(record, each) for each in texts),
                None if added else _with_any_in_lower_case(texts),
            )
    is_added = any(path[: len(each)] == each[: len(path)] for each in added)
    known = [written(each) for each in several]
    return Filter(
        lambda record: any(has(value_at(record, path), each) for each in several),
        _with_any([*chain(*known)]) if all(known) and not is_added else None,
    )


def _with_any(texts: Sequence[bytes]) -> Callable[[bytes], bool] | None:
    return (lambda row: any(each in row for each in texts)) if texts else None


def _with_any_in_lower_case(texts: Sequence[str]) -> Callable[[bytes], bool]:
    lower = [dump_text(each)[1:-1].lower() for each in texts]
    return lambda row: any(each in row.decode().lower() for each in lower)


def _sorts(action: Action) -> list[Sort]:
    """Return the properties by which a list is sorted."""
    query, result = action.arguments.query, []
    given = {word: query[name] for word, name in query_names(action).items() if name in query}
    sort = given.get("sort") or action.guess.sort
    is_descending = str(given.get("direction", "")).lower().startswith("desc")
    paths: dict[str, PropertyPath] = {}
    if action.schema.is_resource:
        inner = action.schema.properties["attributes"].shape.fields
        paths = {plain(name): ("attributes", name) for name in inner}
    paths |= {plain(name): (name,) for name in action.schema.properties}
    for text in ",".join(map(str, sort if isinstance(sort, list) else [sort])).split(","):
        match = re.fullmatch(r"([-+]?)(.+?)(?:[ :_](asc|desc))?", text.strip(), re.IGNORECASE)
        if match is not None:
            reverse = is_descending or match[1] == "-" or (match[3] or "").lower() == "desc"
            first, *rest = match[2].split(".")
            # Without the cache, which would keep what clients send.
            path = (*paths.get(plain.__wrapped__(first), (first,)), *rest)
            result.append((path, reverse))
    return result
