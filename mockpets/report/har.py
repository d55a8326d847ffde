"""Read HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/): ours, and those of browsers.

In a HAR file of a browser, the requests to the API are those whose response has the header
`Mockpets-Request`, and those below a base URL that the user passes. Everything else is ignored.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from math import inf
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import unquote, urlsplit

from mockpets.constants import API_PREFIX, REQUEST_HEADER, REQUEST_OUTCOMES, SESSION_HEADER
from mockpets.errors import InputError, Problem
from mockpets.redaction import redacted_target
from mockpets.report.documents import (
    document_problems,
    integer,
    not_json,
    or_null,
    read_files,
    reject,
    text,
    word,
)
from mockpets.report.exchanges import Exchange
from mockpets.scenario.language.text import read_any_text
from mockpets.strict_json import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path
    from urllib.parse import SplitResult

    from mockpets.constants import RequestOutcome
    from mockpets.contract.control_types import Har
    from mockpets.report.documents import Shape

HAR_BYTES: Final = 64 * 1024 * 1024
"""Maximum size of a HAR file; browsers write the bodies of all responses into it."""

_EXPORT: Final = "write one with 'mockpets requests --har', or save all as HAR in a browser"
_API: Final = re.compile(rf"{re.escape(API_PREFIX)}(?=/|$)")
_PORTS: Final = {"http": 80, "https": 443}
_ABORTED: Final = re.compile("abort|cancel", re.IGNORECASE)
"""In an error of Chromium, Firefox or WebKit: the page ended the request."""
_ORIGINS_SHOWN: Final = 3
_LAST_TIME: Final = datetime(9999, 12, 31, tzinfo=UTC).timestamp()
_MOST_TIME: Final = 1e15
"""In milliseconds. Longer times count as this one: an integer may be too large for a float."""


def base_url(url: str) -> SplitResult:
    """Return the base URL that a text names.

    :raise InputError: it is not an absolute HTTP URL.
    """
    parts = _http_url(url)
    if parts is None or parts.query or parts.fragment:
        what = f"must be an absolute URL without a query, got {shown(redacted_target(url))}"
        hint = "use a URL such as https://staging.example/v1"
        raise InputError([Problem("--base-url", 0, 0, "", what, hint)])
    return parts


def read(paths: Iterable[Path], base: SplitResult | None) -> list[Exchange]:
    """Return the requests to the API in all files.

    :param base: of the API, for files of browsers that did not call mockpets.
    :raise InputError: with every problem of every file.
    """
    return read_files(paths, lambda path: _read(path, base))


def exchanges_of(document: Har, session: str) -> list[Exchange]:
    """Return the requests in the log of a session, as its server exports it."""
    return [*_exchanges(cast("dict[str, Any]", document), None, f"session {session}", None)]


# --- Files ------------------------------------------------------------------------------------


def _read(path: Path, base: SplitResult | None) -> list[Exchange]:
    """Return the requests to the API in one file.

    :raise InputError: the file cannot be read, is not a HAR file, or has no request to the API.
    """
    file = str(path)
    document = _parse(file, read_any_text(path, file, HAR_BYTES))
    problems = document_problems(document, _DOCUMENT, "log", "the property log", _EXPORT)
    reject(file, problems, _EXPORT)
    log = cast("dict[str, Any]", document)
    result = [*_exchanges(log, base, file, file)]
    entries = log["log"]["entries"]
    if entries and not result:
        raise InputError([_no_request(file, entries, base)])
    return result


def _parse(file: str, content: str) -> object:
    """Return the value of a JSON text.

    Only what browsers cannot write is an error, unlike in `strict_json`: their files have deep
    call stacks, for example.

    :raise InputError: it is not JSON.
    """
    try:
        value: object = json.loads(content)
    except json.JSONDecodeError as error:
        raise not_json(file, error, _EXPORT) from None
    except RecursionError:
        raise InputError([Problem(file, 0, 0, "", "is nested too deeply", _EXPORT)]) from None
    except ValueError:
        what = "has a number with thousands of digits"
        raise InputError([Problem(file, 0, 0, "", what, _EXPORT)]) from None
    return value


def _no_request(file: str, entries: list[dict[str, Any]], base: SplitResult | None) -> Problem:
    """Return the problem of a file whose requests all went elsewhere."""
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
    return Problem(file, 0, 0, "", what, hint)


# --- Entries ----------------------------------------------------------------------------------


def _exchanges(
    document: dict[str, Any], base: SplitResult | None, source: str, file: str | None
) -> Iterator[Exchange]:
    """Yield the requests to the API, except preflights and responses from a browser's cache.

    :param document: valid.
    """
    for entry in document["log"]["entries"]:
        if entry["request"]["method"] == "OPTIONS" or entry.get("_fromCache"):
            continue
        ours = entry.get("_mockpets")
        result = _ours(entry, ours, source, file) if ours else _foreign(entry, base, source, file)
        if result is not None:
            yield result


def _ours(entry: dict[str, Any], ours: dict[str, Any], source: str, file: str | None) -> Exchange:
    """Return an exchange from an entry of a request log."""
    request = entry["request"]
    start, outcome = _moment(entry["startedDateTime"]), ours["outcome"]
    # The log has no time for a client that left, and for the opening of a gate. A fault has one.
    has_end = outcome == "sent" or (outcome == "broken" and ours["fault"] is not None)
    return Exchange(
        source=source if file is None else f"{file}, session {ours['session']}",
        file=file,
        session=ours["session"],
        number=ours["number"],
        start=start,
        end=_end(start, entry) if has_end and ours["hold"] is None else None,
        method=ours["method"],
        target=ours["target"],
        path=ours["path"],
        headers=_headers(request),
        body=_body(request, is_ours=True),
        status=ours["status"] if outcome == "sent" else None,
        response_headers=_headers(entry["response"]),
        outcome=outcome,
    )


def _foreign(
    entry: dict[str, Any], base: SplitResult | None, source: str, file: str | None
) -> Exchange | None:
    """Return an exchange from an entry of a browser, or None if it is not a request to the API."""
    request, response = entry["request"], entry["response"]
    parts, headers = _http_url(request["url"]), _headers(response)
    number = headers.get(REQUEST_HEADER.lower(), "")
    if parts is None:
        return None
    path = _path_below(base, parts)
    if path is None and not number:
        return None
    if path is None and (match := _API.search(decoded := unquote(parts.path))):
        path = decoded[match.start() :]
    start = _moment(entry["startedDateTime"])
    status = response["status"] if response["status"] > 0 else None
    # Chromium and Playwright name the reason; Playwright's status is -1 then.
    error = str(response.get("_failureText") or response.get("_error") or "")
    is_complete = status is not None and not error
    session = headers.get(SESSION_HEADER.lower())
    return Exchange(
        source=f"{source}, session {session}" if session else source,
        file=file,
        session=session,
        number=int(number) if re.fullmatch("[0-9]{1,18}", number) else None,
        start=start,
        end=_end(start, entry),
        method=request["method"],
        target=f"{parts.path}?{parts.query}" if parts.query else parts.path,
        path=path,
        headers=_headers(request),
        body=_body(request, is_ours=False),
        status=status if is_complete else None,
        response_headers=headers,
        outcome="sent" if is_complete else _foreign_outcome(error),
    )


def _foreign_outcome(error: str) -> RequestOutcome | None:
    """Return the outcome of an incomplete response, or None if the browser does not name it."""
    if not error:
        return None
    return "client_left" if _ABORTED.search(error) else "broken"


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
    """Return when an entry ended; None if its time is unknown."""
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


def _moment(value: str) -> float:
    return datetime.fromisoformat(value).timestamp()


# --- Checks -----------------------------------------------------------------------------------


def _time(value: object) -> tuple[str, str] | None:
    try:
        moment = datetime.fromisoformat(cast("str", value))
        if moment.tzinfo is not None:
            if 0 <= moment.timestamp() < _LAST_TIME:
                return None
            return f"must be a time from 1970 to 9999, got {shown(value)}", ""
    except (TypeError, ValueError, OverflowError):
        pass
    expected = "must be an ISO 8601 time with a time zone, such as 2026-11-21T07:00:00.123Z"
    return f"{expected}, got {shown(value)}", ""


def _pairs(value: object) -> tuple[str, str] | None:
    """Check headers."""
    if not isinstance(value, list):
        return f"must be an array, got {shown(value)}", ""
    for pair in value:
        if not isinstance(pair, dict) or text(pair.get("name")) or text(pair.get("value")):
            # Not the value, which may be a key.
            return "must be an array of objects with the strings name and value", ""
    return None


_DOCUMENT: Final[dict[str, Shape]] = {
    "log": {
        "entries": [
            {
                "startedDateTime": _time,
                "request": {"method": text, "url": text, "headers": _pairs},
                "response": {"status": integer(-1, 999), "headers": _pairs},
                "_mockpets?": {
                    "number": integer(1, 2**53 - 1),
                    "session": text,
                    "method": text,
                    "target": text,
                    "path": text,
                    "status": or_null(integer(100, 599)),
                    "outcome": word(REQUEST_OUTCOMES, "outcome"),
                    "hold": or_null(text),
                    "fault": or_null(text),
                },
            }
        ]
    }
}
"""Everything that the rules do not need may be missing."""
