"""Settings that contradict each other, with which a server does not start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockpets.errors import Problem
from mockpets.public.public_limits import PUBLIC
from mockpets.settings.settings_table import VARIABLE_PREFIX, VISITOR_RATE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockpets.settings.settings_table import Settings


def contradictions(settings: Settings) -> list[Problem]:
    """Return the problems of settings with which a server must not start."""
    problems = []
    for name, other, what, hint in _contradictions(settings):
        place = settings.sources.get(name, (f"--{name.replace('_', '-')}", 0, 0, ""))
        source, line, _, key = settings.sources.get(other, ("", 0, 0, ""))
        if key:
            hint += f"; {source}:{line} sets {key}"
        variables = [each for each in (place[0], source) if each.startswith(VARIABLE_PREFIX)]
        if variables:
            hint += f"; run 'unset {' '.join(variables)}' to remove the variable"
        problems.append(Problem(*place, what, hint))
    return problems


def _contradictions(settings: Settings) -> Iterator[tuple[str, str, str, str]]:
    """Yield a setting, the other one that rules it out, what is wrong, and how to fix it."""
    either = "remove one of the two"
    contents: dict[str, str] = {}
    for part in settings.data:
        name, _, source = part.partition("=")
        if (first := contents.setdefault(name, source)) != source:
            yield "data", "", f"gives {name} the contents {first} and {source}", either
    if settings.control == "open" and settings.public:
        what = "must not be open with --public: every visitor could read and change all sessions"
        yield "control", "public", what, "set --control-token, or use --control off"
    if settings.control == "open" and settings.control_token:
        what = "must not be open with --control-token: every caller would need the token"
        yield "control", "control_token", what, either
    if settings.sessions == "declared" and settings.public:
        what = "must not be declared with --public: each visitor gets a session of their own"
        yield "sessions", "public", what, either
    if settings.control == "off":
        if settings.sessions == "declared":
            what = "must not be declared with --control off: only the control API declares sessions"
            yield "sessions", "control", what, either
        # Commands read the variable too, so a shell may have it for them.
        source = settings.sources.get("control_token", ("", 0, 0, ""))[0]
        if settings.control_token and not source.startswith(VARIABLE_PREFIX):
            yield "control_token", "control", "has no effect with --control off", either
        if settings.control_origin:
            yield "control_origin", "control", "has no effect with --control off", either
    if settings.public:
        if (settings.max_records or 0) > PUBLIC.records:
            what = f"must be at most {PUBLIC.records} with --public"
            yield "max_records", "public", what, "set a lower number, or remove it"
        if settings.delay > PUBLIC.delay_seconds:
            what = f"must be at most {PUBLIC.delay_seconds:g}s with --public"
            yield "delay", "public", what, "set a shorter delay"
    else:
        what, hint = "has no effect without --public", "add --public, or remove it"
        if settings.visitor_rate != VISITOR_RATE or "visitor_rate" in settings.sources:
            yield "visitor_rate", "public", what, hint
        if settings.log_addresses:
            yield "log_addresses", "public", what, hint


def notices(settings: Settings) -> list[str]:
    """Return what to log at the start about settings whose effect others limit."""
    if settings.state and settings.public:
        return ["--state does not save the sessions of visitors; it saves all others"]
    return []
