"""JSON as text: read strictly (RFC 8259), numbers exactly, and written compactly.

A leaf but for the codes of refusals. What the values mean, `contract` knows.
"""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation

from mockpets.constants import JSON_DEPTH
from mockpets.errors import RequestError


def shown(value: object) -> str:
    """Return a value as a message quotes it, at most 60 characters."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    text = str(value) if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False)
    # Half a surrogate pair may be in what came, and could not be sent back as UTF-8.
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= 60 else text[:57] + "..."


# --- Reading ----------------------------------------------------------------------------------


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return a JSON object's members, each of which may come once."""
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise RequestError(
            "invalid_request", f"the body has the member {shown(twice)} more than once"
        )
    return members


def _decimal(text: str) -> Decimal:
    """Return a number exactly: a float would round 9007199254740993.0 to another integer."""
    try:
        return Decimal(text)
    except InvalidOperation:  # an exponent beyond what Decimal can hold
        return Decimal("-Infinity" if text.startswith("-") else "Infinity")


def _integer(text: str) -> int | Decimal:
    """Return an integer; one of thousands of digits as Decimal, since int() refuses it."""
    return int(text) if len(text) < 40 else _decimal(text)


def _constant(text: str) -> object:
    raise RequestError("invalid_request", f"the body is not JSON: {text} is no JSON number")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_once, parse_float=_decimal, parse_int=_integer, parse_constant=_constant
)


def _deeper_than(value: object, depth: int) -> bool:
    """Whether arrays and objects lie deeper inside one another than so many levels."""
    level = [value]
    for _ in range(depth + 1):
        containers = [item for item in level if isinstance(item, (dict, list))]
        if not containers:
            return False
        level = [
            child
            for item in containers
            for child in (item.values() if isinstance(item, dict) else item)
        ]
    return True


def parse_json(raw: bytes) -> object:
    """Return the value of a JSON body (RFC 8259), numbers with a fraction as Decimal.

    :raise RequestError: ``invalid_request`` when it is no UTF-8, no JSON, has a member twice, NaN
        or Infinity, or more than `JSON_DEPTH` levels.
    """
    if not raw.strip():
        raise RequestError("invalid_request", "the body is empty; it must be a JSON object")
    try:
        value: object = _DECODER.decode(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise RequestError(
            "invalid_request", f"the body must be UTF-8; byte {error.start} is not"
        ) from error
    except json.JSONDecodeError as error:
        raise RequestError(
            "invalid_request",
            f"the body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}",
        ) from error
    except RecursionError:
        value = None
        too_deep = True
    else:
        too_deep = _deeper_than(value, JSON_DEPTH)
    if too_deep:
        raise RequestError("invalid_request", f"the body is nested deeper than {JSON_DEPTH} levels")
    return value


# --- Writing ----------------------------------------------------------------------------------

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def dump_json(value: object) -> bytes:
    """Return a value as compact JSON in UTF-8, without a line end; a Decimal as it is.

    :raise TypeError: there is something in it that JSON does not have.
    """
    try:
        text = _ENCODER.encode(value)
    except TypeError:  # it knows no Decimal, and is many times as fast where there is none
        text = _written(value)
    return text.encode()


def _written(value: object) -> str:
    """Return a value as compact JSON; a Decimal in all its digits, which a float would round."""
    if isinstance(value, Decimal) and value.is_finite():
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{_ENCODER.encode(k)}:{_written(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(_written, value)) + "]"
    return _ENCODER.encode(value)
