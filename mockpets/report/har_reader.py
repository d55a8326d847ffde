"""Read HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/): ours, and those of browsers.

The requests to the API are those below the base URL that the user passes. Without one, they are
those of our own files, and in a file of a browser those whose response has the header
`Mockpets-Request`. Everything else is ignored.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from contextlib import suppress
from datetime import UTC, datetime
from math import inf
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote, urlsplit

from mockpets.constants import (
    REQUEST_HEADER,
    REQUEST_OUTCOMES,
    SESSION_HEADER,
)
from mockpets.errors import invalid
from mockpets.report.recorded import Recorded, as_received
from mockpets.request_log.entry import Entry, Message
from mockpets.scenario.engine import DECIDED_WITHOUT_STUBS
from mockpets.strict_json import shown
from mockpets.text_files import read_any_text
from mockpets.urls import plain_url, shown_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path
    from types import UnionType
    from urllib.parse import SplitResult

    from mockpets.contract.contract_model import Contracts
    from mockpets.contract.control_types import Har

HAR_BYTES: Final = 64 * 1024 * 1024
"""Maximum size of a HAR file; browsers write the bodies of all responses into it."""

_HINT: Final = "write one with 'mockpets requests --har', or save all as HAR in a browser"
_PORTS: Final = {"http": 80, "https": 443}
_SAFE_IN_PATH: Final = "/:@!$&'()*+,;=-._~"
_SAFE_IN_QUERY: Final = "/%?:@!$&'()*+,;=-._~[]"
"""What a target may have besides letters and digits; browsers have encoded the query."""
_KINDS: Final[Mapping[type | UnionType, str]] = {
    dict: "an object",
    list: "an array",
    str: "a string",
    int: "an integer",
    int | None: "an integer or null",
    str | None: "a string or null",
}
_STATUSES: Final = 1000
"""Above every status of HTTP (RFC 9110, 15); a HAR file can have any number."""
_ABORTED: Final = re.compile("abort|cancel", re.IGNORECASE)
"""In an error of Chromium, Firefox or WebKit: the page ended the request."""
_LAST_TIME: Final = datetime(9999, 12, 31, tzinfo=UTC).timestamp()
_MOST_TIME: Final = 1e15
"""In milliseconds. Longer times count as this one: an integer may be too large for a float."""


def base_url(url: str) -> SplitResult:
    """Return the base URL that a text names.

    :raise InputError: it is not an absolute HTTP URL, or has a user name or a query.
    """
    parts = plain_url(url)
    if parts is None or parts.query or parts.fragment:
        what = f"must be an absolute URL without a query or user name, got {shown(shown_url(url))}"
        raise invalid("--base-url", what, "use a URL such as https://staging.example/v1")
    return parts


def read(
    paths: Iterable[Path], base: SplitResult | None, contracts: Contracts
) -> tuple[list[Recorded], int]:
    """Return the requests to the API in files, and the number of the other requests.

    :param paths: one that is named twice is read once.
    :param base: of the first contract, for files of browsers that did not call mockpets.
    :raise InputError: a file is invalid, or has only other requests.
    """
    result: list[Recorded] = []
    others = 0
    for path in dict.fromkeys(paths):
        document = _document(path)
        requests = requests_of(document, contracts, str(path), base)
        ignored = len(document["log"]["entries"]) - len(requests)
        if ignored and not requests:
            hint = "pass the API's base URL with --base-url, such as https://staging.example/v1"
            if base is not None:
                hint = "check --base-url: no request is below it"
            raise invalid(str(path), "has no request to the API", hint)
        result += requests
        others += ignored
    return result, others


def _document(path: Path) -> Any:
    """Return the JSON value in a file, or raise an InputError."""
    file = str(path)
    try:
        return json.loads(read_any_text(path, file, HAR_BYTES))
    except json.JSONDecodeError as error:
        what = f"is not JSON: {error.msg}"
        raise invalid(file, what, _HINT, (error.lineno, error.colno)) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or deep arrays
        raise invalid(file, f"is not JSON: {error}", _HINT) from None


# --- Entries ----------------------------------------------------------------------------------


def requests_of(
    document: Har,
    contracts: Contracts,
    file: str | None = None,
    base: SplitResult | None = None,
) -> list[Recorded]:
    """Return the requests to the API, except preflights and responses from a browser's cache.

    :param document: of a file, or of a server, which exports the log of a session.
    :raise InputError: the document is invalid; with its first problem.
    """
    result, place = [], ""
    try:
        for number, row in enumerate(_get(_get(document, "log", dict), "entries", list), 1):
            place = f"log.entries.{number}: "
            if (entry := _entry(row, base, contracts)) is not None:
                result.append(Recorded(file, entry))
    except ValueError as error:
        raise invalid(file or "", f"{place}{error}", _HINT) from error
    return result


def _get(value: Any, name: str, kind: type | UnionType) -> Any:
    """Return a property of an object, or raise ValueError if it has another type."""
    if not isinstance(value, dict):
        raise ValueError(f"must be an object with {name}, got {shown(value)}")
    found = value.get(name)
    if not isinstance(found, kind):
        if name not in value:
            raise ValueError(f"missing property {name}")
        raise ValueError(f"{name} must be {_KINDS[kind]}, got {shown(found)}")
    return found


def _entry(row: Any, base: SplitResult | None, contracts: Contracts) -> Entry | None:
    """Return the request and response of a row; None if it is not a request to the API.

    :raise ValueError: a property is missing or invalid.
    """
    request, response = _get(row, "request", dict), _get(row, "response", dict)
    start = _start(row)
    if not _get(request, "method", str).isascii():
        raise ValueError(f"method must be a word such as GET, got {shown(request['method'])}")
    if request["method"] == "OPTIONS" or row.get("_fromCache"):
        return None
    ours = _get(row, "_mockpets", dict) if "_mockpets" in row else None
    parts = _http_url(_get(request, "url", str)) if ours is None or base is not None else None
    below = None if parts is None else _path_below(base, parts, contracts.base)
    if ours is not None:
        known: dict[str, Any] | None = _from_log(ours)
    else:
        known = _from_browser(request, response, parts, below, contracts)
    if known is None:
        return None
    method, path, outcome = known["method"], known["path"], known["outcome"]
    head = _head(request)
    kind = Message(head).header("content-type")
    if not kind.isascii():
        raise ValueError(f"content-type of the request must be ASCII, got {shown(kind)}")
    written = Entry(
        known["number"],
        start,
        known["session"],
        method,
        known["target"],
        path,
        contracts.operation_at(method, path),
        known["status"],
        fault=known["fault"],
        hold=known["hold"],
        request=_message(head, _body(request, is_ours=bool(ours))),
        response=_message(_head(response), _content(response) if outcome == "sent" else ""),
        # Another service has a check of the key too. Browsers leave the key out of their files.
        trace=DECIDED_WITHOUT_STUBS.trace if Message(head).header("authorization") else None,
        outcome=outcome,
        total_ms=_time(row),
    )
    entry = as_received(written)
    if ours is None:  # a browser knows a time always, but a fault only with its reason
        entry = entry._replace(
            total_ms=written.total_ms, fault=entry.fault if known["fault"] else None
        )
    return entry if base is None or below is not None else None


def _from_log(ours: dict[str, Any]) -> dict[str, Any]:
    """Return what `_mockpets` has."""
    texts = {name: _get(ours, name, str) for name in ("session", "method", "target", "path")}
    if _get(ours, "outcome", str) not in REQUEST_OUTCOMES:
        raise ValueError(f"unknown outcome {shown(ours['outcome'])}")
    optional = {name: _get(ours, name, str | None) for name in ("fault", "hold")}
    status = _get(ours, "status", int | None)
    return {**ours, **texts, **optional, "number": _get(ours, "number", int), "status": status}


def _head(message: Mapping[str, Any]) -> str:
    return "\n".join(
        f"{_get(pair, 'name', str).lower()}: {line}"
        for pair in _get(message, "headers", list)
        # Chromium joins the lines of Set-Cookie.
        for line in _get(pair, "value", str).splitlines() or [""]
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


def _from_browser(
    request: dict[str, Any],
    response: dict[str, Any],
    parts: SplitResult | None,
    path: str | None,
    contracts: Contracts,
) -> dict[str, Any] | None:
    """Return what `_mockpets` has in our files, or None if it is not a request to the API.

    :param parts: those of the URL; None if it is not an HTTP URL.
    :param path: the path below the base URL; None if it is not below.
    """
    headers = Message(_head(response))
    number, status = headers.header(REQUEST_HEADER), _get(response, "status", int)
    if parts is None or (path is None and not number):
        return None
    if path is None:
        path = _under_base(unquote(parts.path), contracts)
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
        "status": status,
        "outcome": "sent" if 0 < status < _STATUSES and not error else outcome,
        "fault": error or None,
        "hold": None,
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


def _start(row: dict[str, Any]) -> float:
    """Return when a request was sent, in seconds since 1970; raise ValueError if it is invalid."""
    text = _get(row, "startedDateTime", str)
    with suppress(ValueError, OverflowError):
        sent = datetime.fromisoformat(text)
        if sent.tzinfo is not None and 0 <= sent.timestamp() < _LAST_TIME:
            return sent.timestamp()
    form = "a time with a time zone, from 1970 on, such as 2026-11-21T07:00:00.123Z"
    raise ValueError(f"startedDateTime must be {form}, got {shown(text)}")


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


def _under_base(path: str, contracts: Contracts) -> str | None:
    """Return a path without what precedes the base path of a contract; None if it has none."""
    for each in contracts.all:
        if match := re.search(rf"{re.escape(each.base)}(?=/|$)", path):
            return path[match.start() :]
    return None


def _path_below(base: SplitResult | None, parts: SplitResult, prefix: str) -> str | None:
    """Return the path of a URL from the base path on; None if it is not below the base URL."""
    if base is None or _origin(parts) != _origin(base):
        return None
    path, top = unquote(parts.path), unquote(base.path).rstrip("/")
    return prefix + path.removeprefix(top) if f"{path}/".startswith(f"{top}/") else None
