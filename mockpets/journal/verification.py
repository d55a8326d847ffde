"""Verify that the journal has the expected number of matching requests; explain failures.

`journal.comparison` compares the entries with the conditions, with the code that stubs use. So
stubs and verifications match alike.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Final

from mockpets.errors import printable
from mockpets.journal.comparison import NOT_RECORDED, compare
from mockpets.journal.entry import authorization_digest
from mockpets.journal.queries import has_status, summary
from mockpets.redaction import REDACTED
from mockpets.scenario.describe import describe_match
from mockpets.scenario.matching import ABSENT, Comparison
from mockpets.scenario.model import Match

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mockpets.contract.control_types import Difference, VerificationDetails
    from mockpets.journal.entry import Entry, Message
    from mockpets.scenario.language.verification import Times, Verification
    from mockpets.scenario.model import Condition

NEAREST: Final = 3
"""Requests that a failed verification explains."""
RANKED: Final = 200
"""Requests whose texts are compared to find them, and each one's first `LISTED` differences."""
RANKED_TEXT: Final = 60
"""Characters of a text that are compared: the time grows with their square."""
LISTED: Final = 10
"""Requests that a message lists, and differences that it lists for each."""
_GIVEN: Final = "the given value"
SHOWN: Final = 120
"""Characters of a value that a message quotes; the details have the whole value."""
BODY_SHOWN: Final = 400
"""Characters of a body that a message quotes."""


@dataclass(frozen=True, slots=True)
class Near:
    """A request that did not match, and each condition that it fails."""

    entry: Entry
    differences: tuple[Comparison, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a verification.

    :param matched: the matching requests.
    :param nearest: if too few match, the requests that come nearest, as `_nearest` sorts them,
        without those of another operation, method or path than the match names; if too many may
        match, the requests that may.
    :param nothing_like: the operation or the path that the match names, if the journal has no such
        request; otherwise empty.
    :param unknown: how many more requests may have matched: they, or the part that the match
        checks, are no longer recorded.
    :param message: several lines for the user; empty if the verification passed.
    """

    passed: bool
    matched: tuple[Entry, ...]
    expected: Times
    match: str
    nearest: tuple[Near, ...]
    message: str
    unknown: int = 0
    nothing_like: str = ""


# --- Comparing --------------------------------------------------------------------------------


def check(
    verification: Verification,
    entries: Sequence[Entry],
    *,
    session: str = "",
    dropped: int = 0,
    dropped_for_memory: int = 0,
) -> Verdict:
    """Check that the expected number of entries match, and return the result.

    :param entries: by number.
    :param session: the session of the journal, for the message.
    :param dropped: entries that the journal has dropped; any of them may have matched.
    :param dropped_for_memory: those of them that were dropped because all journals together are
        too large.
    """
    match, times = verification.match, verification.times
    compared = [Near(entry, _differences(verification, entry)) for entry in entries]
    matched = tuple(near.entry for near in compared if not near.differences)
    others = [near for near in compared if near.differences]
    count, is_allowed = len(matched), times.allow(len(matched))
    if count >= times.least:  # none is missing: the others are of interest if they may match too
        others = [
            near
            for near in others
            if is_allowed and all(each.holds is None for each in near.differences)
        ]
    unknown = dropped + len(others) if is_allowed else 0
    alike = [near for near in others if not any(map(_is_elsewhere, near.differences))]
    passed = is_allowed and times.allow(count + unknown)
    nearest = () if passed else tuple(_nearest(alike))
    wanted = {"status": verification.statuses, "outcome": verification.outcomes}
    response = [f"{name} {' or '.join(values)}" for name, values in wanted.items() if values]
    headers = [replace(each, value=REDACTED) if _is_key(each) else each for each in match.headers]
    shown = describe_match(replace(match, headers=tuple(headers)), *response)
    description = re.sub("^every", "any", shown)
    named = describe_match(Match(match.operations, match.method, match.path))
    nothing_like = named if others and not alike and not matched else ""
    verdict = Verdict(passed, matched, times, description, nearest, "", unknown, nothing_like)
    if passed:
        return verdict
    settings = [
        *(["--journal-size"] if dropped > dropped_for_memory else []),
        *(["--journal-memory"] if dropped_for_memory else []),
    ]
    message = _message(verdict, len(entries), session, dropped, " and ".join(settings))
    return replace(verdict, message=message)


def details(verdict: Verdict) -> VerificationDetails:
    """Return the expectation and the nearest requests as JSON."""
    return {
        "matched": len(verdict.matched),
        "unknown": verdict.unknown,
        "expected": str(verdict.expected),
        "match": verdict.match,
        "nearest": [
            {"request": summary(near.entry), "differences": [*map(_as_json, near.differences)]}
            for near in verdict.nearest
        ],
    }


def _as_json(comparison: Comparison) -> Difference:
    # A request can contain half a surrogate pair, which UTF-8 cannot encode.
    got = comparison.got.encode("utf-8", "backslashreplace").decode()
    return {"where": comparison.where, "expected": comparison.expected, "got": got}


def _differences(verification: Verification, entry: Entry) -> tuple[Comparison, ...]:
    """Return each condition that an entry fails."""
    match = verification.match
    keys = [each for each in match.headers if _is_key(each)]
    if keys:
        match = replace(match, headers=tuple(each for each in match.headers if not _is_key(each)))
    differences = compare(match, entry)
    for key in keys:
        differences += _key_differences(key, entry)
    statuses, outcomes = verification.statuses, verification.outcomes
    if statuses and not any(has_status(entry.status, entry.outcome, each) for each in statuses):
        got = "none yet" if entry.outcome == "pending" else str(entry.status or "none")
        differences.append(Comparison("status", " or ".join(statuses), got))
    if outcomes and entry.outcome not in outcomes:
        differences.append(Comparison("outcome", " or ".join(outcomes), entry.outcome))
    return tuple(differences)


def _is_key(condition: Condition) -> bool:
    """Return whether a condition is about the API key, whose digest an entry has."""
    return condition.name == "authorization" and condition.operator == "equals"


def _key_differences(condition: Condition, entry: Entry) -> list[Comparison]:
    """Return why an entry does not have an API key; the reason repeats neither of the two."""
    if entry.authorization is None:
        compared = compare(Match(headers=(condition,)), entry)
        return [replace(each, expected=_GIVEN) for each in compared]
    if entry.authorization == authorization_digest(str(condition.value)):
        return []
    return [Comparison(f"headers.{condition.name}", _GIVEN, "another value")]


def _is_elsewhere(comparison: Comparison) -> bool:
    """Return whether the request is of another operation, method or path."""
    return comparison.where in ("operation", "method", "path")


def _is_missing(comparison: Comparison) -> bool:
    return comparison.got.startswith(repr(ABSENT))


def _nearest(others: Sequence[Near]) -> list[Near]:
    """Return the nearest requests.

    Few differences come first, then other values before missing ones, then values that look like
    the expected ones, then the newest.
    """
    from difflib import SequenceMatcher  # not needed if the verification passes

    @cache  # clients that poll send the same values again and again
    def likeness(expected: str, got: str) -> float:
        return SequenceMatcher(None, expected, got, autojunk=False).ratio()

    def distance(near: Near) -> tuple[int, int, int]:
        return len(near.differences), sum(map(_is_missing, near.differences)), -near.entry.number

    def unlikeness(near: Near) -> float:
        return -sum(
            likeness(each.expected[:RANKED_TEXT].lower(), each.got[:RANKED_TEXT].lower())
            for each in near.differences[:LISTED]
            if each.where != "outcome" and not _is_missing(each)
        )

    ranked = sorted(others, key=distance)[:RANKED]
    return sorted(ranked, key=lambda near: (distance(near)[:2], unlikeness(near)))[:NEAREST]


# --- Message ----------------------------------------------------------------------------------


def _message(verdict: Verdict, total: int, session: str, dropped: int, settings: str) -> str:
    """Return the message for a failed verification.

    :param total: entries in the journal.
    :param settings: the options whose limits are the reason for dropped entries.
    """
    times, matched, nearest = verdict.expected, verdict.matched, verdict.nearest
    count = times.least if times.most is None else times.most
    result = f"{len(matched)} of {total} matched"
    if verdict.unknown:
        result += f", and up to {verdict.unknown} more may have"
    elif not total and not dropped:
        owner = f" of session {session!r}" if session else ""
        hint = "did the calls go to another session, or were they preflights?"
        result = f"the request log{owner} is empty: {hint}"
    plural = "" if count == 1 else "s"
    lines = [f"expected {times} request{plural}: {_cut(verdict.match)}; {result}"]
    if matched:
        lines += ["matched:", *_listed([_named(entry) for entry in matched])]
    if nearest:
        lines += ["nearest:", *_listed([_explained(near) for near in nearest])]
    if verdict.nothing_like:
        lines.append(f"the request log has no {verdict.nothing_like} request")
    if any(each.got.startswith(REDACTED) for near in nearest for each in near.differences):
        lines.append(
            "secret values are not recorded: match them with 'present', or Authorization also with "
            "'equals'"
        )
    if dropped:
        lines.append(
            f"older requests dropped from the request log: {dropped}; clear it (DELETE requests) "
            f"before the calls that you verify, or start the server with a higher {settings}"
        )
    return "\n".join(lines)


def _named(entry: Entry) -> str:
    result = {
        "sent": f"responded {entry.status}",
        "pending": "response pending",
        "client_left": "client left before the response ended",
        "broken": f"broken by {entry.fault}" if entry.fault else "response cut off",
    }[entry.outcome]
    return f"request {entry.number}, {entry.method} {_cut(entry.target)}, {result}"


def _explained(near: Near) -> str:
    parts = [_compared(each) for each in near.differences[:LISTED]]
    if len(near.differences) > LISTED:
        parts.append(f"and {len(near.differences) - LISTED} more")
    line = f"{_named(near.entry)}: {'; '.join(parts)}"
    request = near.entry.request
    if not request.size:
        return line
    return f"{line}\n    body: {_cut(_sent(request), BODY_SHOWN)}"


def _compared(comparison: Comparison) -> str:
    """Return what was expected and what the request has."""
    where, expected, got = map(_cut, (comparison.where, comparison.expected, comparison.got))
    if not _is_missing(comparison):
        return f"{where}: expected {expected}, got {got}"
    reason = got.removeprefix(repr(ABSENT)).replace(", ", ": ", 1)
    wanted = "" if expected == "present" else f", expected {expected}"
    return f"{where} is missing{reason}{wanted}"


def _sent(request: Message) -> str:
    """Return the recorded body of a request as one line of text."""
    if not request.body:
        return f"{NOT_RECORDED}, {request.size} bytes"
    # JSON strings contain no line ends, so this changes only the layout.
    return re.sub(r"\s*\n\s*", " ", request.body.decode("utf-8", "backslashreplace"))


def _listed(lines: list[str]) -> list[str]:
    """Return the first lines, indented, and the number of the others."""
    more = [f"  and {len(lines) - LISTED} more"] if len(lines) > LISTED else []
    return [f"  {line}" for line in lines[:LISTED]] + more


def _cut(text: str, limit: int = SHOWN) -> str:
    """Return a text for a message: shortened, with control characters escaped."""
    return printable(text if len(text) <= limit else f"{text[: limit - 3]}...")
