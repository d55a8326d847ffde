"""Infer what the operations of an OpenAPI document do, and to which collections.

`collecting` finds the collections, and `role_rules.RULES` say what each operation does. Here their
results are corrected and completed: filters, paging, parents and people.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.constants import CONTRACT_EXTENSION
from mockpets.contract.collecting import KEYS, collect, find_key
from mockpets.contract.corrections import Corrections, OperationCorrection
from mockpets.contract.guesses import Collected, Guess, Operation, Reading
from mockpets.contract.media_types import json_media
from mockpets.contract.query_meanings import Meaning, PropertyPath, page_words, query_meaning
from mockpets.contract.role_rules import RULES
from mockpets.contract.schema_shapes import Shapes, mapping, plain, singular
from mockpets.errors import InputError, Problem, did_you_mean
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mockpets.contract.guesses import Template
    from mockpets.contract.openapi_loader import Described, Document, Node

__all__ = ["Guess", "GuessedCollection", "Inferred", "Meaning", "infer"]

_PARAMETER: Final = re.compile(r"\{([^{}/]+)\}")
_OWNERS: Final = (
    "author",
    "owner",
    "user",
    "creator",
    "createdby",
    "account",
    "member",
    "customer",
)
_OWN: Final = ("me", "self", "my", "mine", "myself", "current", "user")
_FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")


class GuessedCollection(NamedTuple):
    """A collection of records.

    :param key: the property that identifies a record.
    :param is_hidden: whether the schema lacks this property, so that records do not show it.
    :param parent: the collection to whose records these belong; may be empty.
    :param schema: of a record.
    :param list_path: of the list, in the document's words; empty without one.
    :param item_path: of a record; empty without one.
    :param is_single: whether it is one object, for each parent if there is one.
    :param is_open: whether every key exists, because nobody can list or create records.
    :param is_people: whether these are those who log in.
    :param shows: the collection whose records these are, in another form; may be empty.
    :param owner: the property that names the person to whom a record belongs; may be empty.
    :param link: the property with the parent's key; empty if records do not show it.
    :param refers: properties that have the key of a record of another collection, with its name.
    :param sets: properties to what new records have, as a correction says: ``{"from": "me"}``.
    """

    name: str
    key: str
    is_hidden: bool
    parent: str
    schema: Node
    list_path: str
    item_path: str
    is_single: bool = False
    is_open: bool = False
    is_people: bool = False
    shows: str = ""
    owner: PropertyPath = ()
    link: PropertyPath = ()
    refers: Mapping[PropertyPath, str] = MappingProxyType({})
    sets: Mapping[PropertyPath, object] = MappingProxyType({})


class Guesses(Mapping[str, Guess]):
    """The guess for each operation by name, completed when something first reads it.

    Most servers get requests for a few of the operations.

    :param roles: what the rules say.
    """

    def __init__(
        self,
        reading: Reading,
        operations: Mapping[str, Operation],
        roles: Mapping[str, Guess],
        corrections: Corrections,
    ) -> None:
        self._reading = reading
        self._operations = operations
        self._roles = roles
        self._corrections = corrections
        self._collections = {each.name: each for each in reading.collections}
        self._known: dict[str, Guess] = {}

    def __getitem__(self, name: str) -> Guess:
        """Return the guess for an operation."""
        if name not in self._known:
            self._known[name] = self._complete(name)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the operations."""
        return iter(self._roles)

    def __len__(self) -> int:
        """Return the number of operations."""
        return len(self._roles)

    def _complete(self, name: str) -> Guess:
        """Return the guess with what every rule's guess gets, as corrected."""
        guess, operation = self._roles[name], self._operations[name]
        if not self._reading.serves(operation):
            return guess
        if guess.collection:
            collected = self._collections[guess.collection]
            # Not the shapes themselves: a guess must not depend on those completed before it, and
            # other threads may complete some at the same time.
            reading = replace(self._reading, shapes=self._reading.shapes.copy())
            guess = _completed(operation, reading, guess, collected)
        correction = self._corrections.operations.get(name)
        if correction:
            fixed = {**guess.fixed, **{_path(key): v for key, v in correction.where.items()}}
            change = {**guess.change, **{_path(key): v for key, v in correction.set.items()}}
            guess = guess._replace(fixed=fixed, change=change)
        own = self._corrections.collections.get(guess.collection)
        sort = (correction and correction.sort) or (own and own.sort) or guess.sort
        return guess._replace(sort=sort)


class Inferred(NamedTuple):
    """What the operations of a document do, and to which collections; both by name.

    :param roles: what the rules say of each operation: role, collection and credentials are final.
    """

    roles: Mapping[str, Guess]
    operations: Mapping[str, Guess]
    collections: Mapping[str, GuessedCollection]


def infer(
    document: Document, described: Sequence[Described], corrections: Corrections | None = None
) -> Inferred:
    """Return what the operations of a document do, as corrected.

    An operation that is not served is an example, with the reason as its note.

    :raise InputError: a correction names an unknown collection.
    """
    shapes = Shapes(document)
    operations = {each.name: _operation(each) for each in described}
    by_path: dict[Template, dict[str, Operation]] = {}
    for each in operations.values():
        if not each.described.not_served:
            by_path.setdefault(each.path, {}).setdefault(each.method, each)
    reading = Reading(shapes, by_path)
    collect(reading)
    corrections = corrections or Corrections()
    _check(reading, operations, corrections)
    roles = {
        name: _role(operation, reading, corrections.operations.get(name))
        for name, operation in operations.items()
    }
    used = {guess.collection for guess in roles.values()}
    written = {each.path: each.described.path for each in operations.values()}
    collections = {
        each.name: _corrected(each, reading, corrections)
        for each in _collections(reading, written)
        if each.name in used
    }
    return Inferred(roles, Guesses(reading, operations, roles, corrections), collections)


def _role(operation: Operation, reading: Reading, correction: OperationCorrection | None) -> Guess:
    """Return what a correction says of an operation, else the first rule that applies."""
    if not reading.serves(operation):
        other = "another operation has this method and path"
        return Guess(returns="", note=operation.described.not_served or other)
    given = _given(operation, reading, correction) if correction else None
    return given or _first(operation, reading)


def _path(text: str) -> PropertyPath:
    return tuple(text.split("."))


def _check(reading: Reading, operations: Mapping[str, Operation], corrections: Corrections) -> None:
    """Add the collections that corrections make; raise InputError for an unknown name.

    A list, a create or a get makes a collection. A name that is nearly another's is a mistake.
    """
    known = {each.name for each in reading.collections}
    problems = []
    for name, correction in corrections.operations.items():
        target = correction.collection
        if not target or target in known:
            continue
        near = did_you_mean(target, known, 0.8)
        if near or correction.role not in ("list", "create", "get", "one"):
            hint = near or f"collections: {', '.join(sorted(known)) or 'none'}"
            what = f"unknown collection {quote(target)}"
            problems.append(Problem(*correction.place, f"operations.{name}", what, hint))
            continue
        _add(reading, operations[name], correction)
        known.add(target)
    for name, each in corrections.collections.items():
        for target in (name, each.parent, each.shows):
            if target and target not in known:
                hint = did_you_mean(target, known) or f"collections: {', '.join(sorted(known))}"
                what = f"unknown collection {quote(target)}"
                problems.append(Problem(*each.place, f"collections.{name}", what, hint))
    if problems:
        raise InputError(problems)


def _add(reading: Reading, operation: Operation, correction: OperationCorrection) -> None:
    """Add the collection that a correction makes, with what its operation returns as records."""
    shapes = reading.shapes
    found = shapes.listing(operation.response, operation.segment)
    if correction.role != "list" or found is None:
        found = shapes.record(operation.response, operation.segment)
    schema = found.item if found else operation.body or {}
    path = operation.path[:-1] if operation.is_item else operation.path
    item = operation.path if operation.is_item else ()
    collected = Collected(path, schema, item=item, name=correction.collection)
    collected.is_single = correction.role == "one"
    collected.has_list = correction.role == "list"
    collected.has_create = correction.role == "create"
    if collected.is_single:
        reading.singles[path] = collected
    else:
        reading.add(collected)
    find_key(reading, collected)


def _given(operation: Operation, reading: Reading, correction: OperationCorrection) -> Guess | None:
    """Return the guess that a correction makes; None if it gives no role."""
    if correction.role == "example":
        return Guess(rule=CONTRACT_EXTENSION, item=operation.response or {})
    if not correction.role:
        return None
    collected = next(each for each in reading.collections if each.name == correction.collection)
    guess = reading.respond(operation, collected, correction.role)
    sets = {_path(key): value for key, value in correction.set.items()}
    guess = guess._replace(rule=CONTRACT_EXTENSION, change=sets)
    if correction.role == "values":
        found = reading.shapes.listing(operation.response, operation.segment, of_values=True)
        envelope = found.path if found else ()
        return guess._replace(values=_path(correction.property), envelope=envelope, returns="list")
    if correction.role in ("list", "create", "one") or not operation.parameters:
        return guess
    return guess._replace(key=operation.parameters[-1], key_in="path")


def _corrected(
    collection: GuessedCollection, reading: Reading, corrections: Corrections
) -> GuessedCollection:
    """Return a collection with its corrections."""
    correction = corrections.collections.get(collection.name)
    if correction is None:
        return collection
    if correction.id:
        properties = reading.shapes.flat(collection.schema).properties
        is_hidden = correction.id not in properties
        collection = collection._replace(key=correction.id, is_hidden=is_hidden)
    if correction.parent:
        parent = next(each for each in reading.collections if each.name == correction.parent)
        stem = singular(plain(parent.segment))
        wanted = (f"{stem}{plain(parent.key)}", f"{stem}id", stem)
        names = reading.shapes.flat(collection.schema).properties
        links = [(each,) for each in names if plain(each) in wanted]
        link = collection.link or next(iter(links), ())
        collection = collection._replace(parent=correction.parent, link=link)
    for name, value in correction.set.items():
        path = _path(name)
        inner = reading.shapes.property_at(collection.schema, path).properties
        if value == {"from": "me"}:
            path += next(((each,) for key in KEYS for each in inner if plain(each) == key), ())
            collection = collection._replace(owner=path)
        collection = collection._replace(sets={**collection.sets, path: value})
    return collection._replace(shows=correction.shows or collection.shows)


def _first(operation: Operation, reading: Reading) -> Guess:
    """Return the guess of the first rule that applies."""
    for name, rule in RULES.items():
        guess = rule(operation, reading)
        if guess is not None:
            return guess._replace(rule=name)
    raise AssertionError  # the last rule always applies


def _operation(described: Described) -> Operation:
    segments = [each for each in described.path.strip("/").split("/") if each]
    path = tuple("{}" if _PARAMETER.fullmatch(each) else each for each in segments)
    body, is_json_patch = _body(described)
    status, response, is_readable = _success(described)
    return Operation(
        described,
        path,
        tuple(match[1] for each in segments if (match := _PARAMETER.fullmatch(each))),
        {str(each.get("name")): each for each in described.parameters if each.get("in") == "query"},
        body,
        is_json_patch,
        response,
        status,
        is_readable,
    )


def _body(described: Described) -> tuple[Node | None, bool]:
    """Return the schema of a request's body, and whether it is a JSON Patch (RFC 6902)."""
    content = mapping(mapping(described.body).get("content"))
    media = json_media(content)
    if media is None:
        forms = (mapping(content[each]) for each in _FORMS if each in content)
        return next((mapping(form.get("schema")) for form in forms), None), False
    return mapping(mapping(media[1]).get("schema")), "json-patch" in media[0].lower()


def _success(described: Described) -> tuple[str, Node | None, bool]:
    """Return status and schema of the lowest success with JSON, and whether it can be read.

    A success without a body can be read; an image cannot.
    """
    statuses = sorted(each for each in described.responses if each.upper().startswith("2"))
    if not statuses and "default" in described.responses:
        statuses = ["default"]
    is_readable = True
    for status in statuses:
        content = mapping(described.responses[status].get("content"))
        media = json_media(content)
        if media:
            return status, mapping(mapping(media[1]).get("schema")), True
        is_readable = is_readable and not content
    return statuses[0] if statuses else "", None, is_readable


def _collections(reading: Reading, written: Mapping[Template, str]) -> Iterator[GuessedCollection]:
    """Yield the collections as the rest of the program knows them.

    :param written: paths in the document's words.
    """
    segments = {
        singular(plain(each.segment)): each for each in reading.collections if not each.is_single
    }
    for collected in reading.collections:
        parent = reading.places[collected.parent] if collected.parent else None
        path = collected.nested or collected.path
        yield GuessedCollection(
            collected.name,
            collected.key,
            collected.is_hidden,
            parent.name if parent else "",
            collected.schema,
            written[collected.path] if collected.path in reading.by_path else "",
            written[collected.item] if collected.item else "",
            collected.is_single,
            bool(collected.item) and not (collected.has_list or collected.has_create),
            collected is reading.people,
            _shown(reading, collected),
            _owner(reading, collected, segments),
            _link(reading, path, collected) if "{}" in path else (),
            _references(reading, collected, segments),
        )


def _link(reading: Reading, path: Template, collected: Collected) -> PropertyPath:
    """Return the property of a collection's records with the key of their parent."""
    operations = reading.by_path.get(path) or reading.by_path[collected.item]
    operation = next(iter(operations.values()), None)
    return _related(reading, operation, path.count("{}") - 1, collected) if operation else ()


def _references(
    reading: Reading, collected: Collected, segments: Mapping[str, Collected]
) -> dict[PropertyPath, str]:
    """Return the properties that name a record of another collection: `ownerId` one of owners."""
    result: dict[PropertyPath, str] = {}
    for name, schema in reading.shapes.flat(collected.schema).properties.items():
        kind = reading.shapes.type_of(schema)
        is_many = kind == "array"
        key = plain(name).removesuffix("s") if is_many else plain(name)
        target = segments.get(key.removesuffix("id")) if key.endswith("id") else None
        if target and target is not collected:
            items = reading.shapes.flat(schema).items
            if (reading.shapes.type_of(items) if is_many else kind) in ("string", "integer"):
                result[(name,)] = target.name
    return result


def _shown(reading: Reading, collected: Collected) -> str:
    """Return the people whom an open collection shows: `profiles` has the names of `users`.

    All its texts are properties of a person.
    """
    people = reading.people
    if people is None or collected is people or collected.has_list or collected.has_create:
        return ""
    known = reading.shapes.flat(people.schema).properties
    properties = reading.shapes.flat(collected.schema).properties
    texts = [
        name for name, each in properties.items() if reading.shapes.flat(each).type == "string"
    ]
    is_shown = bool(texts) and all(name in known for name in texts) and collected.key in known
    return people.name if is_shown else ""


def _owner(
    reading: Reading, collected: Collected, segments: Mapping[str, Collected]
) -> PropertyPath:
    """Return the property that names the person to whom a record belongs."""
    if reading.people is None or collected is reading.people:
        return ()
    properties = reading.shapes.flat(collected.schema).properties
    names = {plain(name): name for name in properties}
    people = singular(plain(reading.people.segment))
    for word in (*_OWNERS, people):
        for each in (word, f"{word}id"):
            if each not in names or (word in segments and word != people):
                continue
            flat = reading.shapes.flat(properties[names[each]])
            inner = [name for key in KEYS for name in flat.properties if plain(name) == key]
            if flat.type != "object":
                return (names[each],)
            if inner:
                return (names[each], inner[0])
    return ()


# What every rule's guess gets


def _completed(operation: Operation, reading: Reading, guess: Guess, collected: Collected) -> Guess:
    """Return a guess with its filters, paging, parents, order and notes."""
    where = {
        name: _related(reading, operation, index, collected)
        for index, name in enumerate(operation.parameters)
        if not (guess.key_in == "path" and index == len(operation.parameters) - 1)
    }
    own = any(
        plain(each) in _OWN and following != "{}"
        for each, following in pairwise((*operation.path, ""))
    )
    mine = reading.people is not None and own
    guess = guess._replace(where=where, mine=mine and guess.key_in != "token")
    if guess.role != "list":
        return guess
    query = {
        name: query_meaning(reading.shapes, each, guess.item)
        for name, each in operation.query.items()
    }
    query = {
        name: Meaning("ignored")
        if meaning.word == "toggled" and not _is_toggled(reading, meaning)
        else meaning
        for name, meaning in query.items()
    }
    names = dict.fromkeys((operation.segment, *guess.envelope[-1:]))  # of a view, another one
    paging = {
        path: word
        for name in names
        for path, word in page_words(
            reading.shapes, operation.response, guess.envelope, name
        ).items()
    }
    unknown = [name for name, meaning in query.items() if meaning.word == "ignored"]
    note = f"ignored: {', '.join(unknown)}" if unknown else ""
    if guess.view and not guess.fixed and not where and not any(m.path for m in query.values()):
        note = "; ".join(filter(None, [note, f"what limits '{operation.last}' is unknown"]))
    sort = _order(reading, operation, guess, query)
    return guess._replace(query=query, paging=paging, note=note, sort=sort)


def _is_toggled(reading: Reading, meaning: Meaning) -> bool:
    """Return whether people log in, so that each has switched on records of its own."""
    return reading.people is not None and bool(meaning.path)


def _related(
    reading: Reading, operation: Operation, index: int, collected: Collected
) -> PropertyPath:
    """Return the property that must equal a parameter of the path; empty if records do not show it.

    For ``/users/{id}/posts`` these are tried: `userId`, `user.id`, `user`.
    """
    name = operation.parameters[index]
    places = [position for position, each in enumerate(operation.path) if each == "{}"]
    before = operation.path[places[index] - 1] if places[index] else ""
    properties = reading.shapes.flat(collected.schema).properties
    by_plain = {plain(each): each for each in properties}
    parent = singular(plain(before)) if before != "{}" else ""
    key = plain(name)
    short = key.removeprefix(parent) if parent else key
    generic = key in ("id", "uuid", "key", "slug", "name")
    usual = (f"{parent}{short}", f"{parent}id", parent) if parent else ()
    for each in dict.fromkeys((*(() if generic else (key,)), *usual, key.removesuffix("id"))):
        if each and each in by_plain:
            flat = reading.shapes.flat(properties[by_plain[each]])
            names = {plain(inner): inner for inner in flat.properties}
            inner = next((names[word] for word in (key, short, *KEYS) if word in names), "")
            if flat.type == "array":
                continue
            if flat.type != "object":
                return (by_plain[each],)
            if inner:
                return (by_plain[each], inner)
    return ()


def _order(
    reading: Reading, operation: Operation, guess: Guess, query: Mapping[str, Meaning]
) -> str:
    """Return the order of a list: newest first if it has no parameter for it, or says "recent"."""
    paths = reading.shapes.placed(guess.item)
    pattern = "created(at|on|date|time)?"
    created = [".".join(path) for path in paths if re.fullmatch(pattern, plain(path[-1]))]
    is_recent = re.search(r"\b(recent|latest|newest)\b", operation.text, re.IGNORECASE)
    is_sorted = any(meaning.word == "sort" for meaning in query.values())
    return f"-{created[0]}" if created and (is_recent or not is_sorted) else ""
