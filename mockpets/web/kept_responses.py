"""Send the response to a request that reads again, until something that it depends on changes.

Putting a page together from the kept JSON of its records takes as long as the rest of a request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.web import documented
from mockpets.web.documented import session_of, values_of
from mockpets.web.messages import Response, environ_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mockpets.contract.contract_model import Collection, DocumentOperation
    from mockpets.contract.details import Details
    from mockpets.interface import Pair
    from mockpets.records.store import Store
    from mockpets.web.documented import Act
    from mockpets.web.messages import Request

_KEYS: Final = (
    *("wsgi.url_scheme", "HTTP_HOST", "SCRIPT_NAME", "PATH_INFO", "QUERY_STRING", "CONTENT_TYPE"),
    *("HTTP_AUTHORIZATION", "HTTP_COOKIE", "HTTP_PREFER"),
)
_KEPT_BYTES: Final = 32 * 1024
"""The longest response to keep, with the texts of its request; there are at most 256."""


class _Kept(NamedTuple):
    """A response; `Response` itself cannot be shared, since faults change it.

    :param others: the collections, besides that of the operation, whose records it depends on,
        and their revisions.
    """

    body: bytes
    status: int
    headers: Sequence[Pair]
    others: Sequence[tuple[Collection, object]]

    def is_current(self, request: Request) -> bool:
        session, stack = session_of(request), request.stack
        assert stack is not None  # noqa: S101 - `Playback.respond` sets it
        return all(session.store(stack, each).revision is known for each, known in self.others)


def respond(
    operation: DocumentOperation, request: Request, act: Act | None, store: Store | None
) -> Response:
    """Return what `documented.respond` returns, or has returned to an equal request."""
    details = operation.details
    is_read = operation.method == "GET" and not request.may_have_body
    keys = _keys(details) if is_read else ()
    if not keys:
        return documented.respond(operation, request, act, store)
    sent = [request.credential, *map(request.environ.get, keys)]
    revision = store.revision if store is not None else None
    results = values_of(details.api, session_of(request)).responses
    key = (details, *sent, revision)
    known: _Kept | None = results.get(key)
    if known is not None and known.is_current(request):
        return Response(known.body, known.status, known.headers, None)
    response = documented.respond(operation, request, act, store)
    kept = _Kept(response.body, response.status_code, [*response.headers], request.also_read)
    # Another thread may have changed what was read.
    is_same = store is None or store.revision is revision
    is_short = len(kept.body) + sum([len(each or "") for each in sent]) <= _KEPT_BYTES
    is_plain = not request.notes and not request.error_code
    if is_same and is_short and is_plain and kept.is_current(request):
        results.keep(key, kept)
    return response


def _keys(details: Details) -> Sequence[str]:
    """Return what the response to a request without a body depends on, as keys of its environ.

    Empty if the operation declares a header that WSGI does not pass on.
    """
    results, key = details.api.results, ("keys of a GET", details)
    known: Sequence[str] | None = results.get(key)
    if known is not None:
        return known
    parameters = details.described.parameters
    headers = [each["name"] for each in parameters if each["in"] == "header"]
    is_passed_on = not any("_" in name for name in headers)
    return results.keep(key, (*_KEYS, *map(environ_key, headers)) if is_passed_on else ())
