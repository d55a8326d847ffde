"""Read the parameters, bodies and responses of an OpenAPI document, with problems and notes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeVar, cast

from mockpets.contract.document_references import BrokenReferenceError, got
from mockpets.contract.schema_check import SchemaCheck
from mockpets.errors import InputError, did_you_mean
from mockpets.strict_json import shown as shown_value
from mockpets.units import either, quote

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.contract.document_references import Node, Path, References
    from mockpets.errors import Problem

    Found = tuple[Path, str, str] | Problem
    """A problem: its path, what is wrong and the hint; or complete."""

NoteKind = Literal["operation", "part", "keyword", "warning"]
_T = TypeVar("_T")
_PLACES: Final = ("path", "query", "header", "cookie")


class Note(NamedTuple):
    """Something in a document that mockpets does not serve or enforce, or that looks wrong.

    :param kind: ``operation`` responds with 501; ``part`` is not served, such as webhooks;
        ``keyword`` is not enforced; ``warning`` is a likely mistake in the document.
    :param what: a sentence without its full stop.
    :param at: the first place; `Document.place` returns its file, line and column.
    :param also: the other place, if the note is about two.
    """

    kind: NoteKind
    what: str
    at: Path
    also: Path = ()


class ComponentReader:
    """Reads parameters, bodies and responses. Components that operations share are read once."""

    def __init__(self, document: References) -> None:
        self.problems: list[Found] = []
        self._document = document
        self._notes: list[Note] = []
        self._keywords: dict[str, list[Path]] = {}
        self.schemas = SchemaCheck(document, self._add, self._keyword, self._broken)
        self._checked: dict[int, object] = {}  # holds the objects, so that ids stay their own
        self._components: dict[tuple[str, object], Any] = {}

    def all_notes(self) -> list[Note]:
        """Return the notes; one for all places of the same keyword."""
        keywords = [
            Note("keyword", what + (f" ({len(at)} places)" if len(at) > 1 else ""), at[0])
            for what, at in self._keywords.items()
        ]
        return [*self._notes, *keywords]

    # --- Problems -------------------------------------------------------------------------------

    def _add(self, at: Path, what: str, hint: str = "") -> None:
        self.problems.append((at, what, hint))

    def _note(self, kind: NoteKind, what: str, at: Path, also: Path = ()) -> None:
        self._notes.append(Note(kind, what, at, also))

    def _keyword(self, what: str, at: Path) -> None:
        self._keywords.setdefault(what, []).append(at)

    def _broken(self, at: Path, error: BrokenReferenceError) -> None:
        if error.problems:
            self.problems.extend(error.problems)
        else:
            self._add(at, error.what, error.hint)

    def _resolved(self, value: object, at: Path, expected: str, hint: str = "") -> dict[str, Any]:
        """Return a mapping, or the one to which it refers.

        If there is none, add a problem and return an empty mapping.
        """
        if not isinstance(value, dict):
            self._add(at, f"must be {expected}, got {got(value)}", hint)
            return {}
        reference = value.get("$ref")
        if not isinstance(reference, str):
            return value
        try:
            target, _ = self._document.target(reference)
            if not isinstance(target, dict):
                self._add((*at, "$ref"), f"must lead to {expected}, not to {got(target)}", hint)
                return {}
            return dict(self._document.resolve(value))
        except BrokenReferenceError as error:
            self._broken((*at, "$ref"), error)
        except InputError as error:
            self._add((*at, "$ref"), error.problems[0].what, error.problems[0].hint)
        return {}

    def _mapping(self, holder: Node, key: str, at: Path, expected: str) -> dict[str, Any]:
        """Return a mapping under a key; an empty one if it is missing or invalid."""
        value = holder.get(key)
        if value is None or isinstance(value, dict):
            return value or {}
        self._add((*at, key), f"{expected}, got {got(value)}")
        return {}

    def _list(self, holder: Node, key: str, at: Path, what: str, hint: str) -> list[Any]:
        value = holder.get(key)
        if value is None or isinstance(value, list):
            return value or []
        self._add((*at, key), f"must be a list of {what}, got {got(value)}", hint)
        return []

    # --- Parameters -----------------------------------------------------------------------------

    def _parameters(self, holder: Node, at: Path) -> dict[tuple[str, str], Node]:
        """Return the parameters of a path or an operation by name and place."""
        hint = "write a list: - {name: limit, in: query}"
        result: dict[tuple[str, str], Node] = {}
        for index, value in enumerate(self._list(holder, "parameters", at, "parameters", hint)):
            place = (*at, "parameters", index)
            parameter = self._shared(value, place, self._parameter)
            if not parameter:
                continue
            if (parameter["name"], parameter["in"]) in result:
                what = f"the parameter {quote(parameter['name'])} is listed twice"
                self._note("warning", what, place)
            result[parameter["name"], parameter["in"]] = parameter
        return result

    def _parameter(self, value: object, at: Path) -> Node:
        """Return a parameter; an empty mapping if it is invalid."""
        parameter = self._resolved(value, at, "a parameter (a mapping)")
        is_valid = parameter and self._is_parameter(parameter, at)
        return self._typed(parameter, at) if is_valid else {}

    def _is_parameter(self, parameter: Node, at: Path) -> bool:
        """Add a problem unless a parameter has a name and a place."""
        count = len(self.problems)
        for key, example in (("name", "limit"), ("in", "query")):
            value = parameter.get(key)
            if value is None:
                self._add(at, f"missing key '{key}'", f"add it, such as {key}: {example}")
            elif not isinstance(value, str) and not (key == "name" and isinstance(value, int)):
                self._add((*at, key), f"must be a string, got {got(value)}")
        place = parameter.get("in")
        if isinstance(place, str) and place not in _PLACES:
            hint = did_you_mean(place, _PLACES)
            if place in ("body", "formData"):
                hint = "that is Swagger 2.0; use requestBody"
            self._add((*at, "in"), f"must be {either(_PLACES)}, got {shown_value(place)}", hint)
        return len(self.problems) == count

    def _typed(self, parameter: dict[str, Any], at: Path) -> Node:
        """Return a parameter with a checked schema or content."""
        result = {**parameter, "name": str(parameter["name"])}
        if parameter["in"] == "path":
            result["required"] = True
        return self._with_schema(result, at)

    def _with_schema(self, node: dict[str, Any], at: Path) -> Node:
        """Return a parameter or a header with a checked schema: its own, or that of its content."""
        self._examples(node, at)
        if node.get("content"):
            content = self._content(node, at)
            first: Node = next(iter(content.values()), {"schema": {}})
            return {**node, "content": content, "schema": first["schema"]}
        result = {"schema": {}, **node}
        result.pop("content", None)
        self.schemas.check(result, "schema", (*at, "schema"))
        return result

    # --- Bodies and responses -------------------------------------------------------------------

    def _body(self, value: object, at: Path) -> Node:
        body = self._resolved(value, at, "a mapping with content")
        return {**body, "content": self._content(body, at)}

    def _responses(self, operation: Node, at: Path) -> dict[str, Node]:
        expected = "must be a mapping of statuses to responses"
        at = (*at, "responses")
        result: dict[str, Node] = {}
        for status, value in self._mapping(operation, "responses", at[:-1], expected).items():
            if status.startswith("x-"):
                continue
            place = (*at, status)
            if not re.fullmatch(r"[1-5]\d\d|[1-5][xX]{2}|default", status, re.ASCII):
                known = ("default",) if status.isalpha() else ()
                hint = did_you_mean(status, known)
                what = f"must be a status such as 200 or 4XX, or default, got {quote(status)}"
                self._add(place, what, hint)
                continue
            if value is None:
                value = {}  # only the status is described
            name = status if status == "default" else status.upper()
            result[name] = self._shared(value, place, self._response)
        return result

    def _response(self, value: object, at: Path) -> Node:
        hint = "write {description: ...}" if isinstance(value, str) else ""
        response = self._resolved(value, at, "a response (a mapping)", hint)
        parts = {"content": self._content(response, at), "headers": self._headers(response, at)}
        other = {name: part for name, part in response.items() if name not in parts}
        return {**other, **{name: part for name, part in parts.items() if part}}

    def _shared(self, value: object, at: Path, read: Callable[[object, Path], _T]) -> _T:
        """Return what a function reads of a value, which may be a reference to a component.

        The function reads each component once.
        """
        reference = value.get("$ref") if isinstance(value, dict) and len(value) == 1 else None
        if not isinstance(reference, str):
            return read(value, at)
        count = len(self.problems)
        if (reference, read) not in self._components:
            result = read(value, at)
            if len(self.problems) > count:  # report it at each place
                return result
            self._components[reference, read] = result
        return cast("_T", self._components[reference, read])

    def _content(self, holder: Node, at: Path) -> dict[str, Any]:
        """Return a checked mapping of media types to media objects."""
        content = self._mapping(holder, "content", at, "must be a mapping of media types")
        at = (*at, "content")
        result = {}
        for media_type, value in content.items():
            place = (*at, media_type)
            media = self._resolved({} if value is None else value, place, "a media object")
            result[media_type] = media
            if id(media) in self._checked:
                continue
            self._checked[id(media)] = media
            media.setdefault("schema", {})  # the same one each time: fields are kept by identity
            self.schemas.check(media, "schema", (*place, "schema"))
            self._examples(media, place)
            encoding = self._mapping(media, "encoding", place, "must be a mapping of properties")
            for name, each in encoding.items():
                self._resolved(each, (*place, "encoding", name), "an encoding (a mapping)")
        return result

    def _headers(self, response: Node, at: Path) -> dict[str, Any]:
        headers = self._mapping(response, "headers", at, "must be a mapping of header names")
        result = {}
        for name, value in headers.items():
            place = (*at, "headers", name)
            header = self._resolved({} if value is None else value, place, "a header")
            result[name] = self._with_schema(header, place)
        return result

    def _examples(self, holder: dict[str, Any], at: Path) -> None:
        """Check named examples; drop a list of examples, which only a schema may have."""
        examples = holder.get("examples")
        if examples is None:
            holder.pop("examples", None)
        elif isinstance(examples, dict):
            for name, each in [*examples.items()]:
                place = (*at, "examples", name)
                if isinstance(each, dict) and isinstance(each.get("$ref"), str):
                    self._resolved(each, place, "an example (a mapping)")
                elif not isinstance(each, dict):
                    what = "an example is ignored: it must be a mapping with value"
                    self._keyword(what, place)
                    del examples[name]
        else:
            what = "`examples` is ignored: it must be a mapping of names to examples"
            self._keyword(what, (*at, "examples"))
            del holder["examples"]
