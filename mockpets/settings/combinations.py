"""Pairs of settings that contradict each other, or of which one limits the effect of the other.

A server does not start with the former, and logs the latter at its start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.constants import PUBLIC_DELAY_SECONDS, PUBLIC_PETS
from mockpets.errors import Problem
from mockpets.settings.model import VARIABLE_PREFIX, rows

if TYPE_CHECKING:
    from mockpets.settings.model import Place, Settings


class Above(NamedTuple):
    """Values above a limit."""

    limit: float


class Rule(NamedTuple):
    """Two settings that do not go together; a message names the first one first.

    :param value: the value to which the rule applies; None for any that is set and not empty.
    :param what: what is wrong, after the name of the setting; ``{}`` stands for the other one.
    :param hint: how to fix it; empty if the server starts all the same.
    :param is_shared: whether clients read the variable of the setting too. Then a shell may have it
        for them, and the server starts all the same.
    """

    name: str
    value: object
    other: str
    other_value: object
    what: str
    hint: str = ""
    is_shared: bool = False


_NOT_OPEN: Final = "must not be open with {}: every caller would need the token"
_NO_EFFECT: Final = "has no effect with {}"
_NOT_PUBLIC: Final = "has no effect without --public"
_ADD_PUBLIC: Final = "add --public, or remove it"
_EITHER: Final = "remove one of the two"
_OPEN: Final = "must not be open with {}: every visitor could read and change all sessions"
_CLOSE: Final = "set --control-token, or use --control off"
_OWN_SESSIONS: Final = "must not be declared with {}: each visitor gets a session of their own"
_NOTHING_CREATES: Final = "must not be declared with {}: only the control API declares sessions"
_TOO_MANY: Final = f"must be at most {PUBLIC_PETS} with {{}}"
_LOWER: Final = "set a lower number, or remove it"
_TOO_LONG: Final = f"must be at most {PUBLIC_DELAY_SECONDS:g}s with {{}}"
_VISITORS: Final = "does not save the sessions of visitors, which {} creates; it saves all others"

RULES: Final = (
    Rule("control", "open", "public", None, _OPEN, _CLOSE),
    Rule("control", "open", "control_token", None, _NOT_OPEN, _EITHER),
    Rule("sessions", "declared", "public", None, _OWN_SESSIONS, _EITHER),
    Rule("sessions", "declared", "control", "off", _NOTHING_CREATES, _EITHER),
    Rule("control_token", None, "control", "off", _NO_EFFECT, _EITHER, is_shared=True),
    Rule("control_origin", None, "control", "off", _NO_EFFECT, _EITHER),
    Rule("visitor_rate", None, "public", False, _NOT_PUBLIC, _ADD_PUBLIC),
    Rule("log_addresses", None, "public", False, _NOT_PUBLIC, _ADD_PUBLIC),
    Rule("max_pets", Above(PUBLIC_PETS), "public", None, _TOO_MANY, _LOWER),
    Rule("delay", Above(PUBLIC_DELAY_SECONDS), "public", None, _TOO_LONG, "set a shorter delay"),
    Rule("count", None, "pets", None, _NO_EFFECT, _EITHER),
    Rule("state", None, "public", None, _VISITORS),
)


def contradictions(settings: Settings) -> list[Problem]:
    """Return the problems of settings with which a server must not start."""
    problems = [problem for problem in _problems(settings) if problem.hint]
    if settings.port and settings.metrics_port == settings.port:
        what, hint = "must differ from --port", "choose another port"
        problems.append(Problem("--metrics-port", 0, 0, "", what, hint))
    return problems


def notices(settings: Settings) -> list[str]:
    """Return what to log at the start about settings whose effect others limit."""
    problems = [problem for problem in _problems(settings) if not problem.hint]
    return [f"{_shown((problem.file, 0, 0, problem.where))} {problem.what}" for problem in problems]


def _problems(settings: Settings) -> list[Problem]:
    """Return a problem for each rule that settings break; one without a hint is only logged."""
    table = {row.name: row for row in rows()}
    sources = settings.sources

    def applies(name: str, condition: object) -> bool:
        value = getattr(settings, name)
        is_set = bool(value) and (name in sources or value != table[name].default)
        if isinstance(condition, Above):
            return is_set and value > condition.limit
        return is_set if condition is None else value == condition

    problems = []
    for rule in RULES:
        if not (applies(rule.name, rule.value) and applies(rule.other, rule.other_value)):
            continue
        place, other = (
            sources.get(name, (table[name].flag, 0, 0, "")) for name in (rule.name, rule.other)
        )
        what = rule.what.format(_shown(other, rule.other_value))
        hint = rule.hint
        variables = [name for name, *_ in (place, other) if name.startswith(VARIABLE_PREFIX)]
        if rule.is_shared and place[0] in variables:
            hint = ""
        elif hint and variables:
            hint += f"; run 'unset {' '.join(variables)}' to remove the variable"
        problems.append(Problem(*place, what, hint))
    return problems


def _shown(place: Place, value: object = None) -> str:
    """Return what sets a setting, and its value if it is not None."""
    name, _, _, key = place
    if key:
        return f"{key}{'' if value is None else f' = {value}'} in {name}"
    separator = "=" if name.startswith(VARIABLE_PREFIX) else " "
    return name if value is None else f"{name}{separator}{value}"
