"""Check the requests of a client against the rules.

Each check gets the entries of one source in the order in which they were sent, and yields what
is wrong with the entries that show it. What is unknown never makes a finding.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import defaultdict, deque
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import partial
from http import HTTPStatus
from itertools import accumulate, pairwise
from math import inf
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import parse_qs, parse_qsl

from mockpets.clock import moment
from mockpets.constants import REDACTED, STUB_HEADER
from mockpets.errors import did_you_mean
from mockpets.redaction import is_secret, redacted_target
from mockpets.report.findings import Evidence, Finding, Report, client_rules
from mockpets.units import counted, quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mockpets.contract.contract_model import Contracts, Operation
    from mockpets.report.recorded import Recorded
    from mockpets.request_log.entry import Entry

    Entries = Sequence[Entry]
    Check = Callable[[Entries], Iterator["Violation"]]
    Problems = Iterator[tuple[str, str]]

_EVIDENCE: Final = 10
"""Maximum number of entries that a finding lists."""
_URL: Final = 200
"""The longest URL in a report, in characters."""
_SHORT: Final = 0.1
"""The shortest pause in seconds that counts; shorter ones count as this."""
_GROWTH: Final = 1.5
"""How many times longer than an earlier pause one must be; allows for randomness."""
_LONG: Final = 30.0
"""After a pause of that many seconds, a request is a new attempt, as of a page that polls."""
_RETRIES: Final = 3
"""Pauses that do not grow are reported from the third on: two may be equal by chance."""
_SHORT_RETRIES: Final = 2
"""Pauses below `_SHORT` are reported from the second on."""
_TOLERANCE: Final = 0.05
"""Seconds before the end of Retry-After that a request may come: timers are inexact."""
_BY_HAND: Final = 1.0
"""A person who reloads a page needs at least that many seconds."""
_REGULAR: Final = 0.05
"""Three pauses of a program differ at most by this part of the longest; a person's differ more."""
_CONCURRENT: Final = 0.05
"""Requests within these seconds may be sent at once, as two components or StrictMode do."""
_CLOCK: Final = 0.001
"""The precision of the times in a HAR document, where a start is rounded down."""
_AFTER_401: Final = 2
"""Responses with 401 in a row that are no finding: the second may be a retry with a new token."""
_EQUAL: Final = 5
"""Equal requests in a second without a finding."""
_REJECTED: Final = (400, 422)
"""The statuses of responses to invalid bodies."""
_UNREAD: Final = 3
"""Unread responses without a finding."""
_BY_BROWSERS: Final = re.compile(
    r"/(?:favicon\.ico|robots\.txt|apple-touch-icon.*|\.well-known/.*)"
)
"""Paths that browsers and their extensions request themselves."""
_UUID: Final = re.compile("/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=/|$)")
_OPENED: Final = ("", "/docs", "/panel")
"""Paths that a person opens in a browser to look for a page, beside those of the contracts."""


class Violation(NamedTuple):
    """What a check found, and the entries that show it, each with a detail or ``""``."""

    message: str
    shown: list[tuple[Entry, str]]


def dropped_limit(session: str, dropped: int) -> list[str]:
    """Return what a report could not check because a session's log has dropped requests."""
    what = f"{counted(dropped, 'request')} that the log of session {session} has dropped"
    return [f"{what}; clear it before the run, or raise --memory"] if dropped else []


def build(
    requests: Sequence[Recorded], place: str, limits: Iterable[str], contracts: Contracts
) -> Report:
    """Return the report on requests, which may come from several files and sessions.

    :param place: where they are from, such as ``2 sessions``; `limits` is that of the `Report`.
    """
    checked, limits = f"{counted(len(requests), 'request')} in {place}", [*limits]
    if cut := sum(each.entry.request.cut for each in requests):
        limits.append(f"the bodies of {counted(cut, 'request')}, which are not recorded completely")
    if not (requests or limits):
        limits.append("all rules, because there are no requests; a deleted session has no log")
    sources: dict[tuple[str | None, str], list[Entry]] = defaultdict(list)
    for file, entry in requests:
        sources[file, entry.session].append(entry)
    checks: dict[str, Check] = {
        "deprecated-operation": partial(_grouped, _deprecated),
        "retry-without-backoff": _without_backoff,
        "retry-after-ignored": _too_early,
        "request-storm": _storms,
        "duplicate-create": _duplicates,
        "request-after-401": _after_401,
        "unknown-parameter": partial(_grouped, _parameters),
        "unknown-property": partial(_grouped, _properties),
        "rejected-body-repeated": _repeated,
        "key-in-query": partial(_grouped, _keys),
        "off-contract-path": partial(_grouped, partial(_off_contract, contracts)),
        "response-unread": _unread,
    }
    findings = []
    rules = client_rules(is_document=all(each.api for each in contracts.all))
    for rule in rules:
        for (file, session), entries in sources.items():
            source = ", ".join(filter(None, (file, session and f"session {session}")))
            ordered = sorted(entries, key=lambda entry: entry.at)
            violations = sorted(checks[rule.name](ordered), key=lambda each: each.shown[0][0].at)
            for message, shown in violations:
                evidence = tuple(_evidence(*each) for each in shown[:_EVIDENCE])
                findings.append(Finding(rule, message, source, evidence, file))
    return Report(checked, tuple(findings), tuple(limits), rules)


def _evidence(entry: Entry, detail: str) -> Evidence:
    response = str(entry.status) if entry.outcome == "sent" else entry.outcome
    if response == "broken" and entry.fault is None:
        response = "no response"
    return Evidence(_line(entry), response, entry.number or None, moment(entry.at), detail)


def _end(entry: Entry) -> float | None:
    """Return when a response ended, or the connection broke; None if that is unknown."""
    return None if entry.total_ms is None else entry.at + entry.total_ms / 1000


# --- Retries ----------------------------------------------------------------------------------


def _without_backoff(entries: Entries) -> Iterator[Violation]:
    for group in _equal(entries):
        chain = [(group[0], "")]
        pauses: list[float] = []  # those that Retry-After does not justify
        chains = [(chain, pauses)]
        for entry in group[1:]:
            before = chain[-1][0]
            pause = _pause(before, entry)
            if pause is not None and pause < 0:
                continue  # sent at the same time, not because of a failure
            is_error = before.status is not None and (before.status >= 500 or before.status == 429)
            has_failed = is_error or before.fault is not None
            if pause is None or pause >= _LONG or not has_failed:
                chain, pauses = [(entry, "")], []
                chains.append((chain, pauses))
                continue
            chain.append((entry, f"{_duration(pause)} after {_name(before)}"))
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


def _too_early(entries: Entries) -> Iterator[Violation]:
    for group in _equal(entries):
        shown: dict[int, tuple[Entry, str]] = {}
        pauses: list[float] = []
        first = ""
        for index, (entry, before) in enumerate(zip(group, _reacted_to(group), strict=True)):
            wait = None if before is None else _retry_after(group[before])
            if before is None or wait is None or _is_navigation(entry):
                continue
            pause = _pause(group[before], entry)
            if pause is not None and pause < round(wait - _TOLERANCE, 6):
                shown.setdefault(before, (group[before], f"Retry-After is {_duration(wait)}"))
                shown[index] = (entry, f"{_duration(pause)} after {_name(group[before])}")
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


def _reacted_to(group: list[Entry]) -> Iterator[int | None]:
    """Yield for each request the index of the last one whose response the client knew."""
    ended = [
        (max(end - _CLOCK, entry.at + _CONCURRENT), index)
        for index, entry in enumerate(group)
        if (end := _end(entry)) is not None
    ]
    known = deque(index for _, index in sorted(ended))
    last: int | None = None
    for entry in group:
        while known and _reacts(entry, group[known[0]]):
            index = known.popleft()
            last = index if last is None else max(last, index)
        yield last


def _retry_after(entry: Entry) -> float | None:
    """Return how many seconds a response asks to wait from its end; None if it does not."""
    value, end = entry.response.header("retry-after").strip(), _end(entry)
    if end is None or entry.status is None or entry.status < 300:
        return None
    if re.fullmatch("[0-9]{1,9}", value):
        return float(value)
    until = _date(value)
    if until is None:
        return None
    # The clocks of client and server can differ, so the server's own date counts. It has no
    # fractions, so up to a second of the difference may be over.
    now = _date(entry.response.header("date"))
    return until - end if now is None else until - now - 1


def _is_navigation(entry: Entry) -> bool:
    """Return whether a person opened the URL in a browser, or reloaded it."""
    request = entry.request
    is_page = "text/html" in request.header("accept")
    return is_page or request.header("sec-fetch-mode") == "navigate"


def _date(value: str) -> float | None:
    try:
        date = parsedate_to_datetime(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()


# --- Repetition -------------------------------------------------------------------------------


def _storms(entries: Entries) -> Iterator[Violation]:
    creates = [each for each in entries if _creates(each)]
    changes = sorted(_pending_until(each) for each in creates)
    for group in _equal(entries):
        if not _creates(group[0]):
            # The first request for a list after a change is expected.
            counts = [bisect_right(changes, each.at) for each in group]
            group = group[:1] + [
                each for each, (a, b) in zip(group[1:], pairwise(counts), strict=True) if a == b
            ]
        index = 0
        while index + _EQUAL < len(group):
            end = index + _EQUAL
            while end < len(group) and _apart(group[end - _EQUAL], group[end]) < 1:
                end += 1
            burst = group[index:end]
            index = end if len(burst) > _EQUAL else index + 1
            if len(burst) > _EQUAL:
                seconds = _duration(_apart(burst[0], burst[-1]))
                what = f"{_line(burst[0])} was sent {counted(len(burst), 'time')} in {seconds}"
                message = f"{what}; at most {_EQUAL} equal requests a second are expected"
                yield Violation(message, _plain(burst))


def _creates(entry: Entry) -> bool:
    return entry.operation is not None and entry.operation.role == "create"


def _duplicates(entries: Entries) -> Iterator[Violation]:
    creates = [each for each in entries if _creates(each) and each.request.body]
    for group in _equal(creates):
        clusters, end = [[group[0]]], _pending_until(group[0])
        for entry in group[1:]:
            if round(end - entry.at, 6) >= _CLOCK:
                clusters[-1].append(entry)
                end = max(end, _pending_until(entry))
            else:
                clusters.append([entry])
                end = _pending_until(entry)
        for cluster in clusters:
            if len(cluster) > 1:
                again = counted(len(cluster) - 1, "time")
                what = f"{_line(group[0])} was sent again {again} with the same body"
                yield Violation(f"{what} while the first was pending", _plain(cluster))


def _pending_until(entry: Entry) -> float:
    if entry.outcome == "pending":
        return inf
    end = _end(entry)
    return entry.at if end is None else end


def _repeated(entries: Entries) -> Iterator[Violation]:
    rejected = [each for each in entries if each.request.body and each.status in _REJECTED]
    for group in _equal(rejected):
        later = [each for each in group if _reacts(each, group[0])]
        if later:
            what = f"{_line(group[0])} got {group[0].status}, and the same body was sent again"
            yield Violation(f"{what} {counted(len(later), 'time')}", _plain([group[0], *later]))


def _unread(entries: Entries) -> Iterator[Violation]:
    left = {id(each): each for each in entries if each.outcome == "client_left"}
    for group in _equal(entries):
        for first, second in pairwise(group):
            if _apart(first, second) < _SHORT:
                # StrictMode ends the request of an effect, and sends it again at once.
                left.pop(id(first), None)
    if len(left) > _UNREAD:
        message = f"the client aborted {counted(len(left), 'request')} without reading the response"
        yield Violation(f"{message}; the limit is {_UNREAD}", _plain(left.values()))


# --- After a 401 ------------------------------------------------------------------------------


def _after_401(entries: Entries) -> Iterator[Violation]:
    chain: list[Entry] = []
    chains: list[list[Entry]] = []
    for entry in entries:
        if chain and not _reacts(entry, chain[0]):
            continue  # sent before the client knew
        is_success = entry.status is not None and entry.status < 400
        if not chain or _key(entry) != _key(chain[0]) or is_success:
            chain = []
            chains.append(chain)
        if entry.status == 401 and entry.total_ms is not None:
            chain.append(entry)
    for chain in chains:
        if len(chain) > _AFTER_401:
            # An export may omit the key, as Chromium's does by default.
            is_known = _key(chain[0]) and REDACTED not in _key(chain[0])
            key = "with the same key" if is_known else "without a new key"
            message = f"{len(chain) - 1} requests returned 401 {key} after the first 401"
            yield Violation(message, _plain(chain))


def _key(entry: Entry) -> str:
    """Return the credentials of a request, as its operation reads them; empty without any."""
    details = entry.operation and entry.operation.details
    places = details.security.sample("") if details else []
    query = dict(parse_qsl(entry.target.partition("?")[2]))
    others = [
        query.get(name, "") if place == "query" else entry.request.header(name)
        for place, name, _ in places
        if name.lower() != "authorization"
    ]
    return " ".join(filter(None, [entry.request.header("authorization"), *others]))


# --- One request ------------------------------------------------------------------------------
# These checks yield what the message has before and after the number of requests.


def _keys(entry: Entry) -> Problems:
    details = entry.operation and entry.operation.details
    allowed = details.security.query if details else frozenset()
    for name in _query_names(entry):
        if is_secret(name) and name not in allowed:
            yield f"the name of the query parameter {quote(name)} suggests a secret,", ""


def _deprecated(entry: Entry) -> Problems:
    if entry.operation is not None and entry.operation.removal:
        yield f"the deprecated operation {entry.operation.name} was called", ""


def _parameters(entry: Entry) -> Problems:
    """Yield query parameters that the contract does not define; `_keys` yields secret ones."""
    if entry.operation is None:
        return
    known = entry.operation.query.fields
    unknown = _unknown_parameters(entry, entry.operation)
    for name in _query_names(entry):
        if name in unknown and not is_secret(name):
            yield _unknown(f"{entry.operation.name} has no query parameter", name, known)


def _unknown_parameters(entry: Entry, operation: Operation) -> set[str]:
    """Return the names in a query that no parameter of an operation reads."""
    names, details = set(_query_names(entry)), operation.details
    if details is None:
        return names - operation.query.fields.keys()
    query = parse_qs(entry.target.partition("?")[2], keep_blank_values=True)
    return names & details.parameters.read("query", query).unknown - details.security.query


def _properties(entry: Entry) -> Problems:
    operation = entry.operation
    if operation is None or operation.body is None:
        return
    body = operation.body
    for name in _property_names(entry.request.body):
        if not body.knows(name):
            yield _unknown(f"{operation.name} has no property", name, body.schema.fields)


def _unknown(what: str, name: str, known: Iterable[str]) -> tuple[str, str]:
    near = did_you_mean(name, known)
    return f"{what} {quote(name)},", f"; {near}" if near else ""


def _off_contract(contracts: Contracts, entry: Entry) -> Problems:
    path = entry.path
    if not path or _BY_BROWSERS.fullmatch(path):
        return
    is_opened = path.rstrip("/") in (*_OPENED, *(each.base for each in contracts.all))
    if is_opened and _is_navigation(entry):
        return
    if entry.response.header(STUB_HEADER) not in ("", "-"):
        return  # a scenario defines the path
    if entry.number and (entry.status or 500) < HTTPStatus.BAD_REQUEST:
        return  # so does a resource of mockpets
    methods = contracts.routes.at(path).keys()
    shown = quote(re.sub("/[0-9]+(?=/|$)", "/{number}", _UUID.sub("/{id}", path)))
    if not methods:
        yield f"the path {shown} is not in the contract,", ""
    elif entry.method not in methods and not (entry.method == "HEAD" and "GET" in methods):
        yield f"the path {shown} has no method {quote(entry.method)},", ""


def _query_names(entry: Entry) -> dict[str, None]:
    # A name can contain a secret, as in ``token%3Dabc``.
    query = redacted_target(entry.target).partition("?")[2]
    pairs = parse_qsl(query, keep_blank_values=True, errors="backslashreplace")
    return dict.fromkeys(name for name, _ in pairs)


def _property_names(body: bytes) -> list[str]:
    try:
        value = json.loads(body.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return []
    return [*value] if isinstance(value, dict) else []


def _grouped(check: Callable[[Entry], Problems], entries: Entries) -> Iterator[Violation]:
    """Yield one violation for all entries with the same problem."""
    groups: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        for problem in check(entry):
            groups[problem].append(entry)
    for (before, after), shown in groups.items():
        message = f"{before} in {counted(len(shown), 'request')}{after}"
        yield Violation(message, _plain(shown))


# --- Pieces -----------------------------------------------------------------------------------


def _equal(entries: Entries) -> Iterator[list[Entry]]:
    """Yield the requests that were sent more than once, unless a part of them is unknown."""
    groups: dict[object, list[Entry]] = defaultdict(list)
    for entry in entries:
        if not entry.request.cut and REDACTED not in entry.target:
            groups[entry.method, entry.target, entry.request.body].append(entry)
    yield from (group for group in groups.values() if len(group) > 1)


def _apart(first: Entry, second: Entry) -> float:
    return round(second.at - first.at, 6)


def _pause(before: Entry, after: Entry) -> float | None:
    """Return the seconds from the end of a response to a request, which may have come before."""
    end = _end(before)
    if end is None:
        return None
    pause = round(after.at - end, 6)
    return 0.0 if -_CLOCK < pause < 0 else pause


def _reacts(later: Entry, earlier: Entry) -> bool:
    """Return whether a client can have known the response when it sent another request."""
    pause = _pause(earlier, later)
    return pause is not None and pause >= 0 and _apart(earlier, later) >= _CONCURRENT


def _plain(entries: Iterable[Entry]) -> list[tuple[Entry, str]]:
    return [(entry, "") for entry in entries]


def _line(entry: Entry) -> str:
    target = redacted_target(entry.target)
    shown = target if len(target) <= _URL else f"{target[: _URL - 3]}..."
    return f"{entry.method} {shown}"


def _name(entry: Entry) -> str:
    return f"request {entry.number}" if entry.number else "the response before"


def _duration(seconds: float) -> str:
    """Return ``250 ms`` or ``1.02 s``."""
    if seconds < 1:
        return f"{round(1000 * seconds)} ms"
    return f"{seconds:.2f}".rstrip("0").rstrip(".") + " s"
