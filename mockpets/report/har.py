"""Read HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/): ours, and those of browsers.

In a HAR file of a browser, the requests to the API are those whose response has the header
`Mockpets-Request`, and those below a base URL that the user passes. Everything else is ignored.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from datetime import UTC, datetime
from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast
from urllib.parse import quote, unquote, urlsplit

from mockpets.constants import (
    API_PREFIX,
    OPERATIONS,
    PROBLEMS_SHOWN,
    REQUEST_HEADER,
    REQUEST_OUTCOMES,
    SESSION_HEADER,
)
from mockpets.contract.fields import parse_int64
from mockpets.errors import InputError, Problem, invalid, problem_with
from mockpets.faults import LOST
from mockpets.journal.entry import Entry, Message, authorization_digest
from mockpets.redaction import redacted_target
from mockpets.scenario.language.text import read_any_text
from mockpets.scenario.matching import path_matches
from mockpets.strict_json import shown

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path
    from urllib.parse import SplitResult

    from mockpets.constants import Operation
    from mockpets.contract.control_types import Har

    Shape: TypeAlias = "Mapping[str, Shape] | list[Shape] | _Kind"
    """An object with its required properties, and those that may be missing with a ``?`` behind
    their names; or an array with the shape of its items; or another value."""

HAR_BYTES: Final = 64 * 1024 * 1024
"""Maximum size of a HAR file; browsers write the bodies of all responses into it."""

_HINT: Final = "write one with 'mockpets requests --har', or save all as HAR in a browser"
_API: Final = re.compile(rf"{re.escape(API_PREFIX)}(?=/|$)")
_PORTS: Final = {"http": 80, "https": 443}
_SAFE_IN_PATH: Final = "/:@!$&'()*+,;=-._~"
_SAFE_IN_QUERY: Final = "/%?:@!$&'()*+,;=-._~[]"
"""What a target may have besides letters and digits; browsers have encoded the query."""
_ABORTED: Final = re.compile("abort|cancel", re.IGNORECASE)
"""In an error of Chromium, Firefox or WebKit: the page ended the request."""
_ORIGINS_SHOWN: Final = 3
_LAST_TIME: Final = datetime(9999, 12, 31, tzinfo=UTC).timestamp()
_MOST_TIME: Final = 1e15
"""In milliseconds. Longer times count as this one: an integer may be too large for a float."""


class Recorded(NamedTuple):
    """A request to the API, and the file that has it; None if it is from a server.

    Unknown are: the session if it is empty, the number if it is 0, the path if it is empty, the
    time of the response if it is None, and a message whose body is cut. Of a broken response
    without a fault, nothing is known.
    """

    file: str | None
    entry: Entry


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
) -> list[Recorded]:
    """Return the requests to the API in files; one that is named twice is read once.

    :param base: of the API, for files of browsers that did not call mockpets.
    :param ignored: counts the other requests, by the reason.
    :raise InputError: a file is invalid, with all its problems, or has only other requests.
    """
    result: list[Recorded] = []
    for path in dict.fromkeys(paths):
        document = _document(path)
        found = requests_of(document, str(path), base, ignored)
        entries = document["log"]["entries"]
        if entries and not found:
            raise _no_request(str(path), entries, base)
        result += found
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


def requests_of(
    document: Har,
    file: str | None = None,
    base: SplitResult | None = None,
    ignored: Counter[str] | None = None,
) -> list[Recorded]:
    """Return the requests to the API, except preflights and responses from a browser's cache.

    :param document: valid; of a file, or of a server, which exports the log of a session.
    :param ignored: counts the other requests, by the reason.
    """
    result = []
    for row in document["log"]["entries"]:
        entry = _entry(cast("dict[str, Any]", row), base)
        if isinstance(entry, Entry):
            result.append(Recorded(file, entry))
        elif ignored is not None:
            ignored[entry] += 1
    return result


def _entry(row: dict[str, Any], base: SplitResult | None) -> Entry | str:
    """Return the request and response of a row, or why they are ignored."""
    request, response = row["request"], row["response"]
    if request["method"] == "OPTIONS":
        return "OPTIONS"
    if row.get("_fromCache"):
        return "from the browser's cache"
    ours = row.get("_mockpets")
    known = ours or _from_browser(row, base)
    if known is None:
        return "to other URLs"
    method, path, outcome = known["method"], known["path"], known["outcome"]
    time = _time(row)
    # Our log has no time for a client that left, and for the opening of a gate. A fault has one.
    has_time = outcome == "sent" or (outcome == "broken" and known["fault"] is not None)
    if ours and not (has_time and ours["hold"] is None):
        time = None
    operation = _operation(method, path)
    head = _head(request)
    authorization = Message(head).header("authorization")
    return Entry(
        known["number"],
        datetime.fromisoformat(row["startedDateTime"]).timestamp(),
        known["session"],
        method,
        known["target"],
        path,
        operation,
        parse_int64(path.rpartition("/")[2]) if operation == "getPet" else None,
        known["status"] if outcome == "sent" else None,
        fault=LOST if outcome == "broken" and (ours or known["fault"]) else None,
        request=_message(head, _body(request, is_ours=bool(ours))),
        response=_message(_head(response), _content(response) if outcome == "sent" else ""),
        authorization=authorization_digest(authorization) if authorization else None,
        outcome=outcome,
        total_ms=time,
    )


def _operation(method: str, path: str) -> Operation | None:
    method = "GET" if method == "HEAD" else method
    for operation, (allowed, pattern) in OPERATIONS.items():
        if method == allowed and path_matches(pattern, path):
            return operation
    return None


def _head(message: Mapping[str, Any]) -> str:
    return "\n".join(
        f"{pair['name'].lower()}: {line}"
        for pair in message["headers"]
        for line in pair["value"].splitlines() or [""]  # Chromium joins the lines of Set-Cookie
    )


def _message(head: str, body: str | None) -> Message:
    """Return a message; one whose body is None is cut."""
    data = None if body is None else body.encode("utf-8", "replace")
    return Message(head, b"", 1) if data is None else Message(head, data, len(data))


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


def _from_browser(row: dict[str, Any], base: SplitResult | None) -> dict[str, Any] | None:
    """Return what `_mockpets` has in our files, or None if it is not a request to the API."""
    request, response = row["request"], row["response"]
    parts, headers = _http_url(request["url"]), Message(_head(response))
    number = headers.header(REQUEST_HEADER)
    if parts is None:
        return None
    path = _path_below(base, parts)
    if path is None and not number:
        return None
    if path is None and (match := _API.search(decoded := unquote(parts.path))):
        path = decoded[match.start() :]
    target = parts.path if path is None else quote(path, safe=_SAFE_IN_PATH, errors="replace")
    if parts.query:
        target += f"?{quote(parts.query, safe=_SAFE_IN_QUERY, errors='replace')}"
    # Chromium and Playwright name the reason; Playwright's status is -1 then.
    error = str(response.get("_failureText") or response.get("_error") or "")
    outcome = "client_left" if _ABORTED.search(error) else "broken"
    return {
        "session": headers.header(SESSION_HEADER),
        "number": int(number) if re.fullmatch("[0-9]{1,18}", number) else 0,
        "method": request["method"],
        "target": target,
        "path": path or "",
        "status": response["status"],
        "outcome": "sent" if response["status"] > 0 and not error else outcome,
        "fault": error or None,
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


def _time(row: dict[str, Any]) -> float | None:
    """Return the milliseconds until the end of a response; None if they are unknown."""
    time = row.get("time")
    if not isinstance(time, (int, float)) or not 0 <= time < inf:
        return None
    return min(time, _MOST_TIME)


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
