"""The rules that say what an operation does, in the order in which they are tried.

Each rule looks at one operation and returns a `Guess`, or None if it does not apply. Its name is in
the output of `mockpets contract`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mockpets.constants import RECORD_METHODS
from mockpets.contract.collecting import credentials_of, person_in
from mockpets.contract.guesses import Guess
from mockpets.contract.query_meanings import query_meaning
from mockpets.contract.schema_shapes import plain, same_stem, singular, stem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mockpets.contract.guesses import Collected, GuessedRole, Operation, Reading
    from mockpets.contract.query_meanings import PropertyPath

_ME: Final = re.compile("(the)?(me|self|myself|whoami|current|currentuser|user|profile|account)")


def log_in(operation: Operation, reading: Reading) -> Guess | None:
    """Rule `log-in`: a password in and a token out is a log-in, or registers a person.

    ``POST /users/login`` is a log-in; ``POST /users``, and a path with "register", create.
    """
    people = reading.people
    credentials = credentials_of(operation, reading.shapes)
    if people is None or credentials is None:
        return None
    words = f"{operation.last} {operation.described.name}".lower()
    is_new = operation.path == people.path or bool(re.search("regist|sign-?_?up|join", words))
    guess = reading.respond(operation, people, "create" if is_new else "login")
    person = person_in(operation, reading.shapes)
    if person:
        guess = guess._replace(item=person.item, envelope=person.path, returns="record")
    return guess._replace(credentials=credentials)


def me(operation: Operation, reading: Reading) -> Guess | None:
    """Rule `me`: ``/me`` and ``/user`` are the record of the person whose token the request has."""
    people = reading.people
    role = RECORD_METHODS.get(operation.method)
    if people is None or role is None or operation.path in reading.places:
        return None
    if operation.is_item or not _ME.fullmatch(plain(operation.segment)):
        return None
    read = reading.by_path[operation.path].get("GET", operation)
    record = reading.shapes.record(read.response, operation.segment)
    if record is None or not reading.is_of(people, record.item):
        return None
    guess = reading.respond(operation, people, role)
    return replaced(operation, reading, people, guess)._replace(key_in="token")


def item(operation: Operation, reading: Reading) -> Guess | None:
    """Rule `item`: ``P/{x}`` is a record of the collection P.

    GET, PUT, PATCH and DELETE read and change it. POST changes it if it returns the record.
    """
    collected = reading.places.get(operation.path[:-1]) if operation.is_item else None
    if collected is None or not collected.item:
        return None
    role = RECORD_METHODS.get(operation.method)
    guess = reading.respond(operation, collected, role or "update")
    if operation.method == "GET" and (guess.returns != "record" or not operation.is_readable):
        return None
    if role is None and (operation.method != "POST" or guess.returns != "record"):
        return None
    guess = replaced(operation, reading, collected, guess)
    return guess._replace(key=operation.parameters[-1], key_in="path")


def replaced(operation: Operation, reading: Reading, collected: Collected, guess: Guess) -> Guess:
    """Return the guess for a write: a PUT whose body is a part of a record updates.

    A PUT creates where no POST does.
    """
    if operation.is_json_patch:
        return guess._replace(patch="json-patch", body_envelope=())
    if guess.role != "replace":
        return guess
    body = reading.shapes.record(operation.body, operation.segment)
    known = reading.shapes.record(collected.creating, collected.segment)
    if body and known:
        changed, created = (reading.shapes.flat(each.item) for each in (body, known))
        lacks = created.required - changed.properties.keys()
        if lacks or (created.required and not changed.required):
            return guess._replace(role="update")
    return guess._replace(creates=not collected.has_create)


def toggle(operation: Operation, reading: Reading) -> Guess | None:
    """Rule `toggle`: POST and DELETE of ``P/{x}/favorite`` set the boolean with that stem.

    `favorited` becomes true or false, and `favoritesCount` changes by one.
    """
    collected = reading.owner(operation)
    methods = reading.by_path[operation.path].keys()
    if collected is None or operation.path in reading.places or operation.is_item:
        return None
    if not ({"POST", "PUT"} & methods and "DELETE" in methods):
        return None
    if operation.method not in ("POST", "PUT", "DELETE"):
        return None
    properties = reading.shapes.placed(collected.schema)
    for path, each in properties.items():
        if reading.shapes.flat(each).type == "boolean" and same_stem(path[-1], operation.segment):
            counters = [
                other
                for other, schema in properties.items()
                if reading.shapes.flat(schema).type == "integer"
                and plain(other[-1]).startswith(stem(operation.segment))
            ]
            return below(operation, reading, collected, "toggle")._replace(
                change={path: operation.method != "DELETE"},
                counter=counters[0] if counters else (),
            )
    return None


def below(operation: Operation, reading: Reading, collected: Collected, role: GuessedRole) -> Guess:
    """Return a guess about ``P/{x}/y``, whose last parameter is the key of a record of P."""
    guess = reading.respond(operation, collected, role)
    return guess._replace(key=operation.parameters[-1], key_in="path")


def action(operation: Operation, reading: Reading) -> Guess | None:
    """Rule `action`: POST ``P/{x}/cancel`` sets the enum value, or the boolean, with that stem.

    `status` becomes ``cancelled``. ``unpublish`` sets `published` to false.
    """
    collected = reading.owner(operation)
    if collected is None or operation.method not in ("POST", "PUT", "PATCH"):
        return None
    if operation.path in reading.places or "GET" in reading.by_path[operation.path]:
        return None
    change = _change(reading, collected, operation.segment)
    if not change:
        return None
    guess = below(operation, reading, collected, "act")
    properties = reading.shapes.flat(operation.response).properties
    if guess.returns == "other" and "id" in properties:
        return None  # it creates something else
    return guess._replace(change=change)


def _change(reading: Reading, collected: Collected, verb: str) -> dict[PropertyPath, object]:
    """Return the property that a verb changes, with its new value; empty if there is none."""
    opposite = re.sub("^(un|dis|de)-?(?=.{4})", "", verb.lower())
    words = [verb, *(word for word in re.split("[-_]", verb) if len(word) > 3)]
    for path, each in reading.shapes.placed(collected.schema).items():
        flat, name = reading.shapes.flat(each), path[-1]
        for word in words:
            for value in flat.values:
                if isinstance(value, str) and same_stem(word, value):
                    return {path: value}
            if flat.type == "boolean" and same_stem(word, name):
                return {path: True}
        if flat.type == "boolean" and opposite != verb.lower() and same_stem(opposite, name):
            return {path: False}
    return {}


def part(operation: Operation, reading: Reading) -> Guess | None:
    """Rule `part`: PUT ``P/{x}/status`` with properties of the record changes them."""
    collected = reading.owner(operation)
    if collected is None or operation.method not in ("POST", "PUT", "PATCH"):
        return None
    body = reading.shapes.record(operation.body, operation.segment)
    known = reading.shapes.flat(collected.schema).properties.keys()
    names = {*reading.shapes.flat(body.item).properties} if body else set()
    if operation.path in reading.places or not names or not names <= known:
        return None
    guess = below(operation, reading, collected, "update")
    returns = guess.returns == "record" and reading.shapes.same_record(guess.item, collected.schema)
    is_known = returns or (operation.method != "POST" and operation.segment in known)
    return guess if is_known and "GET" not in reading.by_path[operation.path] else None


def listing(operation: Operation, reading: Reading) -> Guess | None:
    """Rule `list`: GET P that returns an array of records, also in an envelope, lists them.

    ``{"data": [...], "meta": {"total": 3}}`` is a list. ``{"id": 1, "items": [...]}`` is a record.
    """
    collected = reading.places.get(operation.path)
    if collected is None or operation.method != "GET" or operation.path in reading.views:
        return None
    return reading.respond(operation, collected, "list") if reading.listing(operation) else None


def view(operation: Operation, reading: Reading) -> Guess | None:
    """Rule `view`: a list of another collection's record is a part of that collection.

    ``/users/{id}/posts`` lists posts by a property such as `userId`, ``/posts/drafts`` by a value.
    """
    collected = reading.views.get(operation.path)
    is_search = operation.method == "POST" and re.search(
        "search|query|find|filter", operation.segment
    )
    if collected is None or not (operation.method == "GET" or is_search):
        return None
    if not reading.listing(operation):
        return None
    guess = reading.respond(operation, collected, "list")._replace(view=True)
    query = operation.query.values()
    is_filtered = any(query_meaning(reading.shapes, each, guess.item).path for each in query)
    if is_filtered or operation.is_item or operation.path in reading.places:
        return guess
    fixed = _change(reading, collected, operation.segment)
    return guess._replace(fixed=fixed or _described_flag(operation, reading, collected))


def _described_flag(
    operation: Operation, reading: Reading, collected: Collected
) -> dict[PropertyPath, object]:
    """Return the boolean that a view's description names: "users you follow" is `following`."""
    words = [word for word in re.findall("[a-z]+", operation.text.lower()) if len(word) > 4]
    shapes = reading.shapes
    properties = shapes.flat(collected.schema).properties
    paths: list[PropertyPath] = [(name,) for name in properties]
    paths += [
        (name, inner) for name, each in properties.items() for inner in shapes.flat(each).properties
    ]
    for path in paths:
        is_named = any(same_stem(word, path[-1]) for word in words)
        if is_named and shapes.property_at(collected.schema, path).type == "boolean":
            return {path: True}
    return {}


def create(operation: Operation, reading: Reading) -> Guess | None:
    """Rule `create`: POST on P creates a record; below P, if it returns it or gets an array of it.

    An array in the body, also in the list's envelope, creates several.
    """
    if operation.method != "POST" or operation.is_item or not operation.is_readable:
        return None
    collected = reading.places.get(operation.path) or reading.views.get(operation.path)
    is_below = collected is None
    if collected is None:
        collected = reading.places.get(operation.path[:-1])
    if collected is None or collected.is_single:
        return None
    guess = reading.respond(operation, collected, "create")
    several = reading.shapes.listing(operation.body, operation.segment)
    is_record = reading.shapes.record(operation.body, operation.segment)
    many = (
        several is not None
        and reading.is_of(collected, several.item)
        and not (is_record and reading.is_of(collected, is_record.item))
    )
    if is_below and not many and not (operation.status == "201" and guess.returns == "record"):
        return None
    if many and several:
        guess = guess._replace(many=True, body_envelope=several.path)
        found = reading.listing(operation)
        if found and reading.is_of(collected, found.item):
            guess = guess._replace(item=found.item, envelope=found.path, returns="list")
    return guess


def keyed(operation: Operation, reading: Reading) -> Guess | None:
    """Rule `key-in-request`: PUT, PATCH or DELETE on P has the key in its body or its query.

    ``PUT /post`` with an `id` in the body replaces, ``DELETE /posts?id=1&id=2`` deletes. A DELETE
    without a query or a body deletes the whole list.
    """
    collected = reading.places.get(operation.path) or reading.views.get(operation.path)
    role = RECORD_METHODS.get(operation.method)
    if collected is None or role is None or role == "get":
        return None
    guess = reading.respond(operation, collected, role)
    wanted = {plain(collected.key), plain(singular(collected.segment) + "id")}
    for name, parameter in operation.query.items():
        schema = reading.shapes.flat(parameter.get("schema"))
        if plain(name) in wanted or plain(singular(name)) in wanted:
            return guess._replace(key=name, key_in="query", many=schema.type == "array")
    if operation.body is None:
        is_whole = role == "delete" and not operation.query
        return guess._replace(many=True) if is_whole else None
    if operation.is_json_patch:
        return None
    several = reading.shapes.listing(operation.body, operation.segment)
    body = reading.shapes.record(operation.body, operation.segment)
    for found, many in ((body, False), (several, True)):
        names = reading.shapes.flat(found.item).properties if found else {}
        if found and (keys := [name for name in names if plain(name) in wanted]):
            return guess._replace(key=keys[0], key_in="body", body_envelope=found.path, many=many)
    return None


def single(operation: Operation, reading: Reading) -> Guess | None:
    """Rule `single`: GET with writes of one object is a single object, such as ``/settings``."""
    collected = reading.singles.get(operation.path)
    if collected is None or operation.method not in ("GET", "PUT", "PATCH", "DELETE", "POST"):
        return None
    guess = reading.respond(operation, collected, "one")
    return replaced(operation, reading, collected, guess)


def values(operation: Operation, reading: Reading) -> Guess | None:
    """Rule `values`: a list of plain values has the distinct values of a property.

    ``GET /tags`` has those of `tagList` of all articles.
    """
    if operation.method != "GET" or operation.is_item:
        return None
    found = reading.shapes.listing(operation.response, operation.segment, of_values=True)
    word = singular(plain(operation.segment))
    if found is None:
        return None
    wanted = (word, f"{word}s", f"{word}list", f"{word}names", f"{word}name")
    # A collection that the path is below comes first.
    order = sorted(
        dict.fromkeys(reading.places.values()),
        key=lambda each: each.path != operation.path[: len(each.path)],
    )
    for collected in order:
        properties = reading.shapes.flat(collected.schema).properties
        names = {plain(name): name for name in properties}
        match = next(
            (names[each] for each in (*wanted, plain(operation.segment)) if each in names), ""
        )
        if match:
            return Guess(
                "values",
                collected.name,
                item=found.item,
                envelope=found.path,
                returns="list",
                values=(match,),
            )
    return None


def stable(operation: Operation, reading: Reading) -> Guess | None:  # noqa: ARG001 - a rule
    """Rule `stable`: a GET that no other rule knows returns one object, the same each time."""
    if operation.method != "GET" or operation.response is None:
        return None
    return Guess(item=operation.response)


def example(operation: Operation, reading: Reading) -> Guess:  # noqa: ARG001 - a rule
    """Rule `example`: everything else responds with an example, or with a generated body."""
    return Guess(item=operation.response or {}, returns="other" if operation.response else "")


RULES: Final[Mapping[str, Callable[[Operation, Reading], Guess | None]]] = {
    "log-in": log_in,
    "me": me,
    "single": single,
    "toggle": toggle,
    "view": view,
    "list": listing,
    "item": item,
    "create": create,
    "key-in-request": keyed,
    "action": action,
    "part": part,
    "values": values,
    "stable": stable,
    "example": example,
}
"""By name, in the order in which they are tried; the last one always applies."""


def reason(rule: str | None) -> str:
    """Return why an operation has a role: ``rule item``, or ``given`` by a correction."""
    return f"rule {rule}" if rule in RULES else "given"
