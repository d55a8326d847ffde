"""Every setting with the value that applies and its source: for `GET state`, the log, a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mockpets.errors import printable
from mockpets.settings.settings_table import rows

if TYPE_CHECKING:
    from mockpets.contract.control_types import EffectiveSetting
    from mockpets.settings.settings_table import Settings

DEFAULT: Final = "default"
"""The source of a setting that is not set."""
_REDACTED: Final = "[redacted]"


def effective_settings(settings: Settings) -> list[EffectiveSetting]:
    """Return all settings in the order of the help, without secrets.

    A default that depends on other settings is filled in. Times are in seconds, sizes in bytes.
    """
    limits = settings.limits
    derived: dict[str, float] = {
        "max_records": limits.records,
        "max_sessions": limits.sessions,
        "memory": limits.memory,
        "reset_every": limits.reset_seconds,
    }
    result: list[EffectiveSetting] = []
    for row in rows():
        value = getattr(settings, row.name)
        place = settings.sources.get(row.name)
        source = DEFAULT if value == row.default else "code"
        if place is not None:
            source = f"{place[0]}:{place[1]}" if place[1] else place[0]
        if row.is_secret and value != row.default:
            value = _REDACTED
        elif isinstance(value, tuple):
            value = [printable(str(part)) for part in value]
        elif not value and row.name in derived:
            value = derived[row.name]
        result.append({"name": row.key, "value": value, "source": source})
    return result


def value_text(setting: EffectiveSetting) -> str:
    """Return the value of a setting as users write it: ``on``, ``30s``, ``256MiB``."""
    return next(row for row in rows() if row.key == setting["name"]).shown(setting["value"])
