"""List records: filter, sort and page them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from mockpets.contract.document_records import OWN, value_at
from mockpets.contract.fields import INVALID
from mockpets.contract.query_meanings import Meaning
from mockpets.contract.shapes import plain
from mockpets.records.table import parse_row
from mockpets.strict_json import dump_json
from mockpets.web.stateful.action import GONE
from mockpets.web.stateful.comparison import compare, contains, equal, has, is_true, sort_key
from mockpets.web.stateful.new_records import given_value
from mockpets.web.stateful.paging import page_of, query_names
from mockpets.web.stateful.rendering import expanded, in_envelope, list_body, respond_with

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mockpets.contract.model import Record
    from mockpets.contract.query_meanings import PropertyPath
    from mockpets.web.exchange import Response
    from mockpets.web.stateful.action import Action

    Filter = Callable[[Record], bool]
    """Returns whether a list has an expanded record."""
    Sort = tuple[PropertyPath, bool]
    """A property, and whether its greatest value is first."""

_FILTERS: Final = ("equal", "flag", "least", "most", "toggled", "search")


def list_records(action: Action) -> Response:
    """Return a page of the records that a request selects."""
    action.check_parents()
    guess, filters, sorts = action.guess, _filters(action), _sorts(action)
    rows = action.store.rows()
    is_selected = bool(filters or sorts or guess.mine or action.parents)
    has_cursor = query_names(action).get("cursor") in action.arguments.query
    if is_selected or has_cursor or action.collection.is_open:
        records = _selected(action, [*map(parse_row, rows)], filters, sorts)
        page = page_of(action, len(records), records)
        records = records[page.start : page.end]
    else:  # parses only the page, since thousands of records take long
        page = page_of(action, len(rows))
        records = [*map(parse_row, rows[page.start : page.end])]
    body = list_body(action, records)
    body = page.described(body) if isinstance(body, dict) else body
    response = respond_with(action, body)
    page.set_headers(response)
    return response


def list_values(action: Action) -> Response:
    """Return the distinct values of a property."""
    values: dict[bytes, object] = {}
    for row in action.store.rows():
        value = value_at(parse_row(row), action.guess.values)
        for each in value if isinstance(value, list) else [value]:
            if each is not INVALID:
                values.setdefault(dump_json(each), each)
    return respond_with(action, in_envelope(action, [*values.values()]))


def _selected(
    action: Action, records: list[Record], filters: Sequence[Filter], sorts: Sequence[Sort]
) -> list[Record]:
    """Return the records of a list in its order."""
    if action.guess.mine:
        path = action.collection.owner or (action.key_name,)
        records = [each for each in records if equal(value_at(each, path), action.my_key)]
    records = [each for each in records if GONE not in each and action.is_below(each)]
    if filters:
        pairs = ((each, expanded(action, each, action.stored)) for each in records)
        records = [each for each, whole in pairs if all(passes(whole) for passes in filters)]
    for path, reverse in reversed(sorts):  # a sort keeps the order of equal records
        values = [(value_at(each, path), each) for each in records]
        known = [pair for pair in values if pair[0] not in (INVALID, None)]
        known.sort(key=lambda pair: sort_key(pair[0]), reverse=reverse)
        others = [each for value, each in values if value in (INVALID, None)]
        records = [*(each for _, each in known), *others]
    return records


def _filters(action: Action) -> list[Filter]:
    """Return the filters in the query, and those of the operation itself."""
    query, guess = action.arguments.query, action.guess
    wanted = [
        (meaning, query[name])
        for name, meaning in guess.query.items()
        if meaning.word in _FILTERS and name in query and query[name] not in ("", [])
    ]
    fixed = [
        (Meaning("equal", path), given_value(action, value, {}))
        for path, value in guess.fixed.items()
    ]
    return [_filter(meaning, value) for meaning, value in (*wanted, *fixed)]


def _filter(meaning: Meaning, wanted: Any) -> Filter:
    word, path = meaning.word, meaning.path
    several = wanted if isinstance(wanted, list) else [wanted]
    match word:
        case "flag":
            return lambda record: not is_true(wanted) or value_at(record, path) is True
        case "least" | "most":
            allowed = (0, 1) if word == "least" else (0, -1)
            return lambda record: compare(value_at(record, path), wanted) in allowed
        case "toggled":
            name = OWN + ".".join(path)
            return lambda record: any(has(record.get(name, []), key) for key in several)
        case "search":
            return lambda record: any(contains(record, str(each)) for each in several)
    return lambda record: any(has(value_at(record, path), each) for each in several)


def _sorts(action: Action) -> list[Sort]:
    """Return the properties by which a list is sorted."""
    query, result = action.arguments.query, []
    asked = {word: query[name] for word, name in query_names(action).items() if name in query}
    sort = asked.get("sort") or action.guess.sort
    is_descending = str(asked.get("direction", "")).lower().startswith("desc")
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
