"""The result of an audit: `audit.json`, which the JavaScript part in `kit/audit/` writes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    Literal,
    NotRequired,
    TypedDict,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from mockpets.errors import invalid
from mockpets.strict_json import load_plain_json
from mockpets.strict_json import shown as shown_value
from mockpets.syntax_errors import not_json
from mockpets.text_files import read_any_text
from mockpets.units import dotted, either

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMAT: Final = 1
"""The version of the file's format."""
RESULT_FILE: Final = "audit.json"
_BYTES: Final = 64 * 1024 * 1024
"""The largest file; one of 300 findings has 500 kB."""

Level = Literal["error", "warning", "note"]


class Step(TypedDict):
    """What is entered or pressed before the request fails.

    `locator` is an expression of Playwright, such as ``getByLabel("Name")``.
    """

    do: Literal["fill", "select", "check", "click"]
    locator: str
    value: NotRequired[str]


class SignIn(TypedDict):
    """How the audit signed in by the app's own form."""

    url: str
    steps: list[Step]


class Request(TypedDict):
    """Requests of the page to one path; `status` is None without a response."""

    method: str
    path: str
    status: int | None
    count: int


class Finding(TypedDict):
    """What one page or action did in one failing state.

    :param page: the shape of the page, such as ``/article/{}``; `url` is one that has it.
    :param action: the name of the action; None for the page itself.
    :param expression: what reproduces the state, such as ``GetArticle:500``; None if no expression
        can.
    :param lost: texts of the healthy page that are missing.
    :param shown: what is visible instead.
    :param healthy: path of the screenshot, relative to the folder of the file; `failing` too.
    """

    rule: str
    level: Level
    page: str
    url: str
    signed_in: bool
    action: str | None
    steps: list[Step]
    operation: str
    state: str
    expression: str | None
    message: str
    lost: list[str]
    shown: list[str]
    requests: list[Request]
    healthy: str
    failing: str


class Cause(TypedDict):
    """Findings with one reason.

    :param id: stable between runs: ``RULE/SCOPE``, such as ``silent/reads``.
    :param findings: indexes of the result's findings; the first is the smallest example.
    :param accepted: the reason in the file of accepted causes; None if it is not accepted.
    :param known: whether the baseline has it.
    """

    id: str
    rule: str
    level: Level
    title: str
    advice: str
    operations: list[str]
    pages: list[str]
    findings: list[int]
    accepted: str | None
    known: bool


class Page(TypedDict):
    """A page that was opened."""

    page: str
    url: str
    signed_in: bool
    title: str
    operations: list[str]
    screenshot: str


class Action(TypedDict):
    """A form or button that calls operations which write."""

    page: str
    name: str
    operations: list[str]


class Probes(TypedDict):
    """How many probes ran, of those that were planned."""

    run: int
    planned: int


class Probe(TypedDict):
    """The outcome of one probe."""

    page: str
    action: str | None
    operation: str
    state: str
    level: Literal["error", "warning", "note", "ok"]


class Result(TypedDict):
    """The whole file.

    :param started: in ISO 8601, in UTC.
    :param complete: False if the audit was interrupted, or its time was used up.
    :param signed_in: the user, if the audit signed in; `sign_in` is how, if it used a form.
    :param not_reached: operations that no page or action called.
    :param causes: errors first, then warnings and notes.
    """

    format: Literal[1]
    version: str
    app: str
    contracts: list[str]
    started: str
    seconds: float
    complete: bool
    signed_in: str | None
    sign_in: SignIn | None
    notes: list[str]
    pages: list[Page]
    actions: list[Action]
    not_reached: list[str]
    probes: Probes
    matrix: list[Probe]
    causes: list[Cause]
    findings: list[Finding]


def read_result(path: Path, shown: str) -> Result:
    """Return the result in a file.

    :param shown: the file's name in messages.
    :raise InputError: it cannot be read, or is not a result of this format.
    """
    text = read_any_text(Path(os.path.realpath(path)), shown, _BYTES)
    hint = f"name an {RESULT_FILE} that 'mockpets audit' wrote"
    try:
        value = load_plain_json(text)
    except json.JSONDecodeError as error:
        raise not_json(error, shown) from None
    except (RecursionError, ValueError):  # such as NaN
        raise invalid(shown, "is not the result of an audit", hint) from None
    if not isinstance(value, dict) or "format" not in value or "causes" not in value:
        raise invalid(shown, "is not the result of an audit", hint)
    if value["format"] != FORMAT:
        what = f"has the format {shown_value(value['format'])}, expected {FORMAT}"
        raise invalid(shown, what, "run the audit again with this version of mockpets")
    for place, expected in _mismatches(value, Result, ()):
        raise invalid(shown, f"{dotted(place)}: must be {expected}", hint)
    result = cast(Result, value)
    for position, cause in enumerate(result["causes"], 1):
        if not all(0 <= index < len(result["findings"]) for index in cause["findings"] or [-1]):
            what = f"causes.{position}.findings: must have indexes of findings"
            raise invalid(shown, what, hint)
    return result


def write_result(folder: Path, result: Result) -> None:
    """Write a result as `RESULT_FILE` into a folder; raise OSError if that fails."""
    (folder / RESULT_FILE).write_text(as_json(result) + "\n", encoding="utf-8")


def as_json(result: Result) -> str:
    """Return a result as JSON, in ASCII, so that every terminal keeps it unchanged."""
    return json.dumps(result, indent=2)


_WORDS: Final = {str: "a text", int: "an integer", float: "a number", bool: "true or false"}


def _mismatches(
    value: object, kind: Any, path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield where a JSON value does not have a type of this module, and what is expected there."""
    origin, arguments = get_origin(kind), get_args(kind)
    if is_typeddict(kind):
        if not isinstance(value, dict):
            yield path, "an object"
            return
        for name, part in get_type_hints(kind, include_extras=True).items():
            is_optional = get_origin(part) is NotRequired
            if name in value:
                part = get_args(part)[0] if is_optional else part
                yield from _mismatches(value[name], part, (*path, name))
            elif not is_optional:
                yield (*path, name), "present"
    elif origin is list:
        if not isinstance(value, list):
            yield path, "an array"
            return
        for position, item in enumerate(value, 1):
            yield from _mismatches(item, arguments[0], (*path, position))
    elif origin is UnionType:
        [kind] = {*arguments} - {NoneType}
        if value is not None:
            yield from (
                (place, f"{text} or null") for place, text in _mismatches(value, kind, path)
            )
    elif origin is Literal:
        if value not in arguments:
            yield path, either(map(json.dumps, arguments))
    elif not isinstance(value, (int, float) if kind is float else kind) or (
        isinstance(value, bool) and kind is not bool
    ):
        yield path, _WORDS[kind]
