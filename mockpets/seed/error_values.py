"""Texts, codes and other values in the body of an error, by the name of their property."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.contract.schema_shapes import plain
from mockpets.seed.places import kind_of, word_set, words_of
from mockpets.seed.times import as_text, time_of
from mockpets.seed.values import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Set

    from mockpets.contract.openapi_loader import Path
    from mockpets.seed.merged_schemas import Shape

    Reason = tuple[Path, str]
    """The path to an invalid value, and what is wrong with it."""

REASONS: Final = word_set(
    "message detail details description reason msg errormessage errordescription errormsg"
    " errordetail text usermessage displaymessage developermessage summary explanation hint"
    " problem problems errors issues faultstring"
)
TITLES: Final = word_set("title error type name statustext reasonphrase category kind heading")
STATUSES: Final = word_set("status statuscode httpstatus httpstatuscode httpcode")
CODES: Final = word_set("code errorcode errorkey errortype errorid key subcode slug")
MOMENTS: Final = word_set("timestamp time date datetime occurredat at createdat")
ADDRESSES: Final = word_set("path instance uri url requestpath endpoint resource")
FIELDS: Final = word_set(
    "field property pointer param parameter parametername fieldname propertyname propertypath loc"
    " location source attribute path key name target element domain"
)
LISTS: Final = word_set(
    "errors details detail fielderrors validationerrors violations issues problems messages"
    " invalidparams invalidfields suberrors causes fields error"
)
GENERAL: Final = word_set("body base general global nonfielderrors form other all")
"""Properties for problems of the whole request."""
FALSE: Final = word_set("success ok succeeded valid isvalid")
MAIN_CODES: Final = CODES - {"key", "slug"}
MAIN_TITLES: Final = TITLES - {"name", "kind", "type"}
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


class Error(NamedTuple):
    """The content of the body of an error.

    :param is_invalid: whether the problems of the request replace the texts of an example.
    :param key: that does not exist, or is taken.
    :param name: what has the key, such as ``user``.
    :param now: in ms since 1970.
    :param kinds: of records that the document describes; their names in an example are replaced.
    """

    status: int
    title: str
    reasons: Sequence[Reason]
    is_invalid: bool
    key: str
    name: str
    request_path: str
    now: int
    kinds: Set[str]

    @property
    def text(self) -> str:
        """All reasons as one text."""
        return "; ".join(map(sentence, self.reasons)) or self.title


class Slot(NamedTuple):
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

    def below(self, name: str, template: object, entry: Reason | None) -> Slot:
        """Return a place in this one."""
        return Slot(name, template, self.depth + 1, entry)


def phrase(status: int) -> str:
    """Return the usual short text for a status."""
    return next((known.phrase for known in HTTPStatus if known == status), "Error")


def sentence(reason: Reason) -> str:
    """Return a reason with its path: ``address.city is missing``."""
    place, what = reason
    return f"{dotted(place)} {what}" if place else what


def dotted(place: Path) -> str:
    """Return a path as a text: ``address.city``."""
    return ".".join(map(str, place))


def scalars(error: Error, shape: Shape, slot: Slot) -> Iterator[object]:
    """Yield values for a property, the best first; not all of them are valid."""
    key, template = slot.key, slot.template
    if shape.choices is not None:
        yield from _by_status(shape.choices, error.status)
    if "boolean" in shape.types:
        yield template if template is not ABSENT else key not in FALSE
    if key in STATUSES:
        yield from (error.status, str(error.status), "error", "fail")
    if key in MOMENTS:
        moment = time_of(error.now)
        yield from (as_text(moment, "date-time"), as_text(moment, "date"), error.now // 1000)
    if slot.entry is not None and key in FIELDS:
        yield from _places(slot.entry[0], key, template)
    if key in ADDRESSES and error.request_path and slot.entry is None:
        yield error.request_path
    is_own_code = isinstance(template, int) and template not in range(400, 600)
    if key in CODES and {"integer", "number"} & set(shape.types) and not is_own_code:
        yield error.status
    is_reason = key in REASONS | TITLES - {"type"} or not slot.name
    is_other = key in CODES and isinstance(template, str) and _is_of_other(template, error.status)
    if template is not ABSENT and not is_other and not (is_reason and error.is_invalid):
        yield _replaced(error, key, template)
    if key == "type" and ("uri" in shape.format or "title" in slot.beside):
        yield "about:blank"
    if key in CODES or key == "type":
        yield from (_code(error, template), str(error.status))
    if is_reason:
        yield from _words(error, slot)
        yield error.text[: shape.lengths[1]]
    yield template


def _words(error: Error, slot: Slot) -> Iterator[str]:
    """Yield the reason, or the title where the reason stands beside it; then shorter ones."""
    text = error.text
    if slot.entry is not None:
        text = slot.entry[1] if slot.beside & FIELDS else sentence(slot.entry)
    if slot.key in TITLES and slot.beside & REASONS:
        yield error.title
    yield text
    yield sentence(error.reasons[0]) if error.reasons else error.title
    yield error.title


def _replaced(error: Error, key: str, template: object) -> object:
    """Return a value of an example with the real key and name."""
    real = error.key
    if isinstance(template, int) and not isinstance(template, bool):
        return int(real) if key.endswith("id") and re.fullmatch(r"\d{1,18}", real) else template
    if not isinstance(template, str):
        return template
    if real and (key.endswith("id") or key in {"slug", "identifier", "key"}):
        return real
    return named(error, _with_key(template, real))


def named(error: Error, text: str) -> str:
    """Return a text with the real name in place of that of another kind of record."""
    real = kind_of(error.name)
    kinds = error.kinds if real else ()
    for kind in sorted(kinds, key=len, reverse=True):
        for change in (str, str.capitalize, str.title):
            name = change(kind)
            if name in text and (found := re.search(rf"\b{re.escape(name)}\b", text)):
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


def _code(error: Error, template: object) -> str:
    """Return a code for the status, written like the example: ``NOT_FOUND``, ``not-found``."""
    example = template if isinstance(template, str) else ""
    words = words_of("validation error" if error.is_invalid else phrase(error.status))
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
    yield dotted(place)
    yield pointer
    yield "body"
