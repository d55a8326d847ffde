"""Load an OpenAPI document, and list its operations and what mockpets does not serve of it.

`load` checks what operations reach, so that later readers need no checks of their own:

- Parameters, bodies, responses and their parts are mappings; a parameter has `name`, `in`, and
  `schema` or `content`, and those of the path are exactly those in the template.
- A schema is a mapping (``true`` is ``{}``, ``false`` is ``{"not": {}}``, but for
  `additionalProperties`), and its keywords have values of the right type.
- References lead somewhere, and not only to references.
- A security requirement names only schemes that exist.

What no operation reaches is not looked at.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeVar, cast

from mockpets.constants import PROBLEMS_SHOWN
from mockpets.contract.references import (
    BrokenReferenceError,
    Node,
    Path,
    References,
    got,
)
from mockpets.contract.schema_check import SchemaCheck
from mockpets.errors import InputError, Problem, did_you_mean, invalid, nearest
from mockpets.strict_json import shown as shown_value
from mockpets.units import counted, either, quote

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path as FilePath

__all__ = [
    "Described", "Document", "Node", "Note", "Path",
    "base_path", "json_media", "load", "not_served", "operations",
]  # fmt: skip

_T = TypeVar("_T")

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_PLACES: Final = ("path", "query", "header", "cookie")
_PATH_KEYS: Final = ("$ref", "summary", "description", "servers", "parameters")
OPERATIONS: Final = 10_000
_XML: Final = re.compile(r"(?i)[/+]xml\b")
_SENT: Final = re.compile(r"(?i)text/(?!event-stream|xml\b)|image/")
_CONTENT: Final = "must be a mapping of media types"


class Described(NamedTuple):
    """One operation as described; parameters, bodies and responses are resolved, schemas not.

    :param name: the `operationId`, or the method and path such as ``get-users-id``; unique, also
        if case is ignored.
    :param method: in upper case.
    :param path: the template, without the base path.
    :param at: the path of `node` in the document.
    :param responses: ``200``, ``4XX`` or ``default`` to the response.
    :param security: the operation's requirements, else the document's.
    :param not_served: a sentence why it responds with 501; empty if it is served.
    """

    name: str
    method: str
    path: str
    node: Node
    at: Path
    parameters: tuple[Node, ...]
    body: Node | None
    responses: Mapping[str, Node]
    security: tuple[Mapping[str, Sequence[str]], ...]
    not_served: str


NoteKind = Literal["operation", "part", "keyword", "warning"]


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


class Document(References):
    """An OpenAPI document as plain values; numbers are int or Decimal. See `load`."""

    def __init__(self, path: FilePath, shown: str) -> None:
        super().__init__(path, shown)
        self.version: Final[Literal["3.0", "3.1"]] = _version(self)
        reader = _Reader(self)
        reader.read()
        if reader.problems:
            raise _error(self, reader.problems)
        if not reader.described:
            hint = "add one below a path: /pets: {get: ...}"
            raise InputError([self.problem(("paths",), "describes no operations", hint)])
        self.operations: Final = tuple(reader.described)
        self.notes: Final = tuple(reader.all_notes())
        self.property_names: Final = frozenset(reader.schemas.properties)
        """The names of all properties of the schemas that operations reach."""

    @cached_property
    def security_schemes(self) -> Mapping[str, Node]:
        """The security schemes by name, resolved, without invalid ones that no operation names."""
        schemes: dict[str, Node] = {}
        for name, scheme in _declared_schemes(self).items():
            try:
                resolved = self.resolve(scheme) if isinstance(scheme, dict) else None
            except InputError:
                continue
            if resolved is not None:
                schemes[name] = resolved
        return schemes


def _declared_schemes(document: References) -> Mapping[str, object]:
    schemes = _get(document.root, "components", "securitySchemes")
    return schemes if isinstance(schemes, dict) else {}


def load(path: FilePath, shown: str) -> Document:
    """Return the document in a file.

    :param shown: the file's name in messages.
    :raise InputError: with every problem that an operation reaches.
    """
    return Document(path, shown)


def operations(document: Document) -> tuple[Described, ...]:
    """Return the operations of a document, in its order."""
    return document.operations


def not_served(document: Document) -> tuple[Note, ...]:
    """Return what of a document is not served, not enforced, or likely to be a mistake."""
    return document.notes


# --- Servers and media types ------------------------------------------------------------------


def base_path(document: Document) -> str:
    """Return the path of the first server, such as ``/api``, or an empty string."""
    servers = document.root.get("servers")
    server = servers[0] if isinstance(servers, list) and servers else None
    url = server.get("url") if isinstance(server, dict) else None
    if not isinstance(server, dict) or not isinstance(url, str):
        return ""
    variables = server.get("variables")
    for name, variable in (variables if isinstance(variables, dict) else {}).items():
        if isinstance(variable, dict):
            url = url.replace(f"{{{name}}}", str(_default(variable, name)))
    url = re.sub(r"[?#].*", "", url.strip().replace("{", "").replace("}", ""), flags=re.DOTALL)
    # A host without a scheme is a common mistake: api.example.com/v1, localhost:3000.
    host = (
        r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/]*|(?:[\w-]+(?:\.[\w-]+)+(?::\d+)?|[\w-]+:\d+)(?=/|$)"
    )
    rest = re.sub(f"^(?:{host})", "", url)
    segments: list[str] = []
    for segment in rest.split("/"):
        if segment == "..":
            segments[-1:] = []
        elif segment not in ("", "."):
            segments.append(segment)
    return "".join(f"/{segment}" for segment in segments)


def _default(variable: Node, name: str) -> object:
    choices = variable.get("enum")
    first = choices[0] if isinstance(choices, list) and choices else name
    return variable.get("default", first)


def json_media(content: Node) -> tuple[str, Node] | None:
    """Return media type and media object of a content's JSON, or None.

    That is ``application/json``, else the first type with ``+json`` or parameters, else ``*/*``.
    """
    for pattern in (
        r"application/json",
        r"[^;]*[/+]json *(?:;.*)?|json *;.*",
        r"(?:\*|application)/\*",
    ):
        for media_type, media in content.items():
            if re.fullmatch(pattern, media_type.strip(), re.IGNORECASE | re.DOTALL):
                return media_type, media
    return None


# --- What the file is ---------------------------------------------------------------------------

_OTHERS: Final[tuple[tuple[Callable[[Node], object], str, str], ...]] = (
    (
        lambda root: "swagger" in root,
        "is a Swagger 2.0 document; mockpets reads OpenAPI 3.0 and 3.1",
        "convert it: npx swagger2openapi {file} -o openapi.yaml",
    ),
    (
        lambda root: "asyncapi" in root,
        "is an AsyncAPI document, which describes messages, not HTTP requests",
        "name an OpenAPI document",
    ),
    (
        lambda root: (
            "getpostman.com" in str(_get(root, "info", "schema"))
            or _get(root, "info", "_postman_id")
        ),
        "is a Postman collection, not an OpenAPI document",
        "convert it: npx postman-to-openapi {file} openapi.yaml",
    ),
    (
        lambda root: root.get("_type") == "export" and "resources" in root,
        "is an Insomnia export, not an OpenAPI document",
        "export the design document instead",
    ),
    (
        lambda root: _get(root, "log", "entries"),
        "is a HAR file, not an OpenAPI document",
        "use it with mockpets record --har",
    ),
    (
        lambda root: "stubs" in root or "extends" in root,
        "is a scenario, not an OpenAPI document",
        "move it into the folder of --scenarios-dir",
    ),
    (
        lambda root: "paths" not in root and ("$schema" in root or "$defs" in root),
        "is a JSON Schema, not an OpenAPI document",
        "name the document that describes paths",
    ),
)
"""What else a file can be, by its keys, what the message says, and its hint."""


def _get(root: Node, *keys: str) -> object:
    value: Any = root
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _rename(root: Node, name: str) -> str:
    near = nearest(name, {key: key for key in root})
    return f"rename {quote(near)} to '{name}'" if near else ""


def _version(document: References) -> Literal["3.0", "3.1"]:
    """Return the version of a document; raise InputError if it is not OpenAPI 3 with paths."""
    root, file = document.root, document.file
    if "openapi" not in root:
        for test, what, hint in _OTHERS:
            if test(root):
                raise invalid(file, what, hint.format(file=file))
        what = "missing key 'openapi': is this an OpenAPI document?"
        hint = _rename(root, "openapi") or "add openapi: 3.1.0"
        raise InputError([document.problem((), what, hint)])
    version = str(root["openapi"])
    match = re.fullmatch(r"3\.([012])(?:\.\d.*)?|3", version.strip(), re.DOTALL)
    if match is None:
        what = f"unknown version of OpenAPI {got(root['openapi'])}"
        hint = "mockpets reads 3.0 and 3.1"
        raise InputError([document.problem(("openapi",), what, hint)])
    paths = root.get("paths")
    if paths is None and "webhooks" in root:
        what = "has webhooks but no paths, so there is nothing to serve"
        raise InputError([document.problem((), what, "add paths: {/pets: {get: ...}}")])
    if paths is None or paths == {}:
        hint = _rename(root, "paths") if paths is None else ""
        what = "has no paths, so there is nothing to serve"
        hint = hint or "add paths: {/pets: {get: ...}}"
        raise InputError([document.problem((), what, hint)])
    if not isinstance(paths, dict):
        what = f"must be a mapping of paths, got {got(paths)}"
        raise InputError([document.problem(("paths",), what)])
    return "3.0" if match[1] == "0" else "3.1"


# --- Operations ---------------------------------------------------------------------------------

_Found = tuple[Path, str, str]
"""A problem: path, what, hint."""


def _error(document: References, found: list[_Found | Problem]) -> InputError:
    problems = {
        each if isinstance(each, Problem) else document.problem(*each): None
        for each in found[:1000]
    }
    listed = sorted(problems)
    more = len(listed) + max(0, len(found) - 1000) - PROBLEMS_SHOWN
    if more > 0:
        rest = Problem(document.file, 0, 0, "", f"and {counted(more, 'more problem')}")
        listed = [*listed[:PROBLEMS_SHOWN], rest]
    return InputError(listed)


class _Reader:
    """Reads the operations of a document, and collects problems and notes."""

    def __init__(self, document: References) -> None:
        self.problems: list[_Found | Problem] = []
        self.described: list[Described] = []
        self._document = document
        self._security_schemes = _declared_schemes(document)
        self._notes: list[Note] = []
        self._keywords: dict[str, list[Path]] = {}
        self._names: dict[str, str] = {}
        self._ids: dict[str, Path] = {}
        self.schemas = SchemaCheck(document, self._add, self._keyword, self._broken)
        self._checked: dict[int, object] = {}  # holds the objects, so that ids stay their own
        self._components: dict[tuple[str, object], Any] = {}

    def all_notes(self) -> list[Note]:
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
        """Return a mapping after its reference; add a problem and return an empty one if not."""
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

    # --- Paths ----------------------------------------------------------------------------------

    def read(self) -> None:
        """Read all operations."""
        root = self._document.root
        templates: dict[str, tuple[str, Path]] = {}
        for path, value in root["paths"].items():
            at: Path = ("paths", path)
            if path.startswith("x-") or value is None:
                continue
            if not path.startswith("/"):
                self._add(at, f"the path {quote(path)} must start with /", f"write /{path}")
                continue
            item = self._resolved(value, at, "a mapping of methods")
            shape = re.sub(r"\{[^{}]*\}", "{}", path)
            other, other_at = templates.setdefault(shape, (path, at))
            if other != path:
                what = f"the path {quote(path)} matches the same requests as {quote(other)}"
                self._note("warning", what, at, other_at)
            self._item(path, item, at)
            if len(self.described) > OPERATIONS:
                what = f"has more than {OPERATIONS} operations"
                self._add(at, what, "remove the paths that your app does not use")
                return
        if root.get("webhooks"):
            self._note("part", "webhooks are not sent", ("webhooks",))

    def _item(self, path: str, item: Node, at: Path) -> None:
        names = re.findall(r"\{([^{}]*)\}", path)
        if re.search("[{}]", re.sub(r"\{[^{}]+\}", "", path)):
            self._add(at, f"the braces of the path {quote(path)} are not pairs", "write {name}")
        common = self._parameters(item, at)
        if item.get("servers"):
            what = "`servers` of a path is not used; the path is served below the base path"
            self._keyword(what, (*at, "servers"))
        for key, value in item.items():
            if key in METHODS:
                self._operation(path, names, key, value, (*at, key), common)
            elif not key.startswith("x-") and key not in _PATH_KEYS:
                near = nearest(key, {each: each for each in (*METHODS, *_PATH_KEYS)})
                if key.lower() in METHODS:
                    self._add((*at, key), f"unknown method {quote(key)}", f"write {key.lower()}")
                elif near:
                    hint = f"; did you mean '{near}'?"
                    self._note("warning", f"unknown key {quote(key)}{hint}", (*at, key))

    def _operation(
        self,
        path: str,
        names: list[str],
        method: str,
        value: object,
        at: Path,
        common: dict[tuple[str, str], Node],
    ) -> None:
        if not isinstance(value, dict):
            self._add(at, f"must be an operation (a mapping), got {got(value)}")
            return
        own = self._parameters(value, at)
        listed = {**common, **own}
        parameters = self._with_template(list(listed.values()), path, names, at)
        body = None
        if value.get("requestBody") is not None:
            body = self._shared(value["requestBody"], (*at, "requestBody"), self._body)
        responses = self._responses(value, at)
        if value.get("callbacks"):
            self._note("part", "callbacks are not sent", (*at, "callbacks"))
        if value.get("servers"):
            what = "`servers` of an operation is not used; it is served below the base path"
            self._keyword(what, (*at, "servers"))
        reason = _why_not_served(path, responses)
        if reason:
            self._note("operation", f"{method.upper()} {path} responds with 501: {reason}", at)
        self.described.append(
            Described(
                self._name(value, method, path, at),
                method.upper(),
                path,
                value,
                at,
                tuple(parameters),
                body,
                responses,
                self._security(value, at),
                reason,
            )
        )

    def _name(self, operation: Node, method: str, path: str, at: Path) -> str:
        """Return a unique name for an operation."""
        given = operation.get("operationId")
        if given is not None and not isinstance(given, (str, int)):
            self._add((*at, "operationId"), f"must be a string, got {got(given)}")
            given = None
        given = "" if given is None else str(given)
        name = re.sub(r"[^A-Za-z0-9_-]", "-", given)
        if not re.search("[A-Za-z0-9]", name):
            name = re.sub(r"[^A-Za-z0-9_]+", "-", f"{method}{path}").strip("-")
        elif given in self._ids:
            what = f"the operationId {quote(given)} is not unique"
            self._note("warning", what, (*at, "operationId"), self._ids[given])
        else:
            self._ids[given] = (*at, "operationId")
        number, result = 1, name
        while result.lower() in self._names:
            number += 1
            result = f"{name}-{number}"
        self._names[result.lower()] = result
        return result

    def _security(self, operation: Node, at: Path) -> tuple[Mapping[str, Sequence[str]], ...]:
        if operation.get("security") is not None:
            holder, at = operation, (*at, "security")
        else:
            holder, at = self._document.root, ("security",)
        listed = holder.get("security")
        if listed is None:
            return ()
        if id(listed) not in self._checked:
            self._checked[id(listed)] = listed
            self._check_security(listed, at)
        if not isinstance(listed, list):
            return ()
        known = self._security_schemes
        return tuple(
            {name: () if s is None else s for name, s in each.items() if name in known}
            for each in listed
            if isinstance(each, dict)
        )

    def _check_security(self, listed: object, at: Path) -> None:
        if not isinstance(listed, list):
            self._add(at, f"must be a list of requirements, got {got(listed)}", "write - name: []")
            return
        known = self._security_schemes
        for index, each in enumerate(listed):
            if not isinstance(each, dict):
                hint = f"write {each}: []" if isinstance(each, str) else ""
                self._add((*at, index), f"must be a mapping, got {got(each)}", hint)
                continue
            for name, scopes in each.items():
                if scopes is not None and not isinstance(scopes, list):
                    what = f"must be a list of scopes, got {got(scopes)}"
                    self._add((*at, index, name), what, "write []")
                if name not in known:
                    hint = did_you_mean(name, known)
                    what = f"unknown security scheme {quote(name)} is not required"
                    what = f"{what}; {hint}" if hint else what
                    self._note("warning", what, (*at, index, name))
                elif id(known[name]) not in self._checked:
                    self._checked[id(known[name])] = known[name]
                    place = ("components", "securitySchemes", name)
                    scheme = self._resolved(known[name], place, "a security scheme")
                    if scheme and not isinstance(scheme.get("type"), str):
                        self._add(place, "missing key 'type'", "add type: http, apiKey or oauth2")

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
        if parameter.get("content"):
            result["content"] = self._content(parameter, at)
        else:
            result["schema"] = parameter.get("schema")
            self.schemas.check(result, "schema", (*at, "schema"))
        self._examples(parameter, at)
        return result

    def _with_template(
        self, parameters: list[Node], path: str, names: list[str], at: Path
    ) -> list[Node]:
        """Return parameters, of the path exactly those in the template."""
        result = []
        declared = set()
        for each in parameters:
            if each["in"] == "path" and each["name"] not in names:
                near = did_you_mean(each["name"], names)
                what = f"the path {quote(path)} has no parameter {quote(each['name'])}"
                self._note("warning", f"{what}; {near}" if near else what, (*at, "parameters"))
                continue
            if each["in"] == "path":
                declared.add(each["name"])
            result.append(each)
        for name in dict.fromkeys(names):
            if name not in declared:
                what = f"the path parameter {quote(name)} is not described, so any text is valid"
                self._note("warning", what, at)
                text = {"type": "string"}
                result.append({"name": name, "in": "path", "required": True, "schema": text})
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
        """Return what a function reads of a value; once for all that share a component."""
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
        content = self._mapping(holder, "content", at, _CONTENT)
        at = (*at, "content")
        result = {}
        for media_type, value in content.items():
            place = (*at, media_type)
            media = self._resolved({} if value is None else value, place, "a media object")
            result[media_type] = media
            if id(media) in self._checked:
                continue
            self._checked[id(media)] = media
            if "schema" in media:
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
            header = {**self._resolved({} if value is None else value, place, "a header")}
            if header.get("content"):
                header["content"] = self._content(header, place)
            else:
                header.setdefault("schema", {})
                self.schemas.check(header, "schema", (*place, "schema"))
            result[name] = header
        return result

    def _examples(self, holder: dict[str, Any], at: Path) -> None:
        """Check named examples; drop a list, which JSON Schema has, but not this object."""
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


def _why_not_served(path: str, responses: Mapping[str, Node]) -> str:
    """Return a sentence why an operation responds with 501, or an empty string."""
    if mark := re.search("[?#]", path):
        kind = "query" if mark[0] == "?" else "fragment"
        return f"the path of a request has no {kind}, but this template has one"
    successes = [each for status, each in responses.items() if status[0] == "2"]
    if not successes and "default" in responses:
        successes = [responses["default"]]
    contents = [each["content"] for each in successes if each.get("content")]
    if not successes or len(contents) < len(successes):
        return ""  # one has no body
    if any(json_media(content) or _is_servable(content) for content in contents):
        return ""
    types = list(dict.fromkeys(media_type for content in contents for media_type in content))
    sent = "mockpets sends JSON, text and images"
    example = "" if all(_XML.search(each) for each in types) else ", and examples of other types"
    return f"{sent}{example}, and the response is {either(types)}"


def _is_servable(content: Mapping[str, Node]) -> bool:
    return any(
        _SENT.match(media_type)
        or (not _XML.search(media_type) and ("example" in media or media.get("examples")))
        for media_type, media in content.items()
    )
