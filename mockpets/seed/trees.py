"""Generate the objects, arrays and scalars of one value of a schema."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from decimal import Decimal
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any, Final

from mockpets.contract.constraints import json_key
from mockpets.contract.schema_shapes import plain, singular
from mockpets.seed import properties
from mockpets.seed.examples import ABSENT
from mockpets.seed.keys import RELATED, is_key, is_own_key, key_of
from mockpets.seed.merged_schemas import Shape
from mockpets.seed.pattern_texts import matches
from mockpets.seed.places import kind_of, word_set, words_of
from mockpets.seed.scalars import fits, number_of, repaired, text_of, total_of
from mockpets.seed.times import is_removal
from mockpets.strict_json import same_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mockpets.contract.openapi_loader import Node
    from mockpets.seed.examples import Examples
    from mockpets.seed.merged_schemas import Shapes
    from mockpets.seed.places import Place

    IsValid = Callable[[Node, object], bool]

_DIGITS: Final = "0123456789"
_DEEP: Final = 5
"""Levels of objects and arrays below which optional ones are left out."""
_DEEPEST: Final = 40
"""Levels below which values are null, valid or not; so are those beyond twice the budget."""
_BUDGET: Final = 1_000
"""Number of values in one tree after which only required ones follow."""
_DIFFERENT: Final = 200
"""Items of a long array after which they repeat, unless they must be unique."""
_RETRIED: Final = 50
"""Items of an array for which there are four attempts each to differ from those before."""
_LONGEST: Final = 10_000
"""Maximum number of items or properties; a schema that requires more gets an invalid value."""
_TRIES: Final = 12
"""Attempts to make a valid value; after twelve, conditions probably exclude each other."""
_RARE: Final = 0.08
"""How often an optional property of a record is missing, or a nullable one is null."""
_ALWAYS: Final = word_set("id name title slug email username status createdat updatedat")
_KEYS: Final = word_set("id uuid guid slug username key")
_FOLLOWS: Final = word_set(
    "max high slug email username fullname url link href permalink avatar image handle login"
    " updated modified end ends arrival total count"
)
"""Words in the names of properties that depend on others, and are generated after them."""
_MAP_KEYS: Final[Sequence[tuple[frozenset[str], Sequence[str]]]] = (
    (word_set("translation localized language title"), ("en", "de", "fr")),
    (word_set("price rate amount balance"), ("EUR", "USD", "GBP")),
    (word_set("stock inventory"), ("available", "pending", "sold")),
    (word_set("count statistic stat"), ("active", "pending", "archived")),
    (word_set(""), ("source", "region", "team", "channel", "group", "stage", "origin")),
)
"""Words in the name of a map, and the keys of its entries."""


class Tree:
    """Generates one value, with a budget for its parts.

    :param is_valid: validates a value by a schema.
    """

    def __init__(self, is_valid: IsValid, shapes: Shapes, examples: Examples) -> None:
        self._is_valid = is_valid
        self._shapes = shapes
        self._examples = examples
        self._left = _BUDGET

    def value(self, schema: Node, place: Place) -> object:
        """Return a valid value if one is found in a few attempts, else the first."""
        first: object = ABSENT
        for attempt in range(_TRIES):
            value = self._make(schema, _again(place, attempt))
            if self._is_valid(schema, value):
                return value
            first = value if first is ABSENT else first
            if self._left < -_BUDGET:
                break
        return first

    def _make(self, schema: Node, place: Place) -> object:
        """Return a value for a schema: one of its examples, or generated."""
        self._left -= 1
        shape = self._shapes.of(schema)
        example = self._own_example(schema, shape, place)
        if example is not ABSENT:
            return example
        if place.depth > _DEEPEST or self._left < -_BUDGET:
            return None
        if not shape.unions and not shape.forbidden:
            return self._generated(schema, shape, place)
        first: object = ABSENT
        for attempt in range(_TRIES):
            value = self._of_branch(schema, shape, place, attempt)
            if self._left < -_BUDGET or self._is_valid(schema, value):
                return value
            first = value if first is ABSENT else first
        return first

    def _of_branch(self, schema: Node, shape: Shape, place: Place, attempt: int) -> object:
        """Return a value of one branch of each union: for records any, else the first."""
        start = place.below(100) if place.is_record else 0
        tag, tags = shape.tag, shape.tags
        for _ in range(_DEEPEST):
            if not shape.unions:
                break
            branches = self._branches(shape, place)
            branch = branches[(start + attempt) % len(branches)]
            shape = self._shapes.with_branch(shape, branch)
        value = self._generated(schema, shape, _again(place, attempt))
        if tag and isinstance(value, dict) and shape.name:
            value[tag] = _tag(shape.name, tags)
        return value

    def _branches(self, shape: Shape, place: Place) -> Sequence[Node]:
        """Return the usable branches of the first union; null and circular ones only if alone."""
        branches = shape.unions[0]
        shapes = [(each, self._shapes.of(each)) for each in branches]
        ending = [
            each
            for each, part in shapes
            if not (part.keys & place.around or _is_heavy(part, place))
        ]
        usable = [each for each in ending if self._shapes.of(each).types != ("null",)]
        return usable or ending or branches

    def _generated(self, schema: Node, shape: Shape, place: Place) -> object:
        """Return a value for a shape without unions."""
        if shape.choices is not None:
            return _choice(shape, place)
        kind = _type(shape, place)
        if kind == "object":
            return self._object(shape, place)
        if kind == "array":
            return self._array(shape, place)
        if kind == "null":
            return None
        if kind == "boolean":
            return place.fraction() < properties.likely(place.name)
        if is_key(place.name) and not place.is_plain:
            key = key_of(kind, shape, place, self._examples)
            if key is not ABSENT and fits(shape, key):
                return key
        pool = [*self._examples.values(schema), *(repaired(shape, each) for each in shape.examples)]
        pool = list(dict.fromkeys(each for each in pool if isinstance(each, (str, int, Decimal))))
        make = text_of if kind == "string" else number_of
        return make(shape, place, [*pool, *shape.default])

    def _own_example(self, schema: Node, shape: Shape, place: Place) -> object:
        """Return a valid example of the schema itself, or ABSENT.

        A record gets the one of its number, but not as a time or as the number of a record.
        """
        number = max(place.number, 1)
        if number > len(shape.examples) or "~" in place.seed:
            return ABSENT
        if place.is_record and (
            shape.format in {"date", "date-time"}
            or (is_key(place.name) and ("integer" in shape.types or not is_own_key(place)))
        ):
            return ABSENT
        example = repaired(shape, shape.examples[number - 1])
        is_usable = fits(shape, example) and self._is_valid(schema, example)
        return deepcopy(example) if is_usable else ABSENT

    # Objects

    def _object(self, shape: Shape, place: Place) -> dict[str, object]:
        kinds = (kind_of(shape.name), *place.kinds) if shape.name else place.kinds
        inner = place.but(
            owner=place.at,
            kinds=tuple(dict.fromkeys(kinds)),
            around=place.around | shape.keys,
            depth=place.depth + 1,
        )
        names = self._names(shape, inner)
        is_envelope = place.depth < 2 and not any(
            _echoed(name, inner) is not ABSENT for name in names
        )
        result: dict[str, object] = {}
        for name in sorted(names, key=_follows):
            schema = self._schema_of(shape, name)
            is_wanted = self._left >= 0 or name in shape.required
            if schema is not None and is_wanted:
                echo: Any = inner.echo if is_envelope else _echoed(name, inner)
                value = self._property(
                    schema, shape, inner.but(name=name, beside=result, echo={}), echo
                )
                if value is not ABSENT:
                    result[name] = value
        self._add_entries(shape, inner, result)
        order = [name for name in shape.properties if name in result]
        return {name: result[name] for name in dict.fromkeys((*order, *result))}

    def _names(self, shape: Shape, place: Place) -> list[str]:
        """Return the properties to generate: the required ones, and most of the others."""
        names = list(dict.fromkeys(shape.required))
        for name, schema in shape.properties.items():
            part = self._shapes.of(schema)
            is_optional = name not in shape.required and isinstance(schema, dict)
            if is_optional and self._is_there(name, shape, part, place):
                names.append(name)
        for name in list(names):
            names += [each for each in shape.dependent.get(name, ()) if each not in names]
        most = shape.sizes[1]
        return names if most is None else names[: max(most, len(shape.required))]

    def _is_there(self, name: str, shape: Shape, part: Shape, place: Place) -> bool:
        """Return whether an optional property is there."""
        if self._left < 0 or place.is_plain or _is_heavy(part, place):
            return False
        if not place.is_record or not shape.has_required or part.is_read_only:
            return True
        is_own = is_key(name) and is_own_key(place.but(name=name))
        return is_own or plain(name) in _ALWAYS or place.beside_it(f"/{name}?").fraction() >= _RARE

    def _schema_of(self, shape: Shape, name: str) -> Node | None:
        """Return the schema of a property, listed or not; None if it is not allowed."""
        parts = [shape.properties[name]] if name in shape.properties else []
        parts += [
            schema for pattern, schema in shape.key_patterns.items() if matches(pattern, name)
        ]
        if not parts:
            return shape.additional
        schema = parts[0]
        for part in parts[1:]:
            schema = self._shapes.merged(schema, part)
        return schema if isinstance(schema, dict) else {}

    def _property(self, schema: Node, owner: Shape, place: Place, echo: object) -> object:
        """Return the value of a property; ABSENT for an optional one that would not end."""
        name, shape = place.name, self._shapes.of(schema)
        is_optional = name not in owner.required
        place = place.but(at=f"{place.at}/{name}")
        if isinstance(echo, dict):
            place = place.but(echo=echo)
        elif echo is not ABSENT and self._is_valid(schema, value := repaired(shape, echo)):
            return value
        if name == owner.tag and (owner.name or owner.tags):
            tag = _tag(owner.name, owner.tags)
            if self._is_valid(schema, tag):
                return tag
        if shape.keys & place.around:
            if is_optional:
                return ABSENT
            if shape.is_nullable and shape.types:
                return None
        if self._is_nothing(shape, place, is_optional=is_optional):
            return None if shape.is_nullable and shape.types else ABSENT
        total = total_of(place, shape)
        if total is not None and self._is_valid(schema, total):
            return total
        if shape.properties and not shape.unions:
            return self._nested(schema, shape, place.but(name=""), place.name)
        return self._make(schema, place)

    def _is_nothing(self, shape: Shape, place: Place, *, is_optional: bool) -> bool:
        """Return whether a property is null, or missing like the moment of a deletion."""
        if not place.is_record or not (is_optional or (shape.is_nullable and shape.types)):
            return False
        if words_of(place.name)[:1] == ("parent",) and 0 < place.number <= 2:
            return True
        if is_removal(place.name):
            return place.beside_it("?").fraction() < 0.9
        can_be_null = shape.is_nullable and shape.types and place.number > 1
        return (
            bool(can_be_null)
            and plain(place.name) not in _ALWAYS
            and place.beside_it("?").fraction() < _RARE
        )

    def _nested(self, schema: Node, shape: Shape, place: Place, name: str) -> object:
        """Return an object in an object: one of a few records if it looks like a record.

        So an author has the same picture in every article, and is one of the users.
        """
        own = singular(" ".join(words_of(name)))
        kind = kind_of(shape.name)
        is_person = kind in properties.PEOPLE or (not kind and own in properties.PEOPLE)
        has_key = not _KEYS.isdisjoint(map(plain, shape.properties))
        kinds = tuple(filter(None, dict.fromkeys((own, *place.kinds))))
        if not kind or not (has_key or is_person) or place.echo or not place.is_record:
            return self._make(schema, place.but(kinds=kinds))
        number = 1 + place.below(RELATED)
        example = self._examples.record(schema, number)
        if example is not ABSENT:
            return example
        kinds = tuple(dict.fromkeys((kind, *place.kinds)))
        return self._make(schema, place.but(at=f"{kind}/{number}", number=number, kinds=kinds))

    def _add_entries(self, shape: Shape, place: Place, result: dict[str, object]) -> None:
        """Add entries to a map, or as many properties as an object must have."""
        is_map = not shape.properties and bool(shape.additional or shape.key_patterns)
        is_ending = place.depth > _DEEP or self._left < 0
        least, most = shape.sizes
        least = min(max(least, 2 if is_map and not is_ending else 0), _LONGEST)
        least = least if most is None else min(least, most)
        for key in self._entry_keys(shape, place, least) if len(result) < least else ():
            self._left -= 1
            if self._left < -_BUDGET:
                break
            schema = self._schema_of(shape, key)
            if key not in result and key not in shape.properties and schema is not None:
                name = key if not shape.properties and words_of(key) else place.name
                inner = place.but(at=f"{place.at}/{key}", name=name, beside=result, echo={})
                result[key] = self._make(schema, inner)
                if len(result) >= least:
                    break

    def _entry_keys(self, shape: Shape, place: Place, least: int) -> Iterator[str]:
        """Yield names for the entries of a map."""
        place = replace(place.beside_it("*"), name="", number=0)
        names = self._shapes.of(shape.key_schema) if shape.key_schema else Shape()
        words = {singular(word.rstrip(_DIGITS)) for word in words_of(place.at)}
        if shape.key_schema and names.choices:
            yield from map(str, names.choices)
        if not names.choices and not shape.key_patterns and names.lengths == (0, None):
            for known, keys in _MAP_KEYS:
                if not known or words & known:
                    yield from (key for key in keys if fits(names, key))
        for _ in range(4 * least):
            for pattern in shape.key_patterns:
                text = text_of(replace(names, types=("string",), patterns=(pattern,)), place, ())
                yield text
                yield f"{text}{place.one_of(_MAP_KEYS[-1][1])}"  # where the pattern has no end
            if shape.key_schema:
                yield text_of(names, place, ())
        for number in range(least):
            yield f"key{number + 1}"

    # Arrays

    def _array(self, shape: Shape, place: Place) -> list[object]:
        name = singular(place.name.removesuffix("List").removesuffix("_list"))
        inner = place.but(name=name, depth=place.depth + 1, beside={}, echo={})
        result: list[object] = []
        for schema in shape.prefix:
            result.append(self._make(schema, inner.but(at=f"{place.at}/{len(result)}")))
        if shape.items is None:
            return result
        if shape.contains:
            schema = self._shapes.merged(shape.items, shape.contains[0])
            for _ in range(min(shape.contains[1], _LONGEST)):
                result.append(self._make(schema, inner.but(at=f"{place.at}/{len(result)}")))
        wanted, repeated = self._length(shape, place), 0
        choices = list(self._shapes.of(shape.items).choices or ()) if shape.is_unique else []
        while choices and len(result) < wanted:
            result.append(choices.pop(inner.below(len(choices))))
        known = set(map(json_key, result))
        while len(result) < wanted and self._left > -_BUDGET:
            item = self._item(shape.items, inner, len(result), repeated)
            key = json_key(item)
            if key in known and (shape.is_unique or isinstance(item, (str, dict))):
                repeated += 1
                if repeated < _TRIES + 4 * min(wanted, _RETRIED):
                    continue
                if shape.is_unique or len(result) >= shape.counts[0]:
                    break
            known.add(key)
            result.append(item)
            can_repeat = not shape.is_unique and not isinstance(item, (dict, list))
            if can_repeat and len(result) >= len(shape.prefix) + _DIFFERENT:
                missing = wanted - len(result)
                self._left -= missing // 10
                result += islice(cycle(result[len(shape.prefix) :]), missing)
        return result

    def _length(self, shape: Shape, place: Place) -> int:
        low, high = shape.counts
        items = self._shapes.of(shape.items)
        usual = 3 if items.properties and place.depth < 3 and not place.is_record else 0
        usual = usual or place.beside_it("#").between(1, 3)
        if items.keys & place.around or _is_heavy(items, place) or self._left < 0:
            usual = 0
        wanted = min(max(low, usual), _LONGEST)
        return wanted if high is None else min(wanted, high)

    def _item(self, schema: Node, place: Place, index: int, repeated: int) -> object:
        at = f"{place.at}/{index}" + (f"~{repeated}" if repeated else "")
        shape = self._shapes.of(schema)
        if not shape.properties:
            is_record = place.is_record or repeated > 0
            inner = place.but(at=at, owner=at, number=0, is_record=is_record)
            return self._make(schema, inner)
        if place.is_record and not repeated:
            return self._nested(schema, shape, place.but(at=at, name="", number=0), place.name)
        number = index + 1 + repeated
        example = self._examples.record(schema, number)
        if example is not ABSENT:
            return example
        kinds = tuple(filter(None, dict.fromkeys((kind_of(place.name), *place.kinds))))
        return self._make(schema, place.but(at=at, number=number, kinds=kinds, is_record=True))


def _again(place: Place, attempt: int) -> Place:
    """Return a place with other random numbers, and at last with few optional properties."""
    if not attempt:
        return place
    is_plain = place.is_plain or attempt >= _TRIES // 3
    return place.but(seed=f"{place.seed}~{attempt}", is_plain=is_plain)


def _type(shape: Shape, place: Place) -> str:
    """Return the type to generate: the first that is not null."""
    if shape.types:
        return shape.types[0]
    return "string" if place.name and not shape.properties and not shape.required else "object"


def _choice(shape: Shape, place: Place) -> object:
    """Return a value of an enum: for records any, else the default or the first."""
    choices = shape.choices or (None,)
    values = [each for each in choices if each is not None and fits(shape, each)] or choices
    if place.is_record or place.number or "~" in place.seed:
        return place.one_of(values)
    wanted = [each for each in values if shape.default and same_json(each, shape.default[0])]
    return (wanted or values)[0]


def _is_heavy(shape: Shape, place: Place) -> bool:
    """Return whether a schema is an object or array too deep to follow."""
    return place.depth > _DEEP and bool(
        shape.properties or shape.unions or {"object", "array"} & set(shape.types)
    )


def _follows(name: str) -> bool:
    return not _FOLLOWS.isdisjoint((plain(name), *words_of(name)))


def _echoed(name: str, place: Place) -> object:
    """Return what the request has for a property, or ABSENT."""
    for known, value in place.echo.items():
        if known == name or plain(known) == plain(name):
            return value
        if plain(name) == "id" and plain(known) in {f"{plain(each)}id" for each in place.kinds}:
            return value
    return ABSENT


def _tag(name: str, tags: Mapping[str, str]) -> str:
    """Return how a discriminator names a schema."""
    for tag, target in tags.items():
        if target.rpartition("/")[2] == name:
            return tag
    return next(iter(tags)) if tags and not name else name
