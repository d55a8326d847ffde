"""A quick `mockpets health` for containers, which run it every few seconds.

It imports neither click nor the settings nor an HTTP client, which takes most of the time of the
full command, and leaves everything but the usual case to that command.
"""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Final

from mockpets.constants import HEALTH_PATH

if TYPE_CHECKING:
    from collections.abc import Mapping

_PORT: Final = "7387"
"""The default of the setting `port`."""
_SECONDS: Final = 3.0
_OTHER_SOURCES: Final = ("MOCKPETS_URL", "MOCKPETS_CONFIG")
_EVERY_ADDRESS: Final = ("", "0.0.0.0")  # noqa: S104 - compared, not bound


def healthy_url(environ: Mapping[str, str]) -> str | None:
    """Return the URL of the server that the environment describes; None if in doubt."""
    port = environ.get("MOCKPETS_PORT") or _PORT
    prefix = environ.get("MOCKPETS_PREFIX", "")
    if (
        any(environ.get(name) for name in _OTHER_SOURCES)
        or os.path.exists("mockpets.toml")  # noqa: PTH110 - pathlib takes longer to import
        or environ.get("MOCKPETS_HOST", "") not in _EVERY_ADDRESS
        or not (port.isascii() and port.isdigit() and port == str(int(port)) and port != "80")
        or not (prefix == "" or (prefix.isascii() and prefix.isprintable() and " " not in prefix))
    ):
        return None
    request = f"GET {prefix}{HEALTH_PATH} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    response = b""
    try:
        with socket.create_connection(("localhost", int(port)), _SECONDS) as connection:
            connection.sendall(request.encode())
            while part := connection.recv(4096):
                response += part
    except (OSError, OverflowError):
        return None
    is_healthy = response.startswith(b"HTTP/1.1 200 ") and b'"status":"ok"' in response
    return f"http://localhost:{port}{prefix}" if is_healthy else None
