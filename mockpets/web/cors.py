"""CORS headers: any page may call the API and read every response header.

The data is invented, so the requested origin, method and headers are echoed, and credentials are
allowed. Source: the Fetch standard ("CORS protocol"); docs/reference/contract.md.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Final

from mockpets.constants import EXPOSED_HEADERS, SCENARIO_HEADER, SESSION_HEADER
from mockpets.settings.validators import origin as checked_origin

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from wsgiref.types import WSGIEnvironment

    Pair = tuple[str, str]

PREFLIGHT_SECONDS: Final = 600
"""How long a browser may keep the result of a preflight: ten minutes, so a change shows soon."""
REJECTED_ORIGINS: Final = 20
"""Maximum number of rejected origins to log and show; any client can send invented ones."""

LOCAL_ORIGIN = (
    r"https?://(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]{1,5})?"
)
"""An origin on a loopback name or address (RFC 6761, 6.3)."""
_EXPOSED = ", ".join(EXPOSED_HEADERS)
NO_ORIGIN: Final = "null"
"""What browsers send for a page that has no origin."""
_LENGTH: Final = 300
"""More characters than a scheme, a name of the DNS and a port have."""
_log: Final = logging.getLogger("mockpets")


def for_all(origin: str | None, exposed: Sequence[str] = ()) -> tuple[Pair, ...]:
    """Return the headers that let a page on any origin read a response of the API.

    :param exposed: headers beside ours that it may read.
    """
    always = (("Vary", "Origin"), ("Timing-Allow-Origin", "*"))
    if not origin:
        return always
    return (
        *always,
        ("Access-Control-Allow-Origin", origin),
        ("Access-Control-Allow-Credentials", "true"),
        ("Access-Control-Expose-Headers", ", ".join([_EXPOSED, *exposed])),
    )


def for_preflight(environ: WSGIEnvironment) -> list[Pair]:
    """Return the headers to add to those of `for_all` if the request is an OPTIONS of a page."""
    if not environ.get("HTTP_ORIGIN"):
        return []
    headers: list[Pair] = []
    method = environ.get("HTTP_ACCESS_CONTROL_REQUEST_METHOD")
    if method:
        headers.append(("Access-Control-Allow-Methods", method))
    names = environ.get("HTTP_ACCESS_CONTROL_REQUEST_HEADERS")
    if names:
        headers.append(("Access-Control-Allow-Headers", names))
    headers.append(("Access-Control-Max-Age", str(PREFLIGHT_SECONDS)))
    if environ.get("HTTP_ACCESS_CONTROL_REQUEST_PRIVATE_NETWORK") == "true":
        headers.append(("Access-Control-Allow-Private-Network", "true"))
    headers.append(("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers"))
    return headers


def is_same_origin(origin: str, host: str) -> bool:
    """Return whether an origin is that of the server, which has this Host."""
    return origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")


def is_allowed(origin: str, origins: Collection[str]) -> bool:
    """Return whether pages on an origin may call the control API.

    :param origins: the allowed ones that are not on this machine, in lower case; also below.
    """
    return bool(re.fullmatch(LOCAL_ORIGIN, origin)) or origin.lower() in origins


def for_some(environ: WSGIEnvironment, origins: Collection[str], *, preflight: bool) -> list[Pair]:
    """Return the headers that let pages here and on some origins call the control API."""
    headers: list[Pair] = [("Vary", "Origin")]
    origin: str = environ.get("HTTP_ORIGIN", "")
    if not is_allowed(origin, origins):
        return headers
    headers.append(("Access-Control-Allow-Origin", origin))
    headers.append(("Access-Control-Expose-Headers", _EXPOSED))
    if preflight:
        ours = f"Authorization, Content-Type, {SESSION_HEADER}, {SCENARIO_HEADER}"
        files = "If-Match, If-None-Match"
        names = f"{ours}, {files}, baggage, traceparent, tracestate"  # OpenTelemetry adds three
        headers += [
            ("Access-Control-Allow-Methods", "GET, PUT, POST, PATCH, DELETE"),
            ("Access-Control-Allow-Headers", names),
            ("Access-Control-Max-Age", str(PREFLIGHT_SECONDS)),
        ]
    return headers


# --- Rejected pages ---------------------------------------------------------------------------


class RejectedOrigins:
    """The origins of pages whose calls were rejected, the first `REJECTED_ORIGINS` of them.

    A browser hides the response from such a page and reports only a CORS error. So the log and the
    panel name the origin and the option that would allow it.
    """

    def __init__(self, on_new: Callable[[], object]) -> None:
        self._on_new = on_new
        self._origins: list[str] = []

    def all(self) -> list[str]:
        """Return the origins in the order in which they were first rejected."""
        return [*self._origins]

    def add(self, header: str) -> None:
        """Add and log the value of an Origin header, if it is valid and new."""
        origin = valid_origin(header)
        if not origin or origin in self._origins or len(self._origins) == REJECTED_ORIGINS:
            return
        self._origins.append(origin)
        is_last = len(self._origins) == REJECTED_ORIGINS
        more = "; further origins are not logged" if is_last else ""
        _log.warning("%s%s", rejection(origin), more)
        self._on_new()


def rejection(header: str) -> str:
    """Return the message for a rejected page, with the value of its Origin header, or none."""
    origin = valid_origin(header)
    if origin == NO_ORIGIN:
        return (
            "the control API rejects requests from pages without an origin, such as local files "
            "and sandboxed frames; serve the page from localhost"
        )
    if not origin:
        return (
            "the control API rejects requests from other websites; "
            "to allow one, start the server with --control-origin"
        )
    return (
        f"the control API rejects requests from pages on {origin}; if you trust them, start the "
        f"server with --control-origin {origin}"
    )


def valid_origin(header: str) -> str:
    """Return an origin in lower case, or an empty string for an invalid one."""
    if header == NO_ORIGIN:
        return header
    try:
        return checked_origin(header) if len(header) <= _LENGTH else ""
    except ValueError:
        return ""
