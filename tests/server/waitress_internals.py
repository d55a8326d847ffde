"""The undocumented parts of waitress that the server uses.

waitress documents `serve`, the command line and their arguments. The names listed here may change
in any release; a test reports a change.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

INTERNALS: Final[Mapping[str, Mapping[str, str | None]]] = {
    # class to names, with the parameters of a function, None for anything else
    "waitress.task.WSGITask": {"__init__": "self, channel, request", "get_environment": "self"},
    "waitress.adjustments.Adjustments": {"__init__": "self, kw", "socket_options": None},
}
READ: Final[Mapping[str, frozenset[str]]] = {
    # the attributes of our objects that `get_environment` reads
    "connection": frozenset({"addr", "check_client_disconnected", "server"}),
    "endpoint": frozenset({"adj", "effective_port", "server_name"}),
    "request": frozenset({"command", "get_body_stream", "headers", "path", "query", "request_uri",
        "url_scheme", "version"}),
}  # fmt: skip


def changes(internals: Mapping[str, Mapping[str, str | None]] = INTERNALS) -> list[str]:
    """Return one line for each name that this version of waitress lacks or has changed."""
    lines = []
    for path, names in internals.items():
        owner = _load(path)
        if owner is None:
            lines.append(f"{path} is gone")
            continue
        for name, parameters in names.items():
            part = getattr(owner, name, None)
            if not hasattr(owner, name):
                lines.append(f"{path}.{name} is gone")
            elif parameters is not None:
                now = ", ".join(inspect.signature(part).parameters) if callable(part) else "none"
                if now != parameters:
                    lines.append(f"{path}.{name} takes ({now}), not ({parameters})")
    return lines


def _load(path: str) -> object:
    """Return a module, or a class in one; None if there is no such module or class."""
    try:
        return import_module(path)
    except ImportError:
        module, _, name = path.rpartition(".")
        try:
            return getattr(import_module(module), name, None)
        except ImportError:
            return None
