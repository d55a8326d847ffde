"""The documented error of an operation, with the real reason in it.

An example of the document is a template. For an error such as 404, its text stays, and the real key
and name replace those in it. For an invalid request, the problems replace the text.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockpets.contract.media_types import json_media
from mockpets.contract.shapes import plain
from mockpets.seed.places import kind_of, word_set, words_of
from mockpets.seed.times import as_text, time_of
from mockpets.seed.values import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mockpets.contract.openapi import Described, Node, Path
    from mockpets.seed.shapes import Shape
    from mockpets.seed.values import Values

    Reason = tuple[Path, str]

PROBLEM: Final = "application/problem+json"
_INVALID: Final = (400, 422)
_DEEPEST: Final = 8
_REASONS: Final = word_set(
    "message detail details description reason msg errormessage errordescription errormsg"
    " errordetail text usermessage displaymessage developermessage summary explanation hint"
    " problem problems errors issues faultstring"
)
_TITLES: Final = word_set("title error type name statustext reasonphrase category kind heading")
_STATUSES: Final = word_set("status statuscode httpstatus httpstatuscode httpcode")
_CODES: Final = word_set("code errorcode errorkey errortype errorid key subcode slug")
_MOMENTS: Final = word_set("timestamp time date datetime occurredat at createdat")
_ADDRESSES: Final = word_set("path instance uri url requestpath endpoint resource")
_FIELDS: Final = word_set(
    "field property pointer param parameter parametername fieldname propertyname propertypath loc"
    " location source attribute path key name target element domain"
)
_LISTS: Final = word_set(
    "errors details detail fielderrors validationerrors violations issues problems messages"
    " invalidparams invalidfields suberrors causes fields error"
)
_GENERAL: Final = word_set("body base general global nonfielderrors form other all")
"""Properties for problems of the whole request."""
_FALSE: Final = word_set("success ok succeeded valid isvalid")
_MAIN_CODES: Final = _CODES - {"key", "slug"}
_MAIN_TITLES: Final = _TITLES - {"name", "kind", "type"}
_STEMS: Final[Mapping[int, str]] = {
    400: "invalid validation bad malformed",
    401: "unauthorized unauthenticated authentication auth",
    403: "forbidden permission denied access",
    404: "notfound missing unknown",
    405: "method",
    409: "conflict exists duplicate",
    413: "large size",
    415: "unsupported media type",
    422: "unprocessable validation invalid",
    429: "rate many limit",
}
"""Parts of the codes that documents have for a status."""


class ErrorResponse(NamedTuple):
    """An error response.

    :param media_type: an empty string if the response is documented without a body.
    :param body: a JSON value, or a text where the media type is not JSON.
    :param is_documented: whether the operation documents it.
    :param example: the name of the example that it follows; empty without one.
    """

    status: int
    media_type: str
    body: object
    is_documented: bool
    example: str


class _Error(NamedTuple):
    """What an error body says.

    :param is_invalid: whether the problems of the request replace the texts of an example.
    :param key: that does not exist, or is taken.
    :param name: what has the key, such as ``user``.
    """

    status: int
    title: str
    reasons: Sequence[Reason]
    is_invalid: bool
    key: str
    name: str
    request_path: str
    now: int

    @property
    def text(self) -> str:
        """All reasons as one text."""
        return "; ".join(map(_sentence, self.reasons)) or self.title


def error_response(
    described: Described,
    wanted: Sequence[int],
    reasons: Sequence[Reason],
    values: Values,
    *,
    title: str = "",
    key: str = "",
    name: str = "",
    request_path: str = "",
) -> ErrorResponse:
    """Return the documented error of an operation, or problem+json if it documents none.

    :param wanted: statuses, the best first; the first one is sent if the operation documents only
        a range or a default.
    :param reasons: paths to invalid values, and what is wrong with each.
    :param title: a short text for the error; by default the phrase of the status.
    :param key: that does not exist or is taken; it replaces the one in an example.
    :param name: what has the key, such as ``user``; likewise.
    :param request_path: the path of the request, for bodies that repeat it.
    """
    status, response = _documented(described, wanted)
    title = title or _phrase(status)
    is_invalid = status in _INVALID and bool(reasons)
    error = _Error(status, title, reasons, is_invalid, key, name, request_path, values.now)
    content = (response or {}).get("content") or {}
    json = json_media(content)
    text = next((each for each in content if each.lower().startswith("text/plain")), "")
    if json is None and not text:  # XML, or no body, would not state the reason
        problem = {"type": "about:blank", "title": title, "status": status, "detail": error.text}
        is_documented = response is not None
        return ErrorResponse(status, PROBLEM, problem, is_documented=is_documented, example="")
    if json is not None:
        example, template = _template(json[1], error, values)
        schema: Node = json[1]["schema"]
        body = values.sent(schema, _body(schema, template, error, values))
        return ErrorResponse(status, json[0], body, is_documented=True, example=example)
    return ErrorResponse(status, text, error.text, is_documented=True, example="")


def _documented(described: Described, wanted: Sequence[int]) -> tuple[int, Node | None]:
    """Return the status and the response of the nearest documented error."""
    responses = {status.upper(): response for status, response in described.responses.items()}
    for status in wanted:
        if str(status) in responses:
            return status, responses[str(status)]
    for name in (*(f"{status // 100}XX" for status in wanted), "DEFAULT"):
        if name in responses:
            return wanted[0], responses[name]
    return wanted[0], None


def _phrase(status: int) -> str:
    return next((known.phrase for known in HTTPStatus if known == status), "Error")


def _sentence(reason: Reason) -> str:
    place, what = reason
    return f"{_dotted(place)} {what}" if place else what


def _dotted(place: Path) -> str:
    return ".".join(map(str, place))


def _template(media: Node, error: _Error, values: Values) -> tuple[str, object]:
    """Return name and value of the example for the status, or of the first; else ABSENT."""
    first: tuple[str, object] = ("", ABSENT)
    for name, example in values.examples(media):
        status = _status_in(example)
        if status == error.status or str(error.status) in name:
            return name, example
        if first[1] is ABSENT and status in {None, error.status}:
            first = name, example
    return first


def _status_in(example: object) -> object:
    """Return the HTTP status in the example of an error, or None."""
    if isinstance(example, dict):
        for name, value in example.items():
            if plain(name) in _STATUSES | _CODES and value in range(400, 600):
                return value
            if isinstance(value, dict) and (status := _status_in(value)) is not None:
                return status
    return None


def _body(schema: Node, template: object, error: _Error, values: Values) -> object:
    """Return a valid body, with the reasons wherever its schema has room for them."""
    body = _Writer(error, values).write(schema, _Slot("", template))
    if body is not ABSENT and values.is_valid(schema, body):
        return body
    base = template
    if base is ABSENT:
        base = values.value(schema, kind="error", at=f"error/{error.status}")
    for path in _texts_in(base, ()):
        changed = _with_text(base, path, error.text)
        base = changed if values.is_valid(schema, changed) else base
    return base


def _texts_in(value: object, path: Path) -> Iterator[Path]:
    """Yield the paths to the texts of a value that may be a reason."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _texts_in(part, (*path, name))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _texts_in(part, (*path, index))
    elif isinstance(value, str):
        names = [plain(each) for each in path if isinstance(each, str)]
        if not names or names[-1] in _REASONS | _TITLES:
            yield path


def _with_text(value: Any, path: Path, text: str) -> object:
    """Return a copy of a value with another text at a path."""
    if not path:
        return text
    changed = value.copy()
    changed[path[0]] = _with_text(value[path[0]], path[1:], text)
    return changed


class _Slot(NamedTuple):
    """A place in a body.

    :param name: the property; empty for the body itself.
    :param template: what the example has there, or ABSENT.
    :param entry: the problem that this entry of a list is about.
    :param beside: the names of the properties beside it, as `plain` returns them.
    """

    name: str
    template: object
    depth: int = 0
    entry: Reason | None = None
    beside: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        """The name without case and separators."""
        return plain(self.name)

    def below(self, name: str, template: object, entry: Reason | None) -> _Slot:
        """Return a place in this one."""
        return _Slot(name, template, self.depth + 1, entry)


def _has_no_text(shape: Shape) -> bool:
    return not any(plain(name) in _REASONS | _TITLES | _LISTS for name in shape.properties)


class _Writer:
    """Writes the body of an error for a schema."""

    def __init__(self, error: _Error, values: Values) -> None:
        self._error = error
        self._values = values

    def write(self, schema: Node, slot: _Slot) -> Any:
        """Return a valid value, or that of the template, which may be ABSENT."""
        if slot.depth <= _DEEPEST:
            shapes = self._values.branches(schema, slot.template)
            if slot.template is ABSENT:
                shapes.sort(key=_has_no_text)
            for shape in shapes:
                value = self._of_shape(schema, shape, slot)
                if value is not ABSENT and self._values.is_valid(schema, value):
                    return value
        return slot.template

    def _of_shape(self, schema: Node, shape: Shape, slot: _Slot) -> Any:
        is_free = not shape.types and not shape.properties and shape.choices is None
        is_object = isinstance(slot.template, dict) or not (slot.depth or slot.template != ABSENT)
        if "object" in shape.types or shape.properties or (is_free and is_object):
            return self._object(shape, slot)
        if "array" in shape.types or (is_free and isinstance(slot.template, list)):
            return self._array(shape, slot)
        for candidate in self._scalars(shape, slot):
            if candidate is not ABSENT and self._values.is_valid(schema, candidate):
                return candidate
        return ABSENT

    # Objects

    def _object(self, shape: Shape, slot: _Slot) -> Any:
        example: Mapping[str, Any] = slot.template if isinstance(slot.template, dict) else {}
        is_open = shape.additional is not None
        is_entry = slot.entry is not None and bool(example)
        if not shape.properties and is_open and slot.depth and not is_entry:
            return self._map(shape, slot, example)
        if not shape.properties and is_open and not example:
            example = {"message": ABSENT}  # an object without a schema
        result: dict[str, object] = {}
        names = dict.fromkeys((*shape.properties, *shape.required, *example))
        groups = self._by_listed(shape) if slot.key in _LISTS else {}
        for name in names:
            schema = shape.properties.get(name, shape.additional)
            if schema is None:
                continue
            beside = frozenset(plain(each) for each in names if each != name)
            part = slot.below(name, example.get(name, ABSENT), slot.entry)._replace(beside=beside)
            is_required = name in shape.required
            value: object = ABSENT
            if name in groups:
                value = self._of_property(schema, part, groups[name])
            elif (
                is_required
                or name in example
                or (not example and self._is_known(self._values.shape(schema), part))
            ):
                value = self.write(schema, part)
            if value is ABSENT and is_required:
                at = f"error/{self._error.status}/{name}"
                value = self._values.value(schema, name=name, kind="error", at=at)
            if value is not ABSENT:
                result[name] = value
        return result

    def _is_known(self, shape: Shape, slot: _Slot) -> bool:
        """Return whether an optional property is one that an error fills."""
        key, error = slot.key, self._error
        if slot.entry is not None and key in _FIELDS:
            return bool(slot.entry[0]) and not (key == "parameter" and "pointer" in slot.beside)
        if {"array", "object"} & set(shape.types) or shape.properties:
            is_alone = not slot.beside & (_REASONS | _TITLES)
            return key in _LISTS and (error.is_invalid or is_alone or key == "error")
        if key in _ADDRESSES:
            return bool(error.request_path) and slot.entry is None
        if key == "type":
            return "uri" in shape.format
        return key in _REASONS | _STATUSES | _MOMENTS | _FALSE | _MAIN_CODES | _MAIN_TITLES

    def _map(self, shape: Shape, slot: _Slot, example: Mapping[str, Any]) -> Any:
        """Return a map of property to its problems, such as ``{"title": ["is missing"]}``."""
        schema: Node = shape.additional or {}
        if slot.entry is not None and not example:
            return {"field": _dotted(slot.entry[0]), "message": slot.entry[1]}
        if not self._error.is_invalid and example:
            return {
                self._named(name): self.write(schema, slot.below(name, part, slot.entry))
                for name, part in example.items()
            }
        part = next(iter(example.values()), ABSENT)
        result: dict[str, object] = {}
        for name, whats in self._by_property().items():
            value = self._of_property(schema, slot.below("", part, None), whats)
            if value is ABSENT:
                return example or ABSENT
            result[name] = value
        return result

    def _of_property(self, schema: Node, slot: _Slot, whats: list[str]) -> object:
        """Return the problems of a property: a list or a text, as its schema asks for."""
        if slot.template is ABSENT and self._values.is_valid(schema, whats):
            return whats
        error = self._error._replace(reasons=[((), what) for what in whats], is_invalid=True)
        return _Writer(error, self._values).write(schema, slot._replace(name="message"))

    def _by_listed(self, shape: Shape) -> dict[str, list[str]]:
        """Return listed property to its problems; those of others stand in a general one."""
        general = next((name for name in shape.properties if plain(name) in _GENERAL), "")
        result: dict[str, list[str]] = {}
        if self._error.is_invalid:
            for place, what in self._error.reasons:
                name = next((each for each in reversed(place) if each in shape.properties), general)
                text = what if name in place else _sentence((place, what))
                result.setdefault(str(name), []).append(text)
        elif general:
            result[general] = [self._error.text]
        return result

    def _by_property(self) -> dict[str, list[str]]:
        """Return property to what is wrong with it; all of the body is ``body``."""
        groups: dict[str, list[str]] = {}
        for place, what in self._error.reasons or [((), self._error.title)]:
            name = next((each for each in reversed(place) if isinstance(each, str)), "")
            groups.setdefault(name or self._error.name or "body", []).append(what)
        return groups

    # Arrays

    def _array(self, shape: Shape, slot: _Slot) -> Any:
        example = slot.template if isinstance(slot.template, list) else []
        items: Node = shape.items or {}
        if slot.entry is not None and slot.key in _FIELDS:  # a place as a list of its steps
            steps = ("body", *slot.entry[0])
            return [each for each in steps if self._values.is_valid(items, each)] or ABSENT
        if not self._error.is_invalid and example:
            return [self.write(items, slot.below("", each, slot.entry)) for each in example]
        part = example[0] if example else ABSENT
        reasons = list(self._error.reasons) or [((), self._error.title)]
        result = []
        for reason in reasons[: shape.counts[1]]:
            value = self.write(items, slot.below("", part, reason))
            if value is ABSENT:
                return ABSENT
            result.append(value)
        return result

    # Texts and numbers

    def _scalars(self, shape: Shape, slot: _Slot) -> Iterator[object]:
        """Yield values for a property, the best first; not all of them are valid."""
        key, error, template = slot.key, self._error, slot.template
        if shape.choices is not None:
            yield from _by_status(shape.choices, error.status)
        if "boolean" in shape.types:
            yield template if template is not ABSENT else key not in _FALSE
        if key in _STATUSES:
            yield from (error.status, str(error.status), "error", "fail")
        if key in _MOMENTS:
            moment = time_of(error.now)
            yield from (as_text(moment, "date-time"), as_text(moment, "date"), error.now // 1000)
        if slot.entry is not None and key in _FIELDS:
            yield from _places(slot.entry[0], key, template)
        if key in _ADDRESSES and error.request_path and slot.entry is None:
            yield error.request_path
        is_own_code = isinstance(template, int) and template not in range(400, 600)
        if key in _CODES and {"integer", "number"} & set(shape.types) and not is_own_code:
            yield error.status
        is_reason = key in _REASONS | _TITLES - {"type"} or not slot.name
        is_other = (
            key in _CODES and isinstance(template, str) and _is_of_other(template, error.status)
        )
        if template is not ABSENT and not is_other and not (is_reason and error.is_invalid):
            yield self._replaced(key, template)
        if key == "type" and ("uri" in shape.format or "title" in slot.beside):
            yield "about:blank"
        if key in _CODES or key == "type":
            yield from (_code(error, template), str(error.status))
        if is_reason:
            yield from self._words(slot)
            yield error.text[: shape.lengths[1]]
        yield template

    def _words(self, slot: _Slot) -> Iterator[str]:
        """Yield the reason, or the title where the reason stands beside it; then shorter ones."""
        error, text = self._error, self._error.text
        if slot.entry is not None:
            text = slot.entry[1] if slot.beside & _FIELDS else _sentence(slot.entry)
        if slot.key in _TITLES and slot.beside & _REASONS:
            yield error.title
        yield text
        yield _sentence(error.reasons[0]) if error.reasons else error.title
        yield error.title

    def _replaced(self, key: str, template: object) -> object:
        """Return a value of an example with the real key and name."""
        real = self._error.key
        if isinstance(template, int) and not isinstance(template, bool):
            return int(real) if key.endswith("id") and re.fullmatch(r"\d{1,18}", real) else template
        if not isinstance(template, str):
            return template
        if real and (key.endswith("id") or key in {"slug", "identifier", "key"}):
            return real
        return self._named(_with_key(template, real))

    def _named(self, text: str) -> str:
        """Return a text with the real name in place of that of another kind of record."""
        real = kind_of(self._error.name)
        kinds = self._values.kinds if real else ()
        for kind in sorted(kinds, key=len, reverse=True):
            for change in (str, str.capitalize, str.title):
                found = re.search(rf"\b{re.escape(change(kind))}\b", text)
                if found:
                    return text[: found.start()] + change(real) + text[found.end() :]
        return text


def _with_key(text: str, key: str) -> str:
    """Return a text whose example of a key is replaced: a UUID, a number, or a quoted word."""
    if not key:
        return text
    for pattern in (
        r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b",
        r"(?<=['\"`])[\w.-]+(?=['\"`])",
        r"(?<=[#=: ])\d+\b",
    ):
        text, count = re.subn(pattern, lambda _: key, text, count=1)
        if count:
            break
    return text


def _by_status(choices: Sequence[object], status: int) -> Iterator[object]:
    """Yield the values of an enum, those for the status first."""
    stems = _STEMS.get(status, "").split()
    texts = [each for each in choices if isinstance(each, str)]
    for stem in stems:
        yield from (each for each in texts if stem in plain(each))
    yield from (each for each in choices if each in {status, str(status)})
    yield from choices


def _is_of_other(code: str, status: int) -> bool:
    """Return whether a code is one of another status than this."""
    fitting = {
        known for known, stems in _STEMS.items() if any(s in plain(code) for s in stems.split())
    }
    return bool(fitting) and status not in fitting


def _code(error: _Error, template: object) -> str:
    """Return a code for the status, written like the example: ``NOT_FOUND``, ``not-found``."""
    example = template if isinstance(template, str) else ""
    words = words_of("validation error" if error.is_invalid else _phrase(error.status))
    if example.isupper():
        return "_".join(words).upper()
    if "-" in example:
        return "-".join(words)
    if example[:1].isupper():
        return "".join(map(str.capitalize, words))
    return "_".join(words)


def _places(place: Path, key: str, template: object) -> Iterator[str]:
    """Yield a place as an example or the name of the property has it."""
    pointer = "".join(f"/{each}" for each in place)
    if isinstance(template, str) and template.startswith("#"):
        yield f"#{pointer}"
    if key == "pointer" or (isinstance(template, str) and template.startswith("/")):
        yield pointer
    yield _dotted(place)
    yield pointer
    yield "body"
