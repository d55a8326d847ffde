"""Infer what the operations of an OpenAPI document do, and to which collections.

The rules that say it are `roles.RULES`. Here the collections are found, with their keys (rule 5),
and what the rules found is completed: filters, paging, parents and people.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.contract.openapi import json_media
from mockpets.contract.query_meanings import Meaning, PropertyPath, page_words, query_meaning
from mockpets.contract.roles import (
    RULES,
    Collected,
    Guess,
    Operation,
    Reading,
    Template,
    credentials_of,
    person_in,
)
from mockpets.contract.shapes import Shapes, is_plural, mapping, plain, singular

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mockpets.contract.openapi import Described, Document, Node

__all__ = ["Guess", "GuessedCollection", "Inferred", "Meaning", "infer"]

_PARAMETER: Final = re.compile(r"\{([^{}/]+)\}")
_KEYS: Final = ("id", "name", "slug", "login", "username", "uuid", "key", "code")
_PEOPLE: Final = ("user", "account", "member", "person", "customer", "profile")
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
    :param parent_key: the parameter of the path with the parent's key; may be empty.
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
    """

    name: str
    key: str
    is_hidden: bool
    parent: str
    parent_key: str
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


class Inferred(NamedTuple):
    """The guess for each operation, by name, and the collections, by name."""

    operations: Mapping[str, Guess]
    collections: Mapping[str, GuessedCollection]


def infer(document: Document, described: Sequence[Described]) -> Inferred:
    """Return what the operations of a document do.

    An operation that is not served is an example, with the reason as its note.
    """
    shapes = Shapes(document)
    by_path: dict[Template, dict[str, Operation]] = {}
    for each in described:
        if not each.not_served:
            operation = _operation(each)
            by_path.setdefault(operation.path, {}).setdefault(operation.method, operation)
    reading = Reading(shapes, by_path)
    _collect(reading)
    guesses: dict[str, Guess] = {}
    for each in described:
        operation = _operation(each)
        if each.not_served or by_path[operation.path][operation.method].described is not each:
            guesses[each.name] = Guess(returns="", note=each.not_served)
            continue
        guesses[each.name] = _completed(operation, reading, _first(operation, reading))
    used = {guess.collection for guess in guesses.values()}
    collections = {
        each.name: each for each in _collections(reading, described) if each.name in used
    }
    return Inferred(guesses, collections)


def _first(operation: Operation, reading: Reading) -> Guess:
    """Return the guess of the first rule that applies."""
    for rule in RULES:
        guess = rule.apply(operation, reading)
        if guess is not None:
            return guess._replace(rule=rule.name)
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
    schema = mapping(mapping(media[1]).get("schema"))
    return schema, "json-patch" in media[0].lower()


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


# Collections


def _collect(reading: Reading) -> None:
    """Find the collections: first of records with a path of their own, then of lists, then rest."""
    by_path = reading.by_path
    paths = sorted(by_path, key=lambda path: path.count("{}"))  # a root collection comes first
    for path in paths:
        if len(path) > 1 and path[-1] == "{}":
            _collect_item(reading, path)
    _share_nested(reading)
    for path in paths:
        _collect_list(reading, path)
    for path in paths:
        _collect_create(reading, path)
    for path in paths:
        _collect_single(reading, path)
    _find_people(reading)
    for collected in dict.fromkeys((*reading.places.values(), *reading.singles.values())):
        collected.parent = _parent(reading, collected)
        if not collected.is_single:
            _find_key(reading, collected)
    _name(reading)


def _record_of(reading: Reading, operation: Operation | None) -> Node | None:
    """Return the schema of the record in a response; None if it has none."""
    if operation is None or reading.listing(operation):
        return None
    found = reading.shapes.record(operation.response, operation.segment)
    return found.item if found and reading.shapes.flat(found.item).properties else None


def _collect_item(reading: Reading, path: Template) -> None:
    """Rule 1: ``P/{x}`` makes a collection of P, if it returns a record, or P lists some."""
    own, at_base = reading.by_path[path], reading.by_path.get(path[:-1], {})
    listed = reading.listing(at_base["GET"]) if "GET" in at_base else None
    created = _record_of(reading, at_base.get("POST"))
    schema = _record_of(reading, own.get("GET")) or (listed.item if listed else None)
    schema = schema or created or _changed(reading, own)
    writes = {"PUT", "PATCH", "DELETE"} & own.keys()
    is_read = _record_of(reading, own.get("GET")) is not None
    if schema is None or not (is_read or writes):
        return
    collected = Collected(path[:-1], schema, item=path)
    collected.has_list = listed is not None
    _note_create(collected, at_base.get("POST"))
    reading.places[path[:-1]] = collected


def _changed(reading: Reading, own: Mapping[str, Operation]) -> Node | None:
    """Return the schema of the record that a PATCH or a PUT returns, if it has what it gets."""
    for method in ("PATCH", "PUT"):
        operation = own.get(method)
        schema = _record_of(reading, operation)
        body = reading.shapes.record(operation.body, operation.segment) if operation else None
        if schema and body:
            flat = reading.shapes.flat
            if flat(schema).properties.keys() & flat(body.item).properties.keys():
                return schema
    return None


def _note_create(collected: Collected, operation: Operation | None) -> None:
    if operation is not None:
        collected.has_create = True
        collected.creating = operation.body


def _share_nested(reading: Reading) -> None:
    """Let ``/owners/{}/pets`` lead to `/pets`, if both have records of one component.

    Collections that only look alike stay apart.
    """
    flat = reading.shapes.flat
    for path, nested in list(reading.places.items()):
        root = reading.places.get(path[-1:])
        name = flat(nested.schema).name
        is_nested = root is not None and root is not nested and path[-1] != "{}"
        if root and is_nested and name and flat(root.schema).name == name:
            reading.places[path] = root
            reading.views[path] = root
            root.nested = root.nested or path


def _collect_list(reading: Reading, path: Template) -> None:
    """Rules 2 and 4: a GET with a list is a collection's own, a view on one, or makes one."""
    operation = reading.by_path[path].get("GET") or reading.by_path[path].get("POST")
    found = reading.listing(operation) if operation else None
    if operation is None or found is None or path in reading.places:
        return
    target = _target(reading, path, found.item)
    if target is not None:
        reading.views[path] = target
        if {"GET", "POST"} <= reading.by_path[path].keys():
            target.nested = target.nested or path
            if not target.has_create:
                _note_create(target, reading.by_path[path]["POST"])
    elif operation.method == "GET" and not operation.is_item:
        collected = Collected(path, found.item, has_list=True)
        _note_create(collected, reading.by_path[path].get("POST"))
        reading.places[path] = collected


def _target(reading: Reading, path: Template, schema: Node) -> Collected | None:
    """Return the collection of whose records a path lists a part; None if it has its own.

    It has records of the same component. Below the collection's path, alike records are enough.
    """
    name = reading.shapes.flat(schema).name
    segment = next((each for each in reversed(path) if each != "{}"), "")
    known = list(dict.fromkeys(reading.places.values()))
    for collected in known:
        is_below = path[: len(collected.path)] == collected.path
        if is_below and "{}" not in path and reading.shapes.same_record(schema, collected.schema):
            return collected
    same = [each for each in known if name and reading.shapes.flat(each.schema).name == name]
    if "POST" in reading.by_path[path] and "GET" in reading.by_path[path]:
        same = [each for each in same if each.segment == segment]
    roots = [
        each for each in same if "{}" not in each.path and (each.item or each.segment == segment)
    ]
    roots.sort(
        key=lambda each: (each.segment != segment, singular(plain(each.segment)) != plain(name))
    )
    if roots or "{}" in path or len(same) != 1:
        return roots[0] if roots else None
    return same[0] if same[0].item else None


def _collect_create(reading: Reading, path: Template) -> None:
    """Rule 3: a POST that returns a new record makes a collection, even if nobody lists it."""
    operation = reading.by_path[path].get("POST")
    known = path in reading.places or path in reading.views
    if operation is None or known or operation.is_item or len(path) == 0:
        return
    schema = _record_of(reading, operation)
    if schema is None or operation.body is None or credentials_of(operation, reading.shapes):
        return
    above = reading.places.get(path[:-1]) or reading.owner(operation)
    if above and reading.is_of(above, schema):
        return
    keys = {"id", "uuid", "slug", f"{singular(plain(path[-1]))}id"}
    has_key = bool(keys & {*map(plain, reading.shapes.flat(schema).properties)})
    if is_plural(path[-1]) and (has_key or operation.status in ("201", "202")):
        collected = Collected(path, schema)
        _note_create(collected, operation)
        reading.places[path] = collected


def _collect_single(reading: Reading, path: Template) -> None:
    """Rule 9: an object with a GET and writes, none of them a record of a collection."""
    own = reading.by_path[path]
    schema = _record_of(reading, own.get("GET"))
    if schema is None or path[-1:] == ("{}",) or path in reading.places or path in reading.views:
        return
    posted = _record_of(reading, own.get("POST"))
    if {"PUT", "PATCH"} & own.keys() or (posted and reading.shapes.same_record(posted, schema)):
        collected = Collected(path, schema, is_single=True, has_create=True)
        reading.singles[path] = collected


def _find_people(reading: Reading) -> None:
    """Rule 12: find the collection of those who log in.

    Its records are what a log-in returns beside the token, else it takes a password, else its name
    is usual.
    """
    logins = [
        operation
        for methods in reading.by_path.values()
        for operation in methods.values()
        if credentials_of(operation, reading.shapes)
    ]
    # A collection that nobody can list or create only shows people: `profiles`.
    known = dict.fromkeys(reading.places.values())
    known = dict.fromkeys(each for each in known if each.has_list or each.has_create)
    people = [(operation, person_in(operation, reading.shapes)) for operation in logins]
    for _, person in people:
        for collected in known if person else ():
            if person and reading.shapes.same_record(person.item, collected.schema):
                reading.people = collected
                return
    for collected in known if logins else ():
        body = reading.shapes.record(collected.creating, collected.segment)
        names = reading.shapes.flat(body.item).properties if body else {}
        if "password" in map(plain, names) or singular(plain(collected.segment)) in _PEOPLE:
            reading.people = collected
            return
    people.sort(key=lambda each: not is_plural(each[0].path[-1]))
    for operation, person in people:  # only log-ins know these people
        if person:
            path = operation.path if is_plural(operation.path[-1]) else ("users",)
            reading.people = reading.places[path] = Collected(path, person.item, has_create=True)
            _note_create(reading.people, operation)
            return


def _parent(reading: Reading, collected: Collected) -> Template | None:
    """Return the path of the collection to whose records a collection belongs."""
    path = collected.nested or collected.path
    for index in range(len(path) - 1, 0, -1):
        if path[index] == "{}":
            found = reading.places.get(path[:index])
            return found.path if found and found is not collected else None
    return None


def _find_key(reading: Reading, collected: Collected) -> None:
    """Rule 5: the property that the last parameter of a record's path names.

    For `petId` these are tried: `petId`, `id`, then a usual name; else the key is hidden.
    """
    properties = reading.shapes.flat(collected.schema).properties
    by_plain = {plain(name): name for name in properties}
    operations = reading.by_path.get(collected.item, {})
    operation = next(iter(operations.values()), None)
    parameter = operation.parameters[-1] if operation else ""
    kind = _parameter_type(reading, operation)
    segment = singular(plain(collected.segment))
    key = plain(parameter)
    component = plain(reading.shapes.flat(collected.schema).name)
    short = [key[len(each) :] for each in (segment, component) if each and key.startswith(each)]
    own_id = [f"{segment}id", f"{component}id"]
    for each in (key, *short, key.removesuffix("id"), "id", *own_id, *_KEYS):
        if each in by_plain:
            flat = reading.shapes.flat(properties[by_plain[each]])
            if flat.type in ("object", "array", "boolean"):
                continue
            if kind == "integer" and flat.type == "string":
                continue
            if not operation and each in ("name", "code"):  # nothing shows that it is unique
                continue
            collected.key = by_plain[each]
            return
    collected.key, collected.is_hidden = parameter or "id", True


def _parameter_type(reading: Reading, operation: Operation | None) -> str:
    """Return the type of the last parameter of an operation's path."""
    for each in operation.described.parameters if operation else ():
        if operation and each.get("in") == "path" and each.get("name") == operation.parameters[-1]:
            return reading.shapes.flat(each.get("schema")).type
    return ""


def _name(reading: Reading) -> None:
    """Name each collection by the last segment of its path; two alike get the one before, too."""
    taken: set[str] = set()
    everything = dict.fromkeys((*reading.places.values(), *reading.singles.values()))
    for collected in sorted(everything, key=lambda each: len(each.path)):
        words = [re.sub("[^A-Za-z0-9_-]+", "-", each) for each in collected.path if each != "{}"]
        words = [each for each in words if each.strip("-")] or ["records"]
        names = ["-".join(words[-count:]) for count in range(1, len(words) + 1)]
        names += [f"{names[-1]}-{number}" for number in range(2, len(everything) + 2)]
        collected.name = next(name for name in names if name.lower() not in taken)
        taken.add(collected.name.lower())


def _collections(reading: Reading, described: Sequence[Described]) -> Iterator[GuessedCollection]:
    """Yield the collections as the rest of the program knows them."""
    written = {_operation(each).path: each.path for each in described}
    for collected in dict.fromkeys((*reading.places.values(), *reading.singles.values())):
        parent = reading.places[collected.parent] if collected.parent else None
        path = collected.nested or collected.path
        names = [*_PARAMETER.findall(_written(path, written))]
        is_nested = bool(names) and not collected.is_single
        yield GuessedCollection(
            collected.name,
            collected.key,
            collected.is_hidden,
            parent.name if parent else "",
            names[-1] if names and (parent or is_nested) else "",
            collected.schema,
            written.get(collected.path, ""),
            written.get(collected.item, ""),
            collected.is_single,
            bool(collected.item) and not (collected.has_list or collected.has_create),
            collected is reading.people,
            _shown(reading, collected),
            _owner(reading, collected),
            _link(reading, path, collected) if names else (),
            _references(reading, collected),
        )


def _link(reading: Reading, path: Template, collected: Collected) -> PropertyPath:
    """Return the property of a collection's records with the key of their parent."""
    operation = next(
        iter(reading.by_path.get(path, reading.by_path.get(collected.item, {})).values())
    )
    return _related(reading, operation, path.count("{}") - 1, collected)


def _references(reading: Reading, collected: Collected) -> dict[PropertyPath, str]:
    """Return the properties that name a record of another collection: `ownerId` one of owners."""
    segments = {
        singular(plain(each.segment)): each.name
        for each in dict.fromkeys(reading.places.values())
        if each is not collected
    }
    result: dict[PropertyPath, str] = {}
    for name, schema in reading.shapes.flat(collected.schema).properties.items():
        flat = reading.shapes.flat(schema)
        is_many = flat.type == "array"
        key = plain(name).removesuffix("s") if is_many else plain(name)
        target = segments.get(key.removesuffix("id")) if key.endswith("id") else None
        kind = reading.shapes.flat(flat.items).type if is_many else flat.type
        if target and kind in ("string", "integer"):
            result[(name,)] = target
    return result


def _written(path: Template, written: Mapping[Template, str]) -> str:
    """Return a path in the document's words; that of a longer one cut, if only this exists."""
    for template, text in written.items():
        if template[: len(path)] == path:
            return "/".join(text.strip("/").split("/")[: len(path)])
    return ""


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


def _owner(reading: Reading, collected: Collected) -> PropertyPath:
    """Return the property that names the person to whom a record belongs."""
    if reading.people is None or collected is reading.people:
        return ()
    properties = reading.shapes.flat(collected.schema).properties
    names = {plain(name): name for name in properties}
    people = singular(plain(reading.people.segment))
    others = {singular(plain(each.segment)) for each in reading.places.values()}
    for word in (*_OWNERS, people):
        for each in (word, f"{word}id"):
            if each not in names or (word in others and word != people):
                continue
            flat = reading.shapes.flat(properties[names[each]])
            inner = [name for key in _KEYS for name in flat.properties if plain(name) == key]
            if flat.type != "object":
                return (names[each],)
            if inner:
                return (names[each], inner[0])
    return ()


# What every rule's guess gets


def _completed(operation: Operation, reading: Reading, guess: Guess) -> Guess:
    """Return a guess with its filters, paging, parents, order and notes (rule 13)."""
    collected = _of(reading, guess)
    if collected is None:
        return guess
    where = {
        name: _related(reading, operation, index, collected)
        for index, name in enumerate(operation.parameters)
        if not (guess.key_in == "path" and index == len(operation.parameters) - 1)
    }
    mine = reading.people is not None and any(plain(each) in _OWN for each in operation.path)
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
    paging = page_words(reading.shapes, operation.response, guess.envelope, operation.segment)
    unknown = [name for name, meaning in query.items() if meaning.word == "ignored"]
    note = f"ignored: {', '.join(unknown)}" if unknown else ""
    if guess.view and not guess.fixed and not where and not any(m.path for m in query.values()):
        note = "; ".join(filter(None, [note, f"what limits '{operation.path[-1]}' is unknown"]))
    sort = _order(reading, operation, guess, query)
    return guess._replace(query=query, paging=paging, note=note, sort=sort)


def _of(reading: Reading, guess: Guess) -> Collected | None:
    """Return the collection of a guess."""
    everything = (*reading.places.values(), *reading.singles.values())
    return next((each for each in everything if each.name == guess.collection), None)


def _is_toggled(reading: Reading, meaning: Meaning) -> bool:
    """Return whether people log in, so that each has switched on records of its own."""
    return reading.people is not None and bool(meaning.path)


def _related(
    reading: Reading, operation: Operation, index: int, collected: Collected
) -> PropertyPath:
    """Return the property that must equal a parameter of the path; empty if records do not show it.

    For ``/owners/{id}/pets`` these are tried: `ownerId`, `owner.id`, `owner`.
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
            inner = next((names[word] for word in (key, short, *_KEYS) if word in names), "")
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
    names = reading.shapes.flat(guess.item).properties
    created = [name for name in names if re.fullmatch("created(at|on|date|time)?", plain(name))]
    is_recent = re.search(r"\b(recent|latest|newest)\b", operation.text, re.IGNORECASE)
    is_sorted = any(meaning.word == "sort" for meaning in query.values())
    return f"-{created[0]}" if created and (is_recent or not is_sorted) else ""
