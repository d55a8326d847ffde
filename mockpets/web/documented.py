"""Respond to the operations of OpenAPI documents: read the request, and send what is documented.

An operation without state sends the document's example, or a generated body in which values of the
request are repeated. What is wrong with a request gets the error that the document has for it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockpets.contract.security import Sent
from mockpets.contract.shapes import singular
from mockpets.errors import RequestError
from mockpets.seed.documents import values_of as values_for
from mockpets.seed.values import ABSENT
from mockpets.strict_json import dump_json
from mockpets.web.exchange import Response

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mockpets.constants import ErrorCode
    from mockpets.contract.details import Details, Reply
    from mockpets.contract.fields import ValueProblem
    from mockpets.contract.model import Operation
    from mockpets.contract.security import Credential
    from mockpets.records.store import Store
    from mockpets.seed.values import Values
    from mockpets.settings import Settings
    from mockpets.web.exchange import Request

_DAY: Final = 24 * 3600 * 1000
_FAILURES: Final[Mapping[str, tuple[ErrorCode, tuple[int, ...]]]] = {
    "missing": ("invalid_request", (400, 422)),
    "malformed": ("invalid_request", (400, 422)),
    "invalid": ("invalid_request", (400, 422)),
    "media type": ("invalid_request", (415, 400, 422)),
    "too large": ("payload_too_large", (413, 400)),
}
"""The problem of a body to our code for it, and to the statuses of which one may be documented."""
_PIXELS: Final[Mapping[str, str]] = {
    "image/png": "89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c02"
    "0000000b4944415478da6364f80f00010501012718e3660000000049454e44ae426082",
    "image/gif": "47494638396101000100800000ffffff00000021f90400000000002c00000000"
    "010001000002024401003b",
    "image/svg+xml": "3c737667207"
    "86d6c6e733d22687474703a2f2f7777772e77332e6f72672f323030302f737667222077696474683d22312220"
    "6865696768743d2231222f3e",
}
"""Images of one pixel, in hexadecimal."""


class Asked(NamedTuple):
    """A valid request.

    :param path: the parameters in the path by name; `query` and `headers` are those of them.
    :param body: its JSON value; `INVALID` without one.
    :param key: the credential's text; empty without one.
    """

    path: Mapping[str, Any]
    query: Mapping[str, Any]
    headers: Mapping[str, Any]
    body: object
    key: str = ""

    @property
    def echo(self) -> dict[str, object]:
        """The values that a generated response repeats."""
        body = self.body if isinstance(self.body, dict) else {}
        return {**self.query, **body, **self.path}


def details_of(operation: Operation) -> Details:
    """Return what the document says of an operation."""
    assert operation.details is not None  # noqa: S101 - only operations of documents come here
    return operation.details


def credential(operation: Operation, request: Request, settings: Settings) -> Credential:
    """Return the credential of a request.

    :param settings: its keys count only if the user has set some.
    """
    details = details_of(operation)
    keys = settings.api_key if "api_key" in settings.sources and not settings.any_key else ()
    names = _raw_names(request, {name: [value] for name, value in request.headers.items()})
    headers = {name.lower(): values[0] for name, values in names.items()}
    return details.security.read(Sent(headers, dict(request.args.lists())), keys)


def unauthorized(operation: Operation, request: Request, problem: str) -> Response:
    """Return the documented response to a request without a valid credential."""
    details = details_of(operation)
    response = failed(operation, request, "unauthorized", (401, 403), [((), problem)])
    if challenge := details.security.challenge:
        response.set_header("WWW-Authenticate", challenge)
    return response


def respond(
    operation: Operation,
    request: Request,
    *_: Store,
    act: Callable[[Operation, Request, Asked], Response] | None = None,
) -> Response:
    """Respond to a request to an operation of a document.

    :param act: acts on records; None for an operation without state.
    """
    details = details_of(operation)
    if details.described.not_served:
        request.exchange.code = "not_implemented"
        raise RequestError("not_implemented", details.described.not_served)
    asked = read(operation, request)
    if isinstance(asked, Response):
        return asked
    wanted = _preference(request)
    if isinstance(wanted, Response):
        return wanted
    if act is not None and not wanted:
        return act(operation, request, asked)
    reply = details.success
    if "code" in wanted:
        status = int(wanted["code"])
        node = details.response(status)
        if node is None:
            known = ", ".join(details.described.responses)
            message = f"Prefer: code={status} is not documented; {operation.name} has {known}"
            raise RequestError("invalid_request", message)
        reply = details.reply(status, node)
    return described(operation, request, reply, asked.echo, wanted)


# --- Reading ----------------------------------------------------------------------------------


def read(operation: Operation, request: Request) -> Asked | Response:
    """Return the values of a request, or the response to an invalid one."""
    details = details_of(operation)
    parameters = details.parameters
    cookies = {name: request.cookies.getlist(name) for name in request.cookies}
    headers: dict[str, list[str]] = {}
    for name, value in request.headers.items():
        headers.setdefault(name, []).append(value)
    path = parameters.read("path", {k: [str(v)] for k, v in (request.view_args or {}).items()})
    query = parameters.read("query", dict(request.args.lists()))
    header = parameters.read("header", _raw_names(request, headers))
    cookie = parameters.read("cookie", cookies)
    if query.unknown:
        names = ", ".join(map(repr, sorted(query.unknown)[:8]))
        request.exchange.notes.append(("ignored_query", f"ignored parameters: {names}"))
    problems = [*query.problems, *header.problems, *cookie.problems]
    if path.problems:
        # A key of another form is one that no record has.
        fitting = [404, 400, 422] if "404" in details.described.responses else [400, 422]
        key = str([*(request.view_args or {"": ""}).values()][-1])
        return failed(operation, request, "not_found", fitting, [*path.problems, *problems], key)
    if problems:
        return failed(operation, request, "invalid_request", (400, 422), problems)
    content_type = request.headers.get("Content-Type") or ""
    sent = details.bodies.read(request.get_data(), content_type)
    if sent.kind:
        code, statuses = _FAILURES[sent.kind]
        return failed(operation, request, code, statuses, sent.problems)
    values = {**header.values, **cookie.values}
    return Asked(path.values, query.values, values, sent.value)


def _raw_names(request: Request, headers: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the headers with those whose names have an underscore, which WSGI does not pass on."""
    head: bytes = request.environ.get("mockpets.head", b"")
    for line in head.split(b"\r\n")[1:]:
        name, colon, value = line.decode("latin-1").partition(":")
        if colon and "_" in name:
            headers.setdefault(name, []).append(value.strip(" \t"))
    return headers


def _preference(request: Request) -> dict[str, str]:
    """Return the parts of the header Prefer that Prism has: ``code``, ``example``, ``dynamic``."""
    header = request.headers.get("Prefer", "")
    found = re.findall(r'(code|example|dynamic)\s*=\s*"?([^;,"]+)"?', header)
    wanted = {name: value.strip() for name, value in found}
    if not re.fullmatch("[1-5][0-9][0-9]", wanted.get("code", "200")):
        message = f"Prefer: code must be a status such as 404, got {wanted['code'][:40]!r}"
        raise RequestError("invalid_request", message)
    return wanted


# --- Responses --------------------------------------------------------------------------------


def values_of(operation: Operation, request: Request) -> Values:
    """Return what generates values for a request's session."""
    session = request.exchange.session
    assert session is not None  # noqa: S101 - `Playback.respond` sets it
    now = session.clock.now() if session.clock else session.shared.started
    return values_for(details_of(operation).api, session.seed, now - now % _DAY)


def described(
    operation: Operation,
    request: Request,
    reply: Reply,
    echo: Mapping[str, object],
    wanted: Mapping[str, str] = {},
) -> Response:
    """Return a documented response with its example, or with generated values.

    :param echo: values of the request to repeat.
    :param wanted: what the header Prefer asks for.
    """
    values = values_of(operation, request)
    body: object = ABSENT
    if reply.media_type and wanted.get("dynamic") != "true":
        name = wanted.get("example", "")
        body = values.example(reply.media, name)
        if name and body is ABSENT:
            known = ", ".join(reply.media.get("examples", {})) or "none"
            message = f"Prefer: example={name} is unknown or invalid; examples: {known}"
            raise RequestError("invalid_request", message)
    if body is ABSENT and reply.media_type:
        at = f"{operation.name}/{reply.status}"
        body = values.value(reply.schema, kind=operation.name, at=at, echo=echo)
    return with_body(operation, request, reply, body)


def with_body(operation: Operation, request: Request, reply: Reply, body: object) -> Response:
    """Return a documented response with a value as its body, and with the documented headers.

    :param body: JSON; a text if the media type is not one of JSON; ABSENT without a body.
    """
    response = Response(status=reply.status)
    if reply.media_type:
        kind = reply.media_type if "*" not in reply.media_type else "application/json"
        response = Response(_encoded(kind, body), reply.status, [("Content-Type", kind)])
    values = values_of(operation, request)
    details = details_of(operation)
    for name, node in (reply.node.get("headers") or {}).items():
        if name.lower() in ("content-type", "content-length") or response.header(name):
            continue
        header = details.api.document.resolve(node)
        at = f"{operation.name}/{reply.status}/{name}"
        value = values.example(header)
        if value is ABSENT:
            value = values.value(header.get("schema", {}), name=name, at=at)
        text = value if isinstance(value, str) else dump_json(value).decode()
        if text.isascii() and text.isprintable():
            response.headers.append((name, text))
    return response


def _encoded(kind: str, body: object) -> bytes:
    """Return a body in its media type; raise ``not_implemented`` for one that is binary."""
    plain = kind.partition(";")[0].strip().lower()
    if plain.endswith(("/json", "+json")):
        return dump_json(body) + b"\n"
    if isinstance(body, str):
        return body.encode("utf-8", "replace")
    if plain in _PIXELS:
        return bytes.fromhex(_PIXELS[plain])
    if plain.startswith("text/"):
        return dump_json(body)
    message = f"the document has no example for a response of the type {kind[:80]}"
    raise RequestError("not_implemented", message)


def failed(
    operation: Operation,
    request: Request,
    code: str,
    statuses: Sequence[int],
    reasons: Sequence[ValueProblem],
    key: str = "",
) -> Response:
    """Return the documented response to a request that fails.

    :param code: ours, for the request log.
    :param statuses: those that fit; the first that the document has counts.
    :param reasons: what is wrong, by place.
    :param key: of the record that does not exist.
    """
    from mockpets.seed.error_responses import error_response  # errors are rare

    details = details_of(operation)
    error = error_response(
        details.described,
        statuses,
        reasons,
        values_of(operation, request),
        key=key,
        name=singular(details.guess.collection),
        request_path=request.path,
    )
    request.exchange.code = code
    node = details.response(error.status) or {}
    reply = details.reply(error.status, node)._replace(media_type=error.media_type)
    return with_body(operation, request, reply, error.body)
