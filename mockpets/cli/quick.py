"""`mockpets use` and `mockpets health` as most people and all containers call them.

Imports neither click nor the settings, which take most of the time of a command. Everything but the
usual case is left to the full command, which also reports the errors.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from mockpets.constants import DEFAULT_SESSION, HEALTH_PATH
from mockpets.errors import MockpetsError, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mockpets.client import ControlClient

_PORT: Final = "7387"
"""The default of the setting `port`."""
_SECONDS: Final = 1.0
"""How long the server may take; then the full command tries again, with more time."""
_EVERY_ADDRESS: Final = ("", "0.0.0.0")  # noqa: S104 - compared, not bound
_READ: Final = {f"MOCKPETS_{name}" for name in ("HOST", "PORT", "PREFIX", "CONTROL_TOKEN", "URL")}
"""The variables that this module reads. `use` rejects unknown ones, `health` need not."""
_OPTIONS: Final = {"health": ("--url",), "use": ("--url", "--session", "--token")}


def try_quickly(words: Sequence[str], environ: Mapping[str, str]) -> str | None:
    """Run a command and return what it prints; None if the full command must run."""
    command, *rest = words or [""]
    if command not in _OPTIONS:
        return None
    options, names, position = {}, [], iter(rest)
    for word in position:
        if word in _OPTIONS[command] and word not in options:
            options[word] = next(position, "")
        else:
            names += word.split(",")
    is_usual = all(options.values()) and not any(name.startswith("-") for name in names)
    url = options.get("--url") or environ.get("MOCKPETS_URL")
    given = {name for name in environ if name.startswith("MOCKPETS_")}
    if not url and (command == "health" or given <= _READ):
        url = _default_url(environ)
    if not url or not url.isascii() or not is_usual or bool(names) != (command == "use"):
        return None
    try:
        if command == "health":
            line = check_health(url, _SECONDS)
        else:
            from mockpets.client import ControlClient

            token = options.get("--token") or environ.get("MOCKPETS_CONTROL_TOKEN")
            client = ControlClient(url, options.get("--session"), token, _SECONDS)
            result = client.activate(*names)
            if "hidden" in result:
                return None
            line = active_line(client, result["active"])
    except (MockpetsError, LookupError, TypeError, AttributeError, ValueError):
        return None
    return line if line.isascii() else None  # the full command escapes what cannot be printed


def _default_url(environ: Mapping[str, str]) -> str:
    """Return the URL of the server that the variables describe; empty if in doubt."""
    port = environ.get("MOCKPETS_PORT") or _PORT
    prefix = environ.get("MOCKPETS_PREFIX", "")
    if (
        environ.get("MOCKPETS_CONFIG")
        or os.path.exists("mockpets.toml")  # noqa: PTH110 - pathlib takes longer to import
        or environ.get("MOCKPETS_HOST", "") not in _EVERY_ADDRESS
        or not re.fullmatch("[1-9][0-9]{0,4}", port)
        or port == "80"  # the full command leaves it out of the URL
    ):
        return ""
    return f"http://localhost:{port}{prefix}"


def check_health(url: str, timeout: float) -> str:
    """Return the line that reports a server as alive.

    :param timeout: seconds to connect, and then for the response.
    :raise NoAnswer: the server does not respond, or not as mockpets does if all is well.
    :raise InputError: the URL is invalid.
    """
    from mockpets.client.connection import Connection, NoAnswer

    connection = Connection(url, timeout)
    root, response = connection.url, connection.send("GET", HEALTH_PATH)
    if response.status != 200:
        what = f"responds to the health check with {response.status}, expected 200"
        raise NoAnswer(f"{root} {what}")
    if b'"status":"ok"' not in response.body:
        raise NoAnswer(f"{root} is not a mockpets server (status {response.status})")
    return f"mockpets: {root} is alive"


def active_line(client: ControlClient, active: Iterable[str]) -> str:
    """Return the line with the active scenarios of a client's session."""
    return printable(f"active{in_session(client)}: {', '.join(active)}")


def in_session(client: ControlClient) -> str:
    """Return the name of a client's session for a message; empty for the default session."""
    return "" if client.name == DEFAULT_SESSION else f" in session {client.name}"
