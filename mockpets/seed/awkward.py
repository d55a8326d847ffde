"""Replace the free texts of a document's records by texts that layouts seldom expect."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from mockpets.packaged_data import shipped
from mockpets.seed.places import word_set, words_of
from mockpets.seed.scalars import fits

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mockpets.contract.contract_model import Record
    from mockpets.contract.openapi_loader import Node
    from mockpets.seed.values import Values

_FIXTURE: Final = "awkward-names.json"
_CODED: Final = word_set(
    "color colour currency email href id image locale password phone slug token type uri url user"
)
"""Words in the names of texts that programs read."""
_FORM: Final = re.compile(r"[^\s@]+@[^\s@]+|[a-z][a-z0-9+.-]*:\S+|[\W\d]*|[\w-]*\d[\w:.+-]*")
"""Texts that are not free: addresses, numbers, dates, codes."""


@lru_cache(1)
def _texts() -> Sequence[str]:
    """Return the names of the pets in the shipped fixture."""
    text = (shipped("fixtures") / _FIXTURE).read_text(encoding="utf-8")
    return [pet["name"] for pet in json.loads(text)]


def make_awkward(
    values: Values, schema: Node, records: Sequence[Record], kept: Collection[str]
) -> None:
    """Replace the free texts of records, in place: strings without a form of their own.

    :param kept: properties that stay, such as keys.
    """
    for number, record in enumerate(records):
        for name in record.keys() - kept:
            known = values.shape(schema).properties.get(name)
            if known is not None:
                record[name] = _awkward(values, known, record[name], name, number)


def _awkward(values: Values, schema: Node, value: Any, name: str, number: int) -> Any:
    shape = values.shape(schema)
    if isinstance(value, dict):
        known = shape.properties
        for each in value.keys() & known.keys():
            value[each] = _awkward(values, known[each], value[each], each, number)
    elif isinstance(value, list) and shape.items is not None:
        items = shape.items
        return [_awkward(values, items, one, name, number + at) for at, one in enumerate(value)]
    elif isinstance(value, str):
        is_free = not (shape.format or shape.patterns or shape.choices or shape.unions)
        if is_free and not _CODED & {*words_of(name)} and not _FORM.fullmatch(value):
            texts = _texts()
            start = number % len(texts)
            rest = (*texts[start:], *texts[:start])
            return next((text for text in rest if fits(shape, text)), value)
    return value
