"""The files of an OpenAPI document, and what the references in them lead to."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Mapping
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from mockpets.contract.reading import Positions, positions, read
from mockpets.errors import InputError, Problem, did_you_mean, invalid, nearest
from mockpets.strict_json import dump_json
from mockpets.strict_json import shown as shown_value
from mockpets.text_files import read_any_text
from mockpets.units import dotted, quote

if TYPE_CHECKING:
    from pathlib import Path as FilePath

Node = Mapping[str, Any]
Path = tuple[str | int, ...]
"""Keys and indexes from the root of the document.

A path may lead through references: ``("paths", "/posts", "get", "responses", "200", "content")``.
In another file it starts with the file's name and ``#``: ``("schemas/post.yaml#", "Post")``.
"""

FILE_BYTES: Final = 32 * 2**20
"""Maximum size of a document with its files."""
FILES: Final = 1000
CHAIN: Final = 50
"""Maximum number of references that lead to each other."""
_HINTS: Final = 50
"""Broken references of a document for which the nearest name is looked up, which takes long."""
_NETWORK: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_NAMED: Final = frozenset(("schemas", "definitions", "$defs"))
_MAPS: Final = frozenset(("properties", "patternProperties", "dependentSchemas", *_NAMED))
"""The keywords of a schema whose keys are names."""
_ABOUT: Final = frozenset((
    *("title", "description", "example", "examples", "deprecated", "externalDocs", "xml"),
    *("$comment", "$id", "$anchor"),
))  # fmt: skip
"""The keywords of a schema that allow no other values."""


class BrokenReferenceError(Exception):
    """A reference that leads nowhere.

    :param problems: those of the file to which it leads; else `what` is wrong with the reference.
    """

    def __init__(self, what: str, hint: str = "", problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.problems = problems


class _Source:
    """The values of a file; their positions are read when a message needs them."""

    def __init__(self, shown: str, text: str) -> None:
        self.shown = shown
        self.text = text
        self.root = read(text, shown)

    @cached_property
    def positions(self) -> Positions:
        return positions(self.text, self.shown)


class References:
    """The values of a file and of those to which it refers; numbers are int or Decimal.

    :param shown: the file's name in messages.
    :raise InputError: the file cannot be read, or is not a mapping.
    """

    def __init__(self, path: FilePath, shown: str) -> None:
        self.file: Final = shown
        self._folder = path.parent
        self._name = path.name
        source = _Source(shown, read_any_text(path, shown, FILE_BYTES))
        if not isinstance(source.root, dict):
            kind = "a list" if isinstance(source.root, list) else "plain text"
            raise invalid(shown, f"is {kind}, not an OpenAPI document", "check the path")
        self.root: Final[Node] = source.root
        self._sources: dict[str, _Source | BrokenReferenceError] = {"": source}
        self._size = len(source.text)
        self._targets: dict[str, tuple[object, Path] | BrokenReferenceError] = {}
        self._merged: dict[int, tuple[Node, Node]] = {}
        self._broken = 0
        self._depth = 0

    @property
    def paths(self) -> tuple[FilePath, ...]:
        """The files that the document has been read from so far."""
        return tuple(self._folder / (name or self._name) for name in self._sources)

    # --- References -----------------------------------------------------------------------------

    def resolve(self, node: Node) -> Node:
        """Return a node, or what its ``$ref`` leads to; what stands beside the ``$ref`` wins.

        The result is the same object each time.

        :raise InputError: the reference is broken, which `openapi.load` excludes for what
            operations reach.
        """
        if not isinstance(node.get("$ref"), str):
            return node
        if id(node) in self._merged:
            return self._merged[id(node)][1]
        try:
            result = self._resolved(node)
        except BrokenReferenceError as error:
            problem = Problem(self.file, 0, 0, "", error.what, error.hint)
            raise InputError(error.problems or [problem]) from None
        if len(node) > 1:
            self._merged[id(node)] = node, result  # `node`, so that its id stays its own
        return result

    def _resolved(self, node: Node) -> Node:
        beside: dict[str, Any] = {}
        reference = first = node["$ref"]
        for _ in range(CHAIN):
            if len(node) > 1:
                beside = {**{key: node[key] for key in node if key != "$ref"}, **beside}
            target, _ = self.target(reference)
            node = _as_node(target, reference)
            reference = node.get("$ref")
            if not isinstance(reference, str):
                return {**node, **beside} if beside else node
        raise BrokenReferenceError(f"the reference {quote(first)} leads only to other references")

    def target(self, reference: str) -> tuple[object, Path]:
        """Return the value to which a ``$ref`` leads, and its path.

        :raise BrokenReferenceError: it does not exist, or lies outside the document's folder.
        """
        if reference not in self._targets:
            self._depth += 1  # a reference may lead through others
            try:
                if self._depth > CHAIN:
                    what = (
                        f"the reference {quote(reference)} leads through more than {CHAIN} others"
                    )
                    raise BrokenReferenceError(what)
                self._targets[reference] = self._find(reference)
            except BrokenReferenceError as error:
                self._targets[reference] = error
            finally:
                self._depth -= 1
        target = self._targets[reference]
        if isinstance(target, BrokenReferenceError):
            raise target
        return target

    def _find(self, reference: str) -> tuple[object, Path]:
        file, _, pointer = reference.partition("#")
        file = _normal(file)
        if file == self._name:
            file = ""
        value: Any = self._source(file, reference).root
        path: Path = (f"{file}#",) if file else ()
        if pointer and not pointer.startswith("/"):
            what = (
                f"the reference {quote(reference)} is not a path such as '#/components/schemas/X'"
            )
            raise BrokenReferenceError(what, self._same_name(pointer))
        _, *steps = _steps(pointer)
        for index, step in enumerate(steps):
            for _ in range(CHAIN):  # a path may lead through references, too
                if not isinstance(value, dict) or step in value:
                    break
                through = value.get("$ref")
                if not isinstance(through, str) or through == reference:
                    break
                value, path = self.target(through)
            if isinstance(value, dict) and step in value:
                value = value[step]
                path = (*path, step)
            elif isinstance(value, list) and step.isdecimal() and int(step[:20]) < len(value):
                value = value[int(step[:20])]
                path = (*path, int(step))
            else:
                raise self._missing(reference, value, steps, index)
        if isinstance(value, bool):  # a schema that accepts everything or nothing
            value = {} if value else {"not": {}}
        return value, path

    def _missing(
        self, reference: str, value: object, steps: list[str], index: int
    ) -> BrokenReferenceError:
        what = f"the reference {quote(reference)} leads nowhere"
        self._broken += 1
        if self._broken > _HINTS:
            return BrokenReferenceError(what)
        hint = self._same_name(steps[-1])
        if not hint and isinstance(value, dict):
            near = nearest(steps[index], {str(key): str(key) for key in value})
            file, _, pointer = reference.partition("#")
            before = "/".join(pointer.split("/")[: index + 1])
            hint = f"did you mean '{file}#{before}/{_escaped(near)}'?" if near else ""
        return BrokenReferenceError(what, hint)

    def _same_name(self, name: str) -> str:
        """Return a hint with the component of this name, if there is one."""
        components = self.root.get("components")
        for group, members in (components if isinstance(components, dict) else {}).items():
            if isinstance(members, dict) and name in members:
                return f"did you mean '#/components/{group}/{_escaped(name)}'?"
        return ""

    def _source(self, file: str, reference: str) -> _Source:
        if file not in self._sources:
            try:
                self._sources[file] = self._open(file, reference)
            except BrokenReferenceError as error:
                self._sources[file] = error
            except InputError as error:
                self._sources[file] = BrokenReferenceError(str(error), problems=error.problems)
        source = self._sources[file]
        if isinstance(source, BrokenReferenceError):
            raise source
        return source

    def _open(self, file: str, reference: str) -> _Source:
        start = f"the reference {quote(reference)} leads"
        if _NETWORK.match(file):
            hint = f"save that file beside {self._name} and refer to the copy"
            raise BrokenReferenceError(f"{start} to the network, which mockpets does not use", hint)
        path = self._folder / file
        folder = os.path.realpath(self._folder)
        if "\0" in file or len(file) > 1000:
            raise BrokenReferenceError(f"{start} nowhere")
        if file.startswith(("/", "..")) or not _is_in(os.path.realpath(path), folder):
            hint = f"move that file into the folder of {self._name}"
            raise BrokenReferenceError(f"{start} out of the folder of {self._name}", hint)
        if not os.path.exists(path):  # noqa: PTH110 - Path.exists raises for a name that is too long
            near = _near_file(path) or self._same_name(file)
            raise BrokenReferenceError(f"{start} to a missing file", near or "check the path")
        if len(self._sources) >= FILES or self._size > FILE_BYTES:
            what = f"refers to more than {FILES} files or {FILE_BYTES // 2**20} MiB"
            raise BrokenReferenceError(what, "remove the paths that your app does not use")
        shown = os.path.normpath(os.path.join(os.path.dirname(self.file), file))  # noqa: PTH118, PTH120
        text = read_any_text(path, shown, FILE_BYTES)
        self._size += len(text)
        source = _Source(shown, text)
        _relocate(source.root, file)
        return source

    def digest(self, schema: Node) -> str:
        """Return a digest of what a schema allows: the same one if only descriptions change."""
        nodes: list[tuple[Any, bool]] = []  # each with whether its keys are names
        numbers: dict[tuple[int, bool], int] = {}

        def shown(value: object, *, is_map: bool = False) -> object:
            """Return a value, or for an object or a list its number; schemas may be circular."""
            if not isinstance(value, (dict, list)):
                return value
            number = numbers.setdefault((id(value), is_map), len(nodes))
            if number == len(nodes):
                nodes.append((value, is_map))
            return [number]

        shown(schema)
        result = blake2b(digest_size=8)
        for node, is_map in nodes:  # which grows
            if isinstance(node, list):
                content: object = [*map(shown, node)]
            else:
                names = sorted(
                    name for name in node if is_map or (name not in _ABOUT and name[:2] != "x-")
                )
                content = {
                    name: shown(self._at(name, node[name]), is_map=not is_map and name in _MAPS)
                    for name in names
                }
            result.update(dump_json(content) + b"\n")
        return result.hexdigest()

    def _at(self, key: str, value: object) -> object:
        """Return what a reference leads to; any other value as it is."""
        if key != "$ref" or not isinstance(value, str):
            return value
        try:
            return self.target(value)[0]
        except BrokenReferenceError:  # of data, such as a constant
            return value

    def name_of(self, node: Node) -> str:
        """Return ``Post`` for ``{"$ref": "#/components/schemas/Post"}``.

        The result is empty for a node without a reference, and for a reference to a part that has
        no name, such as the schema of a response.
        """
        reference = node.get("$ref")
        if not isinstance(reference, str):
            return ""
        file, _, pointer = reference.partition("#")
        *outer, name = _steps(pointer)
        if not pointer.strip("/"):
            return posixpath.splitext(posixpath.basename(unquote(file)))[0]
        is_component = len(outer) == 3 and outer[1] == "components"
        is_in_file = bool(file) and len(outer) == 1
        return name if is_component or is_in_file or outer[-1] in _NAMED else ""

    # --- Places ---------------------------------------------------------------------------------

    def place(self, path: Path) -> tuple[str, int, int]:
        """Return file, line and column of the value at a path, or of its nearest ancestor.

        The first call reads the file again, which takes several times as long as `load`.
        """
        file, real = self._real(path)
        source = self._sources.get(file)
        if not isinstance(source, _Source):
            return self.file, 0, 0
        return source.shown, *source.positions.at(real)

    def problem(self, path: Path, what: str, hint: str = "") -> Problem:
        """Return a problem with the value at a path, which it shows without references."""
        _, steps = self._real(path)
        where = dotted(step + 1 if isinstance(step, int) else step for step in steps)
        return Problem(*self.place(path), where, what, hint)

    def _real(self, path: Path) -> tuple[str, Path]:
        """Return the file of a path, and the path within it without references."""
        value: Any = self.root
        file, real = "", path[:0]
        if path and str(path[0]).endswith("#") and path[0] not in self.root:
            file, path = str(path[0])[:-1], path[1:]
            source = self._sources.get(file)
            value = source.root if isinstance(source, _Source) else None
        for step in path:
            for _ in range(CHAIN):
                if not isinstance(value, dict) or step in value:
                    break
                reference = value.get("$ref")
                if not isinstance(reference, str):
                    break
                try:
                    value, target = self.target(reference)
                except BrokenReferenceError:
                    break
                file, real = self._real_target(target)
            real = (*real, step)
            try:
                value = value[step]
            except (KeyError, IndexError, TypeError):
                value = None
        return file, real

    def _real_target(self, path: Path) -> tuple[str, Path]:
        if path and str(path[0]).endswith("#") and path[0] not in self.root:
            return str(path[0])[:-1], path[1:]
        return "", path


def got(value: object) -> str:
    """Return a value as messages show it, in the words of YAML."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    return "a list" if isinstance(value, list) else shown_value(value)


def _as_node(value: object, reference: str) -> Node:
    if isinstance(value, dict):
        return value
    what = f"the reference {quote(reference)} leads to a value that is not a mapping"
    raise BrokenReferenceError(what)


def _normal(file: str) -> str:
    """Return the file part of a reference as a path below the folder of the document."""
    if not file or _NETWORK.match(file):
        return file
    return posixpath.normpath(unquote(file))


def _steps(pointer: str) -> list[str]:
    """Return the steps of a JSON Pointer in a reference, of which the first one is empty."""
    return [step.replace("~1", "/").replace("~0", "~") for step in unquote(pointer).split("/")]


def _escaped(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")


def _is_in(path: str, folder: str) -> bool:
    return os.path.commonpath((path, folder)) == folder


def _near_file(path: FilePath) -> str:
    try:
        names = [each.name for _, each in zip(range(1000), path.parent.iterdir(), strict=False)]
    except OSError:
        return ""
    return did_you_mean(path.name, names)


def _relocate(root: object, file: str) -> None:
    """Make the references of another file relative to the folder of the document."""
    folder = posixpath.dirname(file)
    seen: set[int] = set()
    stack = [root]
    while stack:
        value = stack.pop()
        if not isinstance(value, (dict, list)) or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, list):
            stack.extend(value)
            continue
        stack.extend(value.values())
        if isinstance(value.get("$ref"), str):
            value["$ref"] = _relocated(value["$ref"], file, folder)
        mapping = value.get("mapping")
        if isinstance(mapping, dict) and "propertyName" in value:
            for key, each in mapping.items():
                if isinstance(each, str) and re.search(r"[#./]", each):
                    mapping[key] = _relocated(each, file, folder)


def _relocated(reference: str, file: str, folder: str) -> str:
    if reference.startswith("#"):
        return file.replace("%", "%25") + reference
    part, mark, pointer = reference.partition("#")
    if _NETWORK.match(part):
        return reference
    return posixpath.normpath(posixpath.join(folder.replace("%", "%25"), part)) + mark + pointer
