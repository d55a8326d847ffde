"""The name of a case of a test, as pytest shows it and `-k` selects it."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LIMIT = 26
"""How many characters a value may have in a name."""


def name_of(value: object) -> str:
    """Return a name for a value of a case, in printable ASCII.

    Pytest would write a long text in full, and only number lists, mappings and objects.
    """
    text = _text(value).encode("unicode_escape").decode()
    is_short = len(text) <= LIMIT or isinstance(value, Path)
    return text if is_short else f"{text[: LIMIT - 3]}..."


def _text(value: Any) -> str:
    match value:
        case _ if hasattr(value, "_field_defaults"):  # a NamedTuple
            return _changed(value._asdict(), value._field_defaults)
        case str() | bytes() | Mapping() | list() | tuple() if not value:
            return repr(value)
        case str():
            return value
        case bytes():
            return value.decode("latin-1")
        case Enum():
            return value.name
        case Path():
            return str(value.relative_to(ROOT) if value.is_relative_to(ROOT) else value)
        case Mapping():
            return " ".join(f"{key}={_text(item)}" for key, item in value.items())
        case set() | frozenset():
            return " ".join(sorted(map(_text, value)))
        case list() | tuple():
            return " ".join(map(_text, value[:LIMIT]))
        case int() if not isinstance(value, bool) and value.bit_length() > 64:
            return hex(value)  # Python limits the digits of a decimal number
        case None | bool() | int() | float():
            return str(value)
        case _ if isinstance(name := getattr(value, "__name__", None), str):
            return name
        case _ if is_dataclass(value):
            defaults = {field.name: field.default for field in fields(value)}
            return _changed({name: getattr(value, name) for name in defaults}, defaults)
    return type(value).__name__


def _changed(items: dict[str, object], defaults: Mapping[str, object]) -> str:
    """Return those that differ from their defaults."""
    return _text(
        {name: item for name, item in items.items() if item != defaults.get(name, MISSING)}
    )
