"""Check a canned response against the contract, for every operation that it may be sent for.

A deviation is a problem, unless the stub sets ``off_contract: true``; the server then labels the
response. 429 and 5xx come from networks, not from the contract: labelled, but never a problem. On a
path outside the contract, nothing deviates from it.
"""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.constants import RESOURCE_ERRORS
from mockpets.contract.error_messages import from_network
from mockpets.contract.fields import INVALID, split_hint
from mockpets.contract.media_types import concrete, json_media, may_be_json, without_parameters
from mockpets.contract.states import documented, lists
from mockpets.errors import nearest
from mockpets.scenario.language.headers import OPT_IN
from mockpets.scenario.language.likely_mistakes import NEAR
from mockpets.scenario.language.match import operation_at
from mockpets.scenario.language.reference_compiler import Compiler
from mockpets.scenario.matching import ABSENT, operations_of
from mockpets.scenario.scenario_model import Canned, Match, Template
from mockpets.strict_json import dump_json
from mockpets.units import either, quote, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mockpets.contract.contract_model import Contracts, Operation
    from mockpets.contract.fields import Invalid
    from mockpets.scenario.language.contents import Page, PageSource
    from mockpets.scenario.language.reply import Draft

_JSON: Final = "application/json"
_SHOWN: Final = 12
"""How many operations a message lists with their statuses."""
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
    contracts = draft.diagnostics.contracts
    page = None if draft.page is None else _page(draft, draft.page, match)
    if page is INVALID:
        return _encode(draft, None, None, match)
    is_outside = match.path is not None and operation_at(None, match.path, contracts) is None
    error, _ = draft.node.find(("error",))
    if "error" not in draft.node.members and is_outside and not from_network(draft.status):
        if draft.described is not None:  # no contract says more than the status
            draft = replace(draft, value=ABSENT, names_key=False)
    elif (
        error.value in RESOURCE_ERRORS
        and not is_outside
        and not _is_for_documents(match, contracts)
    ):
        what = f"only resources and paths outside the contract respond with {error.value}"
        hint = f"use {either(contracts.failures)}, or {{status: {draft.status}}}"
        draft.diagnostics.add(draft.node, what, hint, at=("error",))
        return _encode(draft, page, None, match)
    compiler = Compiler(draft.node, draft.diagnostics, match)
    draft, template = _compiled(draft, compiler)
    deviations = [
        deviation
        for deviation in _deviations(draft, page, match, is_outside=is_outside)
        if not any(deviation.path[: len(hole)] == hole for hole in compiler.holes)
    ]
    if not off_contract:
        for deviation in deviations:
            hint = ", or ".join(filter(None, [deviation.advice, _FLAG]))
            draft.diagnostics.add(draft.node, deviation.what, hint, at=deviation.path)
    reason = deviations[0].reason if deviations else None
    operations = operations_of(match, contracts)
    is_listed = bool(operations) and all(each.lists(draft.status) for each in operations)
    if from_network(draft.status) and not (is_outside or is_listed):
        reason = f"status {draft.status} is not in the contract"
    response = _encode(draft, page, reason, match)
    if template is None:
        return response
    added = response.headers[len(template.headers) :]
    return replace(response, template=replace(template, headers=(*template.headers, *added)))


def _is_for_documents(match: Match, contracts: Contracts) -> bool:
    """Return whether requests that match are for operations of documents only."""
    operations = operations_of(match, contracts)
    return bool(operations) and all(each.details is not None for each in operations)


def _page(draft: Draft, source: PageSource, match: Match) -> Page | Invalid:
    """Return the page of a reply, or report that its requests are not those of one collection."""
    contracts = draft.diagnostics.contracts
    operations = operations_of(match, contracts)
    names = [each.name for each in contracts.paged]
    if not operations or any(each not in contracts.paged for each in operations):
        verb = "responds" if len(names) == 1 else "respond"
        what = f"only {shortened(names, 'and')} {verb} with a page" if names else ""
        hint = "add match: {role: list}"
        if not names:
            what, hint = "no operation is a list, so none responds with a page", "write it as body"
        return draft.diagnostics.add(draft.node, what, hint)
    collection, *others = dict.fromkeys(each.collection for each in operations)
    assert collection is not None  # noqa: S101 - a role has a collection
    if others and not source.is_empty:
        what = "the requests of the stub are for several collections"
        return draft.diagnostics.add(draft.node, what, f"match one operation: {shortened(names)}")
    return source.read(collection)


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


def _encode(draft: Draft, page: Page | None, reason: str | None, match: Match) -> Canned:
    body = b""
    if draft.text is not None:
        body = draft.text.encode()
    elif page is not None:
        body = page.body
    elif draft.value is not ABSENT:
        body = dump_json(draft.value) + b"\n"
    headers = draft.headers
    if body and _content_type(draft) == ("", ""):
        kind = _json_type(draft, match) if draft.text is None else "text/plain; charset=utf-8"
        headers = (*headers, ("Content-Type", kind))
    # A page that is too long for the contract is sent whole: `limit` would make it a valid one.
    is_page = page is not None and reason is None
    return Canned(
        draft.status,
        headers,
        body,
        reason,
        draft.names_key,
        is_page=is_page,
        described=draft.described,
    )


def _json_type(draft: Draft, match: Match) -> str:
    """Return the media type of a JSON body: the one that all operations of the stub document."""
    kinds = set()
    for operation in operations_of(match, draft.diagnostics.contracts):
        details = operation.details
        node = details and details.response(draft.status)
        media = json_media(node.get("content") or {}) if node else None
        kinds.add(concrete(media[0]) if media else _JSON)
    return kinds.pop() if len(kinds) == 1 else _JSON


def _content_type(draft: Draft) -> tuple[str, str]:
    """Return the header's name as written and its media type, or two empty strings."""
    for name, value in draft.headers:
        if name.lower() == "content-type":
            return name, value.partition(";")[0].strip().lower()
    return "", ""


def _deviations(
    draft: Draft, page: Page | None, match: Match, *, is_outside: bool
) -> Iterator[_Deviation]:
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
            yield from dict.fromkeys(_of_operations(draft, page, match))
    has_body = bool(draft.text or page) or draft.value is not ABSENT
    for name, value in draft.headers:
        if name.lower() == "content-encoding" and value.lower() != "identity" and has_body:
            what = "the server sends the body unencoded, so clients cannot decode it"
            yield _Deviation("the body is not encoded as its header says", ("headers", name), what)
        elif OPT_IN.fullmatch(name) and not is_outside:
            reason = f"the header {name} is not in the contract"
            yield _Deviation(reason, ("headers", name), reason)


def _of_operations(draft: Draft, page: Page | None, match: Match) -> Iterator[_Deviation]:
    """Yield how status and body deviate from the contract's responses of the stub's operations."""
    operations, status = operations_of(match, draft.diagnostics.contracts), draft.status
    listed = [each for each in operations if _lists(each, draft)]
    unlisted = [each for each in operations if each not in listed]
    if unlisted:
        names = shortened((each.name for each in unlisted), "and")
        reason = f"status {status} is not in the contract for {names}"
        what = reason
        if len(unlisted) == 1:
            what = f"{reason}, which allows {_allowed(unlisted[0])}"
        elif len(unlisted) <= _SHOWN:
            allowed = [f"{_allowed(each)} for {each.name}" for each in unlisted]
            what = f"{reason}: the contract allows {' and '.join(allowed)}"
        path = next((key,) for key in ("error", "status", "page") if key in draft.node.members)
        advice = ""
        if 0 < len(listed) <= _SHOWN:
            advice = f"match only {' and '.join(each.name for each in listed)}"
        yield _Deviation(reason, path, what, advice)
    # Those of documents respond with what they describe.
    checked = [each for each in listed if draft.described is None or each.details is None]
    yield from _of_media_types(draft, checked)
    bodies = ((each, each.response_body(status)) for each in checked)
    kinds = {body.name: each for each, body in bodies if body is not None}
    for kind, operation in kinds.items():
        yield from _of_body(draft, page, kind, operation)


def _lists(operation: Operation, draft: Draft) -> bool:
    """Return whether the contract has a response of an operation."""
    if operation.details is None or draft.described is None:
        return operation.lists(draft.status)
    return any(lists(operation, status) for status in draft.described.statuses)


def _allowed(operation: Operation) -> str:
    """Return the statuses that an operation documents, also ``4XX`` and ``default``."""
    if operation.details is None:
        return ", ".join(map(str, operation.statuses))
    return ", ".join(status.lower().replace("xx", "XX") for status in documented(operation))


def _of_media_types(draft: Draft, operations: Sequence[Operation]) -> Iterator[_Deviation]:
    """Yield how the type of a body deviates from those of the operations' responses."""
    header, kind = _content_type(draft)
    has_json = draft.value is not ABSENT
    for operation in operations:
        details = operation.details
        known = [_JSON] if details is None else details.media_types(draft.status)
        if header and not any(_includes(each, kind) for each in known):
            if details is None:
                if draft.text is None:
                    what = f"must be {_JSON}, the contract's content type"
                    yield _Deviation(f"the content type is not {_JSON}", ("headers", header), what)
            elif known:
                what = f"must be {either(known)}, the content type of {operation.name}"
                reason = f"the content type is not that of {operation.name}"
                yield _Deviation(reason, ("headers", header), what)
        elif details is not None and known and not header:
            is_known = any(map(may_be_json if has_json else _is_text, known))
            if not is_known and (has_json or draft.text is not None):
                what = f"{operation.name} responds with {either(known)}"
                advice = f"use text, with headers: {{Content-Type: {known[0]}}}"
                reason = f"the content type is not that of {operation.name}"
                yield _Deviation(reason, ("body" if has_json else "text",), what, advice)


def _includes(documented: str, kind: str) -> bool:
    """Return whether a documented media type, which may be a range, includes one."""
    return fnmatchcase(kind, without_parameters(documented))


def _is_text(documented: str) -> bool:
    """Return whether text without a content type may be sent, unless it must be JSON."""
    return may_be_json(documented) or _includes(documented, "text/plain")


def _of_body(
    draft: Draft, page: Page | None, kind: str, operation: Operation
) -> Iterator[_Deviation]:
    if page is not None:
        # The page's shape has checked each record.
        yield from _too_many(page.count, "page", operation)
    elif draft.text is not None:
        if operation.details is not None and _content_type(draft)[0]:
            return  # in another of its media types
        what = f"must be JSON: the contract expects {kind} here"
        yield _Deviation("the body is not JSON", ("text",), what, "use body instead of text")
    elif draft.value is ABSENT:
        failures = draft.diagnostics.contracts.failures.values()
        code = next((each.code for each in failures if each.status == draft.status), "")
        advice = f"use {{error: {code}}}" if code else ""
        what = f"missing body: the contract requires {kind} here"
        yield _Deviation("the body is missing", (), what, advice)
    else:
        for path, problem in operation.body_problems(draft.status, draft.value):
            wrong, advice = split_hint(problem)
            what = f"{wrong}: the contract expects {kind} here"
            reason = f"the body is not the contract's {kind.removeprefix('the ')}"
            advice = advice or _misspelt(draft.value, path, wrong)
            yield _Deviation(reason, ("body", *path), what, advice)
        if isinstance(draft.value, list):
            yield from _too_many(len(draft.value), "body", operation)


def _misspelt(body: object, path: Sequence[str | int], what: str) -> str:
    """Return which property is probably meant to be a missing one; or an empty string."""
    if not what.startswith("is required") or not path:
        return ""
    for step in path[:-1]:
        body = body[step]  # type: ignore[index]  # the path is one of the body
    near = nearest(str(path[-1]), {name: name for name in body}, NEAR)  # type: ignore[attr-defined]
    return f"rename {quote(near)}" if near else ""


def _too_many(count: int, key: str, operation: Operation) -> Iterator[_Deviation]:
    if operation.details is not None:
        return  # the schema of a document's response limits its items
    if operation.role == "list" and operation.collection and count > operation.most:
        reason = f"the page has {count} {operation.collection.name}, more than {operation.most}"
        yield _Deviation(reason, (key,), reason)
