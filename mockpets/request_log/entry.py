"""One request and its response, as the request log shows them, without secrets."""

from __future__ import annotations

import re
from hashlib import blake2b
from secrets import token_bytes
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import parse_qsl

from mockpets.constants import ACTIVE_NAME, BASE_MARK, SESSION_NAME
from mockpets.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mockpets.constants import NoteCode, RequestOutcome, WaitKind
    from mockpets.contract.contract_model import Operation
    from mockpets.contract.control_types import Fault
    from mockpets.scenario.engine import Trace

MESSAGE_BYTES: Final = 4096
"""The longest recorded body, unless a request log has another limit."""


class Note(NamedTuple):
    """A remark on one request for front-end developers."""

    code: NoteCode
    text: str


class Message(NamedTuple):
    """A recorded request or response: secrets are redacted and a long body is truncated.

    :param head: the headers, one per line: one string takes a third of the memory of many.
    :param size: bytes of the complete body.
    :param checksum: CRC-32 of the complete body of a response, if it is truncated.
    """

    head: str = ""
    body: bytes = b""
    size: int = 0
    checksum: int | None = None

    @property
    def headers(self) -> list[tuple[str, str]]:
        """The headers in their original order."""
        lines = self.head.split("\n") if self.head else []
        return [(name, value) for name, _, value in (line.partition(": ") for line in lines)]

    @property
    def cut(self) -> bool:
        """Whether the recorded body is truncated."""
        return len(self.body) < self.size

    def header(self, name: str) -> str:
        """Return the last header with this name, in any case, or an empty text."""
        lower = {known.lower(): value for known, value in self.headers}
        return lower.get(name.lower(), "")


class Entry(NamedTuple):
    """One request and its response.

    :param number: in its session; see `RequestLog.next_number`.
    :param at: arrival, in seconds since 1970, UTC.
    :param target: path and query as the client sent them, without secrets: see `redaction`.
    :param path: decoded, from the contract's base path on.
    :param status: None if the connection was broken without a response.
    :param app_ms: milliseconds that the app took.
    :param delay_ms: milliseconds that scenarios, or the request itself, added.
    :param throttle: bytes per second.
    :param trace: how the stubs decided; None if a check rejected the request before.
    :param authorization: the digest of the Authorization header, for `verify`; it must not appear
        in any response or file. None without the header.
    :param secrets: values in headers and target that no recording may repeat; nor may they appear.
    :param outcome: what became of the response.
    :param held_ms: milliseconds for which it was held at the gate so far; None without a gate.
    :param total_ms: milliseconds from the arrival until the response ended; None before that.
    :param waits: what the response waits for, or waited for when its client left; otherwise None.
    """

    number: int
    at: float
    session: str
    method: str
    target: str
    path: str
    operation: Operation | None = None
    status: int | None = None
    scenarios: tuple[str, ...] = ()
    stubs: tuple[str, ...] = ()
    fault: Fault | None = None
    off_contract: str | None = None
    app_ms: float = 0.0
    delay_ms: float = 0.0
    hold: str | None = None
    throttle: int | None = None
    notes: tuple[Note, ...] = ()
    request: Message = Message()
    response: Message = Message()
    trace: Trace | None = None
    authorization: bytes | None = None
    secrets: tuple[str, ...] = ()
    outcome: RequestOutcome = "sent"
    held_ms: float | None = None
    total_ms: float | None = None
    waits: WaitKind | None = None

    @property
    def query(self) -> list[tuple[str, str]]:
        """The query parameters in their original order, with secret values redacted."""
        # Parsed on demand: a parsed query with thousands of names takes a hundred times its text.
        query = self.target.partition("?")[2]
        return parse_qsl(query, keep_blank_values=True, errors="backslashreplace")


_DIGEST_KEY: Final = token_bytes(32)
"""Random, so that nobody can find out a key by digesting likely ones."""
_SELECTION: Final = (
    rf"(?i:(bearer +.+){BASE_MARK}(?:{SESSION_NAME})?(?:\+{ACTIVE_NAME})*)"  # compiled when used
)


def authorization_digest(value: str) -> bytes:
    """Return a digest of an Authorization header, for comparing within this process.

    The session and scenarios behind the key, and the case of the scheme, make no difference.
    """
    selection = re.fullmatch(_SELECTION, value)
    scheme, _, key = (selection[1] if selection else value).partition(" ")
    text = f"{scheme.lower()} {key.strip()}".encode("utf-8", "surrogatepass")
    return blake2b(text, key=_DIGEST_KEY, digest_size=16).digest()


def sent_headers(head: bytes) -> list[tuple[str, str]]:
    """Return the headers of a valid head as the app got them, with names in title case.

    Headers with the same name are joined, and those that the server ignores are left out.
    """
    headers: dict[str, str] = {}
    for line in head.decode("latin-1").split("\r\n")[1:]:
        name, _, value = line.partition(":")
        if name and "_" not in name:
            name, value = name.title(), value.strip(" \t")
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return [*headers.items()]


def message(
    headers: Iterable[tuple[str, str]], body: bytes, size: int, checksum: int | None = None
) -> Message:
    """Return the recorded form of a request or response; see `Message`."""
    lines = []
    for name, value in headers:
        # A test client may let line ends in headers pass, which HTTP does not allow.
        lines.append(f"{name}: {redacted(name, value)}".replace("\n", " "))
    return Message("\n".join(lines), body, size, checksum)
