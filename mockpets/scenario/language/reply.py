"""The shapes of what a stub answers.

A canned reply is read as a `Draft`; once the stub's other keys are known, `conformance` holds it
against the contract and makes it ready to be sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import CONTRACT_ERRORS, ERRORS
from mockpets.contract.error_body import ERROR_MESSAGES, network_error
from mockpets.faults import FAULTS
from mockpets.scenario.language.diagnostics import INVALID
from mockpets.scenario.language.headers import HEADERS
from mockpets.scenario.language.mappings import ByKey, ByKind, Object, not_both
from mockpets.scenario.language.pets import PAGE
from mockpets.scenario.language.shapes import Choice, ListOf, Number, Text, Value
from mockpets.scenario.matching import ABSENT
from mockpets.scenario.model import PASS, Repeat

if TYPE_CHECKING:
    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Node
    from mockpets.scenario.language.pets import Page

_BODILESS: Final = (204, 205, 304)
"""Statuses whose answers have no body (RFC 9110, 15.3.5, 15.3.6 and 15.4.5)."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A canned reply as the file has it.

    :param node: its position in the file.
    :param diagnostics: of that position.
    :param value: of a JSON body; `ABSENT` without one.
    :param text: of a raw body, or None.
    :param page: instead of a body.
    """

    node: Node
    diagnostics: Diagnostics
    status: int
    headers: tuple[tuple[str, str], ...] = ()
    value: object = ABSENT
    text: str | None = None
    page: Page | None = None


@dataclass(frozen=True, slots=True)
class Sequence:
    """Replies in their order, of which text is `PASS` or a fault, and what follows the last."""

    replies: tuple[Draft | str, ...]
    repeat: Repeat = "last"


def from_network(status: int) -> bool:
    """Whether a status is one that networks answer with, whatever the contract says."""
    return status == 429 or status >= 500


def _error(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Any:
    if INVALID in values.values() or "error" not in values:
        return INVALID
    code = values["error"]
    status = ERRORS[code]
    message = values.get("message", ERROR_MESSAGES[code])
    body = {"code": code, "message": message, "status": status}
    return Draft(node, diagnostics, status, value=body)


def _status(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Any:
    if INVALID in values.values() or "status" not in values:
        return INVALID
    status = values["status"]
    body, text = values.get("body", ABSENT), values.get("text")
    if body is ABSENT and text is None and from_network(status):
        code, message = network_error(status)
        body = {"code": code, "message": message, "status": status}
    if status in _BODILESS and not (body is ABSENT and text is None):
        diagnostics.add(
            node, f"an answer with status {status} has no body", "leave body and text out"
        )
        return INVALID
    return Draft(node, diagnostics, status, values.get("headers", ()), body, text)


def _page(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Any:
    page = values.get("page", INVALID)
    return INVALID if page is INVALID else Draft(node, diagnostics, 200, page=page)


def _sequence(values: dict[str, Any], _node: Node, _diagnostics: Diagnostics) -> Any:
    if INVALID in values.values() or "sequence" not in values:
        return INVALID
    return Sequence(values["sequence"], values.get("repeat", "last"))


_ON_STUB: Final = dict.fromkeys(
    ("after", "delay", "fault", "hold", "off_contract", "probability", "throttle", "times"),
    "it belongs on the stub, beside reply",
)
_ERROR: Final = Object(
    "One of the contract's errors.",
    {
        "error": Choice("The error's code, which gives the status.", CONTRACT_ERRORS),
        "message": Text("What the error says instead of the usual."),
    },
    required=("error",),
    misplaced=_ON_STUB,
    then=_error,
)
_ANY: Final = ("text", "integer", "number", "boolean", "nothing", "list", "mapping")
_STATUS: Final = Object(
    "An answer written in full. 429 and 5xx get an Error body when they have none; what else the "
    "contract does not list needs off_contract: true on the stub.",
    {
        "status": Number("The HTTP status.", 200, 599),
        "headers": HEADERS,
        "body": Value("The body, sent as JSON.", _ANY),
        "text": Text("The body, sent as it stands, in UTF-8."),
    },
    required=("status",),
    rules=(not_both("body", "text", "keep body for JSON, or text for anything else"),),
    misplaced=_ON_STUB,
    then=_status,
)
_PAGE: Final = Object(
    "An answer of listPets, sent whole, whatever the query asks for.",
    {"page": PAGE},
    required=("page",),
    misplaced=_ON_STUB,
    then=_page,
)
FAULT: Final = Choice(
    "How the response breaks: "
    + "; ".join(f"{kind.name} {kind.effect}" for kind in FAULTS.values())
    + ".",
    tuple(FAULTS),
)
_FAULT: Final = Object(
    "One answer of a sequence that breaks.",
    {"fault": FAULT},
    required=("fault",),
    then=lambda values, *_: values.get("fault", INVALID),
)
_PASS: Final = Text(
    "Let the real operation answer.",
    "pass, or a mapping such as {error: unauthorized}",
    PASS,
)
_CANNED: Final = {
    "error": _ERROR,
    "status": _STATUS,
    "page": _PAGE,
    **dict.fromkeys(("body", "text", "headers"), _STATUS),
    "message": _ERROR,
}
SEQUENCE: Final = ListOf(
    "Replies, one for each request that the stub answers.",
    ByKind(
        "One reply.",
        {
            "text": _PASS,
            "mapping": ByKey("One reply.", {**_CANNED, "fault": _FAULT}, _ON_STUB),
        },
        "pass, or a mapping that has error, status, page or fault",
    ),
    least=1,
)
REPEAT: Final = Choice(
    "What follows the last reply: the last again, the first again, or nothing from this stub.",
    ("last", "cycle", "none"),
)
_SEQUENCE: Final = Object(
    "Replies in an order.",
    {"sequence": SEQUENCE, "repeat": REPEAT},
    required=("sequence",),
    misplaced=_ON_STUB,
    then=_sequence,
)
REPLY: Final = ByKind(
    "What the stub answers: pass lets the real operation answer.",
    {
        "text": _PASS,
        "mapping": ByKey(
            "A canned reply, or a sequence.",
            {"sequence": _SEQUENCE, **_CANNED, "repeat": _SEQUENCE},
            _ON_STUB,
        ),
    },
    "pass, or a mapping that has error, status, page or sequence",
)
