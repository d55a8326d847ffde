"""Read the parameters of a request as an operation of an OpenAPI document describes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

from mockpets.contract.fields import INVALID
from mockpets.contract.media_types import may_be_json
from mockpets.contract.text_field import TextField
from mockpets.errors import RequestError
from mockpets.strict_json import parse_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mockpets.contract.fields import ContractField, ValueProblem
    from mockpets.contract.openapi_loader import Described, Node
    from mockpets.contract.schema_fields import Fields

ParameterKind = Literal["path", "query", "header", "cookie"]
Texts = Mapping[str, "list[str]"]
"""The texts that were sent under each name."""
_STYLES: Final[Mapping[str, str]] = {
    "path": "simple",
    "query": "form",
    "header": "simple",
    "cookie": "form",
}
SEPARATORS: Final[Mapping[str, str]] = {"spaceDelimited": " ", "pipeDelimited": "|"}
_OF_HTTP: Final = ("accept", "authorization", "content-type")
"""Headers that OpenAPI describes elsewhere, so that parameters with these names are ignored."""
_NESTED: Final = 5
"""Maximum number of keys in the name of a part of an object, such as ``filter[a][b]``."""


class Parameters:
    def __init__(self, fields: Fields, operation: Described) -> None:
        self._of_kind: dict[str, list[_Parameter]] = {kind: [] for kind in _STYLES}
        for node in operation.parameters:
            kind = node["in"]
            if kind in _STYLES and (kind != "header" or node["name"].lower() not in _OF_HTTP):
                self._of_kind[kind].append(_Parameter(fields, node))
        for known in self._of_kind.values():
            # An object without declared properties takes what the other parameters leave.
            known.sort(key=lambda each: each.takes_others)
        self.kinds: Final = frozenset(kind for kind, known in self._of_kind.items() if known)
        """The kinds of which there are parameters."""

    def read(self, kind: ParameterKind, texts: Texts) -> Read:
        """Return the parameters of one kind.

        :param texts: decoded; of a path parameter, the segment without what is around it.
        """
        parameters = self._of_kind[kind]
        if kind == "header":  # their names have no case
            documented = {each.name.lower(): each.name for each in parameters}
            lower = ((name.lower(), values) for name, values in texts.items())
            texts = {documented[name]: values for name, values in lower if name in documented}
        left = dict(texts)
        values: dict[str, object] = {}
        problems: list[ValueProblem] = []
        for each in parameters:
            try:
                sent = each.take(left)
                if sent is None:
                    sent = each.default
                if sent is not None:
                    values[each.name] = each.value(sent)
                elif each.is_required:
                    problems.append(((each.name,), "is required"))
            except _InvalidError as error:
                problems += [((each.name, *path), what) for path, what in error.problems]
        unknown = frozenset(left) if kind == "query" else frozenset()
        return Read(values, problems, unknown)

    def accepts_header(self, name: str, text: str) -> bool:
        """Return whether a header is a parameter, in any case, and may have a text."""
        values = self.read("header", {name: [text]}).values
        return any(each.lower() == name.lower() for each in values)


class Read(NamedTuple):
    """What was read: the valid values by name, with defaults, and what is wrong with others.

    :param unknown: the names of query parameters that the operation does not have.
    """

    values: dict[str, object]
    problems: list[ValueProblem]
    unknown: frozenset[str]


NOTHING_READ: Final = Read({}, [], frozenset())


class _InvalidError(Exception):
    """A parameter is invalid."""

    def __init__(self, problems: list[ValueProblem]) -> None:
        self.problems = problems


class _Typed(NamedTuple):
    """A JSON value, which is not converted from texts."""

    value: object


class _Parameter:
    """One parameter.

    :param takes_others: whether its properties have any names, each as a parameter.
    """

    def __init__(self, fields: Fields, node: Node) -> None:
        self.name: str = node["name"]
        self.kind: str = node["in"]
        self.is_required = node.get("required") is True or self.kind == "path"
        self.allows_empty = self.kind == "query" and node.get("allowEmptyValue") is True
        self.is_json = any(map(may_be_json, [*node.get("content", ())][:1]))
        schema: Node = node["schema"]
        text = None if self.is_json else fields.text_field(schema)
        self.field: ContractField = text or fields.field(schema, direction="request")
        style = node.get("style")
        self.style = style if isinstance(style, str) else _STYLES[self.kind]
        explode = node.get("explode")
        self.explodes = explode if isinstance(explode, bool) else self.style == "form"
        self.is_list = text is not None and text.is_list
        self.is_object = text is not None and text.is_object
        self.is_scalar = text is None or text.is_scalar
        self.properties = text.field.shape.fields if text is not None else {}
        is_spread = self.is_object and self.style == "form" and self.explodes
        self.is_spread = is_spread and self.kind in ("query", "cookie")
        shape = text.field.shape if text is not None and self.is_spread else None
        self.takes_others = shape is not None and shape.other is not None and not shape.drops_others
        self._start = {"label": ".", "matrix": f";{self.name}="}.get(self.style, "")
        if self.style == "matrix" and self.is_object and self.explodes:
            self._start = ";"

    @property
    def default(self) -> _Typed | None:
        """The default, unless it is invalid."""
        if "default" not in self.field.openapi:
            return None
        value = self.field.openapi["default"]
        whole = self.field.field if isinstance(self.field, TextField) else self.field
        return None if whole.accept(value) is INVALID else _Typed(value)

    def value(self, sent: object) -> object:
        """Return the value of what was sent; raise `_InvalidError`."""
        if isinstance(sent, _Typed):
            return sent.value
        if sent == "" and self.allows_empty:
            return ""
        accepted = self.field.accept(sent)
        if accepted is INVALID:
            raise _InvalidError(self.field.problems(sent))
        return accepted

    def take(self, texts: dict[str, list[str]]) -> object:
        """Remove the texts of the parameter, and return what its field reads; None without any.

        :raise _InvalidError: the texts do not have the parameter's style.
        """
        if self.style == "deepObject":
            found = _nested(self.name, texts)
            if found or self.name not in texts:
                return found or None
            return self._single(texts.pop(self.name))
        if self.is_spread and self.name not in texts:
            names = [*texts] if self.takes_others else [n for n in self.properties if n in texts]
            popped = {name: texts.pop(name) for name in names}
            return nested_object({(name,): each for name, each in popped.items()}) or None
        values = texts.pop(self.name, None)
        if values is None:
            return None
        if self.is_json:
            return self._json(self._single(values))
        if self.is_scalar and len(values) == 1:
            text = self._bare(values[0])
            if not (self.is_list or self.is_object) or self.field.accept(text) is not INVALID:
                return text
        if self.is_list:
            return self._items(values)
        if self.is_object:
            return self._object(self._single(values))
        return self._single(values)

    def _single(self, values: Sequence[str]) -> str:
        if len(values) > 1 and self.kind == "header":
            return ",".join(values)
        if len(values) > 1:
            what = f"must be sent only once, got {len(values)} values"
            raise _InvalidError([((), what)])
        return values[0]

    def _json(self, text: str) -> object:
        try:
            value = parse_json(text.encode("utf-8", "surrogatepass"))
        except RequestError as error:
            what = error.message.removeprefix("the body ").removeprefix("is not JSON: ")
            raise _InvalidError([((), f"must be JSON: {what}")]) from error
        accepted = self.field.accept(value)
        if accepted is INVALID:
            raise _InvalidError(self.field.problems(value))
        return _Typed(accepted)

    def _bare(self, text: str) -> str:
        """Return a text of a path without what its style puts in front of it."""
        if not text.startswith(self._start):
            raise _InvalidError([((), f"must start with '{self._start}', got {text[:60]!r}")])
        return text[len(self._start) :]

    def _items(self, values: list[str]) -> list[str]:
        if self.kind == "query" and self.explodes:
            return values
        text = self._bare(values[0] if self.kind == "path" else ",".join(values))
        separator = SEPARATORS.get(self.style, ",")
        if self.style == "label" and self.explodes:
            separator = "."
        if self.style == "matrix" and self.explodes:
            separator = f";{self.name}="
        if self.kind == "query":
            return [part for value in values for part in value.split(separator)]
        parts = text.split(separator)
        return [part.strip() for part in parts] if self.kind == "header" else parts

    def _object(self, text: str) -> dict[str, object]:
        text = self._bare(text)
        separator = SEPARATORS.get(self.style, ",")
        if self.explodes:
            separator = {"label": ".", "matrix": ";"}.get(self.style, separator)
            pairs = (part.partition("=")[::2] for part in text.split(separator))
            return {name.strip(): value for name, value in pairs}
        parts = text.split(separator)
        if len(parts) % 2:
            what = f"must be names and values in turn, got {len(parts)} parts"
            raise _InvalidError([((), what)])
        return {name.strip(): value for name, value in zip(parts[::2], parts[1::2], strict=True)}


def _nested(name: str, texts: dict[str, list[str]]) -> dict[str, object]:
    """Remove texts such as those of ``filter[name]``, and return the object."""
    return nested_object(
        {
            tuple(keys): texts.pop(each)
            for each in [*texts]
            if (keys := [*nested_keys(each)]) and keys.pop(0) == name and keys
        }
    )


def nested_keys(name: str) -> Iterator[str]:
    """Yield the keys in a name such as ``filter[address][city]``."""
    first, bracket, rest = name.partition("[")
    yield first
    if bracket and rest.endswith("]"):
        yield from rest[:-1].split("][", _NESTED - 1)


def nested_object(values: Mapping[tuple[str, ...], list[str]]) -> dict[str, object]:
    """Return the object of texts by their keys; an empty last key is for the items of a list."""
    result: dict[str, object] = {}
    for keys, texts in values.items():
        is_list = keys[-1] == "" or len(texts) > 1
        *outer, last = keys[:-1] if keys[-1] == "" and len(keys) > 1 else keys
        target = result
        for key in outer:
            inner = target.setdefault(key, {})
            if not isinstance(inner, dict):
                inner = target[key] = {}
            target = cast("dict[str, Any]", inner)
        target[last] = texts if is_list else texts[0]
    return result
