"""Read the cookie ``mockpets=session+scenario``, the last place that can name a session.

Browsers also send it with navigations, forms and images, and every proxy in front of an app passes
it on. It stays in the browser, so an unknown name in it is reported once and then deleted.

Cookies ignore ports (RFC 6265, 8.5): the panel gets those of every app on its host. So requests of
the control API ignore it.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from mockpets.constants import CONTROL_PREFIX, COOKIE
from mockpets.errors import RequestError
from mockpets.web.cors import NO_ORIGIN, is_allowed, is_same_origin, valid_origin
from mockpets.web.session_selector import named_scenarios, named_session

if TYPE_CHECKING:
    from mockpets.constants import NoteCode
    from mockpets.settings import Settings
    from mockpets.web.messages import Request

_OURS: Final = re.compile(rf'(?:^|[;,])[ \t]*{COOKIE}[ \t]*=[ \t]*"?([^;,"]*)')
"""The first one, which has the longest path; a comma joins two header fields."""
_DELETE: Final = ("Set-Cookie", f"{COOKIE}=; Path=/; Max-Age=0; SameSite=Lax")


def read_cookie(request: Request, settings: Settings) -> str | None:
    """Return the session and scenarios in the cookie, such as ``w1+retry``, or None.

    Links have ``%2B``, which some programs decode and others decode twice: to ``+``, to a space. If
    the request may not select a session in this way, it gets a note.
    """
    cookie = _OURS.search(request.environ.get("HTTP_COOKIE", ""))
    if cookie is None or request.path.startswith(CONTROL_PREFIX):
        return None
    if problem := _problem(request, settings):
        note: tuple[NoteCode, str] = ("ignored_cookie", f"the cookie {COOKIE} {problem}")
        if note not in request.notes:  # a dry run reads it twice
            request.notes.append(note)
        return None
    return unquote(cookie[1].rstrip(), errors="replace").replace(" ", "+")


def _problem(request: Request, settings: Settings) -> str:
    """Return why a request may not select a session by cookie; empty if it may."""
    environ = request.environ
    origin: str = environ.get("HTTP_ORIGIN", "")
    if settings.public:
        return "has no effect with --public"
    if not origin or is_same_origin(origin, environ.get("HTTP_HOST", "")):
        return ""
    if is_allowed(origin, settings.control_origin):
        return ""
    origin = valid_origin(origin)
    if origin in ("", NO_ORIGIN):
        return "has no effect from pages without an origin"
    return (
        f"has no effect from pages on {origin}; if you trust them, start the server with "
        f"--control-origin {origin}"
    )


def with_deletion(
    error: RequestError, request: Request, selector: str | None, cookie: str
) -> RequestError:
    """Return an error of `select`; if it is about a name in the cookie, one that deletes it.

    :param selector: that of the request's `Key`.
    :param cookie: what `read_cookie` returns.
    """
    session, plus, _ = cookie.partition("+")
    is_named = True  # elsewhere: then the cookie had no effect
    with suppress(RequestError):
        if error.code == "unknown_scenario" and plus:
            is_named = bool(named_scenarios(request, selector))
        elif error.code in ("invalid_session", "unknown_session") and session:
            is_named = named_session(request, selector) is not None
    if is_named:
        return error
    advice = f"the name comes from the cookie {COOKIE}, which this response deletes"
    return error.copy(error.message, [*error.headers, _DELETE], advice)
