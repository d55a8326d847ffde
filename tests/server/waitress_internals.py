"""Everything the server uses of waitress that its documentation does not promise.

waitress promises `serve`, the command line and their arguments. What is listed here may change in
any release; a test then reports what has.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

INTERNALS: Final[Mapping[str, Mapping[str, str | None]]] = {
    # a class by its path: names, with the parameters of a function, None for anything else
    "waitress.task.WSGITask": {"__init__": "self, channel, request", "get_environment": "self"},
    "waitress.adjustments.Adjustments": {"__init__": "self, kw", "socket_options": None},
}
READ: Final[Mapping[str, frozenset[str]]] = {
    # what `get_environment` reads of our objects, which take the place of waitress' own
    "connection": frozenset({"addr", "check_client_disconnected", "server"}),
    "endpoint": frozenset({"adj", "effective_port", "server_name"}),
    "request": frozenset(
        {
            "command",
            "get_body_stream",
            "headers",
            "path",
            "query",
            "request_uri",
            "url_scheme",
            "version",
        }
    ),
}


def changes(internals: Mapping[str, Mapping[str, str | None]] = INTERNALS) -> list[str]:
    """Return one line for each name that this waitress does not have, or has otherwise."""
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
