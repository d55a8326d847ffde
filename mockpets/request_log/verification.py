"""Verify that the request log has the expected number of matching requests; explain failures."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.constants import REDACTED
from mockpets.errors import printable
from mockpets.request_log.comparison import NOT_RECORDED, compare
from mockpets.request_log.entry import authorization_digest
from mockpets.request_log.queries import has_status, summary
from mockpets.scenario.matching import ABSENT, ADDRESS, Comparison
from mockpets.scenario.scenario_description import describe_match
from mockpets.scenario.scenario_model import Match

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mockpets.constants import RequestOutcome
    from mockpets.contract.control_types import VerificationDetails
    from mockpets.request_log.entry import Entry, Message
    from mockpets.request_log.request_log import Kept, RequestLog
    from mockpets.scenario.language.expectations import Times, Verification
    from mockpets.scenario.scenario_model import Condition

NEAREST: Final = 3
"""Requests that a failed verification explains."""
COMPARED: Final = 200
"""Requests whose values are compared to find them."""
COMPARED_TEXT: Final = 60
"""Characters of a value that are compared: the time grows with their square."""
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


class Rank(NamedTuple):
    """How near a request comes to a match.

    :param differences: the number of conditions that it fails.
    :param missing: those of them for which the request has no value.
    :param is_unknown: it fails only conditions that are unknown, so it may match.
    :param is_elsewhere: it is of another operation, method or path.
    """

    differences: int = 0
    missing: int = 0
    is_unknown: bool = False
    is_elsewhere: bool = False


_MATCHES: Final = Rank()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a verification.

    :param nearest: if too few match, the nearest requests to the operation, method and path; if
        too many may match, the requests that may.
    :param unknown: how many more requests may have matched: they, or the part that the match
        checks, are no longer recorded.
    :param message: several lines for the user; empty if the verification passed.
    """

    passed: bool
    matched: tuple[Entry, ...]
    expected: Times
    match: str
    nearest: tuple[Near, ...]
    unknown: int
    message: str = ""


# --- Comparing --------------------------------------------------------------------------------


def check(
    verification: Verification,
    ranked: Sequence[tuple[Rank, Entry]],
    *,
    session: str = "",
    dropped: int = 0,
    dropped_for_memory: int = 0,
) -> Verdict:
    """Check that the expected number of entries match, and return the result.

    :param ranked: what `rank` returns for each entry, and the entry; by number.
    :param session: for the message.
    :param dropped: as `RequestLog` has it, like `dropped_for_memory`; any of them may have matched.
    """
    match, times = verification.match, verification.times
    matched = tuple(entry for each, entry in ranked if each == _MATCHES)
    others = [pair for pair in ranked if pair[0] != _MATCHES]
    count, is_allowed = len(matched), times.allow(len(matched))
    if count >= times.least:  # none is missing: the others are of interest if they may match too
        others = [pair for pair in others if is_allowed and pair[0].is_unknown]
    unknown = dropped + len(others) if is_allowed else 0
    alike = [pair for pair in others if not pair[0].is_elsewhere]
    passed = _passes(times, count, unknown)
    nearest = () if passed else tuple(_nearest(verification, alike))
    wanted = {"status": verification.statuses, "outcome": verification.outcomes}
    response = [f"{name} {' or '.join(values)}" for name, values in wanted.items() if values]
    headers = [replace(each, value=REDACTED) if _is_key(each) else each for each in match.headers]
    shown = describe_match(replace(match, headers=tuple(headers)), *response)
    description = re.sub("^every", "any", shown)
    verdict = Verdict(passed, matched, times, description, nearest, unknown)
    if passed:
        return verdict
    lines = _result_lines(verdict, len(ranked), session, dropped)
    if others and not alike and not matched:
        named = describe_match(Match(match.operations, match.roles, match.method, match.path))
        lines.append(f"the request log has no {named} request")
    if any(each.got.startswith(REDACTED) for near in nearest for each in near.differences):
        lines.append(
            "secret values are not recorded: match them with 'present', or Authorization also with "
            "'equals'"
        )
    if dropped:
        lines.append(
            f"older requests dropped from the request log: {dropped}; clear it (DELETE requests) "
            "before the calls that you verify"
        )
        if dropped_for_memory:
            lines[-1] += ", or start the server with a higher --memory"
    return replace(verdict, message="\n".join(lines))


def _passes(times: Times, count: int, unknown: int) -> bool:
    """Return whether a number of matching requests passes, however many of the unknown match."""
    return times.allow(count) and times.allow(count + unknown)


class Progress:
    """A verification that waits; for one thread at a time.

    It compares each entry once, and again when its response was sent.
    """

    def __init__(self, verification: Verification) -> None:
        self.verification = verification
        self._ranks: dict[Kept, tuple[RequestOutcome, Rank]] = {}
        self._equal: dict[tuple[RequestOutcome, Rank], tuple[RequestOutcome, Rank]] = {}
        """One of all equal values, which makes the others garbage: many calls may wait."""

    def check(self, request_log: RequestLog, session: str, *, is_last: bool) -> Verdict | None:
        """Return the result, or None if it may still change.

        :param request log: of another session if that was deleted meanwhile.
        :param is_last: whether the time to wait is over.
        """
        kept, dropped, dropped_for_memory = request_log.snapshot()
        verification, before = self.verification, self._ranks
        self._ranks = {}
        ranked: list[tuple[Rank, Entry]] = []
        for each in kept:
            entry = each.read()
            known = before.get(each)
            if known is None or known[0] != entry.outcome:
                known = entry.outcome, rank(verification, entry)
                known = self._equal.setdefault(known, known)
            self._ranks[each] = known
            ranked.append((known[1], entry))
        count = sum(each == _MATCHES for each, _ in ranked)
        unknown = dropped + sum(each.is_unknown for each, _ in ranked)
        passed = _passes(verification.times, count, unknown)
        if not is_last and verification.may_change(count, passed=passed):
            return None
        return check(
            verification,
            sorted(ranked, key=lambda pair: pair[1].number),
            session=session,
            dropped=dropped,
            dropped_for_memory=dropped_for_memory,
        )


def details(verdict: Verdict) -> VerificationDetails:
    """Return the expectation and the nearest requests as JSON."""
    return {
        "matched": len(verdict.matched),
        "unknown": verdict.unknown,
        "expected": str(verdict.expected),
        "match": verdict.match,
        "nearest": [
            {
                "request": summary(near.entry),
                "differences": [
                    {"where": each.where, "expected": each.expected, "got": each.got}
                    for each in near.differences
                ],
            }
            for near in verdict.nearest
        ],
    }


def rank(verification: Verification, entry: Entry) -> Rank:
    """Return how near an entry comes to what a verification expects."""
    differences = _differences(verification, entry)
    if not differences:
        return _MATCHES
    return Rank(
        len(differences),
        sum(map(_is_missing, differences)),
        all(each.holds is None for each in differences),
        any(each.where in ADDRESS for each in differences),
    )


def _differences(verification: Verification, entry: Entry) -> tuple[Comparison, ...]:
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


def _is_missing(comparison: Comparison) -> bool:
    return comparison.got.startswith(repr(ABSENT))


def _nearest(verification: Verification, others: Sequence[tuple[Rank, Entry]]) -> list[Near]:
    """Return the nearest requests.

    Few differences come first, then other values before missing ones, then values that are similar
    to the expected ones, then the newest.
    """
    ranked = sorted(others, key=lambda pair: (*pair[0][:2], -pair[1].number))[:COMPARED]
    order = [
        (*each[:2], -_likeness(near.differences), near)
        for each, entry in ranked
        for near in [Near(entry, _differences(verification, entry))]
    ]
    return [near for *_, near in sorted(order, key=lambda row: row[:3])[:NEAREST]]


def _likeness(differences: Sequence[Comparison]) -> float:
    """Return how similar the values of a request are to the expected ones."""
    from difflib import SequenceMatcher  # not needed if the verification passes

    total = 0.0
    for each in differences:
        if each.where not in ("status", "outcome"):  # of the response
            wanted, got = (text[:COMPARED_TEXT].lower() for text in (each.expected, each.got))
            total += SequenceMatcher(None, wanted, got, autojunk=False).ratio()
    return total


# --- Message ----------------------------------------------------------------------------------


def _result_lines(verdict: Verdict, total: int, session: str, dropped: int) -> list[str]:
    """Return the lines about the requests, for the message of a failed verification."""
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
    return lines


def _named(entry: Entry) -> str:
    result = {
        "sent": f"responded {entry.status}",
        "pending": "response pending",
        "client_left": "client left before the response ended",
        "broken": f"broken by {entry.fault}" if entry.fault else "response cut off",
    }[entry.outcome]
    return f"request {entry.number}, {entry.method} {_cut(entry.target)}, {result}"


def _explained(near: Near) -> str:
    parts = [_compared(difference) for difference in near.differences[:LISTED]]
    if len(near.differences) > LISTED:
        parts.append(f"and {len(near.differences) - LISTED} more")
    request = near.entry.request
    body = f"\n    body: {_cut(_sent(request), BODY_SHOWN)}" if request.size else ""
    return f"{_named(near.entry)}: {'; '.join(parts)}{body}"


def _compared(comparison: Comparison) -> str:
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
