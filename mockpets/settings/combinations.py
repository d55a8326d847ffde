"""Settings that contradict each other, with which a server does not start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockpets.constants import PUBLIC_DELAY_SECONDS, PUBLIC_PETS
from mockpets.errors import Problem
from mockpets.settings.model import VARIABLE_PREFIX, VISITOR_RATE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockpets.settings.model import Settings


def contradictions(settings: Settings) -> list[Problem]:
    """Return the problems of settings with which a server must not start."""
    problems = []
    for name, what, hint in _contradictions(settings):
        place = settings.sources.get(name, (f"--{name.replace('_', '-')}", 0, 0, ""))
        if place[0].startswith(VARIABLE_PREFIX):
            hint += f"; run 'unset {place[0]}' to remove the variable"
        problems.append(Problem(*place, what, hint))
    return problems


def _contradictions(settings: Settings) -> Iterator[tuple[str, str, str]]:
    """Yield a setting that another one rules out, what is wrong, and how to fix it."""
    either = "remove one of the two"
    if settings.control == "open" and settings.public:
        what = "must not be open with --public: every visitor could read and change all sessions"
        yield "control", what, "set --control-token, or use --control off"
    if settings.control == "open" and settings.control_token:
        what = "must not be open with --control-token: every caller would need the token"
        yield "control", what, either
    if settings.sessions == "declared" and settings.public:
        what = "must not be declared with --public: each visitor gets a session of their own"
        yield "sessions", what, either
    if settings.control == "off":
        if settings.sessions == "declared":
            what = "must not be declared with --control off: only the control API declares sessions"
            yield "sessions", what, either
        # Commands read the variable too, so a shell may have it for them.
        source = settings.sources.get("control_token", ("", 0, 0, ""))[0]
        if settings.control_token and not source.startswith(VARIABLE_PREFIX):
            yield "control_token", "has no effect with --control off", either
        if settings.control_origin:
            yield "control_origin", "has no effect with --control off", either
    if settings.public:
        if (settings.max_pets or 0) > PUBLIC_PETS:
            what = f"must be at most {PUBLIC_PETS} with --public"
            yield "max_pets", what, "set a lower number, or remove it"
        if settings.delay > PUBLIC_DELAY_SECONDS:
            what = f"must be at most {PUBLIC_DELAY_SECONDS:g}s with --public"
            yield "delay", what, "set a shorter delay"
    else:
        what, hint = "has no effect without --public", "add --public, or remove it"
        if settings.visitor_rate != VISITOR_RATE or "visitor_rate" in settings.sources:
            yield "visitor_rate", what, hint
        if settings.log_addresses:
            yield "log_addresses", what, hint
    if settings.port and settings.metrics_port == settings.port:
        yield "metrics_port", "must differ from --port", "choose another port"


def notices(settings: Settings) -> list[str]:
    """Return what to log at the start about settings whose effect others limit."""
    if settings.state and settings.public:
        return ["--state does not save the sessions of visitors; it saves all others"]
    return []
