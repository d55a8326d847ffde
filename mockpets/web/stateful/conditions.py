"""Entity tags, and the conditions of requests on them (RFC 9110, sections 8.8.3 and 13.1)."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from mockpets.web.exchange import Response
from mockpets.web.stateful.action import ActionError

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.contract.openapi import Node
    from mockpets.web.stateful.action import Action

_TAG: Final = r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"'
_TAGS: Final = re.compile(rf"{_TAG}(?:[ \t]*,[ \t]*{_TAG})*")
_KEPT: Final = ("etag", "cache-control", "content-location", "expires", "vary")
"""The headers that a 304 repeats, by RFC 9110, section 15.4.5."""


def _tag_of(representation: bytes) -> str:
    """Return the strong entity tag of a representation."""
    return f'"{blake2b(representation, digest_size=16).hexdigest()}"'


def set_tag(action: Action, response: Response, representation: Callable[[], bytes]) -> None:
    """Set the header ETag where the document has it, and where its collection has conditions.

    A documented header whose schema allows no such tag keeps the value of the document.
    """
    details, role = action.details, action.guess.role
    is_gone = role == "delete" or (role == "one" and action.operation.method == "DELETE")
    is_documented = response.header("ETag") is not None
    if (
        is_gone
        or role == "login"
        or not (is_documented or action.guess.collection in details.api.conditional)
    ):
        return
    tag = _tag_of(representation())
    headers = details.success.node.get("headers") or {}
    node: Node = next((each for name, each in headers.items() if name.lower() == "etag"), {})
    if details.api.is_valid(details.api.document.resolve(node).get("schema", {}), tag):
        response.set_header("ETag", tag)


def check(action: Action, representation: bytes | None) -> None:
    """Raise `ActionError` if a change of a record does not meet the conditions of the request.

    :param representation: of the record; None if it does not exist.
    """
    tag = None if representation is None else _tag_of(representation)
    if name := _failed(action, tag):
        raise _error(action, name, tag)


def conditional(action: Action, response: Response) -> Response:
    """Return the response to a request that reads: 304 if the client has it already.

    :raise ActionError: it does not meet the condition If-Match.
    """
    if action.operation.method != "GET" or response.status_code != 200:
        return response
    tag = response.header("ETag")
    name = _failed(action, tag)
    if name == "If-Match":
        raise _error(action, name, tag)
    if name:
        kept = [pair for pair in response.headers if pair[0].lower() in _KEPT]
        return Response(status=304, headers=kept)
    return response


def _failed(action: Action, tag: str | None) -> str:
    """Return the header with the condition that does not hold; empty if all hold."""
    for name in action.details.conditions:
        value = action.request.headers.get(name)
        is_match = name == "If-Match"
        if value is not None and _matches(value.strip(), tag, is_weak=not is_match) is not is_match:
            return name
    return ""


def _matches(value: str, tag: str | None, *, is_weak: bool) -> bool:
    """Return whether a list of tags has one.

    :param is_weak: whether to compare weakly: a weak tag in the list can be equal.
    """
    if tag is None or value == "*":
        return tag is not None
    tags = re.findall(_TAG, value) if _TAGS.fullmatch(value) else []
    return tag in [each.removeprefix("W/") if is_weak else each for each in tags]


def _error(action: Action, name: str, tag: str | None) -> ActionError:
    value = action.request.headers[name][:100]
    fact = f"its ETag is {tag}" if tag else "the record does not exist"
    return ActionError("conflict", (412,), f"{name} is {value}, but {fact}")
