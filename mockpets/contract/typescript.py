"""TypeScript types of a contract: those of its operations, and of the records of its collections.

The types of an operation have the form of openapi-typescript's, so that those of a front end can
take their place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mockpets.contract.contract_description import api_of
from mockpets.contract.media_types import json_media
from mockpets.contract.schema_shapes import Shapes, mapping
from mockpets.contract.states import documented, lists, statuses
from mockpets.strict_json import dump_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mockpets.contract.contract_model import Contracts, Operation
    from mockpets.contract.details import Api
    from mockpets.contract.inference import GuessedCollection
    from mockpets.contract.openapi_loader import Described, Document, Node

_INDENT: Final = "  "
_LINE: Final = 90
"""The characters of a type that stays on one line."""
_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)
_PRIMITIVES: Final = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}
_OBJECT: Final = "{ [name: string]: unknown }"
_ROLES: Final = ("get", "one", "list", "create", "replace", "update", "login")
"""Whose responses show a record, the best first."""
_UNAUTHORIZED: Final = 401
_NOTHING: Final[Mapping[str, str]] = {}
_MEANINGS: Final = {
    "operations": "The operations: their types, and the states that others need not have.",
    "collections": "The records of the collections.",
    "created": "New records, of collections that do not generate missing properties.",
    "people": "The collections of those who log in.",
    "errors": "The codes of errors.",
}


def declare_contract(
    contracts: Contracts, errors: Iterable[str], paths: Mapping[str, str] = _NOTHING
) -> str:
    """Return an interface with the types of all contracts, and what it needs.

    :param errors: the codes that a reply can have.
    :param paths: by the label of a contract, the module with openapi-typescript's type `paths`;
        the types of others are written from the document.
    """
    operations: dict[str, str] = {}
    collections: dict[str, str] = {}
    created: dict[str, str] = {}
    people = []
    comments, texts = {}, []
    lists = {each.name for each in contracts.paged}
    for contract in contracts.all:
        api, module = api_of(contract), paths.get(contract.label)
        name = _type_name(contract.label)
        known = f"{name}Paths" if module else ""
        writer = _Writer(api.document, f"{name}Schemas")
        for each, described in zip(contract.operations.values(), api.described, strict=True):
            if described.not_served:
                continue
            types = _at(known, described) if known else _operation(described, writer)
            states = " | ".join(_states(each, is_list=each.name in lists))
            key = _key(each.name)
            operations[key] = _object_type({"types": types, "states": states})
            comments[key] = f"{each.method} {each.path}".replace("*/", "*\\/")
        own = (each for each in api.inferred.collections.values() if not each.shows)
        for given, guessed in zip(contract.collections, own, strict=True):
            key = _key(given)
            record = (known and _shown(api, guessed, known)) or writer.type(guessed.schema)
            collections[key] = record
            if contract.api is None:  # the pet store does not generate missing properties
                created[key] = _created(api, guessed, writer)
            people += [_quoted(given)] * guessed.is_people
        if module:
            texts.append(f"type {known} = import({_quoted(module)}).paths;\n")
        texts.append(writer.text())
    members = {
        "operations": _object_type(operations, comments=comments),
        "collections": _object_type(collections),
        "created": _object_type(created),
        "people": _union(people) or "never",
        "errors": _union(map(_quoted, errors)),
    }
    whole = _object_type(members, comments=_MEANINGS)
    return f"export interface Contract {whole}\n" + "".join(f"\n{text}" for text in texts if text)


def _type_name(label: str) -> str:
    """Return ``PetStore`` for ``pet-store``."""
    name = "".join(part.capitalize() for part in label.split("-"))
    return name if _IDENTIFIER.fullmatch(name) else f"Api{name}"


def _at(paths: str, described: Described) -> str:
    """Return where openapi-typescript's types have an operation."""
    return f'{paths}[{_quoted(described.path)}]["{described.method.lower()}"]'


# --- Operations -------------------------------------------------------------------------------


def _states(operation: Operation, *, is_list: bool) -> Iterator[str]:
    """Yield the states of an operation that others need not have, as types."""
    known = documented(operation)
    listed = statuses(known)
    if str(_UNAUTHORIZED) not in listed and lists(operation, _UNAUTHORIZED):
        listed.append(str(_UNAUTHORIZED))
    yield from (f'"{each}"' for each in listed)
    # As `states.allows` has it.
    if "DEFAULT" in known or not any(each[0] == "4" for each in known):
        known = [*known, "4XX"]
    yield from (f"`{each}${{number}}`" for each in "234" if f"{each}XX" in known)
    if is_list:
        yield '"empty"'


def _operation(described: Described, writer: _Writer) -> str:
    """Return the parameters, the body and the responses of an operation."""
    members = {"parameters": _object_type(_parameters(described, writer))}
    if described.body is not None:
        mark = "" if described.body.get("required") else "?"
        members[f"requestBody{mark}"] = _object_type({"content": _content(described.body, writer)})
    responses = {
        status if status.isdigit() else _key(status): _object_type(
            {"content": _content(response, writer)}
        )
        for status, response in described.responses.items()
    }
    members["responses"] = _object_type(responses)
    return _object_type(members)


def _parameters(described: Described, writer: _Writer) -> Mapping[str, str]:
    """Return the types of the parameters by place, each of them optional unless it is required."""
    result = {}
    for place in ("query", "header", "path"):
        own = [each for each in described.parameters if each["in"] == place]
        mark = "" if any(each.get("required") for each in own) else "?"
        if own:
            result[f"{place}{mark}"] = _object_type(
                {
                    _key(each["name"], is_required=bool(each.get("required"))): writer.type(
                        each["schema"]
                    )
                    for each in own
                }
            )
    return result


def _content(node: Node, writer: _Writer) -> str:
    content = node.get("content") or {}
    if not content:
        return "{}"
    return _object_type(
        {_quoted(media_type): writer.type(media["schema"]) for media_type, media in content.items()}
    )


# --- Collections ------------------------------------------------------------------------------


def _created(api: Api, guessed: GuessedCollection, writer: _Writer) -> str:
    """Return the type of the body that creates a record."""
    for each in api.described:
        guess = api.inferred.operations[each.name]
        media = json_media(mapping(each.body).get("content") or {})
        if guess.role == "create" and guess.collection == guessed.name and media:
            return writer.type(media[1]["schema"])
    return writer.type(guessed.schema)


def _shown(api: Api, guessed: GuessedCollection, paths: str) -> str:
    """Return where openapi-typescript's types have the record of a collection; or nothing."""
    shapes, schema = Shapes(api.document), guessed.schema
    found = []
    for described in api.described:
        guess = api.inferred.operations[described.name]
        if guess.collection != guessed.name or guess.role not in _ROLES or guess.returns == "other":
            continue
        for status, response in described.responses.items():
            media = json_media(response.get("content") or {})
            if media is None or not status.startswith("2"):
                continue
            index = status if status.isdigit() else _quoted(status)
            text = f'{_at(paths, described)}["responses"][{index}]'
            text += f'["content"][{_quoted(media[0])}]'
            for key in guess.envelope:
                text = f"NonNullable<{text}[{_quoted(key)}]>"
            text += "[number]" * (guess.returns == "list")
            is_same = shapes.same_record(guess.item or schema, schema)
            found.append((not is_same, _ROLES.index(guess.role), text))
            break
    return min(found)[2] if found else ""


# --- Schemas ----------------------------------------------------------------------------------


class _Writer:
    """Writes schemas as types; those with a name are members of one interface."""

    def __init__(self, document: Document, interface: str) -> None:
        self._document = document
        self._interface = interface
        self._names: dict[int, str] = {}
        self._schemas: dict[str, Node] = {}

    def text(self) -> str:
        """Return the interface with the schemas to which the written ones refer."""
        texts: dict[str, str] = {}
        while len(texts) < len(self._schemas):  # writing one may need others
            for name in [each for each in self._schemas if each not in texts]:
                texts[name] = self.type(self._schemas[name])
        if not texts:
            return ""
        members = {_key(name): texts[name] for name in sorted(texts)}
        return f"interface {self._interface} {_object_type(members, comments={})}\n"

    def type(self, node: object) -> str:
        schema = mapping(node)
        if isinstance(schema.get("$ref"), str):
            return f"{self._interface}[{_quoted(self._name(schema))}]"
        kinds = schema.get("type")
        kinds = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
        parts = [self.type(each) for each in schema.get("allOf", ())]
        parts += [
            _union(map(self.type, schema[keyword]))
            for keyword in ("oneOf", "anyOf")
            if schema.get(keyword)
        ]
        if own := self._own(schema, kinds, alone=not parts):
            parts.append(own)
        if not parts:
            return "never" if schema.get("not") == {} else "unknown"
        text = parts[0] if len(parts) == 1 else " & ".join(map(_grouped, dict.fromkeys(parts)))
        is_nullable = schema.get("nullable") is True and "null" not in kinds
        return _union((text, "null")) if is_nullable else text

    def _own(self, schema: Node, kinds: Sequence[str], *, alone: bool) -> str:
        """Return the type of what a schema says beside its parts; empty if it says nothing."""
        values = schema.get("enum", [schema["const"]] if "const" in schema else None)
        if values is not None:
            return _union(dump_json(each).decode() for each in values) or "never"
        properties = mapping(schema.get("properties"))
        if not kinds and (properties or isinstance(schema.get("additionalProperties"), dict)):
            kinds = ["object"]
        if not kinds and "items" in schema:
            kinds = ["array"]
        if not alone:
            # `required` may name properties of the parts.
            kinds = [each for each in kinds if each != "object" or properties]
            others = [each for each in schema.get("required", ()) if each not in properties]
            if others:
                given = {_key(each): "{} | null" for each in others}
                own = [self._object(schema)] * bool(properties)
                return " & ".join([*own, _object_type(given)])
        return _union(self._kind(each, schema) for each in kinds)

    def _kind(self, kind: str, schema: Node) -> str:
        if kind == "array":
            items = schema.get("items", schema.get("prefixItems"))
            several = _union(map(self.type, items)) if isinstance(items, list) else self.type(items)
            return f"{_grouped(several)}[]"
        return self._object(schema) if kind == "object" else _PRIMITIVES.get(kind, "unknown")

    def _object(self, schema: Node) -> str:
        required = schema.get("required", ())
        members = {
            # A property that only requests have is missing from responses.
            _key(name, is_required=name in required and not self._is_sent(each)): self.type(each)
            for name, each in mapping(schema.get("properties")).items()
        }
        others = schema.get("additionalProperties")
        if not members and isinstance(others, dict):
            return f"{{ [name: string]: {self.type(others)} }}"
        if not members:
            return _OBJECT
        if isinstance(others, dict) and others.get("not") != {}:
            members["[name: string]"] = "unknown"
        return _object_type(members)

    def _is_sent(self, node: object) -> bool:
        return mapping(self._document.resolve(mapping(node))).get("writeOnly") is True

    def _name(self, node: Node) -> str:
        """Return the name in the interface of what a reference leads to."""
        target, path = self._document.target(node["$ref"])
        if id(target) not in self._names:
            wanted = self._document.name_of(node) or str(path[-1])
            names = (wanted, *(f"{wanted}{number}" for number in range(2, len(self._names) + 3)))
            name = next(each for each in names if each not in self._schemas)
            self._names[id(target)] = name
            self._schemas[name] = mapping(target)
        return self._names[id(target)]


def _object_type(members: Mapping[str, str], *, comments: Mapping[str, str] | None = None) -> str:
    """Return an object's type, on one line if it is short.

    :param members: what stands before and after each colon.
    :param comments: what stands above a member; with any, each member has a line of its own.
    """
    if not members:
        return "{}"
    line = f"{{ {'; '.join(f'{key}: {text}' for key, text in members.items())} }}"
    if len(line) <= _LINE and "\n" not in line and comments is None:
        return line
    above = comments or {}
    lines = ""
    for key, text in members.items():
        lines += f"/** {above[key]} */\n" if key in above else ""
        lines += f"{key}: {text};\n"
    return f"{{\n{_indented(lines)}}}"


def _indented(lines: str) -> str:
    """Return lines with one more indent."""
    return re.sub("^(?=.)", _INDENT, lines, flags=re.MULTILINE)


def _key(name: str, *, is_required: bool = True) -> str:
    key = name if _IDENTIFIER.fullmatch(name) else _quoted(name)
    return key if is_required else f"{key}?"


def _quoted(text: str) -> str:
    return dump_json(text).decode()


def _union(types: Iterable[str]) -> str:
    """Return a union; one of everything is `unknown`."""
    different = list(dict.fromkeys(types))
    return "unknown" if "unknown" in different else " | ".join(different)


def _grouped(text: str) -> str:
    """Return a type in parentheses if it is a union or an intersection."""
    depth = 0
    for mark in re.findall(r'"(?:[^"\\]|\\.)*"|=>|[\[\](){}<>|&]', text):
        depth += (mark in "[({<") - (mark in "])}>") if len(mark) == 1 else 0
        if depth == 0 and mark in ("|", "&"):
            return f"({text})"
    return text
