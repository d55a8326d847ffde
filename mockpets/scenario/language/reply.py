"""The shapes of a stub's responses: `reply`, `sequence` and `fault`.

A canned response is read as a `Draft`; once the stub's other keys are known, `contract_check`
checks it against the contract and encodes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import ERRORS, RESOURCE_ERRORS
from mockpets.contract.contract_model import Failure
from mockpets.contract.error_messages import RESOURCE_MESSAGES, network_error
from mockpets.errors import did_you_mean
from mockpets.faults import FAULTS
from mockpets.scenario.described import error_of, is_absence
from mockpets.scenario.language.contents import PAGE
from mockpets.scenario.language.headers import HEADERS
from mockpets.scenario.language.likely_mistakes import warn_templates
from mockpets.scenario.language.mappings import ByKey, ByKind, Object, not_both
from mockpets.scenario.language.shapes import (
    ANY_KIND,
    ByContracts,
    Choice,
    ListOf,
    Number,
    Text,
    Value,
)
from mockpets.scenario.matching import ABSENT
from mockpets.scenario.scenario_model import PASS, Described

if TYPE_CHECKING:
    from mockpets.constants import ErrorCode
    from mockpets.contract.contract_model import Contracts
    from mockpets.contract.fields import Invalid
    from mockpets.scenario.language.contents import PageSource
    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Node

_ERROR_STATUS: Final = 400
_STATUSES: Final = {"invalid_request": (400, 422), "unauthorized": (401, 403)}
"""The statuses of a code in documents, of which an operation has one; others have the code's."""
_BODILESS: Final = (204, 205, 304)
"""Statuses of responses without a body (RFC 9110, 15.3.5, 15.3.6 and 15.4.5)."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A canned response as the file has it, and the place of its problems.

    :param value: the value of a JSON body; a response may have a raw `text` or a `page` instead.
    :param names_key: as in `Canned`, as is `described`.
    """

    node: Node
    diagnostics: Diagnostics
    status: int
    headers: tuple[tuple[str, str], ...] = ()
    value: object = ABSENT
    text: str | None = None
    page: PageSource | None = None
    names_key: bool = False
    described: Described | None = None


def _error(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Draft:
    warn_templates(node, diagnostics)
    code = values["error"]
    contracts = diagnostics.contracts
    failure = contracts.failures.get(code) or _failure(code)
    status, message = failure.status, values.get("message", failure.message)
    body = {"code": code, "message": message, "status": status}
    names_key = is_absence(failure, contracts) and "message" not in values
    described = Described(_STATUSES.get(code, (status,)), message=values.get("message", ""))
    return Draft(node, diagnostics, status, value=body, names_key=names_key, described=described)


def _failure(code: ErrorCode) -> Failure:
    """Return an error that no contract defines by its code."""
    status = ERRORS[code]
    return Failure(code, status, RESOURCE_MESSAGES.get(code) or network_error(status)[1])


def _status(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Draft | Invalid:
    warn_templates(node, diagnostics)
    status = values["status"]
    body, text = values.get("body", ABSENT), values.get("text")
    described, names_key = None, False
    if body is ABSENT and text is None and status not in _BODILESS:
        described = Described((status,))
        if status >= _ERROR_STATUS:
            code, message, names_key = error_of(status, diagnostics.contracts)
            body = {"code": code, "message": message, "status": status}
    if status in _BODILESS and not (body is ABSENT and text is None):
        what = f"a response with status {status} cannot have a body"
        return diagnostics.add(node, what, "remove body and text")
    headers = values.get("headers", ())
    return Draft(
        node,
        diagnostics,
        status,
        headers,
        body,
        text,
        names_key=names_key,
        described=described,
    )


_ON_STUB: Final = {
    **dict.fromkeys(
        ("after", "delay", "fault", "hold", "off_contract", "probability", "throttle", "times"),
        "move it to the stub, next to reply",
    ),
    "sequence": "move it to the stub, in place of reply",
    "repeat": "move it to the stub, next to sequence",
}


def error_codes(contracts: Contracts) -> tuple[str, ...]:
    """Return the codes of the errors that a reply can have."""
    return tuple(dict.fromkeys((*contracts.failures, *_STATUSES, *RESOURCE_ERRORS)))


@lru_cache(8)
def _code(contracts: Contracts) -> Choice:
    """Return the shape of an error's code."""
    return Choice(
        "The error code, which sets the status.",
        error_codes(contracts),
        "for a status that the contract does not have, write {status: 503}",
    )


_ERROR: Final = Object(
    "An error of the contract, or on a path outside the contract an error that resources send.",
    {
        "error": ByContracts("The error code, which sets the status.", _code),
        "message": Text("Message of the error, instead of the default."),
    },
    required=("error",),
    misplaced=_ON_STUB,
    name="ErrorReply",
    convert=_error,
)
_STATUS: Final = Object(
    "A response. Without a body, it sends the body that the contract describes for the status, or "
    "an Error body. A response that the contract does not list requires off_contract: true on the "
    "stub, except 429 and 5xx.",
    {
        "status": Number("The HTTP status.", 200, 599),
        "headers": HEADERS,
        "body": Value("The body, sent as JSON.", ANY_KIND),
        "text": Text("The body, sent unchanged, in UTF-8."),
    },
    required=("status",),
    rules=(not_both("body", "text", "use body for JSON, or text for anything else"),),
    misplaced=_ON_STUB,
    name="StatusReply",
    convert=_status,
)
_PAGE: Final = Object(
    "A list of these records, filtered and limited by the query. A page that "
    "needs off_contract: true is sent whole.",
    {"page": PAGE},
    required=("page",),
    misplaced=_ON_STUB,
    name="PageReply",
    convert=lambda values, node, diagnostics: Draft(node, diagnostics, 200, page=values["page"]),
)
FAULT: Final = Choice(
    "How the response breaks: "
    + "; ".join(f"{kind.name} {kind.effect}" for kind in FAULTS.values())
    + ".",
    tuple(FAULTS),
    name="Fault",
)
_FAULT: Final = Object(
    "A broken response within a sequence.",
    {"fault": FAULT},
    required=("fault",),
    name="FaultReply",
    convert=lambda values, *_: values["fault"],
)
_PASS: Final = Text(
    "Let the real operation respond.",
    "pass or a mapping such as {error: unauthorized}",
    PASS,
    advise=lambda text: did_you_mean(text, [PASS]),
)
_CANNED: Final = {
    "error": _ERROR,
    "status": _STATUS,
    "page": _PAGE,
    **dict.fromkeys(("body", "text", "headers"), _STATUS),
    "message": _ERROR,
}
ONE_REPLY: Final = ByKind(
    "One reply.",
    {"text": _PASS, "mapping": ByKey("One reply.", {**_CANNED, "fault": _FAULT}, _ON_STUB)},
    "pass or a mapping with error, status, page or fault",
    name="SequenceItem",
)
SEQUENCE: Final = ListOf(
    "Replies, one for each request that the stub responds to.",
    ONE_REPLY,
    least=1,
    name="Sequence",
)
REPEAT: Final = Choice(
    "After the last reply: last repeats it, cycle starts over, none leaves requests to later stubs "
    "and the operation.",
    ("last", "cycle", "none"),
    name="Repeat",
)
REPLY: Final = ByKind(
    "The response: a canned one, or pass to let the real operation respond.",
    {"text": _PASS, "mapping": ByKey("A canned response.", _CANNED, _ON_STUB)},
    "pass or a mapping with error, status or page",
    name="Reply",
)
