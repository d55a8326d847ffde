"""Find the collections of an OpenAPI document, with their keys and parents.

First those whose records have a path of their own, then lists, then what only a POST or an object
with writes shows. Collections are never merged because their records look alike.
"""

from __future__ import annotations

import re
from itertools import chain, count
from typing import TYPE_CHECKING, Final

from mockpets.contract.guesses import Collected, Credentials
from mockpets.contract.schema_shapes import Unwrapped, is_plural, plain, singular

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.contract.guesses import Operation, Reading, Template
    from mockpets.contract.openapi_loader import Node
    from mockpets.contract.query_meanings import PropertyPath
    from mockpets.contract.schema_shapes import Shapes

KEYS: Final = ("id", "name", "slug", "login", "username", "uuid", "key", "code")
"""The usual names of keys, in the order in which they are tried."""
_PASSWORDS: Final = ("password", "pass", "passwd", "passcode", "passphrase")
_PEOPLE: Final = ("user", "account", "member", "person", "customer", "profile")


def collect(reading: Reading) -> None:
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
    for collected in reading.collections:
        collected.parent = _parent(reading, collected)
        if not collected.is_single:
            find_key(reading, collected)
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
    reading.add(collected)


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
    """Let ``/users/{}/posts`` lead to `/posts`, if both have records of one component.

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
        reading.add(collected)


def _target(reading: Reading, path: Template, schema: Node) -> Collected | None:
    """Return the collection of whose records a path lists a part; None if it has its own.

    It has records of the same component. Below the collection's path, alike records are enough.
    """
    name = reading.shapes.flat(schema).name
    segment = next((each for each in reversed(path) if each != "{}"), "")
    for length in range(len(path) - 1, 0, -1) if "{}" not in path else ():
        collected = reading.places.get(path[:length])
        if collected and reading.shapes.same_record(schema, collected.schema):
            return collected
    same = reading.components.get(name, []) if name else []
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
        reading.add(collected)


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
    people.sort(key=lambda each: not is_plural(each[0].last))
    for operation, person in people:  # only log-ins know these people
        if person:
            path = operation.path if is_plural(operation.last) else ("users",)
            reading.people = Collected(path, person.item, has_create=True)
            reading.add(reading.people)
            _note_create(reading.people, operation)
            return


def credentials_of(operation: Operation, shapes: Shapes) -> Credentials | None:
    """Return the password and the token of a log-in; None unless it has both."""
    if operation.method != "POST":
        return None
    body = shapes.record(operation.body, operation.segment)
    properties = shapes.flat(body.item).properties if body else {}
    passwords = [each for each in properties if plain(each) in _PASSWORDS]
    if body is None or not passwords:
        return None
    token = _find(shapes, operation.response, "(access|auth|id|session|bearer|api)?(token|jwt)", 2)
    if not token:
        return None
    usual = ("email", "username", "login", "user", "name", "phone", "identifier", "emailaddress")
    named = [each for word in usual for each in properties if plain(each) == word]
    name = (*body.path, named[0]) if named else ()
    return Credentials(name, (*body.path, passwords[0]), token)


def person_in(operation: Operation, shapes: Shapes) -> Unwrapped | None:
    """Return the record of a person beside, or with, the token of a log-in's response."""
    flat = shapes.flat(operation.response)
    for name, each in flat.properties.items():
        inner = shapes.flat(each).properties
        if shapes.is_record(each) and {"email", "username", "name", "login"} & {*map(plain, inner)}:
            return Unwrapped((name,), each)
    found = shapes.record(operation.response, operation.segment)
    if found and {"email", "username"} & {*map(plain, shapes.flat(found.item).properties)}:
        return found
    return None


def _find(shapes: Shapes, schema: object, pattern: str, depth: int) -> PropertyPath:
    """Return the path of the first property whose name is like a pattern; empty without one."""
    properties = shapes.flat(schema).properties
    for name in properties:
        if re.fullmatch(pattern, plain(name)):
            return (name,)
    for name, each in properties.items():
        if depth and shapes.flat(each).type == "object":
            found = _find(shapes, each, pattern, depth - 1)
            if found:
                return (name, *found)
    return ()


def _parent(reading: Reading, collected: Collected) -> Template | None:
    """Return the path of the collection to whose records a collection belongs."""
    path = collected.nested or collected.path
    for index in range(len(path) - 1, 0, -1):
        if path[index] == "{}":
            found = reading.places.get(path[:index])
            return found.path if found and found is not collected else None
    return None


def find_key(reading: Reading, collected: Collected) -> None:
    """Rule 5: the property that the last parameter of a record's path names.

    For `petId` these are tried: `petId`, `id`, then a usual name; else the key is hidden.
    """
    properties = reading.shapes.flat(collected.schema).properties
    by_plain = {plain(name): name for name in properties}
    operations = reading.by_path.get(collected.item, {}) if collected.item else {}
    operation = next(iter(operations.values()), None)
    parameter = operation.parameters[-1] if operation else ""
    kind = _parameter_type(reading, operation)
    segment = singular(plain(collected.segment))
    key = plain(parameter)
    component = plain(reading.shapes.flat(collected.schema).name)
    short = [key[len(each) :] for each in (segment, component) if each and key.startswith(each)]
    own_id = [f"{segment}id", f"{component}id"]
    for each in (key, *short, key.removesuffix("id"), "id", *own_id, *KEYS):
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
    everything = reading.collections
    for collected in sorted(everything, key=lambda each: len(each.path)):
        words = [re.sub("[^A-Za-z0-9_-]+", "-", each) for each in collected.path if each != "{}"]
        words = [each for each in words if each.strip("-")] or ["records"]
        names = ["-".join(words[-length:]) for length in range(1, len(words) + 1)]
        numbered = (f"{names[-1]}-{number}" for number in count(2))
        collected.name = next(n for n in chain(names, numbered) if n.lower() not in taken)
        taken.add(collected.name.lower())
