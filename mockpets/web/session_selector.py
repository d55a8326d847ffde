"""Which session and which scenarios a request is for.

Named in four ways, the strongest first: the base path (``/~session+scenario/v1``), the headers
`Mockpets-Session` and `Mockpets-Scenario`, the key (``KEY~session+scenario``), or not at all. The
session and the scenarios each come from the strongest carrier that names any.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from mockpets.constants import (
    API_PREFIX,
    BASE_MARK,
    DEFAULT_SESSION,
    DELAY_HEADER,
    DELAY_SECONDS,
    NAME_LENGTH,
    SCENARIO_HEADER,
    SCENARIO_NAME,
    SESSION_HEADER,
    SESSION_NAME,
    STACK_DEPTH,
)
from mockpets.errors import RequestError, did_you_mean
from mockpets.units import parse_duration

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import WSGIEnvironment

    from mockpets.scenario.library import Stack
    from mockpets.session.registry import SessionRegistry
    from mockpets.web.exchange import Request

_BASE: Final = "mockpets.base"
"""In the environ: what the base path names."""
_SESSION_KEY: Final = "HTTP_" + SESSION_HEADER.upper().replace("-", "_")
_SCENARIO_KEY: Final = "HTTP_" + SCENARIO_HEADER.upper().replace("-", "_")
_DELAY_KEY: Final = "HTTP_" + DELAY_HEADER.upper().replace("-", "_")
_HEADERS: Final = (SESSION_HEADER, SCENARIO_HEADER, DELAY_HEADER)
OURS: Final = "Mockpet"
"""In the names of headers that are meant for us."""
_NOTED: Final = 3
"""Misspelt headers that one note tells of."""


def take_base_path(environ: WSGIEnvironment) -> None:
    """Move a base path that names a session or scenarios from the path to where the app is.

    What follows it is routed, and `Location` and `Link` keep it (PEP 3333, SCRIPT_NAME).
    """
    path: str = environ["PATH_INFO"]
    if path.startswith("/" + BASE_MARK):
        base, _, rest = path[1:].partition("/")
        environ[_BASE] = base.removeprefix(BASE_MARK).encode("latin-1").decode("utf-8", "replace")
        # Quoted, since it becomes part of headers before, or although, it is refused.
        shown = quote(base.encode("latin-1"), safe="~+")
        environ["SCRIPT_NAME"] = f"{environ.get('SCRIPT_NAME', '')}/{shown}"
        environ["PATH_INFO"] = f"/{rest}"


def base_path(session: str) -> str:
    """Return the path that the contract's operations of a session are under."""
    return API_PREFIX if session == DEFAULT_SESSION else f"/{BASE_MARK}{session}{API_PREFIX}"


def named_session(environ: WSGIEnvironment, selector: str | None = None) -> str | None:
    """Return the session that a request names, None when it names none.

    :param selector: what its key carries.
    :raise RequestError: ``invalid_session`` for a name that can be none.
    """
    base = environ.get(_BASE)
    if base and (name := base.partition("+")[0]):
        return checked_session(name, "the base path")
    header = environ.get(_SESSION_KEY)
    if header is not None:
        return checked_session(header, SESSION_HEADER)
    if selector and (name := selector.partition("+")[0]):
        return checked_session(name, "the key")
    return None


def named_scenarios(environ: WSGIEnvironment, selector: str | None = None) -> tuple[str, ...]:
    """Return the scenarios that a request names.

    :param selector: what its key carries.
    :raise RequestError: ``unknown_scenario`` for a name that can be none.
    """
    base = environ.get(_BASE)
    if base and "+" in base:
        return checked(base.split("+")[1:], "the base path")
    header = environ.get(_SCENARIO_KEY)
    if header is not None:
        return checked(header.split(","), SCENARIO_HEADER)
    if selector and "+" in selector:
        return checked(selector.split("+")[1:], "the key")
    return ()


def select(
    request: Request, sessions: SessionRegistry, selector: str | None, own: str | None = None
) -> tuple[str, Stack]:
    """Put what a request names into its exchange; return the session's name and the stack.

    A session that there is not yet is not made, so that this may come before the key is checked;
    the exchange has none then. Scenarios that are named hold for that request alone and replace
    the session's active ones.

    :param selector: what the request's key carries.
    :param own: the one session that this client may have; None when it may have any.
    :raise RequestError: ``unknown_scenario`` or ``invalid_session`` for a name that is none.
    """
    exchange = request.exchange
    name = named_session(request.environ, selector) or own or DEFAULT_SESSION
    if own is not None and name != own:
        what = f"each visitor has one session here, and yours is {own!r}; leave the name out"
        raise RequestError("invalid_session", what)
    # Before the scenarios are read, so that a wrong name among them is told in its journal.
    exchange.session = session = sessions.find(name)
    names = named_scenarios(request.environ, selector)
    if session is None:
        stack = sessions.shared.library().stack(names or sessions.shared.scenarios)
    else:
        stack = session.stack(names or session.active)
    exchange.stack = stack
    return name, stack


def unknown_headers(names: Iterable[str]) -> str:
    """Return what to say of headers that are meant for us, but are none of ours; empty for none.

    :param names: of all headers, as `title` writes them.
    """
    wrong = [name for name in names if OURS in name and name not in _HEADERS]
    told = []
    for name in (name[:NAME_LENGTH] for name in wrong[:_NOTED]):
        # They begin alike, so they must be more alike than words.
        near = did_you_mean(name, _HEADERS, 0.87) or f"there are: {', '.join(_HEADERS)}"
        told.append(f"{name!r} ({near})")
    return f"ignored headers: {'; '.join(told)}" if told else ""


def checked_session(name: str, where: str) -> str:
    """Return a name that a session can have, in lower case.

    :param where: it was given, for the message.
    :raise RequestError: ``invalid_session``.
    """
    low = name.strip().lower()
    if re.fullmatch(SESSION_NAME, low):
        return low
    raise RequestError(
        "invalid_session",
        f"{where} must name a session with a-z, 0-9, '.', '_' and '-', beginning with a letter or "
        f"digit, at most {NAME_LENGTH} characters; got {name[:NAME_LENGTH]!r}",
    )


def checked(names: Iterable[str], where: str) -> tuple[str, ...]:
    """Return names that scenarios can have, in lower case and each once.

    :param where: they were given, for the message.
    :raise RequestError: ``unknown_scenario`` when one can be none, or they are too many.
    """
    lower = tuple(name.strip().lower() for name in names)
    expected = f"{where} must be a scenario's name, or several"
    for name in lower:
        if not name:
            raise RequestError("unknown_scenario", f"{expected}; a name is missing")
        if len(name) > NAME_LENGTH or not re.fullmatch(SCENARIO_NAME, name):
            what = f"{expected}; {name[:NAME_LENGTH]!r} can be none (a-z, 0-9, single dashes)"
            raise RequestError("unknown_scenario", what)
    if len(lower) > STACK_DEPTH:
        what = f"{where} may name at most {STACK_DEPTH} scenarios, not {len(lower)}"
        raise RequestError("unknown_scenario", what)
    return tuple(dict.fromkeys(lower))


def requested_delay(request: Request) -> float:
    """Return the seconds that a request asks to be delayed, by the `Mockpets-Delay` header.

    :raise RequestError: ``invalid_request`` when it is no duration.
    """
    header = request.environ.get(_DELAY_KEY)
    if header is None:
        return 0.0
    try:
        return min(parse_duration(header.strip()), DELAY_SECONDS)
    except ValueError as error:
        raise RequestError("invalid_request", f"{DELAY_HEADER} {error}") from error
