"""The tree of a document: nodes with line and column, and the builder that makes them from events.

The builder keeps its own stack and counts before it creates nodes, so that limits on depth, size
and aliases hold while the parser still reads the text.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from mockpets.errors import InputError, Problem
from mockpets.scenario.language.scalars import Scalar, read_scalar
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Iterable

FILE_DEPTH: Final = 40
FILE_ALIASES: Final = 50

Kind = Literal["mapping", "list", "text", "integer", "number", "boolean", "nothing", "unusable"]
"""The kind of a node; an ``unusable`` one already has a problem, and shapes ignore it."""

_KINDS: Final[dict[type, Kind]] = {
    str: "text",
    bool: "boolean",
    int: "integer",
    Decimal: "number",
    type(None): "nothing",
}

Step = Literal["word", "quoted", "alias", "mapping", "list", "end"]


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

    def find(self, path: Iterable[str | int]) -> tuple[Node, tuple[str | int, ...]]:
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


def dotted(path: Iterable[str | int]) -> str:
    """Return a path as messages show it: ``stubs.2.reply.status``, positions from 1."""
    return ".".join(
        str(step) if isinstance(step, int) or re.fullmatch(r"[\w$-]{1,80}", step) else quote(step)
        for step in path
    )


class Event(NamedTuple):
    """One step through a document; a ``word`` is an unquoted scalar, ``quoted`` a quoted one."""

    what: Step
    line: int
    column: int
    text: str = ""
    anchor: str | None = None
    tag: str | None = None


class _Size(NamedTuple):
    nodes: int
    characters: int


@dataclass(slots=True)
class _Open:
    """A mapping or list whose end is not reached: the size before it, and the levels inside it."""

    event: Event
    before: _Size
    items: list[Node] = field(default_factory=list)
    members: dict[str, tuple[Node, Node]] = field(default_factory=dict)
    key: Node | None = None
    height: int = 1


class Builder:
    """Builds the tree in `root` from events, and collects problems that do not end the reading."""

    def __init__(self, shown: str, nodes: int, characters: int) -> None:
        self.root: Node | None = None
        self.problems: list[Problem] = []
        self._shown = shown
        self._limit = _Size(nodes, characters)
        self._size = _Size(0, 0)
        self._aliases = 0
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[Node, _Size, int]] = {}
        """Anchor to its node, its size, and the levels inside it."""

    def take(self, event: Event) -> None:
        """Process the next event; raise InputError at a limit, or if reading cannot continue."""
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            self._add(event, f"tags are not supported, got {quote(tag)}", "remove the tag")
        match event.what:
            case "word" if not self._open and not event.text:
                pass  # an empty document: the root stays None
            case "mapping" | "list":
                self._begin(event)
            case "end":
                frame = self._open.pop()
                begin, before = frame.event, frame.before
                kind: Kind = "mapping" if begin.what == "mapping" else "list"
                if begin.tag is not None:
                    kind = "unusable"
                items = tuple(frame.items)
                node = Node(kind, begin.line, begin.column, None, items, frame.members)
                nodes, characters = self._size
                size = _Size(nodes - before.nodes, characters - before.characters)
                self._put(node, begin.anchor, size, frame.height)
            case "alias":
                self._alias(event)
            case _:
                size = _Size(1, len(event.text))
                self._count(event, size)
                self._put(self._scalar(event), event.anchor, size, 0)

    def _begin(self, event: Event) -> None:
        frame = self._open[-1] if self._open else None
        if frame and frame.event.what == "mapping" and frame.key is None:
            raise self._stop(event, f"a key must be a string, got a {event.what}")
        self._check_depth(event, 1)
        self._open.append(_Open(event, self._size))
        self._count(event, _Size(1, 0))

    def _alias(self, event: Event) -> None:
        """Put the node of an alias's anchor into the tree again."""
        self._aliases += 1
        if self._aliases > FILE_ALIASES:
            raise self._stop(event, f"has more than {FILE_ALIASES} aliases")
        name = quote("*" + event.text)
        if any(frame.event.anchor == event.text for frame in self._open):
            raise self._stop(event, f"alias {name} refers to a value that contains it")
        if event.text not in self._anchors:
            raise self._stop(event, f"unknown alias {name}: define its anchor before it")
        node, size, height = self._anchors[event.text]
        self._check_depth(event, height)
        self._count(event, size)
        self._put(node, None, size, height)

    def _scalar(self, event: Event) -> Node:
        try:
            # Only an escape can produce half of a surrogate pair; UTF-8 cannot encode it.
            if surrogate := re.search("[\ud800-\udfff]", event.text):
                what = f"U+{ord(surrogate[0]):04X} is half of a surrogate pair"
                raise ValueError(what, "write the complete character")
            value = read_scalar(event.text) if event.what == "word" else event.text
        except ValueError as error:
            self._add(event, *error.args)
            return Node("unusable", event.line, event.column, event.text)
        kind = "unusable" if event.tag is not None else _KINDS[type(value)]
        return Node(kind, event.line, event.column, value)

    def _put(self, node: Node, anchor: str | None, size: _Size, height: int) -> None:
        if anchor is not None:
            self._anchors[anchor] = (node, size, height)
        if not self._open:
            self.root = node
            return
        frame = self._open[-1]
        frame.height = max(frame.height, height + 1)
        if frame.event.what == "list":
            frame.items.append(node)
        elif frame.key is None:
            frame.key = node
        else:
            key, frame.key = frame.key, None
            self._member(frame, key, node)

    def _member(self, frame: _Open, key: Node, node: Node) -> None:
        name = str(key.value)
        if key.kind == "unusable":
            return
        if key.kind != "text":
            hint = "" if key.value is None else f'quote it: "{key.shown()}"'
            self._add(key, f"a key must be a string, got {key.shown()}", hint)
        elif name == "<<":
            self._add(key, "merge keys ('<<') are not supported", "write out the merged keys")
        elif name in frame.members:
            first = frame.members[name][0].line
            what = f"duplicate key {quote(name)}, first set on line {first}"
            self._add(key, what, "remove one of them")
        else:
            frame.members[name] = (key, node)

    def _check_depth(self, event: Event, more: int) -> None:
        if len(self._open) + more > FILE_DEPTH:
            raise self._stop(event, f"is nested deeper than {FILE_DEPTH} levels")

    def _count(self, event: Event, more: _Size) -> None:
        nodes, characters = self._size.nodes + more.nodes, self._size.characters + more.characters
        self._size = _Size(nodes, characters)
        expanded = "with aliases expanded"
        if nodes > self._limit.nodes:
            raise self._stop(event, f"has more than {self._limit.nodes} values, {expanded}")
        if characters > self._limit.characters:
            raise self._stop(
                event, f"has more than {self._limit.characters} characters, {expanded}"
            )

    def _add(self, at: Node | Event, what: str, hint: str = "") -> None:
        """Add a problem after which reading can continue."""
        path: list[str | int] = []
        for frame in self._open:
            if frame.event.what == "list":
                path.append(len(frame.items) + 1)
            elif frame.key is not None and isinstance(frame.key.value, str):
                path.append(frame.key.value)
        self.problems.append(Problem(self._shown, at.line, at.column, dotted(path), what, hint))

    def _stop(self, event: Event, what: str) -> InputError:
        last = Problem(self._shown, event.line, event.column, "", what)
        return InputError(sorted([*self.problems, last]))
