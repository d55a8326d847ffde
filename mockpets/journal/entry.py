"""One request and its answer, as the journal keeps them.

A leaf, but for the names of secrets: those are gone before anything is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import parse_qsl

from mockpets.redaction import REDACTED, is_secret, redacted_target

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mockpets.constants import Operation
    from mockpets.contract.control_types import Fault, NoteCode

MESSAGE_BYTES: Final = 4096
"""How much of a body is kept."""


class Note(NamedTuple):
    """Something a front-end developer should know of one request.

    :param code: the kind of note, such as ``ignored_query``.
    """

    code: NoteCode
    text: str


class Message(NamedTuple):
    """A request or an answer as it is kept: secrets hidden, the body no longer than it may be.

    :param head: the headers, a line each: one text takes a third of the memory of many.
    :param size: bytes of the whole body.
    """

    head: str = ""
    body: bytes = b""
    size: int = 0

    @property
    def headers(self) -> list[tuple[str, str]]:
        """The headers in the order they came."""
        lines = self.head.split("\n") if self.head else []
        return [(name, value) for name, _, value in (line.partition(": ") for line in lines)]

    @property
    def cut(self) -> bool:
        """Whether there is less of the body here than there was."""
        return len(self.body) < self.size

    def header(self, name: str) -> str:
        """Return the last header of this name, in any case, or an empty text."""
        lower = {known.lower(): value for known, value in self.headers}
        return lower.get(name.lower(), "")


class Entry(NamedTuple):
    """One request and its answer.

    :param number: in its session; see `Journal.next_number`.
    :param at: when it came, in seconds since 1970, UTC.
    :param target: path and query as they were sent, without secrets: see `redaction`.
    :param path: decoded, from ``/v1`` on.
    :param pet_id: of the path, when it is an int64.
    :param status: None when the connection was broken instead of an answer.
    :param app_ms: milliseconds of own work.
    :param delay_ms: milliseconds that scenarios, or the request itself, have added.
    :param throttle: bytes a second.
    """

    number: int
    at: float
    session: str
    method: str
    target: str
    path: str
    operation: Operation | None = None
    pet_id: int | None = None
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

    @property
    def query(self) -> list[tuple[str, str]]:
        """The parameters of the target in the order they came, values of secrets hidden."""
        # Not kept, since a query of some thousand names takes a hundred times its text.
        query = self.target.partition("?")[2]
        return parse_qsl(query, keep_blank_values=True, errors="backslashreplace")


def message(headers: Iterable[tuple[str, str]], body: bytes, limit: int = MESSAGE_BYTES) -> Message:
    """Return what is kept of a request or an answer.

    :param limit: bytes of the body.
    """
    lines = [f"{name}: {REDACTED if is_secret(name) else value}" for name, value in headers]
    head = "\n".join(lines)
    if "?" in head or head.count("\n") >= len(lines):
        # URLs in Referer, Location and Link have queries too; and another server, or a test, may
        # let a line end pass that HTTP does not have.
        head = "\n".join(redacted_target(line.replace("\n", " ")) for line in lines)
    return Message(head, body[:limit], len(body))
