"""List records: filter, sort and page them."""

from __future__ import annotations

import re
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockpets.contract.document_records import OWN, value_at
from mockpets.contract.fields import INVALID
from mockpets.contract.query_meanings import Meaning
from mockpets.contract.schema_shapes import plain
from mockpets.records.table import parse_row
from mockpets.records.views import Selection, in_order
from mockpets.strict_json import dump_json, dump_text, json_array
from mockpets.web.stateful.action import GONE, is_below
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
    from mockpets.contract.details import Additions
    from mockpets.contract.query_meanings import PropertyPath
    from mockpets.records.store import Store
    from mockpets.records.views import Rank, View
    from mockpets.web.messages import Response
    from mockpets.web.stateful.action import Action
    from mockpets.web.stateful.paging import Listed

    Sort = tuple[PropertyPath, bool]
    """A property, and whether its greatest value is first."""

_FILTERS: Final = ("equal", "flag", "least", "most", "toggled", "search")
_SELECTING: Final = (*_FILTERS, "sort", "direction")
"""The meanings of parameters that decide which records a list has, and in which order."""


class Filter(NamedTuple):
    """A condition on the records of a list.

    :param passes: returns whether a record meets it.
    :param may_pass: returns whether a row may meet it, without parsing it; None if any may.
    :param is_expanded: whether it depends on the `additions` of a record.
    """

    passes: Callable[[Record], bool]
    may_pass: Callable[[bytes], bool] | None = None
    is_expanded: bool = False


class _Rows:
    """A list of which the rows are known: a `paging.Listed`."""

    def __init__(self, action: Action, rows: Sequence[bytes]) -> None:
        self._action = action
        self._rows = rows

    def __len__(self) -> int:
        """Return their number."""
        return len(self._rows)

    def part(self, start: int, end: int) -> Sequence[bytes]:
        return self._rows[start:end]

    def position(self, key: str) -> int | None:
        row = self._action.store.find(key)
        return None if row is None or row not in self._rows else self._rows.index(row)


class _Viewed:
    """A list of which the places in the store are known: a `paging.Listed`."""

    def __init__(self, store: Store, view: View) -> None:
        self._store = store
        self._view = view

    def __len__(self) -> int:
        """Return the number of its records."""
        return len(self._view.places)

    def part(self, start: int, end: int) -> Sequence[bytes]:
        return self._store.rows_at(self._view.places[start:end])

    def position(self, key: str) -> int | None:
        place = self._store.place(key)
        return None if place is None else self._view.position(place)


def list_records(action: Action, given: Sequence[bytes] | None = None) -> Response:
    """Return a page of the records that a request selects.

    :param given: all records of the list, in place of those in the store.
    """
    if given is None:
        action.check_parents()
        listed = _in_store(action)
    else:
        listed = _Rows(action, _sorted(action, given, _asked(action)))
    page = page_of(action, listed)
    shown = json_array(rendered_all(action, listed.part(page.start, page.end)))
    if action.guess.paging and action.guess.envelope:
        body = filled(page.described(envelope(action).around), shown)
    else:
        body = in_envelope(action, shown)
    response = respond_with(action, body)
    page.set_headers(response)
    return response


def _in_store(action: Action) -> Listed:
    """Return the records of the store that a request selects."""
    guess, store = action.guess, action.store
    asked = {
        name: value
        for name, value in action.arguments.query.items()
        if name not in guess.query or guess.query[name].word in _SELECTING
    }
    is_expanded = action.additions.paths and any(each.is_expanded for each in _filters(action))
    me = action.my_key if guess.mine or guess.fixed or is_expanded else None
    key = (action.details.identity, repr((asked, action.arguments.path, me)))
    if not is_expanded:
        return _Viewed(store, store.view(key, lambda: _selection(action)))
    # What other records add changes with these, so the next change of any forgets the list.
    results, others = store.results, action.people_revision
    known: tuple[object, Sequence[bytes]] | None = results.get(key)
    if known is None or known[0] is not others:
        rows = _sorted(action, store.rows(), [*_list_conditions(action), *_filters(action)])
        known = results.keep(key, (others, rows))
    return _Rows(action, known[1])


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


def _sorted(action: Action, rows: Iterable[bytes], filters: Sequence[Filter]) -> list[bytes]:
    """Return the rows of a list in its order."""
    sorts = _sorts(action)
    is_expanded = any(each.is_expanded for each in filters)
    rank = _rank(filters, [path for path, _ in sorts], action.expanded if is_expanded else None)
    ranked = [(row, known) for row in rows if (known := rank(row)) is not None]
    return in_order(ranked, [reverse for _, reverse in sorts])


def _selection(action: Action) -> Selection:
    """Return which records of the store a list has; it may be kept longer than the request."""
    sorts, filters = _sorts(action), [*_list_conditions(action), *_filters(action)]
    rank = _rank(filters, [path for path, _ in sorts])
    met = [(name, value) for name, values in action.below.items() for value in values]
    return Selection(rank, [reverse for _, reverse in sorts], met)


def _rank(
    filters: Sequence[Filter],
    paths: Sequence[PropertyPath],
    expand: Callable[[bytes], Record] | None = None,
) -> Callable[[bytes], Rank | None]:
    """Return what returns the values at some paths of a row that meets filters; else None.

    :param expand: returns a row with its `additions`; None if no filter needs them.
    """
    tests = [each.may_pass for each in filters if each.may_pass]

    def rank(row: bytes) -> Rank | None:
        for may_pass in tests:
            if not may_pass(row):
                return None
        record = parse_row(row)
        whole = expand(row) if expand is not None else record
        for each in filters:
            if not each.passes(whole if each.is_expanded else record):
                return None
        return [_key(value_at(record, path)) for path in paths]

    return rank if filters or paths else lambda _: ()


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
        is_here = partial(is_below, action.collection, action.parents)
        result.append(Filter(is_here, lambda row: all(each(row) for each in tests)))
    return result


def _key(value: object) -> object:
    """Return the key by which a value is sorted; None without a value."""
    return None if value is INVALID or value is None else sort_key(value)


def _filters(action: Action) -> list[Filter]:
    """Return the filters in the query, and those of the operation itself."""
    additions = action.additions
    fixed = [
        _filter(Meaning("equal", path), given_value(action, value, {}), additions)
        for path, value in action.guess.fixed.items()
    ]
    return [*_asked(action), *fixed]


def _asked(action: Action) -> list[Filter]:
    """Return the filters in the query."""
    query = action.arguments.query
    return [
        _filter(meaning, query[name], action.additions)
        for name, meaning in action.guess.query.items()
        if meaning.word in _FILTERS and name in query and query[name] not in ("", [])
    ]


def _filter(meaning: Meaning, wanted: Any, additions: Additions) -> Filter:
    """Return the filter for a value of the query."""
    word, path = meaning.word, meaning.path
    several = wanted if isinstance(wanted, list) else [wanted]
    # The key of the person whom a record embeds is in the record itself.
    is_added = path != additions.owner and any(
        path[: len(each)] == each[: len(path)] for each in additions.paths
    )
    match word:
        case "flag":
            return Filter(
                lambda record: not is_true(wanted) or value_at(record, path) is True,
                is_expanded=is_added,
            )
        case "least" | "most":
            allowed = (0, 1) if word == "least" else (0, -1)
            return Filter(
                lambda record: compare(value_at(record, path), wanted) in allowed,
                is_expanded=is_added,
            )
        case "toggled":
            name = OWN + ".".join(path)
            return Filter(lambda record: any(has(record.get(name, []), key) for key in several))
        case "search":
            texts = [*map(str, several)]
            return Filter(
                lambda record: any(contains(record, each) for each in texts),
                None if additions.paths else _with_any_in_lower_case(texts),
                is_expanded=bool(additions.paths),
            )
    known = [written(each) for each in several]
    return Filter(
        lambda record: any(has(value_at(record, path), each) for each in several),
        _with_any([*chain(*known)]) if all(known) and not is_added else None,
        is_expanded=is_added,
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
