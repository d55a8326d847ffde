"""Pairs of settings that contradict each other, or of which one limits the effect of the other.

A server does not start with the former, and logs the latter at its start. A setting counts as set
if an option, a variable or the file sets it, or if it differs from its default.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.constants import PUBLIC_DELAY_SECONDS, PUBLIC_PETS
from mockpets.errors import Problem
from mockpets.settings.model import VARIABLE_PREFIX, rows

if TYPE_CHECKING:
    from mockpets.settings.model import Place, Settings


class Is(NamedTuple):
    """The condition that a setting has a value; None for any that is not empty or off."""

    value: object = None

    def holds(self, value: object, *, is_set: bool) -> bool:
        """Return whether a value meets the condition."""
        return is_set and bool(value) if self.value is None else value == self.value


class Above(NamedTuple):
    """The condition that a setting is set, to more than a limit."""

    limit: float

    def holds(self, value: float | None, *, is_set: bool) -> bool:
        """Return whether a value meets the condition."""
        return is_set and value is not None and value > self.limit


class Rule(NamedTuple):
    """Two settings that do not go together; a message names the first one first.

    :param what: what is wrong, after the name of the setting; ``{}`` stands for the other one.
    :param hint: how to fix it; empty if the server starts all the same.
    :param is_shared: whether clients read the variable of the setting too. Then a shell may have it
        for them, and the server starts all the same.
    """

    name: str
    condition: Is | Above
    other: str
    other_condition: Is
    what: str
    hint: str = ""
    is_shared: bool = False


_SET: Final = Is()
_OFF: Final = Is(value="off")
_NOT_OPEN: Final = "must not be open with {}: every caller would need the token"
_NO_CONTROL: Final = "has no effect with {}"
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
_ANY_HOST: Final = "has no effect with {}: callers with the token may use any host name"
_NO_SNAPSHOTS: Final = "has no effect with {}: only the control API makes snapshots"
_NO_JOURNAL: Final = "has no effect with {}: no request is recorded"

RULES: Final = (
    Rule("control", Is("open"), "public", _SET, _OPEN, _CLOSE),
    Rule("control", Is("open"), "control_token", _SET, _NOT_OPEN, _EITHER),
    Rule("sessions", Is("declared"), "public", _SET, _OWN_SESSIONS, _EITHER),
    Rule("sessions", Is("declared"), "control", _OFF, _NOTHING_CREATES, _EITHER),
    Rule("control_token", _SET, "control", _OFF, _NO_CONTROL, _EITHER, is_shared=True),
    Rule("control_origin", _SET, "control", _OFF, _NO_CONTROL, _EITHER),
    Rule("allow_host", _SET, "control", _OFF, _NO_CONTROL, _EITHER),
    Rule("open", _SET, "control", _OFF, "has no panel to open with {}", _EITHER),
    Rule("api_key", _SET, "any_key", _SET, "has no effect with {}", _EITHER),
    Rule("public_rate", _SET, "public", Is(value=False), _NOT_PUBLIC, _ADD_PUBLIC),
    Rule("public_visitor_rate", _SET, "public", Is(value=False), _NOT_PUBLIC, _ADD_PUBLIC),
    Rule("max_pets", Above(PUBLIC_PETS), "public", _SET, _TOO_MANY, _LOWER),
    Rule("delay", Above(PUBLIC_DELAY_SECONDS), "public", _SET, _TOO_LONG, "set a shorter delay"),
    Rule("state", _SET, "public", _SET, _VISITORS),
    Rule("allow_host", _SET, "control_token", _SET, _ANY_HOST),
    Rule("snapshot_memory", _SET, "control", _OFF, _NO_SNAPSHOTS),
    Rule("journal_memory", _SET, "journal_size", Is(value=0), _NO_JOURNAL),
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

    def holds(condition: Is | Above, name: str) -> bool:
        value = getattr(settings, name)
        return condition.holds(value, is_set=name in sources or value != table[name].default)

    problems = []
    for rule in RULES:
        if not (holds(rule.condition, rule.name) and holds(rule.other_condition, rule.other)):
            continue
        place, other = (
            sources.get(name, (table[name].flag, 0, 0, "")) for name in (rule.name, rule.other)
        )
        what = rule.what.format(_shown(other, rule.other_condition.value))
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
