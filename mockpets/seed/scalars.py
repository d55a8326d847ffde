"""Numbers and texts that a shape allows: by name, by format, by pattern, else neutral ones."""

from __future__ import annotations

import base64
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from itertools import chain, cycle, islice
from typing import TYPE_CHECKING, Final

from mockpets.contract.schema_shapes import plain, singular
from mockpets.seed import properties
from mockpets.seed.merged_schemas import step_of
from mockpets.seed.pattern_texts import matches, text_matching
from mockpets.seed.places import plural, word_set, words_of
from mockpets.seed.times import as_text, is_time, moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mockpets.seed.merged_schemas import Number, Shape
    from mockpets.seed.places import Place

_DIGITS: Final = 500
"""Precision of calculations, since bounds may be long."""
_LONGEST: Final = 1_000_000
"""The most characters; a schema that asks for more gets an invalid text."""
_BYTES: Final = 300
"""Random bytes of Base64 after which they repeat."""
_POOL: Final = 4
"""Number of different values in examples from which on they are better than those by name."""
_IDENTITY: Final = word_set("name title slug email username firstname lastname fullname phone")
"""Names whose values by name are better than those of examples, which would repeat."""
_BY_EXAMPLE: Final = {("message",), ("type",), ("detail",), ("unit",), ("currency",)}
_CALENDAR: Final = {("month",), ("year",), ("day",), ("hour",), ("minute",)}
_UUID: Final = "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx"
_TIMES: Final = {"date-time": "date-time", "date": "date", "time": "time"}
_FORMATS: Final = {
    "date-time": r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)",
    "date": r"\d{4}-\d\d-\d\d",
    "time": r"\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)",
    "duration": r"P(?=.)(\d+[YMWD])*(T(\d+[HMS])+)?",
    "uuid": r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
    "email": r"[^@\s]+@[^@\s]+\.[^@\s]+",
    "idn-email": r"[^@\s]+@[^@\s]+\.[^@\s]+",
    "hostname": r"[a-z0-9-]+(\.[a-z0-9-]+)+",
    "idn-hostname": r"[a-z0-9-]+(\.[a-z0-9-]+)+",
    "uri": r"[a-z][a-z0-9+.-]*:\S+",
    "iri": r"[a-z][a-z0-9+.-]*:\S+",
    "url": r"[a-z][a-z0-9+.-]*:\S+",
    "uri-reference": r"\S*",
    "ipv4": r"\d{1,3}(\.\d{1,3}){3}",
    "ipv6": r"[0-9a-f:]+:[0-9a-f:]*",
    "byte": r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?",
    "json-pointer": r"(/.*)?",
    "relative-json-pointer": r"\d+(/.*)?",
    "iso-country-code": r"[A-Z]{2}",
}


def fits(shape: Shape, value: object) -> bool:
    """Return whether a text or number is within the bounds, lengths, patterns and format."""
    if isinstance(value, str):
        low, high = shape.lengths
        form = _FORMATS.get(shape.format)
        return (
            low <= len(value)
            and (high is None or len(value) <= high)
            and (form is None or re.fullmatch(form, value) is not None)
            and all(matches(pattern, value) for pattern in shape.patterns)
        )
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        with localcontext(prec=_DIGITS):
            step = step_of(shape)
            return (not step or value % step == 0) and _is_within(shape, value)
    return True


def _is_within(shape: Shape, value: Number) -> bool:
    if shape.low and (value < shape.low[0] or (shape.low[1] and value == shape.low[0])):
        return False
    return not (
        shape.high and (value > shape.high[0] or (shape.high[1] and value == shape.high[0]))
    )


# Numbers


def number_of(shape: Shape, place: Place, pool: Sequence[object]) -> Number:
    """Return a number within the bounds of a shape.

    :param pool: its values in examples.
    """
    with localcontext(prec=_DIGITS):
        return _number_of(shape, place, pool)


def _number_of(shape: Shape, place: Place, pool: Sequence[object]) -> Number:
    numbers = [each for each in pool if isinstance(each, (int, Decimal)) and fits(shape, each)]
    if len(numbers) >= _POOL:
        return place.one_of(numbers)
    is_integer = "number" not in shape.types
    if is_time(place.name) and is_integer and not place.is_plain:
        seconds = int(moment(place).timestamp())
        for stamp in (seconds, seconds * 1000):
            if fits(shape, stamp):
                return stamp
    coordinate = None if is_integer else properties.coordinate(place)
    if coordinate is not None and fits(shape, coordinate):
        return coordinate
    low, high, digits = (0, 3, 1) if place.is_plain else _usual_range(place, numbers)
    least = _least(place)
    if least is not None:  # a maximum is above the minimum beside it
        low, high = int(least) + 1, int(least) + max(2, int(least) // 2)
    number = properties.number_in(place, low, high, 0 if is_integer else digits)
    if not fits(shape, number):
        number = _on_grid(shape, place, low, high)
    return int(number) if number == int(number) else number


def _least(place: Place) -> Number | None:
    """Return the minimum beside a maximum, or None."""
    name = plain(place.name)
    for high, low in (("max", "min"), ("high", "low"), ("to", "from")):
        if name.startswith(high) or name.endswith(high):
            value = place.value_beside(name.replace(high, low))
            return value if isinstance(value, (int, Decimal)) else None
    return None


def _usual_range(place: Place, numbers: Sequence[Number]) -> tuple[int, int, int]:
    """Return lowest and highest number and digits, by examples or by name."""
    if numbers and numbers[0] and words_of(place.name)[-1:] not in _CALENDAR:
        known = numbers[0]
        digits = max(0, -int(Decimal(known).as_tuple().exponent))
        ends = sorted((int(known / 2), int(known * 3 / 2)))
        return ends[0], max(ends[1], ends[0] + 1), min(digits, 4)
    return properties.number_range(place) or (1, 100, 0)


def _on_grid(shape: Shape, place: Place, low: int, high: int) -> Number:
    """Return a multiple of the step between the bounds, in a usual range if they allow it."""
    step = Decimal(step_of(shape) or _free_step(shape))
    usual = _ceiling(low / step), _floor(high / step)
    first = last = None
    if shape.low:
        limit, is_excluded = shape.low
        first = _ceiling(limit / step)
        first += is_excluded and first * step == limit
    if shape.high:
        limit, is_excluded = shape.high
        last = _floor(limit / step)
        last -= is_excluded and last * step == limit
    start = usual[0] if first is None else max(first, usual[0])
    end = usual[1] if last is None else min(last, usual[1])
    if start > end:  # the usual range is not allowed
        width = max(high - low, 0)
        start = first if first is not None else 0 if last is None else last - width
        end = last if last is not None else start + (width if first is not None else 0)
    return (start + place.below(max(end - start, 0) + 1)) * step


def _ceiling(number: Decimal) -> int:
    return int(number.to_integral_value(ROUND_CEILING))


def _floor(number: Decimal) -> int:
    return int(number.to_integral_value(ROUND_FLOOR))


def _free_step(shape: Shape) -> Decimal:
    """Return a step that fits between the bounds of a number that has none."""
    if shape.low is None or shape.high is None:
        return Decimal(1)
    width = Decimal(shape.high[0]) - Decimal(shape.low[0])
    if width >= 10 or width <= 0:
        return Decimal(1)
    return Decimal(1).scaleb(width.adjusted() - 1)


def total_of(place: Place, shape: Shape) -> object:
    """Return what a property totals: a list beside it, its amounts, or price times quantity."""
    words = words_of(place.name)
    if not words or not {"total", "count", "subtotal"} & {words[0], words[-1]}:
        return None
    lists = [(key, each) for key, each in place.beside.items() if isinstance(each, list)]
    if "number" in shape.types:
        price, quantity = place.value_beside("unitprice", "price"), place.value_beside("quantity")
        if isinstance(price, (int, Decimal)) and isinstance(quantity, int):
            return price * quantity
        amounts = [_amount(item) for _, items in lists[:1] for item in items]
        known = [each for each in amounts if each is not None]
        return sum(known) if known and len(known) == len(amounts) else None
    subjects = {singular(word) for word in words} - {"total", "count", "item", "result", "element"}
    if len(lists) != 1 or not subjects <= {singular(word) for word in words_of(lists[0][0])}:
        return None
    return len(lists[0][1])


def _amount(item: object) -> int | Decimal | None:
    """Return the amount of a line of an order or invoice, or None."""
    if isinstance(item, dict):
        for name, value in item.items():
            is_amount = plain(name) in {"total", "linetotal", "subtotal", "amount"}
            if is_amount and isinstance(value, (int, Decimal)):
                return value
    return None


# Texts


def text_of(shape: Shape, place: Place, pool: Sequence[object]) -> str:
    """Return a text that a shape allows, as credible as its name, format and examples allow.

    :param pool: its values in examples.
    """
    first = ""
    for text in chain(_texts(shape, place, pool), _by_format(shape, place)):
        if fits(shape, text):
            return text
        first = first or text
    if shape.patterns:
        texts = [text_matching(each, place.below, *shape.lengths) or "" for each in shape.patterns]
        if len(texts) == 1 and texts[0]:
            return texts[0]
        return next((each for each in (*texts, "".join(texts)) if fits(shape, each)), texts[0])
    if shape.format:
        return _of_length(shape, first)
    if not place.name and not place.number and fits(shape, "OK"):
        return "OK"
    return _of_length(shape, place.one_of(properties.generic_texts()))


def _texts(shape: Shape, place: Place, pool: Sequence[object]) -> Iterator[str]:
    """Yield texts by examples and by name, the best first."""
    name, last = plain(place.name), words_of(place.name)[-1:]
    known = [each for each in pool if isinstance(each, str) and each not in place.beside.values()]
    if place.is_record and shape.format in _TIMES:
        known = []
    if len(known) >= _POOL and name not in _IDENTITY:
        yield place.dealt(known, f"examples/{place.name}")
    if known and re.fullmatch(_FORMATS["uuid"], known[0]):
        yield place.one_of(known)  # of a record that it refers to
    for text in known:
        if name not in _IDENTITY and (_is_code(text) or last in _BY_EXAMPLE):
            yield _varied(text, place)
    for value in properties.candidates(place):
        text = str(value)
        yield text
        if shape.lengths != (0, None) and not shape.patterns and not shape.format:
            yield _of_length(shape, text)
    yield from known


def _is_code(text: str) -> bool:
    is_time = re.fullmatch(r"\d\d?:\d\d", text)
    return " " not in text and re.search(r"\d", text) is not None and not is_time


def _varied(text: str, place: Place) -> str:
    """Return an example with other digits where it looks like a code; else the same."""
    if not place.is_record or not _is_code(text):
        return text
    hexadecimal = re.fullmatch(r"[0-9-]*[a-f][0-9a-f-]*", text) is not None
    digits = "0123456789abcdef" if hexadecimal else "123456789"
    pattern = r"[0-9a-f]" if hexadecimal else r"\d"
    return re.sub(pattern, lambda _: place.one_of(digits), text)


def _of_length(shape: Shape, text: str) -> str:
    """Return a text cut at a word, or repeated, so that its length is allowed."""
    low, high = min(shape.lengths[0], _LONGEST), shape.lengths[1]
    if high is not None and len(text) > high:
        cut = text[:high].rpartition(" ")[0] or text[:high]
        text = cut.rstrip(" ,.;:-&") if len(cut) >= low else text[:high]
    while len(text) < low:
        text = f"{text} {text}" if text else "a"
    return text[:high] if high is not None else text


def _by_format(shape: Shape, place: Place) -> Iterator[str]:
    form = shape.format
    number = place.number or 1 + place.below(40)
    subject = properties.slug(" ".join(place.kinds[:1]) or place.name) or "item"
    if form in _TIMES:
        yield as_text(moment(place), form)
    elif form in _SIMPLE:
        yield properties.fill(_SIMPLE[form], place)
    elif form in {"email", "idn-email"}:
        first, last = properties.person(place)
        yield f"{properties.slug(first)}.{properties.slug(last)}@example.com"
        yield properties.fill("xxx@example.com", place)
        yield "a@b.co"
    elif form in {"uri", "url", "iri"}:
        yield f"https://example.com/{plural(subject)}/{number}"
        yield f"https://example.com/{number}"
        yield "https://a.co"
    elif form in {"byte", "base64"}:
        low, high = shape.lengths
        size = max(6, -(-min(low, _LONGEST) // 4) * 3)
        size = size if high is None else min(size, high // 4 * 3)
        raw = bytes(place.below(256) for _ in range(min(size, _BYTES)))
        yield base64.b64encode(bytes(islice(cycle(raw), size))).decode()
    elif form == "duration":
        yield f"PT{place.between(1, 9) * 10}M"
        yield "P3D"


_SIMPLE: Final = {
    "uuid": _UUID,
    "hostname": "node#.example.com",
    "idn-hostname": "node#.example.com",
    "uri-reference": "/items/#",
    "iri-reference": "/items/#",
    "uri-template": "/items/{id}",
    "ipv4": "192.0.2.#",
    "ipv6": "2001:db8::#",
    "json-pointer": "/items/#",
    "relative-json-pointer": "0/items",
    "regex": "^[a-z]+$",
    "password": "y" * 12,
    "binary": "xxxxxxxxxxxx",
}


def uuid_of(place: Place) -> str:
    """Return a UUID of version 4."""
    return properties.fill(_UUID, place)


def repaired(shape: Shape, value: object) -> object:
    """Return a number as a text, or a text as a number, if the type of a shape asks for it."""
    is_number = isinstance(value, (int, Decimal)) and not isinstance(value, bool)
    if is_number and shape.types == ("string",):
        return str(value)
    is_digits = isinstance(value, str) and value.isascii() and value.isdigit()
    if is_digits and shape.types in {("integer",), ("number",)}:
        return int(str(value)) if len(str(value)) < 19 else value
    return value
