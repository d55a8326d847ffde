"""Verification: whether so many requests were made that match some conditions, and if not, why.

The process: entries of the journal become the facts that stubs are matched against, and
`matching.difference` compares them with the conditions. So what a stub matches and what a test
verifies cannot disagree. Nothing here knows of HTTP.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, cast

from mockpets.errors import RequestError, printable
from mockpets.journal.queries import summary
from mockpets.redaction import REDACTED, is_secret
from mockpets.scenario.describe import describe_match
from mockpets.scenario.matching import ABSENT, Facts, Mismatch, condition_in_words, difference
from mockpets.strict_json import parse_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mockpets.contract.control_types import Difference, VerificationDetails
    from mockpets.journal.entry import Entry
    from mockpets.scenario.language.verification import Times, Verification
    from mockpets.scenario.model import Match

NEAREST: Final = 3
"""Requests that a failed verification explains."""
LISTED: Final = 10
"""Requests, and differences of one request, that a message tells of."""
SHOWN: Final = 120
"""Characters of a value that a message quotes; the details have all of it."""
_CUT: Final = "cut off after"
_NOT_KEPT: Final = "not kept"


@dataclass(frozen=True, slots=True)
class Near:
    """A request that did not match, and every condition that it failed."""

    entry: Entry
    differences: tuple[Mismatch, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a verification.

    :param matched: the requests that match.
    :param nearest: when too few match, those that fail the fewest conditions, nearest first; when
        too many may have, those.
    :param unknown: requests that may have matched too: they are gone, or what would tell is.
    :param message: for a person, in several lines; empty when it passed.
    """

    passed: bool
    matched: tuple[Entry, ...]
    expected: Times
    match: str
    nearest: tuple[Near, ...]
    message: str
    unknown: int = 0


# --- Comparing --------------------------------------------------------------------------------


def check(
    verification: Verification, entries: Sequence[Entry], *, session: str = "", dropped: int = 0
) -> Verdict:
    """Return whether as many entries match as should, and if not, what a person should know.

    :param entries: by number.
    :param session: whose journal it is, for the message.
    :param dropped: entries that are gone from it; any of them may have matched.
    """
    match, times = verification.match, verification.times
    compared = [Near(entry, _differences(match, entry)) for entry in entries]
    matched = tuple(near.entry for near in compared if not near.differences)
    others = [near for near in compared if near.differences]
    count, unknown = len(matched), 0
    if times.allow(count):
        others = [near for near in others if all(map(_is_lost, near.differences))]
        unknown = dropped + len(others)
    elif count >= times.least:
        others = []
    passed = times.allow(count) and times.allow(count + unknown)
    nearest = () if passed else tuple(sorted(others, key=_distance)[:NEAREST])
    words = re.sub("^every", "any", describe_match(match))
    verdict = Verdict(passed, matched, times, words, nearest, "", unknown)
    if passed:
        return verdict
    return replace(verdict, message=_message(verdict, len(entries), session, dropped))


def details(verdict: Verdict) -> VerificationDetails:
    """Return what was expected, and the nearest requests."""
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


def _as_json(mismatch: Mismatch) -> Difference:
    # A request may contain half a surrogate pair, which cannot be encoded as UTF-8.
    got = mismatch.got.encode("utf-8", "backslashreplace").decode()
    return {"where": mismatch.where, "expected": mismatch.expected, "got": got}


def _differences(match: Match, entry: Entry) -> tuple[Mismatch, ...]:
    """Return every condition that an entry fails."""
    request, facts = entry.request, _facts(match, entry)
    if match.body and request.cut:
        lost = f"{_CUT} {len(request.body)} bytes" if request.body else _NOT_KEPT
        unknown = (Mismatch(f"body.{c.name}", condition_in_words(c), lost) for c in match.body)
        return (*difference(replace(match, body=()), facts), *unknown)
    found = difference(match, facts)
    if match.body and request.body and facts.body is ABSENT:
        why = "absent, the body is not JSON"
        found = [replace(each, got=why) if each.where[:5] == "body." else each for each in found]
    return tuple(found)


def _is_lost(mismatch: Mismatch) -> bool:
    """Whether a condition fails only since what it looks at is not kept."""
    got = mismatch.got
    hidden = REDACTED in got and mismatch.expected != "absent"
    return hidden or got.startswith((_CUT, _NOT_KEPT))


class _Hidden:
    """The value of a secret, which no condition but `present` can hold for."""

    def __repr__(self) -> str:
        return REDACTED


_HIDDEN: Final = _Hidden()


def _facts(match: Match, entry: Entry) -> Facts:
    """Return what an entry holds of what a match looks at."""
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
        entry.pet_id,
        cast("dict[str, list[str]]", query),
        cast("dict[str, str]", headers),
        _body(entry.request.body) if match.body else ABSENT,
    )


def _body(raw: bytes) -> object:
    """Return the value of a JSON body; what is no JSON has no members, as for stubs."""
    try:
        return parse_json(raw) if raw else ABSENT
    except RequestError:
        return ABSENT


def _distance(near: Near) -> tuple[int, bool, int, int]:
    """Return what to sort by: few differences, at the right place, in values; then the latest."""
    elsewhere = any(each.where in ("operation", "method", "path") for each in near.differences)
    absent = sum(each.got.startswith("absent") for each in near.differences)
    return len(near.differences), elsewhere, absent, -near.entry.number


# --- In words ---------------------------------------------------------------------------------


def _message(verdict: Verdict, total: int, session: str, dropped: int) -> str:
    """Return what a person should know of a verification that failed.

    :param total: entries that were looked at.
    """
    times, matched, nearest = verdict.expected, verdict.matched, verdict.nearest
    count = times.least if times.most is None else times.most
    found = f"{len(matched)} of {total} matched"
    if verdict.unknown:
        found += f", and up to {verdict.unknown} more may have"
    elif not total and not dropped:
        owner = f" of session {session!r}" if session else ""
        why = "did the calls go to another session, or were they preflights?"
        found = f"the journal{owner} is empty: {why}"
    lines = [f"expected {times} request{'' if count == 1 else 's'}: {_cut(verdict.match)}; {found}"]
    if matched:
        lines += ["matched:", *_listed([_named(entry) for entry in matched])]
    if nearest:
        lines += ["nearest:", *_listed([_explained(near) for near in nearest])]
    if any(each.got.startswith(REDACTED) for near in nearest for each in near.differences):
        lines.append("values of secrets are not kept: only 'present' can hold for them")
    if dropped:
        lines.append(
            f"older requests are gone from the journal: {dropped}; clear it (DELETE requests) "
            "before what you verify, or start the server with a higher --journal-size"
        )
    return "\n".join(lines)


def _named(entry: Entry) -> str:
    answer = f"answered {entry.status}" if entry.status else f"broken by {entry.fault}"
    return f"request {entry.number}, {entry.method} {_cut(entry.target)}, {answer}"


def _explained(near: Near) -> str:
    said = [
        f"{_cut(each.where)}: expected {_cut(each.expected)}, got {_cut(each.got)}"
        for each in near.differences[:LISTED]
    ]
    if len(near.differences) > LISTED:
        said.append(f"and {len(near.differences) - LISTED} more")
    return f"{_named(near.entry)}: {'; '.join(said)}"


def _listed(lines: list[str]) -> list[str]:
    """Return the first lines, indented, and how many more there are."""
    more = [f"  and {len(lines) - LISTED} more"] if len(lines) > LISTED else []
    return [f"  {line}" for line in lines[:LISTED]] + more


def _cut(text: str) -> str:
    """Return a text as a message shows it: not too long, and fit for a terminal."""
    return printable(text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}...")
