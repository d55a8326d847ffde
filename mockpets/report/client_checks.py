"""Check the requests of a client against the rules.

Each check gets the exchanges of one source in the order in which they were sent, and yields what
is wrong with the exchanges that show it. What is unknown never makes a finding.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import defaultdict
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import partial
from heapq import heappop, heappush
from itertools import accumulate, pairwise
from math import inf
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import parse_qsl

from mockpets.constants import API_PREFIX, OPERATIONS, ORDERS_PATH, STUB_HEADER
from mockpets.contract.openapi import document
from mockpets.contract.schemas import LIST_PARAMETERS, NEW_PET_FIELDS
from mockpets.errors import did_you_mean
from mockpets.journal.queries import moment
from mockpets.redaction import REDACTED, is_secret, redacted_target
from mockpets.report.findings import Evidence, Finding, Report, shortened
from mockpets.report.rules import CLIENT_RULES
from mockpets.scenario.matching import path_matches
from mockpets.units import counted, quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mockpets.report.exchanges import Exchange

    Exchanges = Sequence[Exchange]
    Check = Callable[[Exchanges], Iterator["Violation"]]

_EVIDENCE: Final = 10
"""Maximum number of exchanges that a finding lists."""
_SHORT: Final = 0.1
"""The shortest pause in seconds that counts; shorter ones count as this."""
_GROWTH: Final = 1.5
"""How many times longer than an earlier pause one must be; allows for randomness."""
_LONG: Final = 30.0
"""After a pause of that many seconds, a request is a new attempt, as of a page that polls."""
_RETRIES: Final = 3
_SHORT_RETRIES: Final = 2
_TOLERANCE: Final = 0.05
"""How many seconds before the end of Retry-After a request may come: timers are inexact."""
_BY_HAND: Final = 1.0
"""A person who reloads a page needs at least that many seconds."""
_REGULAR: Final = 0.05
"""How much three pauses of a program differ at most, as a part of the longest; a person's differ
more."""
_CONCURRENT: Final = 0.05
"""Requests within these seconds may be sent at once, as two components or StrictMode do: the log
has the end of a response, but not when the client has read it."""
_CLOCK: Final = 0.001
"""The precision of the times in a HAR document, where a start is rounded down."""
_AFTER_401: Final = 2
_BY_BROWSERS: Final = re.compile(
    r"/(?:favicon\.ico|robots\.txt|apple-touch-icon.*|\.well-known/.*)"
)
"""Paths that browsers and their extensions request themselves."""
_OPENED: Final = re.compile(rf"/(?:docs|panel|{API_PREFIX[1:]}/?)?")
"""Paths that a person opens in a browser to look for a page."""


class Violation(NamedTuple):
    """What a check found.

    :param shown: the exchanges that show it, each with a detail that may be empty.
    """

    message: str
    shown: list[tuple[Exchange, str]]


def build(
    exchanges: Iterable[Exchange],
    checked: str,
    limits: Iterable[str],
    *,
    max_equal_requests: int,
    max_unread: int,
) -> Report:
    """Return the report on exchanges, which may come from several sources.

    :param checked: such as ``12 requests in 2 sessions``.
    :param limits: what could not be checked.
    """
    sources: dict[str, list[Exchange]] = defaultdict(list)
    for exchange in exchanges:
        sources[exchange.source].append(exchange)
    checks: dict[str, Check] = {
        "deprecated-operation": _deprecated,
        "retry-without-backoff": _without_backoff,
        "retry-after-ignored": _too_early,
        "request-storm": partial(_storms, limit=max_equal_requests),
        "duplicate-create": _duplicates,
        "request-after-401": _after_401,
        "unknown-parameter": _parameters,
        "unknown-property": _properties,
        "rejected-body-repeated": _repeated,
        "key-in-query": _keys,
        "off-contract-path": _off_contract,
        "response-unread": partial(_unread, limit=max_unread),
    }
    findings = []
    for rule in CLIENT_RULES:
        for source, unsorted in sources.items():
            ordered = sorted(unsorted, key=lambda exchange: exchange.start)
            found = sorted(checks[rule.name](ordered), key=lambda each: each.shown[0][0].start)
            for message, shown in found:
                evidence = tuple(_evidence(*each) for each in shown[:_EVIDENCE])
                findings.append(Finding(rule, message, source, evidence, shown[0][0].file))
    return Report("Client behaviour", checked, CLIENT_RULES, tuple(findings), tuple(limits))


def _evidence(exchange: Exchange, detail: str) -> Evidence:
    response = str(exchange.status or "no response")
    if exchange.outcome not in (None, "sent"):
        response = str(exchange.outcome)
    return Evidence(_line(exchange), response, exchange.number, moment(exchange.start), detail)


# --- Retries ----------------------------------------------------------------------------------


def _without_backoff(exchanges: Exchanges) -> Iterator[Violation]:
    for group in _equal(exchanges):
        chain = [(group[0], "")]
        pauses: list[float] = []  # those that Retry-After does not justify
        chains = [(chain, pauses)]
        for exchange in group[1:]:
            before = chain[-1][0]
            pause = _pause(before, exchange)
            if pause is not None and pause < 0:
                continue  # sent at the same time, not because of a failure
            if pause is None or pause >= _LONG or not _failed(before):
                chain, pauses = [(exchange, "")], []
                chains.append((chain, pauses))
                continue
            chain.append((exchange, f"{_duration(pause)} after {_name(before)}"))
            wait = _retry_after(before)
            if wait is None or pause < round(wait - _TOLERANCE, 6):
                pauses.append(pause)
        for retries, between in chains:
            if _lacks_backoff(between):
                shown = ", ".join(map(_duration, between[:_EVIDENCE]))
                more = ", ..." if len(between) > _EVIDENCE else ""
                times = f"{counted(len(retries) - 1, 'time')} after failures"
                what = f"{_line(group[0])} was sent again {times}, with pauses of {shown}{more}"
                yield Violation(what, retries)


def _lacks_backoff(pauses: list[float]) -> bool:
    """Return whether the pauses between retries are too short, or do not grow."""
    if len(pauses) >= _SHORT_RETRIES and all(pause < _SHORT for pause in pauses):
        return True
    # Components that fetch at the same time, and browsers that send a request again on a new
    # connection, must not look like a first, short pause after which the others grow.
    real = [max(pause, _SHORT) for pause in pauses if pause >= _CONCURRENT]
    shortest = accumulate(real, min)
    grows = any(
        later >= round(_GROWTH * least, 6) for least, later in zip(shortest, real[1:], strict=False)
    )
    return len(real) >= _RETRIES and not grows


def _too_early(exchanges: Exchanges) -> Iterator[Violation]:
    for group in _equal(exchanges):
        shown: dict[int, tuple[Exchange, str]] = {}
        pauses: list[float] = []
        first = ""
        for index, (exchange, before) in enumerate(zip(group, _reacted_to(group), strict=True)):
            wait = None if before is None else _retry_after(group[before])
            if before is None or wait is None or exchange.is_navigation:
                continue
            pause = _pause(group[before], exchange)
            if pause is not None and pause < round(wait - _TOLERANCE, 6):
                shown.setdefault(before, (group[before], f"Retry-After is {_duration(wait)}"))
                shown[index] = (exchange, f"{_duration(pause)} after {_name(group[before])}")
                first = first or f"after {_duration(pause)} instead of {_duration(wait)}"
                pauses.append(pause)
        if _is_program(pauses):
            message = f"{_line(group[0])} was sent again {first}, despite Retry-After"
            yield Violation(message, [shown[index] for index in sorted(shown)])


def _is_program(pauses: list[float]) -> bool:
    """Return whether a program chose the pauses, and not a person who reloads the page."""
    return any(pause < _BY_HAND for pause in pauses) or any(
        max(three) - min(three) <= _REGULAR * max(three)
        for three in zip(pauses, pauses[1:], pauses[2:], strict=False)
    )


def _reacted_to(group: list[Exchange]) -> Iterator[int | None]:
    """Yield for each request the index of the last one whose response the client knew.

    Takes much less than quadratic time, also if no response has ended.
    """
    last: int | None = None
    pending: list[tuple[float, int]] = []  # a heap: the end of a response, and its index
    index = 0
    for exchange in group:
        # As in `_reacts`. Both conditions stay true for the later requests.
        while _apart(group[index], exchange) >= _CONCURRENT:
            if (end := group[index].end) is not None:
                heappush(pending, (end, index))
            index += 1
        while pending and _reacts(exchange, group[pending[0][1]]):
            known = heappop(pending)[1]
            last = known if last is None else max(last, known)
        yield last


def _retry_after(exchange: Exchange) -> float | None:
    """Return how many seconds a response asks to wait from its end; None if it does not."""
    value = exchange.response_headers.get("retry-after", "").strip()
    if exchange.end is None or exchange.status is None or exchange.status < 300:
        return None
    if re.fullmatch("[0-9]{1,9}", value):
        return float(value)
    until = _date(value)
    if until is None:
        return None
    # The clocks of client and server can differ, so the server's own date counts. It has no
    # fractions, so up to a second of the difference may be over.
    now = _date(exchange.response_headers.get("date", ""))
    return until - exchange.end if now is None else until - now - 1


def _date(value: str) -> float | None:
    try:
        date = parsedate_to_datetime(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()


def _failed(exchange: Exchange) -> bool:
    status = exchange.status
    is_error = status is not None and (status >= 500 or status == 429)
    return is_error or exchange.outcome == "broken"


# --- Repetition -------------------------------------------------------------------------------


def _storms(exchanges: Exchanges, limit: int) -> Iterator[Violation]:
    creates = [each for each in exchanges if each.operation == "createPet"]
    changes = sorted(_pending_until(each) for each in creates)
    for equal in _equal(exchanges):
        group = equal if equal[0].operation == "createPet" else _unprompted(equal, changes)
        index = 0
        while index + limit < len(group):
            end = index + limit
            while end < len(group) and _apart(group[end - limit], group[end]) < 1:
                end += 1
            burst = group[index:end]
            index = end if len(burst) > limit else index + 1
            if len(burst) > limit:
                seconds = _duration(_apart(burst[0], burst[-1]))
                what = f"{_line(burst[0])} was sent {counted(len(burst), 'time')} in {seconds}"
                message = f"{what}; at most {limit} equal requests a second are expected"
                yield Violation(message, _plain(burst))


def _unprompted(group: list[Exchange], changes: list[float]) -> list[Exchange]:
    """Return equal requests without those that get the list again after a change.

    :param changes: the times of the changes, in order.
    """
    counts = [bisect_right(changes, each.start) for each in group]
    later = [each for each, (a, b) in zip(group[1:], pairwise(counts), strict=True) if a == b]
    return [group[0], *later]


def _duplicates(exchanges: Exchanges) -> Iterator[Violation]:
    creates = [each for each in exchanges if each.operation == "createPet" and each.body]
    for group in _equal(creates):
        clusters, end = [[group[0]]], _pending_until(group[0])
        for exchange in group[1:]:
            if round(end - exchange.start, 6) >= _CLOCK:
                clusters[-1].append(exchange)
                end = max(end, _pending_until(exchange))
            else:
                clusters.append([exchange])
                end = _pending_until(exchange)
        for cluster in clusters:
            if len(cluster) > 1:
                again = counted(len(cluster) - 1, "time")
                what = f"{_line(group[0])} was sent again {again} with the same body"
                yield Violation(f"{what} while the first was pending", _plain(cluster))


def _pending_until(exchange: Exchange) -> float:
    """Return until when a request is known to be pending."""
    if exchange.outcome == "pending":
        return inf
    return exchange.start if exchange.end is None else exchange.end


def _repeated(exchanges: Exchanges) -> Iterator[Violation]:
    for group in _equal([each for each in exchanges if each.body and each.status == 400]):
        later = [each for each in group if _reacts(each, group[0])]
        if later:
            what = f"{_line(group[0])} got 400, and the same body was sent again"
            yield Violation(f"{what} {counted(len(later), 'time')}", _plain([group[0], *later]))


def _unread(exchanges: Exchanges, limit: int) -> Iterator[Violation]:
    # StrictMode ends the request of an effect, and sends it again at once.
    again = {
        id(first)
        for group in _equal(exchanges)
        for first, second in pairwise(group)
        if _apart(first, second) < _SHORT
    }
    left = [
        exchange
        for exchange in exchanges
        if exchange.outcome == "client_left" and id(exchange) not in again
    ]
    if len(left) > limit:
        message = f"the client aborted {counted(len(left), 'request')} without reading the response"
        yield Violation(f"{message}; the limit is {limit}", _plain(left))


# --- Keys -------------------------------------------------------------------------------------


def _after_401(exchanges: Exchanges) -> Iterator[Violation]:
    chain: list[Exchange] = []
    chains: list[list[Exchange]] = []
    for exchange in exchanges:
        if chain and not _reacts(exchange, chain[0]):
            continue  # sent before the client knew
        is_401 = exchange.status == 401 and exchange.end is not None
        is_success = exchange.status is not None and exchange.status < 400
        if not chain or _key(exchange) != _key(chain[0]) or is_success:
            chain = []
            chains.append(chain)
        chain += [exchange] if is_401 else []
    for chain in chains:
        if len(chain) > _AFTER_401:
            # An export may omit the key, as Chromium's does by default.
            is_known = _key(chain[0]) and REDACTED not in _key(chain[0])
            key = "with the same key" if is_known else "without a new key"
            message = f"{len(chain) - 1} requests got 401 {key} after the first 401"
            yield Violation(message, _plain(chain))


def _key(exchange: Exchange) -> str:
    return exchange.headers.get("authorization", "")


def _keys(exchanges: Exchanges) -> Iterator[Violation]:
    yield from _grouped(
        (each, f"the name of the query parameter {quote(name)} suggests a secret,", "")
        for each in exchanges
        for name in _query_names(each)
        if is_secret(name)
    )


# --- Contract ---------------------------------------------------------------------------------


def _deprecated(exchanges: Exchanges) -> Iterator[Violation]:
    paths = document()["paths"]
    deprecated = {
        operation
        for operation, (method, path) in OPERATIONS.items()
        if paths[path.removeprefix(API_PREFIX)][method.lower()].get("deprecated")
    }
    yield from _grouped(
        (each, f"the deprecated operation {each.operation} was called", "")
        for each in exchanges
        if each.operation in deprecated
    )


def _parameters(exchanges: Exchanges) -> Iterator[Violation]:
    """Find query parameters that the contract does not define; `_keys` finds secret ones."""
    known: dict[str, tuple[str, ...]] = dict.fromkeys(OPERATIONS, ())
    known["listPets"] = LIST_PARAMETERS
    yield from _grouped(
        (each, *_unknown(f"{each.operation} has no query parameter", name, known[each.operation]))
        for each in exchanges
        if each.operation is not None
        for name in _query_names(each)
        if name not in known[each.operation] and not is_secret(name)
    )


def _properties(exchanges: Exchanges) -> Iterator[Violation]:
    yield from _grouped(
        (each, *_unknown("createPet has no property", name, NEW_PET_FIELDS))
        for each in exchanges
        if each.operation == "createPet"
        for name in _property_names(each.body)
        if name not in NEW_PET_FIELDS
    )


def _unknown(what: str, name: str, known: Iterable[str]) -> tuple[str, str]:
    near = did_you_mean(name, tuple(known))
    return f"{what} {quote(name)},", f"; {near}" if near else ""


def _off_contract(exchanges: Exchanges) -> Iterator[Violation]:
    allowed: dict[str, set[str]] = defaultdict(set)
    for method, path in (*OPERATIONS.values(), ("GET", ORDERS_PATH)):
        allowed[path] |= {method, "HEAD"} if method == "GET" else {method}

    def problem(exchange: Exchange) -> str:
        path = exchange.path
        if path is None or _BY_BROWSERS.fullmatch(path):
            return ""
        if _OPENED.fullmatch(path) and exchange.is_navigation:
            return ""
        if exchange.response_headers.get(STUB_HEADER.lower(), "-") != "-":
            return ""  # a scenario defines the path
        methods = next((each for known, each in allowed.items() if path_matches(known, path)), None)
        shown = quote(re.sub("/[0-9]+(?=/|$)", "/{number}", path))
        if methods is None:
            return f"the path {shown} is not in the contract,"
        if exchange.method not in methods:
            return f"the path {shown} has no method {quote(exchange.method)},"
        return ""

    yield from _grouped((each, text, "") for each in exchanges if (text := problem(each)))


def _query_names(exchange: Exchange) -> dict[str, None]:
    """Return the names of the query parameters, without duplicates.

    A name can contain a secret, as in ``token%3Dabc``, which is then replaced.
    """
    query = redacted_target(exchange.target).partition("?")[2]
    pairs = parse_qsl(query, keep_blank_values=True, errors="backslashreplace")
    return dict.fromkeys(name for name, _ in pairs)


def _property_names(body: str | None) -> list[str]:
    try:
        value = json.loads(body or "")
    except (ValueError, RecursionError):
        return []
    return [*value] if isinstance(value, dict) else []


def _grouped(problems: Iterable[tuple[Exchange, str, str]]) -> Iterator[Violation]:
    """Yield one violation for all exchanges with the same problem.

    :param problems: exchange, and what stands in the message before and after their number.
    """
    groups: dict[tuple[str, str], list[Exchange]] = defaultdict(list)
    for exchange, before, after in problems:
        groups[before, after].append(exchange)
    for (before, after), shown in groups.items():
        message = f"{before} in {counted(len(shown), 'request')}{after}"
        yield Violation(message, _plain(shown))


# --- Pieces -----------------------------------------------------------------------------------


def _identity(exchange: Exchange) -> object:
    """Return what equal requests have in common; None if a part is unknown."""
    if exchange.body is None or REDACTED in exchange.target:
        return None
    return exchange.method, exchange.target, exchange.body


def _equal(exchanges: Exchanges) -> Iterator[list[Exchange]]:
    """Yield the requests that were sent more than once, in their order."""
    groups: dict[object, list[Exchange]] = defaultdict(list)
    for exchange in exchanges:
        if (identity := _identity(exchange)) is not None:
            groups[identity].append(exchange)
    yield from (group for group in groups.values() if len(group) > 1)


def _apart(first: Exchange, second: Exchange) -> float:
    """Return the seconds from the start of one request to the start of another."""
    return round(second.start - first.start, 6)


def _pause(before: Exchange, after: Exchange) -> float | None:
    """Return the seconds from the end of a response to another request; None if unknown.

    It is negative if the request was sent before that end.
    """
    if before.end is None:
        return None
    pause = round(after.start - before.end, 6)
    return 0.0 if -_CLOCK < pause < 0 else pause


def _reacts(later: Exchange, earlier: Exchange) -> bool:
    """Return whether a client can have known the response when it sent another request."""
    pause = _pause(earlier, later)
    return pause is not None and pause >= 0 and _apart(earlier, later) >= _CONCURRENT


def _plain(exchanges: Exchanges) -> list[tuple[Exchange, str]]:
    return [(exchange, "") for exchange in exchanges]


def _line(exchange: Exchange) -> str:
    return f"{exchange.method} {shortened(redacted_target(exchange.target))}"


def _name(exchange: Exchange) -> str:
    return f"request {exchange.number}" if exchange.number else "the response before"


def _duration(seconds: float) -> str:
    """Return ``250 ms`` or ``1.02 s``."""
    if seconds < 1:
        return f"{round(1000 * seconds)} ms"
    return f"{seconds:.2f}".rstrip("0").rstrip(".") + " s"
