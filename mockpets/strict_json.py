"""Parse JSON strictly (RFC 8259) with exact numbers, and write it compactly."""

from __future__ import annotations

import json
import re
from collections import Counter
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final

from mockpets.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

JSON_DEPTH: Final = 20
"""Maximum depth of a body, since validation recurses."""

REMOVE_QUOTES: Final = "remove the quotes"
"""How to fix a number or a boolean that is written as a text."""


def shown(value: object) -> str:
    """Return a value for use in a message, at most 60 characters."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    text = str(value) if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False)
    # The value may contain half a surrogate pair, which UTF-8 cannot encode.
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= 60 else text[:57] + "..."


def _invalid(message: str) -> RequestError:
    return RequestError("invalid_request", message)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    properties = dict(pairs)
    if len(properties) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        duplicate = next(name for name, count in counts.items() if count > 1)
        raise _invalid(f"the body has the property {shown(duplicate)} more than once")
    return properties


def _decimal(text: str) -> Decimal:
    """Return an exact number: a float would round 9007199254740993.0 to another integer."""
    try:
        return Decimal(text)
    except InvalidOperation:  # the exponent is too large for Decimal
        return Decimal("-Infinity" if text.startswith("-") else "Infinity")


def _integer(text: str) -> int | Decimal:
    """Return an integer; as a Decimal if it is long, since int() rejects thousands of digits."""
    return int(text) if len(text) < 40 else _decimal(text)


def _constant(text: str) -> object:
    raise _invalid(f"the body is not JSON: {text} is not a valid JSON number")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_decimal, parse_int=_integer, parse_constant=_constant
)


def deeper_than(value: object, depth: int) -> bool:
    """Return whether a JSON value has more levels of objects and lists."""
    level = [value] if isinstance(value, (dict, list)) else []
    while level and depth:
        depth -= 1
        level = [
            child
            for item in level
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, (dict, list))
        ]
    return bool(level)


def parse_json(raw: bytes) -> object:
    """Return the value of a JSON body; numbers with a fraction are Decimals.

    :raise RequestError: it is not UTF-8 or JSON, has a duplicate property, NaN or Infinity, or is
        nested deeper than `JSON_DEPTH` levels.
    """
    if not raw.strip():
        raise _invalid("the body is empty; it must be a JSON object")
    try:
        value: object = _DECODER.decode(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _invalid(f"the body must be UTF-8; byte {error.start} is invalid") from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise _invalid(f"the body is not JSON: {error.msg} at {place}") from error
    except RecursionError:
        too_deep = True
    else:
        brackets = raw.count(b"{") + raw.count(b"[")  # at least one for each level
        too_deep = brackets > JSON_DEPTH and deeper_than(value, JSON_DEPTH)
    if too_deep:
        raise _invalid(f"the body is nested deeper than {JSON_DEPTH} levels")
    return value


# Not `decode`, which also skips spaces around the value: thousands of records are read at once.
_SCAN: Final[Any] = vars(json.JSONDecoder(parse_float=_decimal, parse_int=_integer))["scan_once"]


def load_json(text: str) -> Any:
    """Return the value of JSON that `dump_json` has written, with exact numbers."""
    return _SCAN(text, 0)[0]


def load_json_of(
    text: str, properties: Callable[[list[tuple[str, Any]]], object] | None = None
) -> Any:
    """Return the value of JSON that another program has written, with exact numbers.

    :param properties: makes an object of its properties.
    :raise ValueError: it is not JSON, has NaN or Infinity, or a number that nothing can hold.
    """
    decoder = json.JSONDecoder(
        object_pairs_hook=properties,
        parse_float=_finite,
        parse_int=_integer,
        parse_constant=_finite,
    )
    return decoder.decode(text)


def load_plain_json(text: str) -> Any:
    """Return the value of JSON; a number is a Decimal only if no float has its value.

    :raise ValueError: as `load_json_of`.
    """
    return json.JSONDecoder(parse_float=_plain, parse_int=_integer, parse_constant=_finite).decode(
        text
    )


def _plain(text: str) -> float | Decimal:
    exact = _finite(text)
    nearest = float(text)
    return nearest if Decimal(repr(nearest)) == exact else exact


def _finite(text: str) -> Decimal:
    number = _decimal(text) if text[-1].isdigit() else Decimal("NaN")
    if number.is_finite():
        return number
    raise ValueError(f"{text[:60]} is not a JSON number")


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _encoder() -> Callable[[object, int], Iterable[str]]:
    """Return what `_ENCODER.encode` makes again for each value, which takes half of its time."""
    make = vars(json.encoder)["c_make_encoder"]
    if make is None:  # not CPython
        return lambda value, _: _ENCODER.iterencode(value)
    separators = _ENCODER.key_separator, _ENCODER.item_separator
    rules = _ENCODER.sort_keys, _ENCODER.skipkeys, _ENCODER.allow_nan
    text = json.encoder.encode_basestring
    encode: Callable[[object, int], Iterable[str]] = make(
        None, _ENCODER.default, text, None, *separators, *rules
    )
    return encode


_ENCODE: Final = _encoder()


def dump_json(value: object) -> bytes:
    """Return a value as compact JSON; Decimals stay exact. Raises TypeError for other types."""
    try:
        return "".join(_ENCODE(value, 0)).encode()
    except TypeError:  # it contains a Decimal; without one, the encoder is many times faster
        return _dump_exact(value).encode()


def json_array(rows: Iterable[bytes]) -> bytes:
    """Return the array of values that are JSON, as compact JSON."""
    return b"[" + b",".join(rows) + b"]"


def dump_text(value: object) -> str:
    """Return a value as compact JSON that UTF-8 can encode: half of a surrogate pair is escaped."""
    # Compiled here, since only recordings need it.
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", _dump_exact(value))


def dump_ascii(value: object) -> str:
    """Return a value as compact JSON whose other characters are escaped, also surrogates."""
    return re.sub(r"[^ -~]", lambda found: json.dumps(found[0])[1:-1], _dump_exact(value))


def _dump_exact(value: object) -> str:
    """Return a value as compact JSON; a Decimal with all its digits, which a float would round."""
    if isinstance(value, Decimal) and value.is_finite():
        return str(value)
    if isinstance(value, dict):
        return (
            "{" + ",".join(f"{_ENCODER.encode(k)}:{_dump_exact(v)}" for k, v in value.items()) + "}"
        )
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(_dump_exact, value)) + "]"
    return _ENCODER.encode(value)


def same_json(wanted: object, value: object) -> bool:
    """Return whether two JSON values are equal in JSON's sense: 1 is 1.0, but true is not 1."""
    if isinstance(wanted, bool) or isinstance(value, bool):
        return wanted is value
    if isinstance(wanted, (list, tuple)):
        if not isinstance(value, list) or len(wanted) != len(value):
            return False
        return all(map(same_json, wanted, value))
    return wanted == value
