"""All of waitress that is leaned on and that its documentation does not promise.

waitress promises its command line and `serve`. Everything below may move in any release, and a
test then says what has. It names what is called, read, set or overridden: a class by its path, to
what it must have; the parameters of what can be called, None for what is no function. Requests
are read by our own parser: `tests/server/http/test_request_parser.py` compares what waitress' task
reads of one.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LEANED_ON", "moved"]

LEANED_ON: Final[Mapping[str, Mapping[str, str | None]]] = {
    # task: the environ of a request, made of a `Parser`
    "waitress.task": {"hop_by_hop": None},
    "waitress.task.WSGITask": {
        "__init__": "self, channel, request",
        "get_environment": "self",
        "complete": None,
        "status": None,
        "content_length": None,
    },
    "waitress.task.ErrorTask": {"__init__": "self, channel, request"},
    # channel: a connection's place in the map
    "waitress.channel.HTTPChannel": {
        "__init__": "self, server, sock, addr, adj, map",
        "handle_close": "self",
        "task_class": None,
        "error_task_class": None,
        "parser_class": None,
        "request": None,
        "connected": None,
        "service": "self",
        "handle_read": "self",
        "handle_write": "self",
        "check_client_disconnected": "self",
    },
    # server: a listening socket and its trigger
    "waitress.server.TcpWSGIServer": {
        "__init__": (
            "self, application, map, _start, _sock, dispatcher, adj, sockinfo, bind_socket, kw"
        ),
        "channel_class": None,
        "set_socket_options": "self, conn",
        "pull_trigger": "self",
        "readable": "self",
        "handle_accept": "self",
        "close": "self",
    },
    "waitress.trigger.trigger": {"pull_trigger": "self, thunk", "handle_read": "self"},
    "waitress.wasyncore.dispatcher": {
        "close": "self",
        "add_channel": "self, map",
        "del_channel": "self, map",
        "handle_read_event": "self",
        "handle_write_event": "self",
        "accepting": None,
    },
    "waitress.adjustments.Adjustments": {
        "__init__": "self, kw",
        "backlog": None,
        "max_request_header_size": None,
        "max_request_body_size": None,
        "url_scheme": None,
        "clear_untrusted_proxy_headers": None,
        "ident": None,
        "server_name": None,
    },
}


def moved(leaned_on: Mapping[str, Mapping[str, str | None]] = LEANED_ON) -> list[str]:
    """Return what this waitress does not have, or has otherwise, a line each."""
    found = []
    for path, parts in leaned_on.items():
        owner = _find(path)
        if owner is None:
            found.append(f"{path} is gone")
            continue
        for name, parameters in parts.items():
            part = getattr(owner, name, None)
            if not hasattr(owner, name):
                found.append(f"{path}.{name} is gone")
            elif parameters is not None:
                now = ", ".join(inspect.signature(part).parameters) if callable(part) else "none"
                if now != parameters:
                    found.append(f"{path}.{name} takes ({now}), not ({parameters})")
    return found


def _find(path: str) -> object:
    """Return a module, or a class in one; None when there is none."""
    try:
        return import_module(path)
    except ImportError:
        module, _, name = path.rpartition(".")
        try:
            return getattr(import_module(module), name, None)
        except ImportError:
            return None
