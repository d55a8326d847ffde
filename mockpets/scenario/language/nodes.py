"""The tree of a document: nodes that know their place, and the builder that makes them of events.

The builder has a stack of its own and counts before it makes, so that depth, number and aliases
are bounded while the text is still being read. It knows nothing of YAML and JSON as texts:
`document` makes the events of both.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from mockpets.constants import FILE_ALIASES, FILE_DEPTH
from mockpets.errors import InputError, Problem
from mockpets.scenario.language.scalars import Scalar, read_scalar
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Iterable

Kind = Literal["mapping", "list", "text", "integer", "number", "boolean", "nothing", "unusable"]
"""What a node is; ``unusable`` is what was refused before it was read, and told of."""

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
    """One value of a document, and where it begins.

    :param line: from 1.
    :param column: from 1.
    :param value: of what is neither mapping nor list.
    :param items: of a list.
    :param members: of a mapping: key to the key's node and the value's.
    """

    kind: Kind
    line: int
    column: int
    value: Scalar = None
    items: tuple[Node, ...] = ()
    members: dict[str, tuple[Node, Node]] = field(default_factory=dict)

    def plain(self) -> object:
        """Return the value as JSON has it."""
        if self.kind == "mapping":
            return {key: value.plain() for key, (_, value) in self.members.items()}
        return [item.plain() for item in self.items] if self.kind == "list" else self.value

    def find(self, path: Iterable[str | int]) -> tuple[Node, tuple[str | int, ...]]:
        """Return the node at a path, or the last there is on the way, and the path from 1.

        :param path: keys, and indexes from 0.
        """
        at: Node = self
        steps: list[str | int] = []
        for step in path:
            steps.append(step + 1 if isinstance(step, int) else step)
            if isinstance(step, int) and step < len(at.items):
                at = at.items[step]
            elif isinstance(step, str) and step in at.members:
                at = at.members[step][1]
        return at, tuple(steps)

    def shown(self) -> str:
        """Return the value as messages quote it."""
        if self.kind in ("mapping", "list"):
            return f"a {self.kind}"
        if isinstance(self.value, str):
            return quote(self.value)
        if isinstance(self.value, Decimal):
            return str(self.value)
        return "nothing" if self.value is None else json.dumps(self.value)


def dotted(path: Iterable[str | int]) -> str:
    """Return a path as a person would say it: ``stubs.2.reply.status``, places from 1."""
    return ".".join(
        str(step) if isinstance(step, int) or re.fullmatch(r"[\w$-]{1,80}", step) else quote(step)
        for step in path
    )


class Event(NamedTuple):
    """One step through a document; `what` is a word, a text in quotes, an alias or a border."""

    what: Step
    line: int
    column: int
    text: str = ""
    anchor: str | None = None
    tag: str | None = None


class _Size(NamedTuple):
    """How much there is of something: nodes, and the characters of their texts."""

    nodes: int
    characters: int


@dataclass(slots=True)
class _Open:
    """A mapping or list that is being read.

    :param before: what was counted before it, so that its own size is known at its end.
    :param key: whose value comes next.
    :param height: levels in it.
    """

    event: Event
    before: _Size
    items: list[Node] = field(default_factory=list)
    members: dict[str, tuple[Node, Node]] = field(default_factory=dict)
    key: Node | None = None
    height: int = 1


class Builder:
    """Makes nodes of events, in `root` at the end, with the problems that leave the rest readable.

    :param shown: how problems name the text.
    :param nodes: at most so many, aliases counted as what they stand for.
    :param characters: at most so many in texts, keys and words, aliases counted likewise.
    """

    def __init__(self, shown: str, nodes: int, characters: int) -> None:
        self.root: Node | None = None
        self.problems: list[Problem] = []
        self._shown = shown
        self._most = _Size(nodes, characters)
        self._size = _Size(0, 0)
        self._aliases = 0
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[Node, _Size, int]] = {}
        """Anchor to its node, what it counts for, and the levels in it."""

    def take(self, event: Event) -> None:
        """Take the next event.

        :raise InputError: a limit is reached, or what stands here can have no meaning.
        """
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            self._tell(event, f"tags are not supported, got {quote(tag)}", "leave it out")
        match event.what:
            case "word" if not self._open and not event.text:
                pass  # a text without a value: the root stays None
            case "mapping" | "list":
                self._begin(event)
            case "end":
                frame = self._open.pop()
                node = Node(
                    _kind(frame.event),
                    frame.event.line,
                    frame.event.column,
                    items=tuple(frame.items),
                    members=frame.members,
                )
                size = _Size(
                    self._size.nodes - frame.before.nodes,
                    self._size.characters - frame.before.characters,
                )
                self._put(node, frame.event.anchor, size, frame.height)
            case "alias":
                self._alias(event)
            case _:
                size = _Size(1, len(event.text))
                self._count(event, size)
                self._put(self._scalar(event), event.anchor, size, 0)

    def _begin(self, event: Event) -> None:
        frame = self._open[-1] if self._open else None
        if frame and frame.event.what == "mapping" and frame.key is None:
            raise self._stop(event, f"a key must be text, got a {event.what}")
        self._check_depth(event, 1)
        self._open.append(_Open(event, self._size))
        self._count(event, _Size(1, 0))

    def _alias(self, event: Event) -> None:
        """Put the node that an alias stands for, which the tree then has twice."""
        self._aliases += 1
        if self._aliases > FILE_ALIASES:
            raise self._stop(event, f"there are more than {FILE_ALIASES} aliases")
        name = quote("*" + event.text)
        if any(frame.event.anchor == event.text for frame in self._open):
            raise self._stop(event, f"the alias {name} stands inside what it stands for")
        if event.text not in self._anchors:
            raise self._stop(event, f"the alias {name} has no anchor before it")
        node, size, height = self._anchors[event.text]
        self._check_depth(event, height)
        self._count(event, size)
        self._put(node, None, size, height)

    def _scalar(self, event: Event) -> Node:
        """Return the node of a word or a quoted text."""
        try:
            # Half of a surrogate pair can come by an escape alone, and UTF-8 cannot carry it.
            if found := re.search("[\ud800-\udfff]", event.text):
                what = f"the text holds U+{ord(found[0]):04X}, which is half of a character"
                raise ValueError(what, "write the whole character")
            value = read_scalar(event.text) if event.what == "word" else event.text
        except ValueError as error:
            self._tell(event, *error.args)
            return Node("unusable", event.line, event.column, event.text)
        kind = "unusable" if event.tag is not None else _KINDS[type(value)]
        return Node(kind, event.line, event.column, value)

    def _put(self, node: Node, anchor: str | None, size: _Size, height: int) -> None:
        """Put a finished node where it belongs."""
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
        """Put a member into a mapping, or tell why its key cannot be one."""
        name = str(key.value)
        if key.kind == "unusable":
            return
        if key.kind != "text":
            hint = "" if key.value is None else f'quote it: "{key.shown()}"'
            self._tell(key, f"a key must be text, got {key.shown()}", hint)
        elif name == "<<":
            self._tell(key, "merge keys ('<<') are not supported", "write the members out")
        elif name in frame.members:
            first = frame.members[name][0].line
            what = f"key {quote(name)} given twice, first at line {first}"
            self._tell(key, what, "keep one of the two")
        else:
            frame.members[name] = (key, node)

    def _check_depth(self, event: Event, more: int) -> None:
        if len(self._open) + more > FILE_DEPTH:
            raise self._stop(event, f"is nested deeper than {FILE_DEPTH} levels")

    def _count(self, event: Event, more: _Size) -> None:
        nodes, characters = self._size.nodes + more.nodes, self._size.characters + more.characters
        self._size = _Size(nodes, characters)
        if nodes > self._most.nodes:
            over = f"{self._most.nodes} values"
        elif characters > self._most.characters:
            over = f"{self._most.characters} characters"
        else:
            return
        what = f"has more than {over}, aliases counted as what they stand for"
        raise self._stop(event, what)

    def _tell(self, at: Node | Event, what: str, hint: str = "") -> None:
        """Note a problem that leaves the rest readable."""
        path: list[str | int] = []
        for frame in self._open:
            if frame.event.what == "list":
                path.append(len(frame.items) + 1)
            elif frame.key is not None and isinstance(frame.key.value, str):
                path.append(frame.key.value)
        self.problems.append(Problem(self._shown, at.line, at.column, dotted(path), what, hint))

    def _stop(self, event: Event, what: str) -> InputError:
        """Return the error for what makes reading on useless."""
        at = Problem(self._shown, event.line, event.column, "", what)
        return InputError(sorted([*self.problems, at]))


def _kind(event: Event) -> Kind:
    """Return the kind of a mapping or list by the event that began it."""
    if event.tag is not None:
        return "unusable"
    return "mapping" if event.what == "mapping" else "list"
