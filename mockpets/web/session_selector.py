"""Select the session and the scenarios of a request.

A request can name them in five places, in order of precedence: the base path
(``/~session+scenario/v1``), the headers `Mockpets-Session` and `Mockpets-Scenario`, the header
`baggage` (``mockpets.session=session,mockpets.scenario=scenario``), the key
(``KEY~session+scenario``), and the cookie (`web.cookie`). Each is looked up in the first place that
names one; without names, the default session and its active scenarios are used.

OpenTelemetry propagates `baggage` through the servers behind a front end, so a session that the
page names reaches mockpets without code in between. Source: W3C Baggage, 3.2; members of other
programs are ignored, and so are malformed ones (3.3).
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from mockpets.constants import (
    BAGGAGE_KEYS,
    BAGGAGE_SCENARIO,
    BAGGAGE_SESSION,
    BASE_MARK,
    COOKIE,
    DEFAULT_SESSION,
    DELAY_HEADER,
    DELAY_SECONDS,
    EXPRESSION_RULE,
    FORWARDED_HEADERS,
    NAME_LENGTH,
    PROBLEMS_SHOWN,
    REQUEST_HEADERS,
    SCENARIO_HEADER,
    SCENARIO_NAME,
    SESSION_HEADER,
    SESSION_NAME,
    SESSION_NAME_RULE,
    STACK_DEPTH,
)
from mockpets.errors import RequestError, did_you_mean
from mockpets.units import is_expression, is_valid_expression, parse_duration

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from mockpets.admission import Admission
    from mockpets.scenario.library import Stack
    from mockpets.session.registry import SessionRegistry
    from mockpets.web.messages import Request

_BAGGAGE_PREFIX: Final = "mockpets."
"""Starts the keys in `baggage` that are meant for mockpets; such a key must be known."""
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""A key in `baggage` (RFC 9110, 5.6.2)."""
SESSION_KEY: Final = "HTTP_" + SESSION_HEADER.upper().replace("-", "_")
_SCENARIO_KEY: Final = "HTTP_" + SCENARIO_HEADER.upper().replace("-", "_")
_DELAY_KEY: Final = "HTTP_" + DELAY_HEADER.upper().replace("-", "_")
_PREFIXES: Final = ("Mockpet", "X-Mockpet")
"""Start the names of headers that are meant for mockpets; such a header must be known."""
_SIMILAR: Final = 0.9
"""So must one that is as similar as this to one of ours, from 0 to 1."""
_NOTED: Final = 3
"""The number of headers that one note lists."""


def take_baggage(request: Request) -> None:
    """Read the header `baggage`; without this call, it selects nothing."""
    header = request.environ.get("HTTP_BAGGAGE")
    if header is not None:
        request.baggage = _read_baggage(header)


def _read_baggage(header: str) -> tuple[Mapping[str, str], str]:
    """Return the values of our keys, the last of each, and what is wrong with unknown ones."""
    values = {}
    problems = []
    for member in header.split(","):
        key, _, value = member.partition(";")[0].partition("=")
        key = key.strip(" \t")
        if not key.lower().startswith(_BAGGAGE_PREFIX) or not _TOKEN.fullmatch(key):
            continue
        if key in BAGGAGE_KEYS:
            values[key] = unquote(value.strip(" \t"), errors="replace")
        else:
            hint = _nearest(key.lower(), BAGGAGE_KEYS)
            problems.append(f"unknown key {key[:NAME_LENGTH]!r} in baggage; {hint}")
            if len(problems) == PROBLEMS_SHOWN:  # a header has room for a thousand
                break
    return values, "; ".join(problems)


def base_path(session: str, base: str) -> str:
    """Return the base path of a session for a contract's operations, such as ``/~w3/v1``.

    :param base: the contract's.
    """
    return base if session == DEFAULT_SESSION else f"/{BASE_MARK}{session}{base}"


def named_session(
    request: Request, selector: str | None = None, cookie: str | None = None
) -> str | None:
    """Return the session that a request names, or None; raise ``invalid_session``.

    :param selector: that of the request's `Key`; also below.
    :param cookie: what `read_cookie` returns; also below.
    """
    if request.base and (name := request.base.partition("+")[0]):
        return checked_session(name, "the base path")
    header = request.environ.get(SESSION_KEY)
    if header is not None:
        return checked_session(header, SESSION_HEADER)
    if request.baggage and (value := request.baggage[0].get(BAGGAGE_SESSION)) is not None:
        return checked_session(value, "baggage")
    if selector and (name := selector.partition("+")[0]):
        return checked_session(name, "the key")
    if cookie and (name := cookie.partition("+")[0]):
        return checked_session(name, "the cookie")
    return None


def named_scenarios(
    request: Request, selector: str | None = None, cookie: str | None = None
) -> tuple[str, ...]:
    """Return the scenarios that a request names, or raise ``unknown_scenario``."""
    if request.base and "+" in request.base:
        return checked(request.base.split("+")[1:], "the base path")
    header = request.environ.get(_SCENARIO_KEY)
    if header is not None:
        return checked(header.split(","), SCENARIO_HEADER)
    if request.baggage and (value := request.baggage[0].get(BAGGAGE_SCENARIO)) is not None:
        return checked(value.split("+"), "baggage")
    if selector and "+" in selector:
        return checked(selector.split("+")[1:], "the key")
    if cookie and "+" in cookie:
        return checked(cookie.split("+")[1:], "the cookie")
    return ()


def select(
    request: Request,
    sessions: SessionRegistry,
    selector: str | None,
    cookie: str | None,
    admission: Admission,
) -> tuple[str, Stack]:
    """Set the session and stack of a request; return the session's name and the stack.

    This runs before the key is checked, so it does not create a session: if the session does not
    exist yet, the request has none. Scenarios that the request names replace the session's active
    ones for this request.

    :raise RequestError: ``invalid_session`` for an invalid or forbidden name, ``session_dropped``,
        ``session_required``, ``unknown_header``, ``unknown_scenario``, ``unknown_session``.
    """
    named = named_session(request, selector, cookie)
    name = admission.session(request.address, named)
    if name is None:
        if sessions.declared:
            sessions.unnamed += 1
            raise session_required(sessions.shared.library().contracts.base)
        name = DEFAULT_SESSION
    request.session_name = name
    # Set before headers and scenarios are read, so that its log has requests with unknown ones.
    request.session = session = sessions.find(name)
    if session is None and not admission.has_sessions:
        sessions.closed_names.check(name)
        sessions.check_declared(name)
    check_headers(request)
    names = named_scenarios(request, selector, cookie)
    if session is None:
        stack = sessions.shared.library().stack(names or sessions.shared.scenarios)
    else:
        stack = session.stack(names or session.active)
    request.stack = stack
    return name, stack


def session_required(base: str) -> RequestError:
    """Return the error for a request that must name a session; `base` is a contract's path."""
    return RequestError(
        "session_required",
        f"the request names no session; name one in the base path (/{BASE_MARK}NAME{base}), "
        f"in {SESSION_HEADER}, baggage, the key or the cookie {COOKIE}: the server runs with "
        "'--sessions declared'",
    )


def check_headers(request: Request) -> None:
    """Check all headers and `baggage` keys that look like ours, or raise ``unknown_header``.

    Set the note about headers like ours without effect.
    """
    names, request.ignored_headers = _our_headers(request.header_names)
    if request.baggage and (problem := request.baggage[1]):
        raise RequestError("unknown_header", problem)
    if names:
        problems = [
            f"unknown header {name[:NAME_LENGTH]!r}; {_nearest(name, REQUEST_HEADERS)}"
            for name in names
        ]
        raise RequestError("unknown_header", "; ".join(problems))


@lru_cache(64)  # without it, the mix takes five times as long
def _our_headers(keys: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """Return the first unknown headers that look like ours, and a note about the ignored ones."""
    names = header_names(keys)
    return tuple(islice(filter(_is_unknown, names), PROBLEMS_SHOWN)), _ignored(names)


def header_names(keys: Iterable[str]) -> list[str]:
    """Return the names of the headers with these keys in an environ, in title case."""
    return [key[5:].replace("_", "-").title() for key in keys]


def _is_unknown(name: str) -> bool:
    """Return whether the name of a header, in title case, looks like ours but is unknown."""
    return name not in (*REQUEST_HEADERS, *FORWARDED_HEADERS) and bool(
        name.startswith(_PREFIXES) or get_close_matches(name, REQUEST_HEADERS, 1, _SIMILAR)
    )


def _ignored(names: Iterable[str]) -> str:
    ours = [name for name in names if name in FORWARDED_HEADERS and name not in REQUEST_HEADERS]
    shown = ", ".join(map(repr, ours[:_NOTED]))
    return (
        f"ignored headers: {shown} (response headers, without effect on a request)" if ours else ""
    )


def _nearest(name: str, known: Collection[str]) -> str:
    # A high cutoff, because all the names start with the same word.
    return did_you_mean(name[:NAME_LENGTH], known, 0.87) or f"known: {', '.join(known)}"


def checked_session(name: str, where: str) -> str:
    """Return a session's name in lower case, or raise ``invalid_session`` with where it is."""
    lower = name.strip(" \t").lower()
    if name.isascii() and re.fullmatch(SESSION_NAME, lower):  # K (Kelvin) is k in lower case
        return lower
    raise RequestError(
        "invalid_session",
        f"invalid session name {name[:NAME_LENGTH]!r} in {where}: {SESSION_NAME_RULE}",
    )


def checked(names: Iterable[str], where: str) -> tuple[str, ...]:
    """Return scenarios' names, each once, or raise ``unknown_scenario``.

    They are in lower case, except expressions, which have the case of the contract.
    """
    stripped = (name.strip() for name in names)
    found = tuple(name if is_expression(name) else name.lower() for name in stripped)
    for name in found:
        if not name:
            separator = ", separated by commas" if where == SCENARIO_HEADER else ""
            message = f"empty scenario name in {where}; name one or more scenarios{separator}"
            raise RequestError("unknown_scenario", message)
        if is_expression(name):
            if not is_valid_expression(name):
                shown = name[:NAME_LENGTH]
                message = f"invalid expression {shown!r} in {where}: {EXPRESSION_RULE}"
                raise RequestError("unknown_scenario", message)
        elif len(name) > NAME_LENGTH or not re.fullmatch(SCENARIO_NAME, name):
            near = re.sub("[_ ]+", "-", name[:NAME_LENGTH])
            example = f", such as {near!r}" if re.fullmatch(SCENARIO_NAME, near) else ""
            message = (
                f"invalid scenario name {name[:NAME_LENGTH]!r} in {where}: use a-z, 0-9 and single "
                f"hyphens{example}; at most {NAME_LENGTH} characters"
            )
            raise RequestError("unknown_scenario", message)
    if len(found) > STACK_DEPTH:
        message = f"too many scenarios in {where}: at most {STACK_DEPTH}, got {len(found)}"
        raise RequestError("unknown_scenario", message)
    return tuple(dict.fromkeys(found))


def requested_delay(request: Request) -> float:
    """Return the seconds in the header `Mockpets-Delay`, or raise ``invalid_request``."""
    header = request.environ.get(_DELAY_KEY)
    if header is None:
        return 0.0
    try:
        return min(parse_duration(header.strip()), DELAY_SECONDS)
    except ValueError as error:
        raise RequestError("invalid_request", f"{DELAY_HEADER} {error}") from error
