"""Make records complete: what corrections set, times, defaults, keys and required properties."""

from __future__ import annotations

import re
from itertools import filterfalse
from typing import TYPE_CHECKING, Final

from mockpets.clock import real_time, time_text
from mockpets.contract.document_records import set_at, value_at
from mockpets.contract.fields import INVALID
from mockpets.errors import RequestError
from mockpets.web.stateful import people
from mockpets.web.stateful.action import ActionError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.contract.completion import Completion
    from mockpets.contract.contract_model import Record
    from mockpets.contract.query_meanings import PropertyPath
    from mockpets.web.stateful.action import Action

_BETWEEN_WORDS: Final = re.compile(r"\W+")


def add(action: Action, record: Record) -> tuple[bytes, Record]:
    """Add a record, which this completes; return it as JSON, and itself."""
    collection, guess = action.collection, action.guess
    for path, value in action.parents:
        set_at(record, path, value)
    if credentials := guess.credentials:
        people.check_name(action, record, credentials.name[-1:])
    if collection.owner and action.my_key is not None and not collection.is_people:
        set_at(record, collection.owner, action.my_key)
    if collection.sets:
        set_given(action, record, collection.sets)
    if guess.change and guess.role == "create":
        set_given(action, record, guess.change)
    key = record.get(action.key_name)
    if key is None and (titles := action.schema.titles):
        named = (record[name] for name in titles if record.get(name) is not None)
        if title := next(named, ""):
            record[action.key_name] = _free_slug(action, str(title))
    _complete(action, record)
    if collection.is_people:
        people.hide_password(action, record)
    try:
        added = action.store.create(record)
    except RequestError as error:
        if error.code == "conflict":
            raise ActionError("conflict", (409, 422, 400), error.message, str(key)) from None
        raise
    action.publish()
    return added


def set_given(action: Action, record: Record, given: Mapping[PropertyPath, object]) -> None:
    """Set properties to the values that corrections, or the names of operations, give."""
    for path, source in given.items():
        value = given_value(action, source, record)
        is_slug = isinstance(source, dict) and source.keys() == {"slugify"}
        if is_slug and path == (action.key_name,):
            value = _free_slug(action, str(value))
        set_at(record, path, value)


def given_value(action: Action, source: object, record: Record) -> object:
    """Return the value of a correction: ``{from: me}``, ``{slugify: title}``, or a constant."""
    match source:
        case {"from": "me"}:
            return action.my_key
        case {"from": str(text)}:
            place, *path = text.split(".")
            arguments = action.arguments._asdict()
            value = value_at(arguments.get(place), path)
            return None if value is INVALID else value
        case {"slugify": str(name)}:
            return _slug(str(value_at(record, name.split("."))))
    return source


def _slug(title: str) -> str:
    return _BETWEEN_WORDS.sub("-", title.lower()).strip("-")[:60] or "untitled"


def _free_slug(action: Action, title: str) -> str:
    """Return a slug that is not the key of a record, with a number if another record has it."""
    slug, find = _slug(title), action.store.find
    if find(slug) is None:
        return slug
    taken, free = 1, 2
    while find(f"{slug}-{free}") is not None:
        taken, free = free, 2 * free
    while free - taken > 1:  # not one by one, because thousands may have the same title
        middle = (taken + free) // 2
        if find(f"{slug}-{middle}") is None:
            free = middle
        else:
            taken = middle
    return f"{slug}-{free}"


def set_updated(action: Action, record: Record) -> None:
    """Set the times at which a record was updated."""
    for completion in action.schema.completions:
        part = completion.part(record)
        now = _now(action) if completion.times else ""
        for name, length, is_updated in completion.times:
            if is_updated:
                part[name] = now[:length]


def _complete(action: Action, record: Record) -> None:
    """Set the times of a new record, and the defaults and required properties that it lacks."""
    for completion in action.schema.completions:
        part = completion.part(record)
        now = _now(action) if completion.times else ""
        for name, length, is_updated in completion.times:
            if is_updated or name not in part:
                part[name] = now[:length]
        for name in filterfalse(part.__contains__, completion.initial):
            value = completion.initial[name]
            is_known = value is not INVALID
            part[name] = value if is_known else _generated(action, record, completion, name)


def _now(action: Action) -> str:
    clock = action.session.clock
    return time_text(clock.now() if clock else real_time())


def _generated(action: Action, record: Record, completion: Completion, name: str) -> object:
    """Return a generated value of a required property that the client has not sent."""
    kind = action.guess.collection
    at = f"new/{kind}/{action.store.next_key}"
    whole = action.values.value(action.collection.schema, kind=kind, at=at, echo=record)
    value = value_at(whole, (*completion.way, name))
    return None if value is INVALID else value
