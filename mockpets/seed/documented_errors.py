"""The documented error of an operation, with the real reason in it.

An example of the document is a template. For an error such as 404, its text stays, and the real key
and name replace those in it. For an invalid request, the problems replace the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.contract.media_types import json_media
from mockpets.contract.schema_shapes import plain
from mockpets.seed.error_bodies import error_body
from mockpets.seed.error_values import CODES, STATUSES, Error, phrase
from mockpets.seed.values import ABSENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mockpets.contract.openapi_loader import Described, Node
    from mockpets.seed.error_values import Reason
    from mockpets.seed.values import Values

PROBLEM: Final = "application/problem+json"
_INVALID: Final = (400, 422)
"""The statuses of responses to invalid requests, which can list their problems."""


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


def documented_error(
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
    title = title or phrase(status)
    is_invalid = status in _INVALID and bool(reasons)
    error = Error(
        status, title, reasons, is_invalid, key, name, request_path, values.now, values.kinds
    )
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
        body = values.sent(schema, error_body(schema, template, error, values))
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


def _template(media: Node, error: Error, values: Values) -> tuple[str, object]:
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
            if plain(name) in STATUSES | CODES and value in range(400, 600):
                return value
            if isinstance(value, dict) and (status := _status_in(value)) is not None:
                return status
    return None
