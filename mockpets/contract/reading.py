"""Read YAML and JSON into plain values within limits; numbers are int or Decimal.

Documents of other people have anchors, tags and keys of any type, which scenario files must not
have. So this module makes the values itself, from the events of PyYAML's parser: YAML 1.2 decides
what an unquoted scalar means, aliases cannot expand without bound, and depth costs no recursion.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final

import yaml

from mockpets.errors import InputError, Problem, invalid
from mockpets.strict_json import deeper_than
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Iterable

DEPTH: Final = 200
VALUES: Final = 2_000_000

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER: Final = re.compile(
    r"[-+]?(?:[0-9]+(?P<fraction>\.[0-9]*)?|(?P<bare>\.[0-9]+))(?P<exponent>[eE][-+]?[0-9]+)?"
)


def read_json(text: str, shown: str) -> object:
    """Return the value of a JSON text."""
    try:
        return json.loads(text, parse_float=_number, parse_int=_number)
    except json.JSONDecodeError as error:
        raise invalid(shown, error.msg, position=(error.lineno, error.colno)) from None


def read_yaml(text: str, shown: str) -> object:
    """Return the value of a YAML text."""
    root: list[Any] = []
    stack: list[tuple[Any, list[Any]]] = [(root, [])]
    anchors: dict[str, Any] = {}
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.ScalarEvent):
            container, pending = stack[-1]
            if isinstance(container, dict) and not pending:
                pending.append(event.value)
                continue
            value: Any = event.value if event.style else scalar(event.value)
        elif isinstance(event, yaml.AliasEvent):
            value = anchors[event.anchor]
        elif isinstance(event, yaml.MappingStartEvent):
            value = {}
        elif isinstance(event, yaml.SequenceStartEvent):
            value = []
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            stack.pop()
            continue
        else:
            continue
        if getattr(event, "anchor", None):
            anchors[event.anchor] = value
        container, pending = stack[-1]
        if isinstance(container, dict):
            key = pending.pop()
            if key == "<<":
                for each in value if isinstance(value, list) else [value]:
                    for name, part in each.items():
                        container.setdefault(name, part)
            else:
                container[key] = value
        else:
            container.append(value)
        if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            stack.append((value, []))
    return root[0] if root else None


def scalar(word: str) -> object:
    """Return the value of an unquoted scalar, as in the core schema of YAML 1.2."""
    if word in _WORDS:
        return _WORDS[word]
    return _number(word) if _NUMBER.fullmatch(word) else word


def _number(text: str) -> int | Decimal:
    if text.lstrip("+-").isdigit() and len(text) < 40:
        return int(text)
    return Decimal(text)
