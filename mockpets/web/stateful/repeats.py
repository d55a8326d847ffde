"""Repeat the first response to a request that a client sends again with the same Idempotency-Key.

By draft-ietf-httpapi-idempotency-key-header. The responses are kept with the records, so that a
reset forgets them, and a change that an undo takes back can be made again.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from mockpets.records.store import FirstResponse
from mockpets.strict_json import dump_json
from mockpets.web.documented import failed
from mockpets.web.messages import Response, environ_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.web.messages import Request
    from mockpets.web.stateful.action import Action

_KEY: Final = "Idempotency-Key"
_ENVIRON_KEY: Final = environ_key(_KEY)


def once(action: Action, respond: Callable[[Action], Response]) -> Response:
    """Return the response to a request, or that to the first request with its Idempotency-Key.

    A key counts for one operation and the person who calls. The caller must not call this from two
    threads at the same time.
    """
    operation, request = action.operation, action.request
    key = request.environ.get(_ENVIRON_KEY)
    if key is None or not action.details.parameters.accepts_header(_KEY, key):
        return respond(action)
    place = _digest(dump_json([operation.name, str(action.my_key), key]))
    sent, known = _sent(request), action.store.first_response(place)
    if known is None:
        response = respond(action)
        status, headers = response.status_code, (*response.headers,)
        first = FirstResponse(sent, status, headers, response.body, request.error_code)
        action.store.remember(place, first)
        return response
    if known.request != sent:
        what = "was used for a request with another body, path or query; send a new key"
        return failed(operation, request, "conflict", (422, 409), [((_KEY,), what)])
    text = f"the response to the first request with the {_KEY} {key[:100]}"
    request.notes.append(("repeated", text))
    request.error_code = known.code
    return Response(known.body, known.status, known.headers, None)


def _sent(request: Request) -> bytes:
    """Return a digest of path, query and body; the boundaries of a form differ each time."""
    body, boundary = request.get_data(), request.mimetype_params.get("boundary", "")
    body = body.replace(boundary.encode(), b"") if boundary else body
    query = request.environ.get("QUERY_STRING", "")
    return _digest(dump_json([request.path, query]) + body)


def _digest(text: bytes) -> bytes:
    return blake2b(text, digest_size=16).digest()
