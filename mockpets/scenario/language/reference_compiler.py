"""Compile the references of a reply, and report those that name nothing.

In `body`, an object ``{from: SOURCE}`` or ``{from: SOURCE, default: VALUE}`` is a reference. In
`message`, `text` and the values of headers it is a source in braces; other braces stay as they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mockpets.errors import did_you_mean, nearest
from mockpets.redaction import is_secret
from mockpets.scenario.language.headers import TOKEN
from mockpets.scenario.matching import ABSENT, operations_of
from mockpets.scenario.scenario_model import Reference, Text
from mockpets.strict_json import dump_json
from mockpets.units import either, quote

if TYPE_CHECKING:
    from mockpets.contract.fields import ContractField
    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Node, Path
    from mockpets.scenario.scenario_model import Match

SOURCES: Final = {
    "body": "body.NAME",
    "query": "query.NAME",
    "headers": "headers.NAME",
    "path": "path.NAME",
    "session": "session",
    "now": "now",
    "count": "count",
    "uuid": "uuid",
}
"""First word of a source to its form."""
_AS_IT_IS: Final = "to send the object as it is, write {literal: {from: ...}}"
_KNOWN: Final = f"sources: {', '.join(SOURCES.values())}; {_AS_IT_IS}"
_REFERENCES: Final = 100
"""Maximum number of references in a reply: each may be as large as the body of a request."""
IN_BRACES: Final = re.compile(r"(\\?)(?<!\{)\{([^{}\s\\]{1,200})\}(?!\})")


class _UnknownSourceError(Exception):
    """A source that does not exist; its arguments are what is wrong, and a hint."""


class _SecretSourceError(_UnknownSourceError):
    """A source whose value is a secret, which no response may repeat."""


Piece = bytes | Reference | Text


@dataclass
class Compiler:
    """Compiles the values of one reply.

    :param node: of the reply; problems have the place of a value in it.
    """

    node: Node
    diagnostics: Diagnostics
    match: Match
    found: bool = False
    """Whether a value has a reference, or an escaped one."""
    count: int = 0
    """The number of references so far."""
    holes: list[Path] = field(default_factory=list)
    """The places of references without a default, whose values the contract check cannot know."""
    body: list[Piece] = field(default_factory=list)
    """The pieces of a JSON body so far."""

    # --- In `body` ------------------------------------------------------------------------------

    def add(self, *pieces: Piece) -> None:
        """Add pieces to the body; join adjacent bytes."""
        for piece in pieces:
            if isinstance(piece, bytes) and self.body and isinstance(self.body[-1], bytes):
                self.body[-1] += piece
            else:
                self.body.append(piece)

    def json(self, value: object, path: Path = ()) -> object:
        """Add a JSON value to the body; return what the contract check looks at in its place.

        :param path: of the value in the body.
        """
        if isinstance(value, dict) and _is_reference(value):
            return self._reference(value, path)
        if (
            isinstance(value, dict)
            and value.keys() == {"literal"}
            and _is_special(value["literal"])
        ):
            value = value["literal"]
        elif isinstance(value, dict):
            checked = {}
            for position, (name, member) in enumerate(value.items()):
                self.add(b"," if position else b"{", dump_json(name), b":")
                checked[name] = self.json(member, (*path, name))
            self.add(b"}" if checked else b"{}")
            return checked
        elif isinstance(value, list):
            items = []
            for position, item in enumerate(value):
                self.add(b"," if position else b"[")
                items.append(self.json(item, (*path, position)))
            self.add(b"]" if items else b"[]")
            return items
        elif isinstance(value, str):
            self._warn_text(value, path)
        self.add(dump_json(value))
        return value

    def _reference(self, value: dict[str, object], path: Path) -> object:
        source, default = value["from"], value.get("default", ABSENT)
        at: Path = ("body", *path, "from")
        self.found = True
        self._add_one(at)
        try:
            if not isinstance(source, str):
                raise _UnknownSourceError("must be a source, such as body.name", _AS_IT_IS)
            steps = self._steps(source)
            self._warn_property(source, at)
        except _UnknownSourceError as error:
            what, hint = error.args
            self.diagnostics.add(self.node, what, hint, at=at)
            return None
        if default is ABSENT:
            self.holes.append(("body", *path))
            self.add(Reference(source, steps))
            return None
        self.add(Reference(source, steps, dump_json(default)))
        return default

    def _warn_text(self, text: str, path: Path) -> None:
        """Warn about a source in braces, which has a meaning in other parts of a reply."""
        for escape, source in IN_BRACES.findall(text):
            if not escape and source.partition(".")[0] in SOURCES:
                what = f"{quote('{' + source + '}')} is sent unchanged in a body"
                hint = f"write {{from: {source}}} for the whole value"
                self.diagnostics.warn(self.node, what, hint, at=("body", *path))

    # --- In `message`, `text` and headers -------------------------------------------------------

    def text(self, text: str, at: Path) -> Text:
        """Return the pieces of a text, whose place in the reply is `at`."""
        pieces: list[str | Reference] = []
        end = 0
        for part in IN_BRACES.finditer(text):
            try:
                steps = self._steps(part[2])
            except _SecretSourceError as error:
                what, hint = error.args
                self.diagnostics.add(self.node, what, hint, at=at)
                continue
            except _UnknownSourceError as error:
                self._warn_unknown(part[2], error, at)
                continue
            pieces.append(text[end : part.start()])
            if part[1]:
                pieces.append(part[0][1:])
            else:
                self._add_one(at)
                self._warn_property(part[2], at)
                pieces.append(Reference(part[2], steps))
            self.found = True
            end = part.end()
        return tuple(piece for piece in (*pieces, text[end:]) if piece != "")

    def _warn_unknown(self, source: str, error: _UnknownSourceError, at: Path) -> None:
        kind, dot, name = source.partition(".")
        near = nearest(kind, {known: known for known in SOURCES}, 0.7)
        if near is not None:
            what, hint = error.args
            if near != kind:
                what, hint = "", did_you_mean(source, [near + dot + name])
            text = f"{quote('{' + source + '}')} is sent unchanged"
            self.diagnostics.warn(self.node, f"{text}: {what}" if what else text, hint, at=at)

    def _add_one(self, at: Path) -> None:
        self.count += 1
        if self.count == _REFERENCES + 1:
            what = f"the reply has more than {_REFERENCES} references"
            hint = "remove some, or repeat a larger value, such as body"
            self.diagnostics.add(self.node, what, hint, at=at)

    # --- Sources --------------------------------------------------------------------------------

    def _steps(self, source: str) -> tuple[str, ...]:
        """Return the steps of a source (see `Reference`), or raise `_UnknownSourceError`."""
        kind, dot, name = source.partition(".")
        form = SOURCES.get(kind)
        if form is None:
            near = nearest(kind, {known: known for known in SOURCES})
            hint = did_you_mean(source, [f"{near}{dot}{name}"]) if near else _KNOWN
            raise _UnknownSourceError(f"unknown source {quote(source)}", hint)
        is_whole = kind == "body" and not dot
        if bool(name) != form.endswith("NAME") and not is_whole:
            raise _UnknownSourceError(f"invalid source {quote(source)}", f"write {form}")
        match kind:
            case "body":
                steps = name.split(".") if name else []
                if "" in steps:
                    raise _UnknownSourceError(f"invalid source {quote(source)}", f"write {form}")
                return (kind, *steps)
            case "query" | "headers":
                return kind, self._name(kind, name)
            case "path":
                return self._segment(name)
        return (kind,)

    def _name(self, kind: str, name: str) -> str:
        if is_secret(name):
            what = f"{quote(f'{kind}.{name}')} has a secret, which a response must not repeat"
            raise _SecretSourceError(what, "remove it")
        if kind == "query":
            return name
        if not re.fullmatch(TOKEN, name):
            raise _UnknownSourceError(f"{quote(name)} is not a header name", "write headers.NAME")
        return name.lower()

    def _segment(self, name: str) -> tuple[str, ...]:
        match = self.match
        segments = (match.path or "").split("/")
        names = {part[1:-1]: place for place, part in enumerate(segments) if part[:1] == "{"}
        if name in names:
            return "path", str(names[name])
        params: dict[str, ContractField] = {}
        for operation in operations_of(match, self.diagnostics.contracts):
            params |= operation.parameters.fields
        if name in params:
            return "params", name, params[name].openapi["type"]
        known = [*names, *params]
        hint = did_you_mean(name, known) or (
            f"named segments: {', '.join(known)}"
            if known
            else f"name a segment of match.path: {{{name}}}"
        )
        raise _UnknownSourceError(f"the path has no segment {quote(name)}", hint)

    def _warn_property(self, source: str, at: Path) -> None:
        """Warn about a property that valid bodies of the stub's operations do not have."""
        kind, _, name = source.partition(".")
        operations = self.match.operations
        if kind != "body" or not operations:
            return
        first = name.partition(".")[0]
        known = self.diagnostics.contracts.operations.values()
        bodies = {each.name: each.body for each in known if each.body}
        schemas = [bodies[operation].schema for operation in operations if operation in bodies]
        if not schemas:
            what = f"{' and '.join(operations)} has no body"
            hint = f"match {either(bodies)}, or a path"
        elif first and not any(first in schema.fields for schema in schemas):
            fields = schemas[0].fields
            what = f"{quote(first)} is not a property of {schemas[0].name}"
            hint = did_you_mean(first, fields) or f"properties: {', '.join(fields)}"
        else:
            return
        self.diagnostics.warn(self.node, what, hint, at=at)


def _is_reference(value: object) -> bool:
    return isinstance(value, dict) and value.keys() in ({"from"}, {"from", "default"})


def _is_special(value: object) -> bool:
    """Return whether a value has a meaning of its own, so that `literal` around it has one too."""
    while isinstance(value, dict) and value.keys() == {"literal"}:
        value = value["literal"]
    return _is_reference(value)
