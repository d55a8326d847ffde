"""The origins of pages whose control calls were rejected.

A browser hides the response from such a page and reports only a CORS error. So the log and the
panel name the origin and the option that would allow it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from mockpets.constants import REJECTED_ORIGINS
from mockpets.settings.validators import origin as checked_origin

if TYPE_CHECKING:
    from collections.abc import Callable

_log: Final = logging.getLogger("mockpets")
_NO_ORIGIN: Final = "null"
"""What browsers send for a page that has no origin."""
_LENGTH: Final = 300
"""More characters than a scheme, a name of the DNS and a port have."""


class RejectedOrigins:
    """The rejected origins of one server, the first `REJECTED_ORIGINS` of them.

    :param on_new: called when there is a new one.
    """

    def __init__(self, on_new: Callable[[], object]) -> None:
        self._on_new = on_new
        self._origins: list[str] = []

    def all(self) -> list[str]:
        """Return the origins in the order in which they were first rejected."""
        return [*self._origins]

    def add(self, header: str) -> None:
        """Add an origin and log it, if it is valid and new.

        :param header: the value of the Origin header, which any client can send.
        """
        origin = _valid(header)
        if not origin or origin in self._origins or len(self._origins) == REJECTED_ORIGINS:
            return
        self._origins.append(origin)
        is_last = len(self._origins) == REJECTED_ORIGINS
        more = "; further origins are not logged" if is_last else ""
        _log.warning("%s%s", rejection(origin), more)
        self._on_new()


def rejection(header: str) -> str:
    """Return the message for a rejected page.

    :param header: the value of its Origin header; may be empty.
    """
    origin = _valid(header)
    if origin == _NO_ORIGIN:
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


def _valid(header: str) -> str:
    """Return an origin in lower case, or an empty string for an invalid one."""
    if header == _NO_ORIGIN:
        return header
    try:
        return checked_origin(header) if len(header) <= _LENGTH else ""
    except ValueError:
        return ""
