"""Parse the head of a request strictly: request line and fields (RFC 9112, parts 2 to 6).

One regular expression matches the request line, and one the fields. The last blocks of fields are
kept, since a client sends the same ones with most of its requests.

Repeated fields are joined by commas, and a name with an underscore is dropped, as nginx does.
Requests are rejected if another reader could understand them differently, such as a second Host,
Content-Length together with Transfer-Encoding, a body after CONNECT, white space around the request
line, or a target that is not a path.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote_to_bytes, urlsplit

from mockpets.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from wsgiref.types import WSGIEnvironment

NAME: Final = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]++"
"""A name (RFC 9110, part 5.6.2). The quantifiers are possessive, to avoid backtracking. Groups are
not: before 3.11.5, Python would match too much (python/cpython#106052)."""
VALUE: Final = r"[\t -~\x80-\xff]*+"
"""A field's value (RFC 9110, part 5.5); bytes above ASCII are read as Latin-1."""

_REQUEST_LINE: Final = r"([!#$%&'*+\-.^_`|~0-9A-Z]++) ([!\"$-~]++) HTTP/([0-9]\.[0-9])"
_BLOCK: Final = re.compile(rf"(?:{NAME}:{VALUE}\r\n)*\r\n")
_KEPT_LENGTH: Final = 2048
"""The longest head and block of fields to keep, in characters."""
_FIRST_LINE: Final = re.compile(_REQUEST_LINE)
_ABSOLUTE: Final = re.compile(r"https?://([^/?]*)", re.IGNORECASE)
_TUNNEL: Final = re.compile(r"[^*/?@]+:[0-9]+")
_HOST: Final = re.compile(r"(\[[0-9a-fA-F:.]+\]|[\w.~%!$&'()*+;=-]+)(:[0-9]{0,5})?", re.ASCII)
_HEADERS: Final = 200
"""Maximum number of headers: each is compared with ours, in 20 microseconds."""
_PARAMETERS: Final = 1000
"""Maximum number of parameters in a query, as in Django and Werkzeug."""
_ONCE: Final = {
    "HOST": "Host",
    "CONTENT_LENGTH": "Content-Length",
    "AUTHORIZATION": "Authorization",
    "CONTENT_TYPE": "Content-Type",
}
"""Headers that must not be repeated: joined, they could mean something else."""
_FRAMING: Final = ("CONTENT_LENGTH", "TRANSFER_ENCODING")
LENGTH_DIGITS: Final = 18
"""Maximum number of digits in a length: more could overflow in other readers of the request."""

_REQUEST_LINE_FORM: Final = (
    "Request line must have the form 'GET /path HTTP/1.1', with the method in upper case and the "
    "path percent-encoded"
)
_UNREADABLE: Final = "Request target or Content-Length is invalid"


class CommonEnviron(NamedTuple):
    """The part of an environ (PEP 3333) that requests with equal fields share.

    :param names: the keys of the fields in it.
    """

    environ: WSGIEnvironment
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fields:
    """The header fields of a request; those of equal blocks are one object.

    :param headers: names are in capitals with underscores; without Transfer-Encoding.
    :param length: bytes of the body, None for a body in chunks.
    :param closes: whether the client sends no further request on its connection.
    :param environs: what servers derive from the fields, by the servers' ports.
    """

    headers: Mapping[str, str]
    length: int | None
    closes: bool
    environs: dict[int, CommonEnviron] = field(default_factory=dict)


class RequestHead(NamedTuple):
    """A parsed head; each character of the decoded path is a byte (PEP 3333).

    :param raw: the bytes that were parsed; the log of requests shares equal ones.
    """

    command: str
    request_uri: str
    version: str
    path: str
    query: str
    fields: Fields
    raw: bytes


def invalid(message: str) -> RequestError:
    """Return the error for a request that is not valid HTTP."""
    return RequestError("invalid_request", f"the request is not valid HTTP: {message[:200]}")


def read_head(raw: bytes) -> RequestHead:
    """Parse a head, from the request line to the empty line.

    :raise RequestError: it is invalid, or requires something that is not implemented.
    """
    return _read_head(raw) if len(raw) <= _KEPT_LENGTH else _read_head.__wrapped__(raw)


@lru_cache(256)
def _read_head(raw: bytes) -> RequestHead:
    text = raw.decode("latin-1")
    line, _, block = text.partition("\r\n")
    match = _FIRST_LINE.fullmatch(line)
    if match is None:
        raise invalid(_REQUEST_LINE_FORM)
    method, target, version = match.groups()
    if version not in ("1.0", "1.1"):
        message = f"HTTP/{version} is not supported; use HTTP/1.1 or HTTP/1.0"
        raise RequestError("http_version_not_supported", message)
    path, query = _split(method, target)
    read = _read_fields if len(block) <= _KEPT_LENGTH else _read_fields.__wrapped__
    fields = read(block, version)
    if fields is None:
        raise invalid("Header must have the form 'Name: value', on one line")
    if method == "CONNECT" and fields.length != 0:  # others read a tunnel after the head
        raise invalid("CONNECT must not have a body; remove Content-Length and Transfer-Encoding")
    return RequestHead(method, target, version, path, query, fields, raw)


@lru_cache(64)
def _read_fields(block: str, version: str) -> Fields | None:
    """Return the fields of a block, up to the empty line; None if their form is invalid.

    :raise RequestError: they are invalid, or require something that is not implemented.
    """
    if not _BLOCK.fullmatch(block):
        return None
    if block.count("\r\n") - 1 > _HEADERS:
        message = f"the request has too many headers; send at most {_HEADERS}"
        raise RequestError("headers_too_large", message)
    headers = _headers(block)
    length = _length(headers, version)
    host = headers.get("HOST")
    if host is None and version == "1.1":
        raise invalid("Host is missing")
    if host is not None and not _HOST.fullmatch(host):
        raise invalid(f"Host must be a host name or an address, got {host[:80]!a}")
    expect = headers.get("EXPECT")
    if expect is not None and version == "1.1" and expect.lower() != "100-continue":
        message = f"Expect must be 100-continue, got {expect[:80]!a}"
        raise RequestError("expectation_failed", message)
    tokens = [token.strip() for token in headers.get("CONNECTION", "").lower().split(",")]
    closes = "close" in tokens or (version == "1.0" and "keep-alive" not in tokens)
    if length != 0 and "UPGRADE" in headers:
        _check_upgrade(headers["UPGRADE"])
        closes = True
    return Fields(headers, length, closes)


def _check_upgrade(protocol: str) -> None:
    """Reject a request with a body that asks for another protocol, such as ``websocket``.

    Others may read the other protocol after its head, or after its body. Java's HttpClient and
    ``curl --http2`` send ``h2c`` with their first POST, though (RFC 7540, part 3.2). It gets its
    response, and nothing after it is read.
    """
    if protocol.lower() != "h2c":
        what = f"a request with Upgrade must not have a body, got {protocol[:80]!a}"
        raise invalid(f"{what}; remove Upgrade, or Content-Length and Transfer-Encoding")


def valid_line(line: str) -> tuple[str, str] | None:
    """Return method and target of a request line; None if it is invalid.

    Only these may be logged: any other line could be a part of something secret.
    """
    match = _FIRST_LINE.fullmatch(line)
    if match is None:
        return None
    method, target, _ = match.groups()
    try:
        _split(method, target)
    except RequestError:
        return None
    return method, target


def _split(method: str, target: str) -> tuple[str, str]:
    """Return path and query of a target (RFC 9112, part 3.2).

    :raise RequestError: the target is invalid, or its query has too many parameters.
    """
    if target[0] == "/":
        path, _, query = target.partition("?")
    elif (
        (absolute := _ABSOLUTE.match(target))
        or (target == "*" and method == "OPTIONS")
        or (method == "CONNECT" and _TUNNEL.fullmatch(target))  # the app has no such path
    ):
        if absolute and "@" in absolute[1]:  # messages never contain the authority
            what = "Request target has a user name or password before the host"
            raise invalid(f"{what}; remove them and the '@'")
        if absolute and not _HOST.fullmatch(absolute[1]):
            raise invalid("Request target must have a host name or an address after 'http://'")
        try:
            _, _, path, query, _ = urlsplit(target)
        except ValueError:  # `http://[1:2]/`
            raise invalid(_UNREADABLE) from None
    else:
        raise invalid(f"Request target must begin with a slash, got {target[:80]!a}")
    if query.count("&") >= _PARAMETERS:
        message = f"the query has too many parameters; send at most {_PARAMETERS}"
        raise RequestError("invalid_request", message)
    return unquote_to_bytes(path).decode("latin-1") if "%" in path else path, query


def _headers(block: str) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in block.split("\r\n")[:-2]:
        name, _, value = line.partition(":")
        key = name.upper().replace("-", "_")
        if "_" in name:
            if key in _FRAMING:
                raise invalid(f"{name} must have a hyphen instead of the underscore")
            if key.startswith("MOCKPETS_"):
                hint = name.replace("_", "-")
                raise RequestError("unknown_header", f"unknown header {name!a}; write {hint!a}")
            continue
        value = value.strip(" \t")
        if key in headers:
            if key in _ONCE:
                raise invalid(f"{_ONCE[key]} must be sent only once")
            value = f"{headers[key]}, {value}"
        headers[key] = value
    return headers


def _length(headers: dict[str, str], version: str) -> int | None:
    """Return the length of the body, None for a body in chunks (RFC 9112, part 6.3)."""
    coding, length = headers.pop("TRANSFER_ENCODING", None), headers.get("CONTENT_LENGTH")
    if coding is not None:
        if version == "1.0":
            raise invalid("HTTP/1.0 does not allow Transfer-Encoding")
        if length is not None:
            raise invalid("Send either Content-Length or Transfer-Encoding, not both")
        if coding.lower() != "chunked":
            message = f"Transfer-Encoding must be chunked, got {coding[:80]!a}"
            raise RequestError("not_implemented", message)
        return None
    if length is None:
        return 0
    if not (length.isascii() and length.isdigit()):
        raise invalid("Content-Length is invalid")
    if len(length) > LENGTH_DIGITS:
        raise invalid(_UNREADABLE)
    return int(length)
