"""Compare a recorded request with the conditions of a match, with the code that stubs use.

What is not recorded, such as a secret or the end of a long body, leaves a condition unknown.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from mockpets.constants import REDACTED
from mockpets.errors import RequestError
from mockpets.redaction import is_secret, is_secret_property, redacted
from mockpets.scenario.matching import ABSENT, Comparison, Facts, difference, expected_value
from mockpets.strict_json import parse_json

if TYPE_CHECKING:
    from mockpets.request_log.entry import Entry
    from mockpets.scenario.scenario_model import Match

NOT_RECORDED: Final = "not recorded"


def compare(match: Match, entry: Entry, *, every: bool = False) -> list[Comparison]:
    """Return each condition of a match that an entry fails or may fail; or every condition."""
    request, facts = entry.request, _facts(match, entry)
    if match.body and request.cut:
        lost = f"cut off after {len(request.body)} bytes" if request.body else NOT_RECORDED
        compared = difference(replace(match, body=()), facts, every=every)
        compared += [
            Comparison(f"body.{each.path}", expected_value(each), lost, None) for each in match.body
        ]
    else:
        compared = difference(match, facts, every=every)
        if match.body and request.body and facts.body is ABSENT:
            got = "absent, the body is not JSON"
            compared = [
                replace(comparison, got=got) if comparison.where[:5] == "body." else comparison
                for comparison in compared
            ]
    return [*map(_as_recorded, compared)]


def _as_recorded(comparison: Comparison) -> Comparison:
    """Return a comparison, unknown if it fails only because its value is a secret."""
    # A request can contain half a surrogate pair, which UTF-8 cannot encode.
    got = comparison.got.encode("utf-8", "backslashreplace").decode()
    is_hidden = REDACTED in got and comparison.expected != "absent"
    holds = None if is_hidden and not comparison.holds else comparison.holds
    part, _, name = comparison.where.partition(".")
    if part == "body" and got[:1] == '"':  # known, but not shown
        got = f'"{redacted(name, got[1:-1], _is_secret_path)}"'
    return Comparison(comparison.where, comparison.expected, got, holds)


def _is_secret_path(path: str) -> bool:
    """Return whether a property, or an object in which it is, has a secret by its name."""
    return any(map(is_secret_property, (path, *path.split("."))))


class _Hidden:
    """The value of a secret, for which only the condition `present` can hold."""

    def __repr__(self) -> str:
        return REDACTED


_HIDDEN: Final = _Hidden()


def _facts(match: Match, entry: Entry) -> Facts:
    query: defaultdict[str, list[object]] = defaultdict(list)
    for name, value in entry.query if match.query else ():
        query[name].append(_HIDDEN if is_secret(name) else value)
    headers = {
        name.lower(): _HIDDEN if is_secret(name) else value
        for name, value in (entry.request.headers if match.headers else ())
    }
    return Facts(
        entry.operation,
        entry.method,
        entry.path,
        cast("dict[str, list[str]]", query),
        cast("dict[str, str]", headers),
        _body(entry.request.body) if match.body else ABSENT,
    )


def _body(raw: bytes) -> object:
    """Return the value of a JSON body; any other body has no properties, as for stubs."""
    try:
        return parse_json(raw) if raw else ABSENT
    except RequestError:
        return ABSENT
