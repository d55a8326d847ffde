"""The calls of the control API as Markdown, from its OpenAPI document."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

from mockpets.contract.control_calls import TAGS
from mockpets.kit_files import files_of
from mockpets.web.control.routes import control_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Schema = Mapping[str, Any]

_FILTERED: Final = ("requests", "requests.har")
"""Calls that have the same filters."""


def calls() -> dict[str, Callable[[], str]]:
    """Return the parts of the page by name: the calls of each tag."""
    parts = {f"calls: {tag}": partial(_calls, tag) for tag in TAGS}
    return {**parts, "calls: kit": kit_files, "calls: types": types}


def types() -> str:
    """Return the table of the types that several calls return, with their properties."""
    rows = "".join(f"| `{name}` | {text} |\n" for name, text in _types().items())
    return f"| type | |\n|---|---|\n{rows}"


def kit_files() -> str:
    """Return the list of the calls for the files of the kit."""
    return f"{', '.join(f'`GET {name}`' for name in files_of())}.\n"


@cache
def _document() -> Mapping[str, Any]:
    return control_document()


def _calls(tag: str) -> str:
    """Return the calls with a tag."""
    return "\n".join(
        _call(method, path, operation)
        for path, methods in _document()["paths"].items()
        for method, operation in methods.items()
        if tag in operation["tags"]
    )


def _call(method: str, path: str, operation: Mapping[str, Any]) -> str:
    """Return a call: what it does, its parameters, body and response."""
    place = re.sub(r"{(\w+)}", lambda part: part[1].upper(), path.removeprefix("/"))
    place = place.replace("/RECORD", "/ID")
    facts = [*_parameters(operation)]
    if place == _FILTERED[1]:
        facts = [("query", f"The same filters as `GET {_FILTERED[0]}`.")]
    if body := operation.get("requestBody"):
        schema = body["content"]["application/json"]["schema"]
        title = "body" if body["required"] else "body, optional"
        facts += [(title, _body(schema))]
    responses: Mapping[str, Any] = operation["responses"]
    statuses = " or ".join(status for status in responses if status.startswith("2"))
    facts.append((statuses, _response(responses["200"])))
    rows = "".join(f"| {name} | {text} |\n" for name, text in facts)
    text = _one_line(operation["description"])
    return f"#### `{method.upper()} {place}`\n\n{text}\n\n| | |\n|---|---|\n{rows}"


def _parameters(operation: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the parameters of a call that are its own: those in the query."""
    for parameter in operation.get("parameters", ()):
        if parameter.get("in") == "query":
            is_any = parameter["schema"].get("type") == "object"  # a parameter for each property
            yield f"`?{'PROPERTY' if is_any else parameter['name']}=`", _described(parameter)


def _described(parameter: Mapping[str, Any]) -> str:
    """Return the description of a parameter, with its type, its values and its default."""
    schema: Schema = _resolved(parameter["schema"])
    parts = [_one_line(parameter["description"]).rstrip(".")]
    if values := schema.get("enum"):
        parts.append(f"one of {', '.join(f'`{value}`' for value in values)}")
    if "default" in schema:
        parts.append(f"by default `{schema['default']}`")
    return f"{'; '.join(parts)}."


def _resolved(schema: Schema) -> Schema:
    """Return a schema in place of a reference to it."""
    name = schema.get("$ref", "").rpartition("/")[2]
    return _document()["components"]["schemas"][name] if name else schema


def _body(schema: Schema) -> str:
    """Return the properties of a body, or what it can be."""
    schema = _resolved(schema)
    if kinds := schema.get("anyOf"):
        return f"{_capital('; or '.join(map(_kind, kinds)))}."
    required = schema.get("required", ())
    if "properties" not in schema:
        return _one_line(schema["description"])
    properties = {
        f"`{name}`{' (required)' if name in required else ''}": _one_line(
            each.get("description") or _resolved(each).get("description", "")
        )
        for name, each in schema["properties"].items()
    }
    if not all(properties.values()):
        return f"{', '.join(properties)}. {_one_line(schema['description'])}"
    return " ".join(f"{name}: {text}" for name, text in properties.items())


def _kind(schema: Schema) -> str:
    """Return one of the things that a body can be."""
    schema = _resolved(schema)
    text = _one_line(schema["description"]).rstrip(".")
    properties = ", ".join(f"`{name}`" for name in schema.get("properties", ()))
    return text[:1].lower() + text[1:] + (f", with {properties}" if properties else "")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _response(response: Mapping[str, Any]) -> str:
    """Return what a response is: with its properties, unless its type is in the table of types."""
    name = _type(response)
    if name is None:
        return _one_line(response["description"])
    return f"[`{name}`](#types)" if name in _types() else _properties(name)


def _type(response: Mapping[str, Any]) -> str | None:
    """Return the name of the type of a response; None if it is not JSON or has no name."""
    [(kind, content)] = response["content"].items()
    name: str = content["schema"].get("$ref", "").rpartition("/")[2]
    return name if name and kind == "application/json" else None


@cache
def _types() -> Mapping[str, str]:
    """Return the types that several calls return by name, each with its properties."""
    names = Counter(
        _type(operation["responses"]["200"])
        for methods in _document()["paths"].values()
        for operation in methods.values()
    )
    return {name: _properties(name) for name in sorted(filter(None, names)) if names[name] > 1}


def _properties(name: str) -> str:
    """Return the properties of a type, and what it is."""
    schema = _document()["components"]["schemas"][name]
    text = _one_line(schema.get("description", ""))
    if "properties" not in schema:
        return text
    properties = ", ".join(f"`{each}`" for each in schema["properties"])
    return f"{properties}. {text}".rstrip()


def _one_line(text: str) -> str:
    """Return a description in one line, in the words of the documentation."""
    text = " ".join(text.split()).replace("|", "\\|")
    text = re.sub(r"(?<![`-])(--[a-z-]+|4xx|5s|30s)\b", r"`\1`", text)
    return re.sub(r"(?<![\w`-])request log(?![\w`-])", "request log", text)
