"""Hold a canned reply against the contract, for every operation it may answer.

What the contract does not have is refused, with what it has there, unless the stub says that it
is meant; and is labelled when it is sent. 429 and 5xx are what networks do: labelled, not refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.constants import CANNED_BYTES, CONTRACT_ERRORS, ERRORS, PAGE_MAX
from mockpets.contract.schemas import RESPONSES
from mockpets.contract.serialization import body_problems
from mockpets.scenario.language.headers import opted_in
from mockpets.scenario.language.reply import Draft, from_network
from mockpets.scenario.matching import ABSENT
from mockpets.scenario.model import Canned, Match
from mockpets.strict_json import dump_json

if TYPE_CHECKING:
    from collections.abc import Iterator

_JSON: Final = "application/json"
_FLAG: Final = "say off_contract: true on the stub to send it all the same"


class _Deviation(NamedTuple):
    """One thing that the contract does not have.

    :param reason: for the header that labels the answer: one line of ASCII.
    :param path: to what is wrong, from the reply's node.
    :param what: for the person who wrote the file; `reason` where that says it all.
    :param advice: what else to do than to set the flag.
    """

    reason: str
    path: tuple[str | int, ...]
    what: str
    advice: str = ""


def canned(draft: Draft, match: Match, *, off_contract: bool) -> Canned:
    """Return a reply ready to be sent, and report what the contract does not have.

    :param match: of the stub, whole.
    :param off_contract: the stub says that such things are meant.
    """
    if draft.page and match.operations != ("listPets",):
        what = "a page is an answer of listPets alone"
        draft.diagnostics.add(draft.node, what, "say match: {operation: listPets}")
        return _sent(draft, None)
    deviations = list(_deviations(draft, match))
    if not off_contract:
        for deviation in deviations:
            node, steps = draft.node.find(deviation.path)
            hint = ", or ".join(filter(None, [deviation.advice, _FLAG]))
            if node.kind != "unusable":  # of which the builder told
                draft.diagnostics.at(*steps).add(node, deviation.what, hint)
    reason = deviations[0].reason if deviations else None
    if from_network(draft.status):
        reason = f"status {draft.status} is not in the contract"
    return _sent(draft, reason)


def _sent(draft: Draft, reason: str | None) -> Canned:
    """Return the bytes and headers of a reply, and report a body that is too large."""
    body = b""
    if draft.text is not None:
        body = draft.text.encode()
    elif draft.page is not None:
        body = draft.page.body
    elif draft.value is not ABSENT:
        body = dump_json(draft.value) + b"\n"
    if len(body) > CANNED_BYTES:
        key = next(key for key in ("page", "body", "text", "message") if key in draft.node.members)
        node, steps = draft.node.find((key,))
        what = f"a body must have at most {CANNED_BYTES // 1024} KiB, this has {len(body)} bytes"
        draft.diagnostics.at(*steps).add(node, what, "leave some out")
    headers = draft.headers
    if body and _content_type(draft) == ("", ""):
        kind = _JSON if draft.text is None else "text/plain; charset=utf-8"
        headers = (*headers, ("Content-Type", kind))
    return Canned(draft.status, headers, body, reason)


def _has_body(draft: Draft) -> bool:
    return bool(draft.text or draft.page) or draft.value is not ABSENT


def _content_type(draft: Draft) -> tuple[str, str]:
    """Return the header as it is spelled, and its media type; two empty texts without one."""
    for name, value in draft.headers:
        if name.lower() == "content-type":
            return name, value.partition(";")[0].strip().lower()
    return "", ""


def _deviations(draft: Draft, match: Match) -> Iterator[_Deviation]:
    """Yield what the contract does not have; of 429 and 5xx, only what needs the flag too."""
    if not from_network(draft.status):
        if match.path is not None:
            target = f"{match.method} {match.path}".encode("ascii", "backslashreplace").decode()
            reason = f"{target[:200]} is not in the contract"
            yield _Deviation(reason, (), reason)
        else:
            yield from _of_operations(draft, match)
        header, kind = _content_type(draft)
        if header and kind != _JSON and draft.text is None:
            what = f"the contract's content type is {_JSON}"
            yield _Deviation(f"the content type is not {_JSON}", ("headers", header), what)
    for name, value in draft.headers:
        if name.lower() == "content-encoding" and value.lower() != "identity" and _has_body(draft):
            what = "the body is sent as it is, so that no client can decode it"
            yield _Deviation("the body is not encoded as its header says", ("headers", name), what)
        elif opted_in(name):
            reason = f"the header {name} is not in the contract"
            yield _Deviation(reason, ("headers", name), reason)


def _of_operations(draft: Draft, match: Match) -> Iterator[_Deviation]:
    """Yield how status and body differ from what the contract lists for the stub's operations."""
    # Only getPet has a petId, so a stub that wants one answers nothing else.
    operations: tuple[str, ...] = match.operations or (
        ("getPet",) if match.pet_ids else tuple(RESPONSES)
    )
    status = draft.status
    unlisted = [operation for operation in operations if status not in RESPONSES[operation]]
    if unlisted:
        reason = f"status {status} is not listed for {', '.join(unlisted)}"
        allowed = " and ".join(
            f"{', '.join(map(str, RESPONSES[operation]))} for {operation}" for operation in unlisted
        )
        path = next((key,) for key in ("error", "status", "page") if key in draft.node.members)
        advice = "name the operation in match" if len(unlisted) < len(operations) else ""
        yield _Deviation(reason, path, f"{reason}: the contract allows {allowed}", advice)
    listed = [operation for operation in operations if operation not in unlisted]
    for kind, operation in {RESPONSES[each][status]: each for each in listed}.items():
        yield from _of_body(draft, kind, operation)


def _of_body(draft: Draft, kind: str, operation: str) -> Iterator[_Deviation]:
    """Yield how a body differs from the contract's.

    :param kind: the contract's schema.
    """
    if draft.page is not None:
        # Its pets have been read as pets, and are right.
        yield from _too_many(draft.page.count, "page")
    elif draft.text is not None:
        what = f"the body is text: the contract has {kind} as JSON here"
        yield _Deviation("the body is not JSON", ("text",), what, "use body")
    elif draft.value is ABSENT:
        code = next((code for code in CONTRACT_ERRORS if ERRORS[code] == draft.status), "")
        advice = f"write {{error: {code}}}" if code else ""
        what = f"a body is missing: the contract has {kind} here"
        yield _Deviation("the body is missing", (), what, advice)
    else:
        for path, problem in body_problems(operation, draft.status, draft.value):
            what = f"{problem}: the contract has {kind} here"
            yield _Deviation(f"the body is not the contract's {kind}", ("body", *path), what)
        if isinstance(draft.value, list):
            yield from _too_many(len(draft.value), "body")


def _too_many(count: int, key: str) -> Iterator[_Deviation]:
    """Yield that so many pets are more than a page can have, if they are."""
    if count > PAGE_MAX:
        reason = f"a page of {count} pets is more than {PAGE_MAX}"
        yield _Deviation(reason, (key,), reason)
