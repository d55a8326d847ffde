"""The journal as an HTTP Archive, which browsers' developer tools and many others open.

Entries in, one JSON object out. Source: HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/);
what it has no place for stands under `_mockpets`, as the standard lets names with `_` do.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from mockpets.journal.queries import body_text, moment, summary

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mockpets.journal.entry import Entry, Message

_HOST: Final = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_HTTP: Final = "HTTP/1.1"
"""The version is not kept; nearly all clients speak this one."""
_UNKNOWN: Final = -1
"""What the standard says for a size or a time that one does not know."""


def document(entries: Iterable[Entry], version: str) -> dict[str, Any]:
    """Return the archive of these entries.

    :param version: of mockpets.
    """
    creator = {"name": "mockpets", "version": version}
    # The standard wants them by time, which is their order by number but for moments.
    rows = [_entry(entry) for entry in sorted(entries, key=lambda entry: entry.at)]
    return {"log": {"version": "1.2", "creator": creator, "entries": rows}}


def _entry(entry: Entry) -> dict[str, Any]:
    wait = round(entry.app_ms + entry.delay_ms, 3)
    receive = round(1000 * entry.response.size / entry.throttle, 3) if entry.throttle else 0
    row = {
        "startedDateTime": moment(entry.at),
        "time": wait + receive,
        "request": _request(entry),
        "response": _response(entry),
        "cache": {},
        "timings": {
            **dict.fromkeys(("blocked", "dns", "connect", "ssl"), _UNKNOWN),
            "send": 0,
            "wait": wait,
            "receive": receive,
        },
        "_mockpets": summary(entry),
    }
    if entry.hold is not None:
        row["comment"] = f"held at the gate '{entry.hold}', for how long is not known"
    return row


def _request(entry: Entry) -> dict[str, Any]:
    request = entry.request
    made = {
        "method": entry.method,
        "url": _url(entry),
        **_both(request),
        "queryString": [{"name": name, "value": value} for name, value in entry.query],
    }
    if request.size:
        # The standard has no word for a body that is no text.
        made["postData"] = _content(request, encoding="_encoding") | {"params": []}
    return made


def _response(entry: Entry) -> dict[str, Any]:
    response = entry.response
    made = {
        "status": entry.status or 0,  # as browsers have it for an answer that never came
        "statusText": _reason(entry.status),
        **_both(response),
        "content": {"size": response.size, **_content(response, encoding="encoding")},
        "redirectURL": response.header("Location"),
    }
    if entry.status is None:
        made["_error"] = entry.fault or "no answer"
    return made


def _both(message: Message) -> dict[str, Any]:
    """Return what requests and answers have alike."""
    return {
        "httpVersion": _HTTP,
        "cookies": [],  # secrets, all of them
        "headers": [{"name": name, "value": value} for name, value in message.headers],
        "headersSize": _UNKNOWN,
        "bodySize": message.size,
    }


def _content(message: Message, *, encoding: str) -> dict[str, Any]:
    """Return a body and its type.

    :param encoding: the member that says that the text is base64.
    """
    text, base64 = body_text(message)
    content = {"mimeType": message.header("Content-Type"), "text": text}
    if base64:
        content[encoding] = "base64"
    if message.cut:
        content["comment"] = f"the first {len(message.body)} of {message.size} bytes"
    return content


def _reason(status: int | None) -> str:
    try:
        return HTTPStatus(status or 0).phrase
    except ValueError:  # a scenario may answer 299
        return ""


def _url(entry: Entry) -> str:
    """Return the absolute URL of a request, with nothing in it that no URL has (RFC 3986)."""
    target = re.sub("%(?![0-9A-Fa-f]{2})", "%25", entry.target)
    target = quote(target, safe="%/?:@!$&'()*+,;=-._~")
    if target.startswith(("http://", "https://")):
        return target
    host = entry.request.header("Host")
    return f"http://{host if _HOST.fullmatch(host) else 'localhost'}/{target.removeprefix('/')}"
