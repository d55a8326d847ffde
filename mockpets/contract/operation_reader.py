"""Read the operations of an OpenAPI document."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.constants import ALL_OPERATIONS
from mockpets.contract.component_reader import ComponentReader
from mockpets.contract.document_references import got
from mockpets.contract.media_types import is_sent, is_xml
from mockpets.contract.security import scheme_problem
from mockpets.errors import did_you_mean, nearest
from mockpets.units import either, quote

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mockpets.contract.document_references import Node, Path, References

_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_PATH_KEYS: Final = ("$ref", "summary", "description", "servers", "parameters")
_OPERATIONS: Final = 10_000
"""Maximum number of operations; with their schemas, these take seconds to read."""


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


def declared_schemes(document: References) -> Mapping[str, object]:
    """Return the security schemes that a document declares, by name."""
    components = document.root.get("components")
    schemes = components.get("securitySchemes") if isinstance(components, dict) else None
    return schemes if isinstance(schemes, dict) else {}


class OperationReader(ComponentReader):
    """Reads the operations of a document."""

    def __init__(self, document: References) -> None:
        super().__init__(document)
        self.described: list[Described] = []
        self._security_schemes = declared_schemes(document)
        self._names = {ALL_OPERATIONS: ALL_OPERATIONS}  # which no operation may have
        self._ids: dict[str, Path] = {}

    def read(self) -> None:
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
            if len(self.described) > _OPERATIONS:
                what = f"has more than {_OPERATIONS} operations"
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
            if key in _METHODS:
                self._operation(path, names, key, value, (*at, key), common)
            elif not key.startswith("x-") and key not in _PATH_KEYS:
                near = nearest(key, {each: each for each in (*_METHODS, *_PATH_KEYS)})
                if key.lower() in _METHODS:
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
        reason = _why_not_served(path, body, responses)
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
                    if scheme and "type" not in scheme:
                        self._add(place, "missing key 'type'", "add type: http, apiKey or oauth2")
                    elif scheme and (problem := scheme_problem(scheme)):
                        what = f"the security scheme {quote(name)} is not checked: {problem}"
                        self._note("warning", what, place)

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


def _why_not_served(path: str, body: Node | None, responses: Mapping[str, Node]) -> str:
    """Return a sentence why an operation responds with 501, or an empty string."""
    if mark := re.search("[?#]", path):
        kind = "query" if mark[0] == "?" else "fragment"
        return f"the path of a request has no {kind}, but this template has one"
    received = (body or {}).get("content", {})
    if received and all(map(is_xml, received)):
        read = "mockpets reads JSON, forms, text and files"
        return f"{read}, and the request body is {either(received)}"
    successes = [each for status, each in responses.items() if status[0] == "2"]
    if not successes and "default" in responses:
        successes = [responses["default"]]
    contents = [each["content"] for each in successes if each.get("content")]
    if not successes or len(contents) < len(successes):
        return ""  # one has no body
    if any(is_sent(*each) for content in contents for each in content.items()):
        return ""
    types = list(dict.fromkeys(media_type for content in contents for media_type in content))
    sent = "mockpets sends JSON, text and images"
    example = "" if all(map(is_xml, types)) else ", and examples of other types"
    return f"{sent}{example}, and the response is {either(types)}"
