"""What the rules of the inference read, and the guess that they return.

`collecting` fills a `Reading`, `role_rules` has the rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from mockpets.contract.corrections import CorrectedRole
from mockpets.contract.query_meanings import Meaning, PageWord, PropertyPath, is_paging
from mockpets.contract.schema_shapes import Shapes, Unwrapped, is_plural, plain, singular

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.contract.openapi_loader import Described, Node

Template = tuple[str, ...]
"""The segments of a path; each parameter is ``{}``."""
GuessedRole = Literal[CorrectedRole, "login"]
_NOTHING: Final[Mapping[Any, Any]] = MappingProxyType({})


class Credentials(NamedTuple):
    """The properties of a log-in or a registration.

    :param name: in the request, what names the person, such as `email`; empty if unknown.
    :param password: in the request.
    :param token: in the response.
    """

    name: PropertyPath
    password: PropertyPath
    token: PropertyPath


class Guess(NamedTuple):
    """What an operation does.

    :param collection: its name; empty without state.
    :param rule: the name of the rule that says so.
    :param item: the schema of the record as the response has it; the collection's if it has none.
    :param envelope: the keys from the response's body down to the record or the list.
    :param body_envelope: the same for the request.
    :param returns: what the response's body holds at the envelope; empty for no body.
    :param key: the parameter with the key, or the property if it is in the body; may be empty.
    :param key_in: where the key is; `token` is the person whose token the request has.
    :param query: query parameter to what it means.
    :param paging: what properties beside a list mean, by path from the body.
    :param where: path parameter to the property that must equal it; an empty path is a link that
        records do not show.
    :param fixed: properties that the records of a view have, with the value.
    :param mine: whether only records of the person with the token count.
    :param change: what a toggle or an action sets, by path.
    :param counter: the number that a toggle changes by one.
    :param values: the property of which a list of plain values has the distinct ones.
    :param many: whether an array in the body creates several, or a DELETE has several keys; without
        a key it deletes the whole list.
    :param view: whether the list is a part of a collection that has another list.
    :param creates: whether a PUT with an unknown key creates.
    :param patch: the kind of a change, if it is not a merge.
    :param sort: the order of a list without a parameter, such as ``-createdAt``.
    :param note: what was not understood.
    """

    role: GuessedRole = "example"
    collection: str = ""
    rule: str = "example"
    item: Node = _NOTHING
    envelope: tuple[str, ...] = ()
    body_envelope: tuple[str, ...] = ()
    returns: Literal["list", "record", "other", ""] = "other"
    key: str = ""
    key_in: Literal["path", "query", "body", "token", ""] = ""
    query: Mapping[str, Meaning] = _NOTHING
    paging: Mapping[PropertyPath, PageWord] = _NOTHING
    where: Mapping[str, PropertyPath] = _NOTHING
    fixed: Mapping[PropertyPath, object] = _NOTHING
    mine: bool = False
    change: Mapping[PropertyPath, object] = _NOTHING
    counter: PropertyPath = ()
    values: PropertyPath = ()
    many: bool = False
    view: bool = False
    creates: bool = False
    patch: Literal["", "json-patch"] = ""
    credentials: Credentials | None = None
    sort: str = ""
    note: str = ""


@dataclass(frozen=True, eq=False)
class Operation:
    """One operation, with what the rules look at.

    :param parameters: the names of the path's parameters, in order.
    :param body: the schema of the request's body; None without one, or if it is no object's.
    :param response: the schema of the JSON of its success; None without one.
    :param is_readable: whether its success has JSON, or no body.
    """

    described: Described
    path: Template
    parameters: tuple[str, ...]
    query: Mapping[str, Node]
    body: Node | None
    is_json_patch: bool
    response: Node | None
    status: str
    is_readable: bool

    @property
    def method(self) -> str:
        """The method in upper case."""
        return self.described.method

    @property
    def is_item(self) -> bool:
        """Whether the path ends in a parameter."""
        return self.path[-1:] == ("{}",)

    @property
    def last(self) -> str:
        """The last segment, which may be a parameter; empty for the path ``/``."""
        return self.path[-1] if self.path else ""

    @cached_property
    def segment(self) -> str:
        """The last segment that is no parameter; empty without one."""
        return next((each for each in reversed(self.path) if each != "{}"), "")

    @property
    def text(self) -> str:
        """What the document says about the operation."""
        node = self.described.node
        return f"{node.get('summary', '')} {node.get('description', '')}"


@dataclass(eq=False)
class Collected:
    """A collection while it is found.

    :param path: of its list, which may not exist.
    :param schema: of a record.
    :param item: the path of a record; empty without one.
    :param creating: the schema of the body that creates a record.
    :param parent: the path of the collection to whose records these belong.
    :param nested: another path of its list, below a parent's record; empty without one.
    """

    path: Template
    schema: Node
    item: Template = ()
    name: str = ""
    key: str = ""
    is_hidden: bool = False
    creating: Node | None = None
    has_list: bool = False
    has_create: bool = False
    is_single: bool = False
    parent: Template | None = None
    nested: Template = ()

    @cached_property
    def segment(self) -> str:
        """The last segment of its path that is no parameter."""
        return next((each for each in reversed(self.path) if each != "{}"), "")


@dataclass(eq=False)
class Reading:
    """All operations of a document, and the collections found in it.

    :param places: collections by the path of their list; nested ones also lead to a shared one.
    :param views: the collection of which a path lists a part.
    :param people: the collection of those who log in.
    :param components: collections by the name of their records' component.
    """

    shapes: Shapes
    by_path: Mapping[Template, Mapping[str, Operation]]
    places: dict[Template, Collected] = field(default_factory=dict)
    views: dict[Template, Collected] = field(default_factory=dict)
    singles: dict[Template, Collected] = field(default_factory=dict)
    people: Collected | None = None
    components: dict[str, list[Collected]] = field(default_factory=dict)

    def add(self, collected: Collected) -> None:
        """Add a collection of records at its path."""
        self.places[collected.path] = collected
        name = self.shapes.flat(collected.schema).name
        self.components.setdefault(name, []).append(collected)

    @property
    def collections(self) -> list[Collected]:
        """All collections and single objects, each once, in the order in which they were found."""
        return list(dict.fromkeys((*self.places.values(), *self.singles.values())))

    def serves(self, operation: Operation) -> bool:
        """Return whether an operation is served, and no other one has its method and path."""
        return self.by_path.get(operation.path, {}).get(operation.method) is operation

    def listing(self, operation: Operation) -> Unwrapped | None:
        """Return the list in a response; None if it has none, such as a record with `items`."""
        shapes = self.shapes
        found = shapes.listing(operation.response, operation.segment)
        if found is None or not found.path:
            return found
        holder = shapes.property_at(operation.response, found.path[:-1])
        beside = {name: each for name, each in holder.properties.items() if name != found.path[-1]}
        segment = singular(plain(operation.segment))
        is_named = singular(plain(found.path[-1])) == segment
        if operation.is_item:
            is_record = self._is_record(operation, is_named=is_named)
            return found if self._is_paging(beside) and not is_record else None
        if any(plain(name) in ("id", "uuid", f"{segment}id") for name in beside):
            return None
        is_paged = any(plain(name) in ("limit", "page", "offset") for name in operation.query)
        is_list = is_named or is_paged or is_plural(operation.segment) or self._is_paging(beside)
        return found if is_list or operation.path in self.places else None

    def _is_paging(self, properties: Mapping[str, Node]) -> bool:
        """Return whether all properties beside an array are about paging."""
        return all(is_paging(self.shapes, name, each) for name, each in properties.items())

    def _is_record(self, operation: Operation, *, is_named: bool) -> bool:
        """Return whether other operations show that the last parameter of a path is a key.

        :param is_named: whether the array in the response is named like the path.
        """
        writes = self.by_path[operation.path].keys()
        if is_named:
            return bool({"PUT", "PATCH"} & writes)
        has_base = bool({"GET", "POST"} & self.by_path.get(operation.path[:-1], {}).keys())
        return has_base or bool({"PUT", "PATCH", "DELETE"} & writes)

    def owner(self, operation: Operation) -> Collected | None:
        """Return the collection of the record below which a path has one more segment."""
        if len(operation.path) < 3 or operation.path[-2] != "{}" or operation.is_item:
            return None
        return self.places.get(operation.path[:-2])

    def is_of(self, collected: Collected, schema: object) -> bool:
        """Return whether a schema is that of a collection's record, or has a part of it."""
        if self.shapes.same_record(schema, collected.schema):
            return True
        names = self.shapes.flat(schema).properties.keys()
        known = self.shapes.flat(collected.schema).properties.keys()
        return bool(names) and 2 * len(names & known) > len(names)

    def respond(self, operation: Operation, collected: Collected, role: GuessedRole) -> Guess:
        """Return a guess with the envelopes of response and body, and the schema of the record."""
        guess = Guess(role, collected.name, item=collected.schema)
        flat = self.shapes.flat(operation.response)
        record = self.shapes.record(operation.response, operation.segment)
        if role == "list" or flat.type == "array":
            record = self.listing(operation)
        if record and (role in ("list", "get", "one") or self.is_of(collected, record.item)):
            is_list = role == "list" or flat.type == "array"
            returns: Literal["list", "record"] = "list" if is_list else "record"
            guess = guess._replace(item=record.item, envelope=record.path, returns=returns)
        elif operation.response is None:
            guess = guess._replace(returns="")
        body = self.shapes.record(operation.body, operation.segment)
        return guess._replace(body_envelope=body.path if body else ())
