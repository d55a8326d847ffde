"""Read HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/): ours, and those of browsers.

In a HAR file of a browser, the requests to the API are those whose response has the header
`Mockpets-Request`, and those below a base URL that the user passes. Everything else is ignored.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast
from urllib.parse import unquote, urlsplit

from mockpets.constants import (
    API_PREFIX,
    OPERATIONS,
    PROBLEMS_SHOWN,
    REQUEST_HEADER,
    REQUEST_OUTCOMES,
    SESSION_HEADER,
)
from mockpets.errors import InputError, Problem, invalid, problem_with
from mockpets.redaction import redacted_target
from mockpets.scenario.language.text import read_any_text
from mockpets.scenario.matching import path_matches
from mockpets.strict_json import shown

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path
    from urllib.parse import SplitResult

    from mockpets.constants import Operation, RequestOutcome
    from mockpets.contract.control_types import Har

    Shape: TypeAlias = "Mapping[str, Shape] | list[Shape] | _Kind"
    """An object with its required properties, and those that may be missing with a ``?`` behind
    their names; or an array with the shape of its items; or another value."""

HAR_BYTES: Final = 64 * 1024 * 1024
"""Maximum size of a HAR file; browsers write the bodies of all responses into it."""

_HINT: Final = "write one with 'mockpets requests --har', or save all as HAR in a browser"
_API: Final = re.compile(rf"{re.escape(API_PREFIX)}(?=/|$)")
_PORTS: Final = {"http": 80, "https": 443}
_ABORTED: Final = re.compile("abort|cancel", re.IGNORECASE)
"""In an error of Chromium, Firefox or WebKit: the page ended the request."""
_ORIGINS_SHOWN: Final = 3
_LAST_TIME: Final = datetime(9999, 12, 31, tzinfo=UTC).timestamp()
_MOST_TIME: Final = 1e15
"""In milliseconds. Longer times count as this one: an integer may be too large for a float."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and what became of it. None stands for unknown, and proves nothing.

    :param source: where it comes from: ``session checkout``, or a file and its session.
    :param file: the source, if it is a file.
    :param session: its name.
    :param number: in the request log.
    :param start: when it was sent, in seconds since 1970, UTC.
    :param end: when its response ended, or the connection broke.
    :param target: path and query; may have secrets, which `redaction.redacted_target` replaces.
    :param path: decoded, from ``/v1`` on.
    :param headers: of the request, with names in lower case.
    :param body: of the request, complete; empty if it has none.
    :param status: of a complete response.
    :param response_headers: with names in lower case.
    :param outcome: what became of the response.
    :param content: the body of the response, complete.
    """

    source: str
    file: str | None
    session: str | None
    number: int | None
    start: float
    end: float | None
    method: str
    target: str
    path: str | None
    headers: Mapping[str, str]
    body: str | None
    status: int | None
    response_headers: Mapping[str, str]
    outcome: RequestOutcome | None
    content: str | None = None

    @property
    def is_navigation(self) -> bool:
        """Whether a person opened the URL in a browser, or reloaded it."""
        accept, mode = self.headers.get("accept", ""), self.headers.get("sec-fetch-mode", "")
        return "text/html" in accept or mode == "navigate"

    @property
    def operation(self) -> Operation | None:
        """The operation of the contract, or None."""
        method = "GET" if self.method == "HEAD" else self.method
        for operation, (allowed, pattern) in OPERATIONS.items():
            if method == allowed and path_matches(pattern, self.path or ""):
                return operation
        return None


def base_url(url: str) -> SplitResult:
    """Return the base URL that a text names.

    :raise InputError: it is not an absolute HTTP URL.
    """
    parts = _http_url(url)
    if parts is None or parts.query or parts.fragment:
        what = f"must be an absolute URL without a query, got {shown(redacted_target(url))}"
        raise invalid("--base-url", what, "use a URL such as https://staging.example/v1")
    return parts


def read(
    paths: Iterable[Path], base: SplitResult | None, ignored: Counter[str] | None = None
) -> list[Exchange]:
    """Return the requests to the API in files; one that is named twice is read once.

    :param base: of the API, for files of browsers that did not call mockpets.
    :param ignored: counts the other requests, by the reason.
    :raise InputError: a file is invalid, with all its problems, or has only other requests.
    """
    result: list[Exchange] = []
    for path in dict.fromkeys(paths):
        document = _document(path)
        exchanges = exchanges_of(document, str(path), base, ignored)
        entries = document["log"]["entries"]
        if entries and not exchanges:
            raise _no_request(str(path), entries, base)
        result += exchanges
    return result


def _document(path: Path) -> Any:
    """Return the HAR document in a file, or raise an InputError with its problems."""
    file = str(path)
    try:
        document = json.loads(read_any_text(path, file, HAR_BYTES))
    except json.JSONDecodeError as error:
        what = f"is not JSON: {error.msg}"
        raise invalid(file, what, _HINT, (error.lineno, error.colno)) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or deep arrays
        raise invalid(file, f"is not JSON: {error}", _HINT) from None
    problems = [
        Problem(file, 0, 0, where, what, _HINT)
        for where, what in islice(_problems(document, _SHAPE, ""), PROBLEMS_SHOWN + 1)
    ]
    if len(problems) > PROBLEMS_SHOWN:
        problems[-1] = problem_with(file, "and more problems", _HINT)
    if problems:
        raise InputError(problems)
    return document


def _no_request(file: str, entries: list[dict[str, Any]], base: SplitResult | None) -> InputError:
    origins = dict.fromkeys(
        f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        for parts in (_http_url(entry["request"]["url"]) for entry in entries)
        if parts is not None
    )
    listed = ", ".join([*origins][:_ORIGINS_SHOWN]) or "no server"
    more = ", ..." if len(origins) > _ORIGINS_SHOWN else ""
    what = f"has no request to the API, only to {listed}{more}"
    hint = "pass the API's base URL with --base-url, such as https://staging.example/v1"
    if base is not None:
        hint = "check --base-url: no request is below it"
    return invalid(file, what, hint)


# --- Entries ----------------------------------------------------------------------------------


def exchanges_of(
    document: Har,
    file: str | None = None,
    base: SplitResult | None = None,
    ignored: Counter[str] | None = None,
) -> list[Exchange]:
    """Return the requests to the API, except preflights and responses from a browser's cache.

    :param document: valid; of a file, or of a server, which exports the log of a session.
    :param ignored: counts the other requests, by the reason.
    """
    exchanges = [
        _exchange(cast("dict[str, Any]", entry), file, base) for entry in document["log"]["entries"]
    ]
    if ignored is not None:
        ignored.update(each for each in exchanges if isinstance(each, str))
    return [each for each in exchanges if not isinstance(each, str)]


def _exchange(entry: dict[str, Any], file: str | None, base: SplitResult | None) -> Exchange | str:
    """Return the exchange of an entry, or why it is ignored."""
    request, headers = entry["request"], _headers(entry["response"])
    if request["method"] == "OPTIONS":
        return "OPTIONS"
    if entry.get("_fromCache"):
        return "from the browser's cache"
    ours = entry.get("_mockpets")
    known = ours or _from_browser(entry, headers, base)
    if known is None:
        return "to other URLs"
    start = datetime.fromisoformat(entry["startedDateTime"]).timestamp()
    session, outcome = known["session"], known["outcome"]
    end = _end(start, entry)
    # Our log has no time for a client that left, and for the opening of a gate. A fault has one.
    if ours:
        has_end = outcome == "sent" or (outcome == "broken" and ours["fault"] is not None)
        end = end if has_end and ours["hold"] is None else None
    return Exchange(
        source=", ".join(filter(None, (file, session and f"session {session}"))),
        file=file,
        session=session,
        number=known["number"],
        start=start,
        end=end,
        method=known["method"],
        target=known["target"],
        path=known["path"],
        headers=_headers(request),
        body=_body(request, is_ours=bool(ours)),
        status=known["status"] if outcome == "sent" else None,
        response_headers=headers,
        outcome=outcome,
        content=_content(entry["response"]),
    )


def _content(response: Mapping[str, Any]) -> str | None:
    """Return the body of a response; None if it is not recorded completely."""
    content = response.get("content")
    if not isinstance(content, dict) or "comment" in content:
        return None
    text = content.get("text", "" if content.get("size") == 0 else None)
    if not isinstance(text, str):
        return None
    if content.get("encoding") != "base64":
        return text
    try:
        return b64decode(text, validate=True).decode("utf-8")
    except ValueError:
        return None


def _from_browser(
    entry: dict[str, Any], headers: Mapping[str, str], base: SplitResult | None
) -> dict[str, Any] | None:
    """Return what `_mockpets` has in our files, or None if it is not a request to the API."""
    request, response = entry["request"], entry["response"]
    parts, number = _http_url(request["url"]), headers.get(REQUEST_HEADER.lower(), "")
    if parts is None:
        return None
    path = _path_below(base, parts)
    if path is None and not number:
        return None
    if path is None and (match := _API.search(decoded := unquote(parts.path))):
        path = decoded[match.start() :]
    # Chromium and Playwright name the reason; Playwright's status is -1 then.
    error = str(response.get("_failureText") or response.get("_error") or "")
    is_complete = response["status"] > 0 and not error
    outcome = ("client_left" if _ABORTED.search(error) else "broken") if error else None
    return {
        "session": headers.get(SESSION_HEADER.lower()),
        "number": int(number) if re.fullmatch("[0-9]{1,18}", number) else None,
        "method": request["method"],
        "target": f"{parts.path}?{parts.query}" if parts.query else parts.path,
        "path": path,
        "status": response["status"],
        "outcome": "sent" if is_complete else outcome,
    }


def _body(request: dict[str, Any], *, is_ours: bool) -> str | None:
    """Return the body of a request; None if it is not recorded completely."""
    data = request.get("postData")
    if isinstance(data, dict):
        # In our files, a comment states that only the first part of the body is recorded.
        content = None if is_ours and "comment" in data else data.get("text")
        return content if isinstance(content, str) else None
    if is_ours:
        return None if "postData" in request else ""
    is_empty = request.get("bodySize") == 0 or request["method"] in ("GET", "HEAD")
    return "" if is_empty else None


def _end(start: float, entry: dict[str, Any]) -> float | None:
    time = entry.get("time")
    if not isinstance(time, (int, float)) or not 0 <= time < inf:
        return None
    return start + min(time, _MOST_TIME) / 1000


def _headers(message: Mapping[str, Any]) -> dict[str, str]:
    return {pair["name"].lower(): pair["value"] for pair in message["headers"]}


# --- URLs and times ---------------------------------------------------------------------------


def _http_url(url: str) -> SplitResult | None:
    """Return the parts of an absolute HTTP URL; None for another text."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts if parts.scheme in _PORTS and parts.hostname else None


def _origin(parts: SplitResult) -> tuple[str, str, int | None]:
    return parts.scheme, parts.hostname or "", parts.port or _PORTS[parts.scheme]


def _path_below(base: SplitResult | None, parts: SplitResult) -> str | None:
    """Return the path of a URL from ``/v1`` on; None if it is not below the base URL."""
    if base is None or _origin(parts) != _origin(base):
        return None
    path, top = unquote(parts.path), unquote(base.path).rstrip("/")
    return API_PREFIX + path.removeprefix(top) if f"{path}/".startswith(f"{top}/") else None


# --- Checks -----------------------------------------------------------------------------------


def _problems(value: object, shape: Shape, where: str) -> Iterator[tuple[str, str]]:
    """Yield each problem of a value: where it is, and what it is."""
    if isinstance(shape, _Kind):
        if not shape.allows(value):
            yield where, f"must be {shape.words}, got {shown(value)}"
    elif isinstance(shape, list):
        if not isinstance(value, list):
            yield where, f"must be an array, got {shown(value)}"
            return
        for number, item in enumerate(value, 1):
            yield from _problems(item, shape[0], f"{where}.{number}")
    elif not isinstance(value, dict):
        yield where, f"must be an object, got {shown(value)}"
    else:
        for name, inner in shape.items():
            key = name.removesuffix("?")
            place = f"{where}.{key}".removeprefix(".")
            if key in value:
                yield from _problems(value[key], inner, place)
            elif key == name:
                yield place, "missing property"


class _Kind(NamedTuple):
    """What a value must be; in words for messages."""

    allows: Callable[[Any], bool]
    words: str


def _integer(least: int, most: int) -> _Kind:
    return _Kind(
        lambda value: type(value) is int and least <= value <= most,
        f"an integer from {least} to {most}",
    )


def _or_null(kind: _Kind) -> _Kind:
    return _Kind(lambda value: value is None or kind.allows(value), kind.words)


def _is_time(value: Any) -> bool:
    try:
        time = datetime.fromisoformat(value)
        return time.tzinfo is not None and 0 <= time.timestamp() < _LAST_TIME
    except (TypeError, ValueError, OverflowError):
        return False


_TEXT: Final = _Kind(lambda value: isinstance(value, str), "a string")
_TIME: Final = _Kind(
    _is_time, "an ISO 8601 time from 1970 on with a time zone, such as 2026-11-21T07:00:00.123Z"
)
_OUTCOME: Final = _Kind(
    lambda value: value in REQUEST_OUTCOMES, f"one of {', '.join(REQUEST_OUTCOMES)}"
)
_HEADERS: Final[Shape] = [{"name": _TEXT, "value": _TEXT}]
_SHAPE: Final[Shape] = {
    "log": {
        "entries": [
            {
                "startedDateTime": _TIME,
                "request": {"method": _TEXT, "url": _TEXT, "headers": _HEADERS},
                "response": {"status": _integer(-1, 999), "headers": _HEADERS},
                "_mockpets?": {
                    "number": _integer(1, 2**53 - 1),
                    "session": _TEXT,
                    "method": _TEXT,
                    "target": _TEXT,
                    "path": _TEXT,
                    "status": _or_null(_integer(100, 599)),
                    "outcome": _OUTCOME,
                    "hold": _or_null(_TEXT),
                    "fault": _or_null(_TEXT),
                },
            }
        ]
    }
}
"""What the rules need; everything else may be missing."""
