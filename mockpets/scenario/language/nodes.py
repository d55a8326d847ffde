"""The tree of a document: nodes with line and column, made from the events of a parser.

It is made while the parser still reads the text, so that the limits on depth and size hold for a
text of any content.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import takewhile
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from mockpets.errors import InputError, Problem
from mockpets.scenario.language.yaml_scalars import Scalar, read_json_scalar, read_scalar
from mockpets.units import dotted, quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FILE_DEPTH: Final = 40
"""Maximum depth of a file, since what reads one recurses; a recorded body fits in a reply."""

Kind = Literal["mapping", "list", "text", "integer", "number", "boolean", "nothing", "unusable"]
"""The kind of a node; an ``unusable`` one already has a problem, and shapes ignore it."""

KINDS: Final[dict[type, Kind]] = {
    str: "text",
    bool: "boolean",
    int: "integer",
    Decimal: "number",
    type(None): "nothing",
}

Path = tuple[str | int, ...]
"""Keys and positions, from a node down to another one."""
Step = Literal["word", "quoted", "mapping", "list", "end"]


@dataclass(frozen=True, slots=True)
class Node:
    """One value of a document, and where it starts; line and column count from 1.

    A scalar has a `value`, a list `items`, and a mapping `members`: key to nodes of key and value.
    """

    kind: Kind
    line: int
    column: int
    value: Scalar = None
    items: tuple[Node, ...] = ()
    members: dict[str, tuple[Node, Node]] = field(default_factory=dict)

    def plain(self) -> object:
        """Return the value as plain dicts, lists and scalars."""
        if self.kind == "mapping":
            return {key: value.plain() for key, (_, value) in self.members.items()}
        return [item.plain() for item in self.items] if self.kind == "list" else self.value

    def find(self, path: Iterable[str | int]) -> tuple[Node, Path]:
        """Return the node at a path, or its nearest existing ancestor, and the path for messages.

        :param path: keys, and indexes from 0; the returned path counts from 1.
        """
        node: Node = self
        steps: list[str | int] = []
        for step in path:
            steps.append(step + 1 if isinstance(step, int) else step)
            if isinstance(step, int) and step < len(node.items):
                node = node.items[step]
            elif isinstance(step, str) and step in node.members:
                node = node.members[step][1]
        return node, tuple(steps)

    def shown(self) -> str:
        """Return the value as messages quote it."""
        if self.kind in ("mapping", "list"):
            return f"a {self.kind}"
        if isinstance(self.value, str):
            return quote(self.value)
        if isinstance(self.value, Decimal):
            return str(self.value)
        return json.dumps(self.value)


class Event(NamedTuple):
    """One step through a document; a ``word`` is an unquoted scalar, ``quoted`` a quoted one."""

    what: Step
    line: int
    column: int
    text: str = ""
    tag: str | None = None


class TreeReader:
    """Makes a tree from events, and collects problems that do not end the reading.

    :param limit: the most nodes that the tree may have.
    :param is_data: whether it has records as requests may send them, with any number and key.
    """

    def __init__(
        self, events: Iterator[Event], shown: str, limit: int, *, is_data: bool = False
    ) -> None:
        self.problems: list[Problem] = []
        self._events = events
        self._shown = shown
        self._limit = limit
        self._count = 0
        self._is_data = is_data
        self._read = read_json_scalar if is_data else read_scalar

    def root(self) -> Node | None:
        """Return the root, or None for an empty document; raise InputError at a limit."""
        event = next(self._events, None)
        is_empty = event is None or (event.what == "word" and not event.text)
        root = None if event is None or is_empty else self._node(event, ())
        for _ in self._events:
            pass  # the parser raises if more follows
        return root

    def _node(self, event: Event, path: Path) -> Node:
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            self._add(event, path, f"tags are not supported, got {quote(tag)}", "remove the tag")
        is_scalar = event.what in ("word", "quoted")
        if len(path) == FILE_DEPTH and not is_scalar:
            raise self._stop(event, f"is nested deeper than {FILE_DEPTH} levels")
        self._count += 1
        if self._count > self._limit:
            raise self._stop(event, f"has more than {self._limit} values")
        if is_scalar:
            node = self._scalar(event, path)
        elif event.what == "list":
            items = enumerate(self._inside(), 1)
            children = tuple(self._node(item, (*path, position)) for position, item in items)
            node = Node("list", event.line, event.column, items=children)
        else:
            node = Node("mapping", event.line, event.column, members=self._members(path))
        return node if event.tag is None else replace(node, kind="unusable")

    def _inside(self) -> Iterator[Event]:
        """Yield the events that begin the children of the current mapping or list."""
        return takewhile(lambda event: event.what != "end", self._events)

    def _scalar(self, event: Event, path: Path) -> Node:
        try:
            # Only an escape can produce half of a surrogate pair; UTF-8 cannot encode it.
            if surrogate := re.search("[\ud800-\udfff]", event.text):
                what = f"U+{ord(surrogate[0]):04X} is half of a surrogate pair"
                raise ValueError(what, "write the complete character")
            value = self._read(event.text) if event.what == "word" else event.text
        except ValueError as error:
            self._add(event, path, *error.args)
            text = event.text.encode(errors="replace").decode()  # what follows may encode it
            return Node("unusable", event.line, event.column, text)
        return Node(KINDS[type(value)], event.line, event.column, value)

    def _members(self, path: Path) -> dict[str, tuple[Node, Node]]:
        members: dict[str, tuple[Node, Node]] = {}
        for event in self._inside():
            if event.what in ("mapping", "list"):
                raise self._stop(event, f"a key must be a string, got a {event.what}")
            key = self._node(event, path)
            name = str(key.value)
            value = self._node(next(self._events), (*path, name))
            if key.kind == "unusable":
                continue
            if key.kind != "text":
                hint = "" if key.value is None else f'quote it: "{key.shown()}"'
                self._add(key, path, f"a key must be a string, got {key.shown()}", hint)
            elif name == "<<" and event.what == "word" and not self._is_data:
                hint = "write out the merged keys"
                self._add(key, path, "merge keys ('<<') are not supported", hint)
            elif name in members:
                what = f"duplicate key {quote(name)}, first set on line {members[name][0].line}"
                self._add(key, path, what, "remove one of them")
            else:
                members[name] = key, value
        return members

    def _add(self, at: Node | Event, path: Path, what: str, hint: str = "") -> None:
        """Add a problem after which reading can continue."""
        self.problems.append(Problem(self._shown, at.line, at.column, dotted(path), what, hint))

    def _stop(self, event: Event, what: str) -> InputError:
        last = Problem(self._shown, event.line, event.column, "", what)
        return InputError(sorted([*self.problems, last]))
