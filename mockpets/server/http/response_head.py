"""Write the head of an answer (RFC 9112, part 4).

Instead of waitress' own, which ends the connection after each answer without a body (a preflight,
say), rewrites the case of names, and sorts.
"""

from __future__ import annotations

import time
from email.utils import formatdate
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_LENGTHS: Final = {len("Date"), len("Server")}


class ResponseHeadWriter:
    """Writes heads, and keeps the date for as long as it lasts: a second."""

    def __init__(self, ident: str) -> None:
        self._ident = ident
        self._second = 0
        self._date = ""

    def write(
        self,
        status: str,
        headers: Sequence[tuple[str, str]],
        length: int | None,
        connection: str | None,
    ) -> bytes:
        """Return status line, headers and the empty line.

        :param headers: without Content-Length and Connection.
        :param length: bytes of the body, None for an answer that has none by its status.
        :raise ValueError: a line break in the status or a header.
        :raise UnicodeEncodeError: a character that no header can have.
        """
        lines = [f"HTTP/1.1 {status}", *map(": ".join, headers)]
        own = {name.lower() for name, _ in headers if len(name) in _LENGTHS}
        if length is not None:
            lines.append(f"Content-Length: {length}")
        if "date" not in own:
            lines.append(f"Date: {self._now()}")
        if "server" not in own:
            lines.append(f"Server: {self._ident}")
        if connection is not None:
            lines.append(f"Connection: {connection}")
        breaks = len(lines) + 1
        lines.append("\r\n")
        head = "\r\n".join(lines)
        if head.count("\n") != breaks or head.count("\r") != breaks:
            raise ValueError("line break in the status or in a header")
        return head.encode("latin-1")

    def _now(self) -> str:
        second = int(time.time())
        if second != self._second:
            self._second, self._date = second, formatdate(second, usegmt=True)
        return self._date
