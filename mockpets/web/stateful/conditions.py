"""Entity tags, and the conditions of requests on them (RFC 9110, sections 8.8.3 and 13.1)."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from mockpets.web.documented import described, failed
from mockpets.web.messages import Response
from mockpets.web.stateful.action import ActionError

if TYPE_CHECKING:
    from mockpets.contract.contract_model import DocumentOperation
    from mockpets.contract.details import DocumentedReply
    from mockpets.records.store import Store
    from mockpets.web.documented import Arguments
    from mockpets.web.messages import Request
    from mockpets.web.stateful.action import Action

_TAG: Final = r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"'
_TAGS: Final = re.compile(rf"{_TAG}(?:[ \t]*,[ \t]*{_TAG})*")
_KEPT: Final = ("etag", "cache-control", "content-location", "expires", "vary")
"""The headers that a 304 repeats, by RFC 9110, section 15.4.5."""


def _tag_of(representation: bytes) -> str:
    """Return the strong entity tag of a representation."""
    return f'"{blake2b(representation, digest_size=16).hexdigest()}"'


def set_tag(
    action: Action, reply: DocumentedReply, response: Response, representation: bytes
) -> None:
    """Set the header ETag.

    A documented header whose schema allows no such tag keeps the value of the document.

    :param reply: what the document says of the response.
    """
    tag = _tag_of(representation)
    headers = reply.node.get("headers") or {}
    header = next((each for name, each in headers.items() if name.lower() == "etag"), None)
    if header is None or action.api.is_valid(header["schema"], tag):
        response.set_header("ETag", tag)


def check(action: Action, representation: bytes | None) -> None:
    """Raise `ActionError` if a change of a record does not meet the conditions of the request.

    :param representation: of the record; None if it does not exist.
    """
    tag = None if representation is None else _tag_of(representation)
    if name := _failed(action.operation, action.request, tag):
        raise ActionError("conflict", (412,), _message(action.request, name, tag))


def show(
    operation: DocumentOperation, request: Request, arguments: Arguments, _: Store | None
) -> Response:
    """Return the response of an operation without state that declares a condition."""
    response = described(operation, request, operation.details.success, arguments.echo)
    if response.body:
        response.set_header("ETag", _tag_of(response.body))
    return conditional(operation, request, response)


def conditional(operation: DocumentOperation, request: Request, response: Response) -> Response:
    """Return the response to a request that reads: 304 or 412 if its conditions are not met."""
    if not operation.details.conditions:
        return response
    if operation.method != "GET" or response.status_code != 200:
        return response
    tag = response.header("ETag")
    name = _failed(operation, request, tag)
    if name == "If-Match":
        reasons = [((), _message(request, name, tag))]
        return failed(operation, request, "conflict", (412,), reasons)
    if name:
        kept = [pair for pair in response.headers if pair[0].lower() in _KEPT]
        return Response(status=304, headers=kept)
    return response


def _failed(operation: DocumentOperation, request: Request, tag: str | None) -> str:
    """Return the header with the condition that is not met; empty if all are met."""
    for name in operation.details.conditions:
        value = request.headers.get(name)
        is_match = name == "If-Match"
        if value is not None and _matches(value.strip(), tag, is_weak=not is_match) is not is_match:
            return name
    return ""


def _matches(value: str, tag: str | None, *, is_weak: bool) -> bool:
    """Return whether a list of tags has one.

    :param is_weak: whether to compare weakly: weak tags can be equal to strong ones.
    """
    if tag is None or value == "*":
        return tag is not None
    tags = re.findall(_TAG, value) if _TAGS.fullmatch(value) else []
    if is_weak:
        return tag.removeprefix("W/") in [each.removeprefix("W/") for each in tags]
    return tag in tags and not tag.startswith("W/")


def _message(request: Request, name: str, tag: str | None) -> str:
    fact = f"its ETag is {tag}" if tag else "the record does not exist"
    return f"{name} is {request.headers[name][:100]}, but {fact}"
