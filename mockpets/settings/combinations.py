"""Pairs of settings that contradict each other, or of which one limits the effect of the other.

A server does not start with the former, and logs the latter at its start. A setting counts as set
if it differs from its default.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.constants import PUBLIC_DELAY_SECONDS, PUBLIC_PETS
from mockpets.errors import Problem
from mockpets.settings.model import rows

if TYPE_CHECKING:
    from mockpets.settings.model import Row, Settings


class Is(NamedTuple):
    """The condition that a setting has a value.

    :param value: None for any value but the default.
    """

    value: object = None

    def holds(self, row: Row, value: object) -> bool:
        """Return whether a value meets the condition."""
        return value != row.default if self.value is None else value == self.value


class Above(NamedTuple):
    """The condition that a setting is set, to more than a limit."""

    limit: float

    def holds(self, row: Row, value: float) -> bool:
        """Return whether a value meets the condition."""
        return value != row.default and value > self.limit


class Rule(NamedTuple):
    """Two settings that do not go together.

    :param name: the setting that a message names first.
    :param condition: of its value.
    :param other: the other setting.
    :param other_condition: of the other's value.
    :param what: what is wrong, after the name of the setting.
    :param hint: how to fix it; empty if the server starts all the same.
    """

    name: str
    condition: Is | Above
    other: str
    other_condition: Is
    what: str
    hint: str = ""

    @property
    def flag(self) -> str:
        """The option of the first setting."""
        return f"--{self.name.replace('_', '-')}"


_SET: Final = Is()
_OFF: Final = Is(value="off")
_NOT_OPEN: Final = "must not be open with --control-token: every caller would need the token"
_NO_CONTROL: Final = "has no effect with --control off"
_NOT_PUBLIC: Final = "has no effect without --public"
_ADD_PUBLIC: Final = "add --public, or remove it"
_EITHER: Final = "remove one of the two options"
_OPEN: Final = "must not be open with --public: every visitor could read and change all sessions"
_CLOSE: Final = "set --control-token, or use --control off"
_OWN_SESSIONS: Final = (
    "must not be declared with --public: each visitor gets a session of their own"
)
_NOTHING_CREATES: Final = (
    "must not be declared with --control off: only the control API declares sessions"
)

RULES: Final = (
    Rule("control", Is("open"), "public", _SET, _OPEN, _CLOSE),
    Rule("control", Is("open"), "control_token", _SET, _NOT_OPEN, _EITHER),
    Rule("sessions", Is("declared"), "public", _SET, _OWN_SESSIONS, _EITHER),
    Rule("sessions", Is("declared"), "control", _OFF, _NOTHING_CREATES, _EITHER),
    Rule("control_token", _SET, "control", _OFF, _NO_CONTROL, _EITHER),
    Rule("control_origin", _SET, "control", _OFF, _NO_CONTROL, _EITHER),
    Rule("allow_host", _SET, "control", _OFF, _NO_CONTROL, _EITHER),
    Rule("open", _SET, "control", _OFF, "has no panel to open with --control off", _EITHER),
    Rule("api_key", _SET, "any_key", _SET, "has no effect with --any-key", _EITHER),
    Rule("public_rate", _SET, "public", Is(value=False), _NOT_PUBLIC, _ADD_PUBLIC),
    Rule("public_visitor_rate", _SET, "public", Is(value=False), _NOT_PUBLIC, _ADD_PUBLIC),
    Rule(
        "max_pets",
        Above(PUBLIC_PETS),
        "public",
        _SET,
        f"must be at most {PUBLIC_PETS} with --public",
        "set a lower number, or remove it",
    ),
    Rule(
        "delay",
        Above(PUBLIC_DELAY_SECONDS),
        "public",
        _SET,
        f"must be at most {PUBLIC_DELAY_SECONDS:g}s with --public",
        "set a shorter delay",
    ),
    Rule(
        "state",
        _SET,
        "public",
        _SET,
        "does not save the sessions of visitors, which --public creates; it saves all others",
    ),
    Rule(
        "allow_host",
        _SET,
        "control_token",
        _SET,
        "has no effect with --control-token: callers with the token may use any host name",
    ),
    Rule(
        "snapshot_memory",
        _SET,
        "control",
        _OFF,
        "has no effect with --control off: only the control API makes snapshots",
    ),
    Rule(
        "journal_memory",
        _SET,
        "journal_size",
        Is(value=0),
        "has no effect with --journal-size 0: no request is recorded",
    ),
)


def contradictions(settings: Settings) -> list[Problem]:
    """Return the problems of settings with which a server must not start."""
    return [
        Problem(rule.flag, 0, 0, "", rule.what, rule.hint)
        for rule in _broken(settings)
        if rule.hint
    ] + _equal_ports(settings)


def notices(settings: Settings) -> list[str]:
    """Return what to log at the start about settings whose effect others limit."""
    return [f"{rule.flag} {rule.what}" for rule in _broken(settings) if not rule.hint]


def _broken(settings: Settings) -> list[Rule]:
    table = {row.name: row for row in rows()}

    def holds(condition: Is | Above, name: str) -> bool:
        return condition.holds(table[name], getattr(settings, name))

    return [
        rule
        for rule in RULES
        if holds(rule.condition, rule.name) and holds(rule.other_condition, rule.other)
    ]


def _equal_ports(settings: Settings) -> list[Problem]:
    if not settings.port or settings.metrics_port != settings.port:
        return []
    return [Problem("--metrics-port", 0, 0, "", "must differ from --port", "choose another port")]
