"""Read the body of a request as an operation of an OpenAPI document describes it."""

from __future__ import annotations

from functools import cached_property, lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from mockpets.constants import SERVER_BODY_BYTES
from mockpets.contract.fields import INVALID, Invalid
from mockpets.contract.media_types import concrete, is_json, is_xml, may_be_json
from mockpets.contract.parameters import SEPARATORS, nested_keys, nested_object
from mockpets.errors import RequestError
from mockpets.kept_results import Results
from mockpets.strict_json import parse_json
from mockpets.units import either

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.contract.fields import ContractField, ValueProblem
    from mockpets.contract.json_schema import SchemaField
    from mockpets.contract.openapi_loader import Node
    from mockpets.contract.schema_fields import Fields
    from mockpets.contract.text_field import TextField

BodyProblem = Literal["", "missing", "media type", "malformed", "invalid", "too large"]
_FORM: Final = "application/x-www-form-urlencoded"
_MULTIPART: Final = "multipart/form-data"
_PARTS: Final = 1000
"""Maximum number of parts of a form, as in Werkzeug."""
_SHOWN: Final = 80
"""Characters of a media type that a message repeats."""
_CONTENT_TYPES: Final = 8
"""With and without a charset, for example."""


class Sent(NamedTuple):
    """The body of a request.

    :param value: as JSON; `INVALID` without one.
    :param kind: what is wrong; empty for a valid body, and for a missing one that is optional.
    :param problems: every problem; a path is empty for the whole body.
    """

    value: object | Invalid
    kind: BodyProblem = ""
    problems: tuple[ValueProblem, ...] = ()


class _BodyError(Exception):
    """A body is invalid."""

    def __init__(self, kind: BodyProblem, what: str, path: str = "") -> None:
        super().__init__(what)
        self.kind: BodyProblem = kind
        self.problem: ValueProblem = ((path,) if path else (), what)


class Bodies:
    """The bodies of an operation's requests.

    :param body: the resolved `requestBody`; None if there is none, then bodies are ignored.
    """

    def __init__(self, fields: Fields, body: Node | None) -> None:
        self._fields = fields
        self._is_ignored = body is None
        described = body or {}
        self._is_required = described.get("required") is True
        self._content: Mapping[str, Node] = described.get("content", {})
        self._json: Results = Results(_CONTENT_TYPES)
        """The fields of JSON by the Content-Type."""

    def read(self, raw: bytes, content_type: str) -> Sent:
        """Return the body of a request.

        :param content_type: the header's value; empty without one.
        """
        if self._is_ignored or not (raw or self._is_required):
            return Sent(INVALID)
        try:
            return self._read(raw, content_type)
        except _BodyError as error:
            return Sent(INVALID, error.kind, (error.problem,))

    def _read(self, raw: bytes, content_type: str) -> Sent:
        if not raw:
            raise _BodyError("missing", "is required")
        if len(raw) > SERVER_BODY_BYTES:
            what = f"must have at most {SERVER_BODY_BYTES // 2**20} MiB"
            raise _BodyError("too large", what)
        known: ContractField | None = self._json.get(content_type)
        if known is not None:
            return _accepted(known, _json(raw))
        kind, options = _parsed(content_type)
        media_type = self._described(kind, content_type)
        schema: Node = self._content[media_type]["schema"]
        if is_json(kind):
            if options.get("charset", "utf-8").lower() not in ("utf-8", "utf8"):
                what = f"must have the charset utf-8, got {content_type[:_SHOWN]}"
                raise _BodyError("media type", what, "Content-Type")
            value: object = _json(raw)
            field: ContractField = self._fields.field(schema, direction="request")
            if len(content_type) <= _SHOWN:
                self._json.keep(content_type, field)
        elif kind in (_FORM, _MULTIPART):
            form = self._fields.text_field(schema)
            return self._form(raw, (kind, options), media_type, form)
        elif kind.startswith("text/"):
            value = _text(raw, options.get("charset", "utf-8"))
            field = self._fields.text_field(schema)
        else:
            return Sent(_file("", raw, kind))
        return _accepted(field, value)

    @cached_property
    def _known(self) -> Mapping[str, str]:
        """The media types without their parameters, and as documented."""
        known: dict[str, str] = {}
        for name in self._content:
            kind = _parsed(name)[0]
            known.setdefault("application/json" if kind == "json" else kind, name)
        return known

    def _described(self, kind: str, content_type: str) -> str:
        """Return the documented media type that describes the one of a request."""
        known = self._known
        main, suffix = kind.partition("/")[0], kind.rpartition("+")[2]
        ranges = (f"{main}/*+{suffix}", f"{main}/*", "*/*", "*")
        nearest = (kind, *ranges) if kind and "*" not in kind else ()
        described = next((known[each] for each in nearest if each in known), None)
        if described is not None and self._reads(kind, described):
            return described
        readable = [each for each, name in known.items() if self._reads(each, name)]
        got = f"got {content_type[:_SHOWN]}"
        if not content_type:
            first = concrete(next(iter(readable), "application/json"))
            what = f"is missing; send the header 'Content-Type: {first}'"
        elif not readable:
            what = f"must be of a type that mockpets reads, {got}"
        elif described is None:
            what = f"must be {either(readable)}, {got}"
        else:
            name = "XML" if is_xml(kind) else kind[:_SHOWN]
            listed = either(map(concrete, readable))
            what = f"must be {listed}, {got}; mockpets does not read {name}"
        raise _BodyError("media type", what, "Content-Type")

    def _reads(self, kind: str, described: str) -> bool:
        """Return whether mockpets can read bodies of a media type, which the document describes.

        XML cannot be read, and what is not JSON or a form cannot be an object or a list.
        """
        if is_xml(kind):
            return False
        schema: Node = self._content[described]["schema"]
        is_object = may_be_json(kind) or kind in (_FORM, _MULTIPART)
        return is_object or self._fields.text_field(schema).is_scalar

    def _form(
        self, raw: bytes, kind: tuple[str, Mapping[str, str]], media_type: str, field: TextField
    ) -> Sent:
        """Return the object of a form; a file is an object with its name, size and type."""
        texts, files = _form_parts(raw, *kind)
        properties = field.field.shape.fields
        encoding = self._content[media_type].get("encoding", {})
        sent: dict[tuple[str, ...], list[Any]] = {}
        for name, values in texts.items():
            keys = (name,) if name in properties else tuple(nested_keys(name))
            own = encoding.get(name) if isinstance(encoding, dict) else None
            if isinstance(own, dict) and own.get("explode") is False:
                separator = SEPARATORS.get(str(own.get("style")), ",")
                values = [part for value in values for part in value.split(separator)]
            sent[keys] = [_part(value, properties.get(keys[0])) for value in values]
        for name, uploads in files.items():
            field_of_file = properties.get(name)
            if field_of_file is None or _is_binary(field_of_file):
                sent[name,] = [name for name, _, _ in uploads]
            else:  # a part with a type of its own, such as JSON
                read = [_part(_text(data, "utf-8"), field_of_file) for _, data, _ in uploads]
                sent[name,] = read
        result = _accepted(field, nested_object(sent))
        if isinstance(result.value, dict):
            described = {
                name: [_file(*each) for each in uploads]
                for name, uploads in files.items()
                if name in result.value and (name not in properties or _is_binary(properties[name]))
            }
            for name, each in described.items():
                is_list = isinstance(result.value[name], list)
                result.value[name] = each if is_list else each[0]
        return result


@lru_cache(64)
def _parsed(content_type: str) -> tuple[str, Mapping[str, str]]:
    from werkzeug.http import parse_options_header  # only operations of a document need it

    kind, options = parse_options_header(content_type)
    return kind.lower(), options


def _json(raw: bytes) -> object:
    try:
        return parse_json(raw)
    except RequestError as error:
        raise _BodyError("malformed", error.message.removeprefix("the body ")) from error


def _text(raw: bytes, charset: str) -> str:
    try:
        return raw.decode(charset)
    except UnicodeDecodeError as error:
        what = f"must be {charset}; byte {error.start} is invalid"
        raise _BodyError("malformed", what) from error
    except (LookupError, ValueError) as error:  # ValueError: "undefined", or a null character
        what = f"has an unknown charset, {charset[:_SHOWN]}"
        raise _BodyError("media type", what, "Content-Type") from error


def _form_parts(
    raw: bytes, kind: str, options: Mapping[str, str]
) -> tuple[dict[str, list[str]], dict[str, list[tuple[str, bytes, str]]]]:
    """Return the texts and the files of a form: each with its name, contents and type."""
    from werkzeug.exceptions import RequestEntityTooLarge
    from werkzeug.formparser import FormDataParser

    parser = FormDataParser(
        lambda *_, **__: BytesIO(), silent=False, max_form_parts=_PARTS, max_form_memory_size=None
    )
    try:
        _, form, files = parser.parse(BytesIO(raw), kind, len(raw), {**options})
    except RequestEntityTooLarge as error:
        raise _BodyError("too large", f"must have at most {_PARTS} parts") from error
    except ValueError as error:  # also of UTF-8
        name = "form" if kind == _FORM else "multipart form with the boundary of its Content-Type"
        raise _BodyError("malformed", f"is not a valid {name}") from error
    uploads = {
        name: [(each.filename or "", each.read(), each.mimetype) for each in files.getlist(name)]
        for name in files
    }
    return {name: form.getlist(name) for name in form}, uploads


def _part(text: str, field: SchemaField | None) -> object:
    """Return a part of a form; one of an object or a list is JSON."""
    types = field.types_named if field is not None else frozenset()
    if types & {"object", "array"} and text[:1] in ("{", "["):
        try:
            return parse_json(text.encode())
        except (RequestError, UnicodeEncodeError):
            return text
    return text


def _is_binary(field: SchemaField) -> bool:
    """Return whether a property, or its items, are files."""
    items = field.items.tail if "array" in field.types_named else field
    return any(
        part.node.get("format") == "binary" or "contentMediaType" in part.node
        for part in items.parts
    )


def _file(name: str, data: bytes, kind: str) -> dict[str, object]:
    return {"name": name, "size": len(data), "type": kind}


def _accepted(field: ContractField, value: object) -> Sent:
    accepted = field.accept(value)
    if accepted is INVALID:
        return Sent(INVALID, "invalid", tuple(field.problems(value)))
    return Sent(accepted)
