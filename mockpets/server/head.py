"""Write the head of an answer (RFC 9112, part 4).

Instead of waitress' own, which ends the connection after each answer without a body (a preflight,
say), rewrites the case of names, and sorts.
"""

from __future__ import annotations

import time
from email.utils import formatdate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["HeadWriter"]


class HeadWriter:
    """Writes heads, and keeps the date for as long as it lasts: a second."""

    def __init__(self, ident: str) -> None:
        self._ident = ident
        self._second = 0
        self._date = ""

    def write(
        self,
        status: str,
        headers: Iterable[tuple[str, str]],
        length: int | None,
        connection: str | None,
    ) -> bytes:
        """Return status line, headers and the empty line.

        :param headers: without Content-Length and Connection.
        :param length: bytes of the body, None for an answer that has none by its status.
        :raise UnicodeEncodeError: a character that no header can have.
        """
        lines = [f"HTTP/1.1 {status}"]
        has_server = has_date = False
        for name, value in headers:
            lines.append(f"{name}: {value}")
            if len(name) in (4, 6):
                lowered = name.lower()
                has_server = has_server or lowered == "server"
                has_date = has_date or lowered == "date"
        if length is not None:
            lines.append(f"Content-Length: {length}")
        if not has_date:
            lines.append(f"Date: {self._now()}")
        if not has_server:
            lines.append(f"Server: {self._ident}")
        if connection is not None:
            lines.append(f"Connection: {connection}")
        lines.append("\r\n")
        return "\r\n".join(lines).encode("latin-1")

    def _now(self) -> str:
        second = int(time.time())
        if second != self._second:
            self._second, self._date = second, formatdate(second, usegmt=True)
        return self._date
