"""Export request log entries as HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/).

Data without a standard property is in `_mockpets`: names with `_` are reserved for applications.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from mockpets.clock import moment
from mockpets.request_log.entry import Message
from mockpets.request_log.queries import body_text, summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mockpets.contract.control_types import Har
    from mockpets.request_log.entry import Entry

_HOST: Final = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_HTTP: Final = "HTTP/1.1"
"""The request log does not record the version; nearly all clients use this one."""
_UNKNOWN: Final = -1
"""The standard's value for an unknown size or time."""


def document(entries: Iterable[Entry], version: str) -> Har:
    """Return these entries as a HAR document; the version is that of mockpets."""
    # HAR sorts entries by time, which can differ from the order of their numbers.
    rows: list[Mapping[str, Any]] = [
        _entry(entry) for entry in sorted(entries, key=lambda entry: entry.at)
    ]
    creator = {"name": "mockpets", "version": version}
    return {"log": {"version": "1.2", "creator": creator, "entries": rows}}


def _entry(entry: Entry) -> dict[str, Any]:
    wait = entry.app_ms + max(entry.delay_ms, entry.held_ms or 0)  # they run at the same time
    if entry.total_ms is None:
        receive = 1000 * entry.response.size / entry.throttle if entry.throttle else 0
    else:
        wait = min(wait, entry.total_ms)  # the client may have left before
        receive = entry.total_ms - wait
    wait, receive = round(wait, 3), round(receive, 3)
    row: dict[str, Any] = {
        "startedDateTime": moment(entry.at),
        "time": round(wait + receive, 3),
        "request": _request(entry),
        "response": _response(entry),
        "cache": {},
        "timings": {
            "blocked": _UNKNOWN,
            "dns": _UNKNOWN,
            "connect": _UNKNOWN,
            "ssl": _UNKNOWN,
            "send": 0,
            "wait": wait,
            "receive": receive,
        },
        "_mockpets": summary(entry),
    }
    if entry.hold is not None:
        so_far = " so far" if entry.outcome == "pending" else ""
        row["comment"] = f"held at the gate '{entry.hold}' for {entry.held_ms or 0:g} ms{so_far}"
    return row


def _request(entry: Entry) -> dict[str, Any]:
    request = entry.request
    result: dict[str, Any] = {
        "method": entry.method,
        "url": _url(entry),
        "httpVersion": _HTTP,
        "cookies": [],  # all of them are secrets
        "headers": _pairs(request.headers),
        "headersSize": _UNKNOWN,
        "bodySize": request.size,
        "queryString": _pairs(entry.query),
    }
    if request.size:
        result["postData"] = {**_body(request, "_encoding"), "params": []}
    return result


def _response(entry: Entry) -> dict[str, Any]:
    is_sent = entry.outcome == "sent"
    response = entry.response if is_sent else Message()
    result: dict[str, Any] = {
        "status": (is_sent and entry.status) or 0,  # like browsers, for a missing response
        "statusText": _reason(entry.status) if is_sent else "",
        "httpVersion": _HTTP,
        "cookies": [],  # all of them are secrets
        "headers": _pairs(response.headers),
        "headersSize": _UNKNOWN,
        "bodySize": response.size,
        "content": {"size": response.size, **_body(response, "encoding")},
        "redirectURL": response.header("Location"),
    }
    if not is_sent:
        is_fault = entry.outcome == "broken" and entry.fault is not None
        result["_error"] = str(entry.fault) if is_fault else entry.outcome
    return result


def _pairs(pairs: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in pairs]


def _body(message: Message, encoding: str) -> dict[str, object]:
    """Return the body of a message.

    :param encoding: the name of the property that says that the text is in base64.
    """
    text, base64 = body_text(message)
    body: dict[str, object] = {"mimeType": message.header("Content-Type"), "text": text}
    if base64:
        body[encoding] = "base64"
    if message.cut:
        body["comment"] = f"the first {len(message.body)} of {message.size} bytes"
    return body


def _reason(status: int | None) -> str:
    try:
        return HTTPStatus(status or 0).phrase
    except ValueError:  # a scenario can respond with 299
        return ""


def _url(entry: Entry) -> str:
    """Return the absolute URL of a request, with invalid characters quoted (RFC 3986)."""
    target = re.sub("%(?![0-9A-Fa-f]{2})", "%25", entry.target)
    target = quote(target, safe="%/?:@!$&'()*+,;=-._~")
    if target.startswith(("http://", "https://")):
        return target
    host = entry.request.header("Host")
    return f"http://{host if _HOST.fullmatch(host) else 'localhost'}/{target.removeprefix('/')}"
