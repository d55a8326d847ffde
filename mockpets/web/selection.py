"""Which session and which scenarios a request is for.

Named in four ways, the strongest first: the base path (``/~session+scenario/v1``), the headers
`Mockpets-Session` and `Mockpets-Scenario`, the key (``KEY~session+scenario``), or not at all. The
session and the scenarios each come from the strongest carrier that names any.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

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
from mockpets.errors import Refusal
from mockpets.scenario.units import parse_duration

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import WSGIEnvironment

    from mockpets.scenario.library import Stack
    from mockpets.sessions import Sessions
    from mockpets.web.messages import Request

__all__ = [
    "asked_delay",
    "base_path",
    "checked",
    "checked_session",
    "named",
    "select",
    "take_base_path",
]

_BASE: Final = "mockpets.base"
"""In the environ: what the base path names."""
_SESSION_KEY: Final = "HTTP_" + SESSION_HEADER.upper().replace("-", "_")
_SCENARIO_KEY: Final = "HTTP_" + SCENARIO_HEADER.upper().replace("-", "_")
_DELAY_KEY: Final = "HTTP_" + DELAY_HEADER.upper().replace("-", "_")


class Selector(NamedTuple):
    """What one carrier names.

    :param session: None when it names none.
    """

    session: str | None
    scenarios: tuple[str, ...]


_NOTHING: Final = Selector(None, ())


def take_base_path(environ: WSGIEnvironment) -> None:
    """Move a base path that names a session or scenarios from the path to where the app is.

    What follows it is routed, and `Location` and `Link` keep it (PEP 3333, SCRIPT_NAME).
    """
    path: str = environ["PATH_INFO"]
    if path.startswith("/" + BASE_MARK):
        base, _, rest = path[1:].partition("/")
        environ[_BASE] = base.removeprefix(BASE_MARK).encode("latin-1").decode("utf-8", "replace")
        environ["SCRIPT_NAME"] = f"{environ.get('SCRIPT_NAME', '')}/{base}"
        environ["PATH_INFO"] = f"/{rest}"


def base_path(session: str) -> str:
    """Return the path that the contract's operations of a session are under."""
    return API_PREFIX if session == DEFAULT_SESSION else f"/{BASE_MARK}{session}{API_PREFIX}"


def named(environ: WSGIEnvironment, selector: str | None = None) -> Selector:
    """Return the session and the scenarios that a request names.

    :param selector: what its key carries.
    :raise Refusal: ``invalid_session`` or ``unknown_scenario`` for a name that can be none.
    """
    base, header = environ.get(_BASE), environ.get(_SESSION_KEY)
    scenario = environ.get(_SCENARIO_KEY)
    if base is None and header is None and scenario is None and selector is None:
        return _NOTHING
    by_base = _NOTHING if base is None else _read(base, "the base path")
    by_key = _NOTHING if selector is None else _read(selector, "the key")
    session = by_base.session
    if session is None and header is not None:
        session = checked_session(header, SESSION_HEADER)
    scenarios = by_base.scenarios
    if not scenarios and scenario is not None:
        scenarios = checked(scenario.split(","), SCENARIO_HEADER)
    return Selector(session or by_key.session, scenarios or by_key.scenarios)


def _read(text: str, where: str) -> Selector:
    """Return what ``[session][+scenario]*`` names."""
    session, *scenarios = text.split("+")
    return Selector(
        checked_session(session, where) if session else None,
        checked(scenarios, where) if scenarios else (),
    )


def select(request: Request, sessions: Sessions, selector: str | None) -> tuple[str, Stack]:
    """Put what a request names into its exchange; return the session's name and the stack.

    A session that there is not yet is not made, so that this may come before the key is checked;
    the exchange has none then. Scenarios that are named hold for that request alone and replace
    the session's active ones.

    :param selector: what the request's key carries.
    :raise Refusal: ``unknown_scenario`` or ``invalid_session`` for a name that is none.
    """
    exchange = request.exchange
    wanted = named(request.environ, selector)
    name = wanted.session or DEFAULT_SESSION
    exchange.session = session = sessions.find(name)
    if session is None:
        names = wanted.scenarios or sessions.world.scenarios
        stack = sessions.world.library().stack(names)
    else:
        stack = session.stack(wanted.scenarios or session.active)
    exchange.stack = stack
    return name, stack


def checked_session(name: str, where: str) -> str:
    """Return a name that a session can have, in lower case.

    :param where: it was given, for the message.
    :raise Refusal: ``invalid_session``.
    """
    low = name.strip().lower()
    if re.fullmatch(SESSION_NAME, low):
        return low
    raise Refusal(
        "invalid_session",
        f"{where} must name a session with a-z, 0-9, '.', '_' and '-', beginning with a letter or "
        f"digit, at most {NAME_LENGTH} characters; got {name[:NAME_LENGTH]!r}",
    )


def checked(names: Iterable[str], where: str) -> tuple[str, ...]:
    """Return names that scenarios can have, in lower case and each once.

    :param where: they were given, for the message.
    :raise Refusal: ``unknown_scenario`` when one can be none, or they are too many.
    """
    lower = tuple(name.strip().lower() for name in names)
    expected = f"{where} must be a scenario's name, or several"
    for name in lower:
        if not name:
            raise Refusal("unknown_scenario", f"{expected}; a name is missing")
        if len(name) > NAME_LENGTH or not re.fullmatch(SCENARIO_NAME, name):
            what = f"{expected}; {name[:NAME_LENGTH]!r} can be none (a-z, 0-9, single dashes)"
            raise Refusal("unknown_scenario", what)
    if len(lower) > STACK_DEPTH:
        what = f"{where} may name at most {STACK_DEPTH} scenarios, not {len(lower)}"
        raise Refusal("unknown_scenario", what)
    return tuple(dict.fromkeys(lower))


def asked_delay(request: Request) -> float:
    """Return the seconds that a request asks to be delayed, by the `Mockpets-Delay` header.

    :raise Refusal: ``invalid_request`` when it is no duration.
    """
    header = request.environ.get(_DELAY_KEY)
    if header is None:
        return 0.0
    try:
        return min(parse_duration(header.strip()), DELAY_SECONDS)
    except ValueError as error:
        raise Refusal("invalid_request", f"{DELAY_HEADER} {error}") from error
