"""Check a canned response against the contract, for every operation that it may be sent for.

A deviation is a problem, unless the stub sets ``off_contract: true``; the server then labels the
response. 429 and 5xx come from networks, not from the contract: labelled, but never a problem. On a
path outside the contract, nothing deviates from it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.constants import RESOURCE_ERRORS
from mockpets.contract.fields import split_hint
from mockpets.contract.pet_store import PET_STORE
from mockpets.scenario.language.headers import OPT_IN
from mockpets.scenario.language.match import operation_at
from mockpets.scenario.language.references import Compiler
from mockpets.scenario.language.reply import Draft, from_network
from mockpets.scenario.matching import ABSENT, operations_of, roles_of
from mockpets.scenario.model import Canned, Match, Template
from mockpets.strict_json import dump_json
from mockpets.units import either

if TYPE_CHECKING:
    from collections.abc import Iterator

_JSON: Final = "application/json"
_FLAG: Final = "add off_contract: true to the stub to send it anyway"


class _Deviation(NamedTuple):
    """One difference from the contract.

    :param reason: for the header that labels the response: one line of ASCII.
    :param path: from the reply's node to the wrong value.
    :param what: for the author of the file, as is `advice`, a fix other than the flag.
    """

    reason: str
    path: tuple[str | int, ...]
    what: str
    advice: str = ""


def canned(draft: Draft, match: Match, *, off_contract: bool) -> Canned:
    """Return a response ready to be sent, and report where it deviates without permission."""
    if draft.page and roles_of(operations_of(match)) != {"list"}:
        lists = [each.name for each in PET_STORE.operations.values() if each.role == "list"]
        what = f"only {either(lists, 'and')} responds with a page"
        draft.diagnostics.add(draft.node, what, "add match: {role: list}")
        return _encode(draft, None)
    is_outside = match.path is not None and operation_at(None, match.path) is None
    error, _ = draft.node.find(("error",))
    if "error" in draft.node.members and error.value in RESOURCE_ERRORS and not is_outside:
        what = f"only resources and paths outside the contract respond with {error.value}"
        hint = f"use {either(PET_STORE.failures)}, or {{status: {draft.status}}}"
        draft.diagnostics.add(draft.node, what, hint, at=("error",))
        return _encode(draft, None)
    compiler = Compiler(draft.node, draft.diagnostics, match)
    draft, template = _compiled(draft, compiler)
    deviations = [
        deviation
        for deviation in _deviations(draft, match, is_outside=is_outside)
        if not any(deviation.path[: len(hole)] == hole for hole in compiler.holes)
    ]
    if not off_contract:
        for deviation in deviations:
            hint = ", or ".join(filter(None, [deviation.advice, _FLAG]))
            draft.diagnostics.add(draft.node, deviation.what, hint, at=deviation.path)
    reason = deviations[0].reason if deviations else None
    if from_network(draft.status) and not is_outside:
        reason = f"status {draft.status} is not in the contract"
    response = _encode(draft, reason)
    if template is None:
        return response
    added = response.headers[len(template.headers) :]
    return replace(response, template=replace(template, headers=(*template.headers, *added)))


def _compiled(draft: Draft, compiler: Compiler) -> tuple[Draft, Template | None]:
    """Return a draft whose body the contract can check, and its template if it has references."""
    headers = tuple(
        (name, compiler.text(value, ("headers", name))) for name, value in draft.headers
    )
    text = None if draft.text is None else compiler.text(draft.text, ("text",))
    if "message" in draft.node.members and isinstance(draft.value, dict):
        start, end = (dump_json({name: draft.value[name]}) for name in ("code", "status"))
        message = compiler.text(draft.value["message"], ("message",))
        compiler.add(start[:-1] + b',"message":', message, b"," + end[1:] + b"\n")
    elif draft.value is not ABSENT:
        draft = replace(draft, value=compiler.json(draft.value))
        compiler.add(b"\n")
    if not compiler.found:
        return draft, None
    return draft, Template(tuple(compiler.body), text, headers)


def _encode(draft: Draft, reason: str | None) -> Canned:
    body = b""
    if draft.text is not None:
        body = draft.text.encode()
    elif draft.page is not None:
        body = draft.page.body
    elif draft.value is not ABSENT:
        body = dump_json(draft.value) + b"\n"
    headers = draft.headers
    if body and _content_type(draft) == ("", ""):
        kind = _JSON if draft.text is None else "text/plain; charset=utf-8"
        headers = (*headers, ("Content-Type", kind))
    # A page that is too long for the contract is sent whole: `limit` would make it a valid one.
    is_page = draft.page is not None and reason is None
    return Canned(draft.status, headers, body, reason, draft.names_key, is_page=is_page)


def _content_type(draft: Draft) -> tuple[str, str]:
    """Return the header's name as written and its media type, or two empty strings."""
    for name, value in draft.headers:
        if name.lower() == "content-type":
            return name, value.partition(";")[0].strip().lower()
    return "", ""


def _deviations(draft: Draft, match: Match, *, is_outside: bool) -> Iterator[_Deviation]:
    """Yield each deviation; for 429 and 5xx, only those that need the flag too.

    :param is_outside: whether the path is not in the contract; then only what no client can decode.
    """
    if not (from_network(draft.status) or is_outside):
        if match.path is not None:
            # Without a method, which is a problem of its own, the path alone is enough to say so.
            target = " ".join(filter(None, (match.method, match.path)))
            target = target.encode("ascii", "backslashreplace").decode()
            reason = f"{target[:200]} is not in the contract"
            yield _Deviation(reason, (), reason)
        else:
            yield from _of_operations(draft, match)
        header, kind = _content_type(draft)
        if header and kind != _JSON and draft.text is None:
            what = f"must be {_JSON}, the contract's content type"
            yield _Deviation(f"the content type is not {_JSON}", ("headers", header), what)
    has_body = bool(draft.text or draft.page) or draft.value is not ABSENT
    for name, value in draft.headers:
        if name.lower() == "content-encoding" and value.lower() != "identity" and has_body:
            what = "the server sends the body unencoded, so clients cannot decode it"
            yield _Deviation("the body is not encoded as its header says", ("headers", name), what)
        elif OPT_IN.fullmatch(name) and not is_outside:
            reason = f"the header {name} is not in the contract"
            yield _Deviation(reason, ("headers", name), reason)


def _of_operations(draft: Draft, match: Match) -> Iterator[_Deviation]:
    """Yield how status and body deviate from the contract's responses of the stub's operations."""
    operations, status = operations_of(match), draft.status
    known = {name: PET_STORE.operations[name] for name in operations}
    listed = [operation for operation in operations if status in known[operation].statuses]
    unlisted = [operation for operation in operations if operation not in listed]
    if unlisted:
        reason = f"status {status} is not in the contract for {either(unlisted, 'and')}"
        allowed = [
            f"{', '.join(map(str, known[operation].statuses))} for {operation}"
            for operation in unlisted
        ]
        what = f"{reason}: the contract allows {' and '.join(allowed)}"
        if len(unlisted) == 1:
            what = f"{reason}, which allows {', '.join(map(str, known[unlisted[0]].statuses))}"
        path = next((key,) for key in ("error", "status", "page") if key in draft.node.members)
        advice = f"match only {' and '.join(listed)}" if listed else ""
        yield _Deviation(reason, path, what, advice)
    bodies = {name: known[name].responses.get(status) for name in listed}
    kinds = {body.name: name for name, body in bodies.items() if body is not None}
    for kind, operation in kinds.items():
        yield from _of_body(draft, kind, operation)


def _of_body(draft: Draft, kind: str, operation: str) -> Iterator[_Deviation]:
    if draft.page is not None:
        # The page's shape has checked each pet.
        yield from _too_many(draft.page.count, "page", operation)
    elif draft.text is not None:
        what = f"must be JSON: the contract expects {kind} here"
        yield _Deviation("the body is not JSON", ("text",), what, "use body instead of text")
    elif draft.value is ABSENT:
        failures = PET_STORE.failures.values()
        code = next((each.code for each in failures if each.status == draft.status), "")
        advice = f"use {{error: {code}}}" if code else ""
        what = f"missing body: the contract requires {kind} here"
        yield _Deviation("the body is missing", (), what, advice)
    else:
        for path, problem in PET_STORE.body_problems(operation, draft.status, draft.value):
            wrong, advice = split_hint(problem)
            what = f"{wrong}: the contract expects {kind} here"
            reason = f"the body is not the contract's {kind}"
            yield _Deviation(reason, ("body", *path), what, advice)
        if isinstance(draft.value, list):
            yield from _too_many(len(draft.value), "body", operation)


def _too_many(count: int, key: str, operation: str) -> Iterator[_Deviation]:
    described = PET_STORE.operations[operation]
    if described.role == "list" and count > described.most:
        reason = f"the page has {count} {described.collection}, more than {described.most}"
        yield _Deviation(reason, (key,), reason)
