"""CORS for the contract's answers: any page may call them and read every header.

The data is invented and the front end may run on any port, so the origin, the method and the
headers asked for are echoed, with credentials allowed. Source: the Fetch standard ("CORS
protocol"); the README's table of decisions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mockpets.constants import EXPOSED_HEADERS, PREFLIGHT_SECONDS

if TYPE_CHECKING:
    from werkzeug.datastructures import Headers

__all__ = ["LOCAL_ORIGIN", "allow", "allow_local"]

LOCAL_ORIGIN = (
    r"https?://(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]{1,5})?"
)
"""An origin on a loopback name or address (RFC 6761, 6.3)."""
_EXPOSED = ", ".join(EXPOSED_HEADERS)


def allow(asked: Headers, answer: Headers, *, preflight: bool) -> None:
    """Add to an answer's headers what lets a page on another origin read it.

    :param asked: the request's headers.
    :param preflight: the request is an OPTIONS, which may ask for a method and headers.
    """
    answer.add("Vary", "Origin")
    answer["Timing-Allow-Origin"] = "*"
    origin = asked.get("Origin")
    if not origin:
        return
    # A scenario may set these on purpose, to play a service whose CORS is broken.
    answer.setdefault("Access-Control-Allow-Origin", origin)
    answer.setdefault("Access-Control-Allow-Credentials", "true")
    answer.setdefault("Access-Control-Expose-Headers", _EXPOSED)
    if not preflight:
        return
    method = asked.get("Access-Control-Request-Method")
    if method:
        answer["Access-Control-Allow-Methods"] = method
    names = asked.get("Access-Control-Request-Headers")
    if names:
        answer["Access-Control-Allow-Headers"] = names
    answer["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
    if asked.get("Access-Control-Request-Private-Network") == "true":
        answer["Access-Control-Allow-Private-Network"] = "true"
    answer.add("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers")


def allow_local(asked: Headers, answer: Headers) -> None:
    """Let a page of this machine, and no other, read an answer of the control API."""
    answer.add("Vary", "Origin")
    origin = asked.get("Origin", "")
    if re.fullmatch(LOCAL_ORIGIN, origin):
        answer["Access-Control-Allow-Origin"] = origin
