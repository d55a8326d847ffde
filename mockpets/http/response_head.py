"""Write the head of a response (RFC 9112, part 4).

Unlike waitress, it keeps the case and order of header names, and keeps the connection open after
a response without a body, such as a preflight's.
"""

from __future__ import annotations

import time
from email.utils import formatdate
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

IDENT: Final = "mockpets"
"""The value of the Server header."""


def response_head(
    status: str,
    headers: Sequence[str],
    length: int | None,
    connection: str | None,
    from_app: Collection[str] = (),
    more_breaks: int = 0,
) -> bytes:
    """Return status line, headers and the empty line.

    :param headers: lines, without Content-Length and Connection.
    :param length: bytes of the body, None if the status does not allow a body.
    :param connection: the value of the Connection header, None to omit it.
    :param from_app: "date" and "server", if the app has set them.
    :param more_breaks: the line breaks within `headers`, where a line has several headers.
    :raise ValueError: a line break in the status or a header.
    :raise UnicodeEncodeError: a character that is not in Latin-1.
    """
    lines = [f"HTTP/1.1 {status}", *headers]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    if "date" not in from_app:
        lines.append(f"Date: {_date(int(time.time()))}")
    if "server" not in from_app:
        lines.append(f"Server: {IDENT}")
    if connection is not None:
        lines.append(f"Connection: {connection}")
    breaks = len(lines) + 1 + more_breaks
    lines.append("\r\n")
    head = "\r\n".join(lines)
    if head.count("\n") != breaks or head.count("\r") != breaks:
        raise ValueError("line break in the status or in a header")
    return head.encode("latin-1")


@lru_cache(1)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)
