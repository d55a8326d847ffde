"""Respond to the operations of OpenAPI documents: read the request, and send what is documented.

An operation without state sends the document's example, or a generated body in which values of the
request are repeated. What is wrong with a request gets the error that the document has for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import parse_qsl

from werkzeug.exceptions import RequestEntityTooLarge

from mockpets.constants import SERVER_BODY_BYTES
from mockpets.contract.media_types import concrete, is_json
from mockpets.contract.schema_shapes import singular
from mockpets.seed.document_values import values_of as values_for
from mockpets.seed.values import ABSENT
from mockpets.strict_json import dump_json
from mockpets.web.messages import Response, environ_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mockpets.constants import ErrorCode
    from mockpets.contract.contract_model import DocumentOperation
    from mockpets.contract.details import Api, Details, DocumentedReply
    from mockpets.contract.fields import ValueProblem
    from mockpets.contract.openapi_loader import Node
    from mockpets.contract.parameters import Read
    from mockpets.contract.security import Credential
    from mockpets.interface import Pair
    from mockpets.records.store import Store
    from mockpets.scenario.scenario_model import Canned, Described
    from mockpets.seed.values import Values
    from mockpets.session.session import Session
    from mockpets.settings import Settings
    from mockpets.web.messages import Request

Act = Callable[["DocumentOperation", "Request", "Arguments", "Store | None"], Response]
"""Returns the response of an operation to a valid request."""
_DAY: Final = 24 * 3600 * 1000
"""In milliseconds."""
_ERROR: Final = 400
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
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
    "image/jpeg": "ffd8ffe000104a46494600010100000100010000ffdb004300ffffffffffffffffffffffffffffff"
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
    "ffffffffffc0000b080001000101011100ffc40014000100000000000000000000000000000003ffc400141001"
    "00000000000000000000000000000000ffda0008010100003f0047ffd9",
    "image/webp": "524946461a000000574542505650384c0e0000002f00000000071011fd0f4444ff03",
    "image/svg+xml": "3c737667207"
    "86d6c6e733d22687474703a2f2f7777772e77332e6f72672f323030302f737667222077696474683d22312220"
    "6865696768743d2231222f3e",
}
"""Images of one pixel, in hexadecimal."""
_OF_THE_SERVER: Final = re.compile(
    "access-control-.*|connection|content-(encoding|length|type)|date|keep-alive|server|trailer"
    "|transfer-encoding|upgrade",
    re.IGNORECASE,
)
"""Headers that describe how a response is sent, which a value of the document would break."""


class Arguments(NamedTuple):
    """The values of a valid request.

    :param path: the parameters in the path, by name; `query` has those in the query.
    :param body: its JSON value; `INVALID` without one.
    """

    path: Mapping[str, Any]
    query: Mapping[str, Any]
    body: object

    @property
    def echo(self) -> dict[str, object]:
        """The values that a generated response repeats."""
        body = self.body if isinstance(self.body, dict) else {}
        return {**self.query, **body, **self.path}


def session_of(request: Request) -> Session:
    """Return the session of a request to an operation."""
    session = request.session
    assert session is not None  # noqa: S101 - `Playback.respond` sets it
    return session


def credential_of(operation: DocumentOperation, request: Request, settings: Settings) -> Credential:
    """Return the credential of a request.

    :param settings: its keys count only if the user has set some.
    """
    details = operation.details
    keys = settings.api_key if "api_key" in settings.sources and not settings.any_key else ()
    return details.security.read(Sent(request), keys)


class Sent:
    """The parts of a request that can have credentials."""

    def __init__(self, request: Request) -> None:
        self._request = request

    def header(self, name: str) -> str:
        """Return the value of a header; empty without it."""
        if "_" not in name:
            return str(self._request.environ.get(environ_key(name), ""))
        known = {each.lower(): values[0] for each, values in _headers(self._request).items()}
        return known.get(name.lower(), "")

    def query(self, name: str) -> Sequence[str]:
        """Return the values of a parameter in the query."""
        return self._request.args.getlist(name)


def unauthorized_by(operation: DocumentOperation, request: Request, problem: str) -> Response:
    """Return the documented response to a request without a valid credential."""
    details = operation.details
    response = failed(operation, request, "unauthorized", (401, 403), [((), problem)])
    if challenge := details.security.challenge:
        response.set_header("WWW-Authenticate", challenge)
    return response


def respond(
    operation: DocumentOperation, request: Request, act: Act | None, store: Store | None
) -> Response:
    """Respond to a request to an operation of a document.

    :param act: responds to a valid request; None to send what is documented.
    :param store: the records that it acts on; None for an operation without state.
    """
    details = operation.details
    if details.described.not_served:
        return _not_sent(operation, request, details.described.not_served)
    arguments = read(operation, request)
    if isinstance(arguments, Response):
        return arguments
    try:
        wanted = _preference(request)
        if act is not None and not wanted:
            return act(operation, request, arguments, store)
        reply = _wanted(operation, wanted)
        is_error = reply.status >= _ERROR and not wanted.keys() & {"example", "dynamic"}
        if is_error:
            key = str(arguments.path.get(details.guess.key, ""))
            return failed(operation, request, "", (reply.status,), (), key)
        return described(operation, request, reply, arguments.echo, wanted)
    except _PreferError as error:
        problems = [(("Prefer",), str(error))]
        return failed(operation, request, "invalid_request", (400, 422), problems)


def stubbed(
    operation: DocumentOperation, request: Request, reply: Canned, sent: Described
) -> Response:
    """Return the response that a document describes for a stub's status.

    :param sent: what the stub says of it; the headers of `reply` replace those of the document.
    """
    details = operation.details
    arguments = request.view_args or {}
    if reply.status >= _ERROR and not sent.example:
        reasons: list[ValueProblem] = [((), sent.message)] if sent.message else []
        key = str(arguments.get(details.guess.key, ""))
        response = failed(operation, request, "", sent.statuses, reasons, key)
        if response.status_code == HTTPStatus.UNAUTHORIZED and details.security.challenge:
            response.set_header("WWW-Authenticate", details.security.challenge)
    else:
        documented = details.reply(reply.status)
        wanted = {"example": sent.example} if sent.example else {}
        try:
            echo = {**request.args, **arguments}
            response = described(operation, request, documented, echo, wanted)
        except _PreferError as error:
            return failed(operation, request, "invalid_request", (500,), [((), str(error))])
    for name, value in reply.headers:
        if name.lower() != "content-type":  # which describes the body of other operations
            response.set_header(name, value)
    return response


class _PreferError(Exception):
    """The header Prefer asks for what the document does not have."""


def _wanted(operation: DocumentOperation, wanted: Mapping[str, str]) -> DocumentedReply:
    """Return the response that the header Prefer asks for; else that of a success."""
    details = operation.details
    if "code" not in wanted:
        return details.success
    status = int(wanted["code"])
    if details.response(status) is None:
        known = ", ".join(details.described.responses)
        raise _PreferError(f"code={status} is not documented; {operation.name} has {known}")
    return details.reply(status)


def _not_sent(operation: DocumentOperation, request: Request, why: str) -> Response:
    """Return the response of an operation whose response mockpets cannot make."""
    return failed(operation, request, "not_implemented", (501,), [((), why)])


# --- Reading ----------------------------------------------------------------------------------

_NO_EFFECT: Final = ("ignored", "fields")
"""What parameters of lists mean that change no response."""
_KEPT_LENGTH: Final = 256
"""The longest target to keep with its values, and text of an error with its body, in characters."""


def read(operation: DocumentOperation, request: Request) -> Arguments | Response:
    """Return the values of a request, or the response to an invalid one."""
    details = operation.details
    parameters = details.parameters
    segments: tuple[tuple[str, str], ...] = ()
    if request.view_args:
        segments = tuple([(name, str(value)) for name, value in request.view_args.items()])
    path, query = _target(details, segments, request.environ.get("QUERY_STRING", ""))
    problems = query.problems
    if "header" in parameters.kinds:
        problems = problems + parameters.read("header", _headers(request)).problems
    if "cookie" in parameters.kinds:
        sent_cookies = {name: request.cookies.getlist(name) for name in request.cookies}
        problems = problems + parameters.read("cookie", sent_cookies).problems
    if unknown := query.unknown:
        names = ", ".join(map(repr, sorted(unknown)[:8]))
        request.notes.append(("ignored_query", f"ignored parameters: {names}"))
    if path.problems:
        # A key of another form is one that no record has.
        fitting = [404, 400, 422] if "404" in details.described.responses else [400, 422]
        (wrong, *_), _ = path.problems[0]
        key = str((request.view_args or {}).get(str(wrong), ""))
        every, kind = [*path.problems, *problems], _kind_of(details, str(wrong))
        return failed(operation, request, "not_found", fitting, every, key, kind)
    if problems:
        conditions = [each.lower() for each in details.conditions]
        is_condition = "428" in details.described.responses and all(
            what == "is required" and str(path[0]).lower() in conditions for path, what in problems
        )
        fitting = [428] if is_condition else [400, 422]
        return failed(operation, request, "invalid_request", fitting, problems)
    raw = b""
    try:
        if request.may_have_body:
            raw = request.get_data()
    except RequestEntityTooLarge:
        most = "1 MiB" if request.max_content_length == SERVER_BODY_BYTES else "64 KiB"
        what = f"must have at most {most}"
        return failed(operation, request, "payload_too_large", (413, 400), [((), what)])
    sent = details.bodies.read(raw, request.environ.get("CONTENT_TYPE", ""))
    if sent.kind:
        code, statuses = _FAILURES[sent.kind]
        return failed(operation, request, code, statuses, sent.problems)
    return Arguments(path.values, query.values, sent.value)


def _target(
    details: Details, segments: tuple[tuple[str, str], ...], query: str
) -> tuple[Read, Read]:
    """Return the parameters in the path and in the query; do not modify them.

    :param segments: the parameters of the path, decoded.
    :param query: as it arrived.
    """
    results, key = details.api.results, (details, segments, query)
    known: tuple[Read, Read] | None = results.get(key)
    if known is not None:
        return known
    path = details.parameters.read("path", {name: [each] for name, each in segments})
    read = path, _query(details, query)
    is_short = len(query) + sum([len(value) for _, value in segments]) <= _KEPT_LENGTH
    return results.keep(key, read) if is_short else read


def _query(details: Details, query: str) -> Read:
    """Return the parameters in the query; do not modify them."""
    results, key = details.api.results, (details, query)
    known: Read | None = results.get(key)
    if known is not None:
        return known
    read = _read_query(details, query)
    return results.keep(key, read) if len(query) <= _KEPT_LENGTH else read


def _read_query(details: Details, query: str) -> Read:
    texts: dict[str, list[str]] = {}
    # Decoded in the same way as `request.args`, which stubs match on.
    text = query.encode("latin-1").decode("utf-8", "replace")
    for name, value in parse_qsl(text, keep_blank_values=True, errors="werkzeug.url_quote"):
        texts.setdefault(name, []).append(value)
    meanings = details.guess.query.items()
    ignored = {name for name, each in meanings if each.word in _NO_EFFECT and name in texts}
    asked = details.parameters.read("query", texts)
    return asked._replace(unknown=asked.unknown - details.security.query | ignored)


def _kind_of(details: Details, parameter: str) -> str:
    """Return the collection whose key a parameter of the path is."""
    collection, collections = details.guess.collection, details.api.inferred.collections
    for name in reversed([*details.guess.where]):
        known = collections.get(collection)
        collection = known.parent if known is not None else ""
        if name == parameter:
            return collection
    return ""


def _headers(request: Request) -> dict[str, list[str]]:
    """Return the headers, also those with an underscore, which WSGI does not pass on."""
    headers: dict[str, list[str]] = {}
    for name, value in request.headers.items():
        headers.setdefault(name, []).append(value)
    for line in request.incoming.head.split(b"\r\n")[1:]:
        name, colon, value = line.decode("latin-1").partition(":")
        if colon and "_" in name:
            headers.setdefault(name, []).append(value.strip(" \t"))
    return headers


def _preference(request: Request) -> dict[str, str]:
    """Return the parts of the header Prefer that Prism has: ``code``, ``example``, ``dynamic``."""
    header = request.environ.get("HTTP_PREFER")
    if header is None:
        return {}
    found = re.findall(r'(?:^|[;,])\s*(code|example|dynamic)\s*=\s*"?([^;,"]+)"?', header)
    wanted = {name: value.strip() for name, value in found}
    if not re.fullmatch("[2-5][0-9][0-9]", wanted.get("code", "200")):  # 1xx is no response
        raise _PreferError(f"code must be a status such as 404, got {wanted['code'][:40]!r}")
    return wanted


# --- Responses --------------------------------------------------------------------------------


def values_of(api: Api, session: Session) -> Values:
    """Return what generates values of a document for a session."""
    now = session.clock.now() if session.clock else session.shared.started
    return values_for(api, session.seed, now - now % _DAY)


def described(
    operation: DocumentOperation,
    request: Request,
    reply: DocumentedReply,
    echo: Mapping[str, object],
    wanted: Mapping[str, str] = {},
) -> Response:
    """Return a documented response with its example, or with generated values.

    :param echo: values of the request to repeat.
    :param wanted: what the header Prefer asks for.
    """
    values = values_of(operation.details.api, session_of(request))
    body: object = ABSENT
    if reply.media_type and wanted.get("dynamic") != "true":
        name = wanted.get("example", "")
        body = values.example(reply.media, name)
        if name and body is ABSENT:
            known = ", ".join(each for each, _ in values.examples(reply.media) if each) or "none"
            message = f"example={name[:40]} is unknown or invalid; valid examples: {known}"
            raise _PreferError(message)
    kind = reply.media_type
    if body is ABSENT and kind in _PIXELS:
        body = bytes.fromhex(_PIXELS[kind])
    elif body is ABSENT and kind and not _is_text(kind):
        why = f"the document has no example for a response of the type {kind[:80]}"
        return _not_sent(operation, request, why)
    elif body is ABSENT and kind:
        at = f"{operation.name}/{reply.status}"
        body = values.value(reply.schema, kind=operation.name, at=at, echo=echo)
    return with_body(operation, values, reply, body)


def with_body(
    operation: DocumentOperation,
    values: Values,
    reply: DocumentedReply,
    body: object,
    location: str = "",
) -> Response:
    """Return a documented response with a value as its body, and with the documented headers.

    :param values: generates those of the headers.
    :param body: JSON; a text or bytes if the media type is not one of JSON; ABSENT without a body.
    :param location: the header Location; empty for the documented one, if there is any.
    """
    kind = reply.media_type
    headers = [("Content-Type", kind)] if kind else []
    if reply.header_names:
        at, without = f"{operation.name}/{reply.status}", "location" if location else ""
        known: Sequence[Pair] | None = values.results.get(key := ("headers", at, without))
        if known is None:
            every = _documented_headers(reply.node["headers"], values, at)
            known = [pair for pair in every if pair[0].lower() != without]
            values.results.keep(key, known)
        headers += known
    if location:
        headers.append(("Location", location))
    return Response(_encoded(kind, body) if kind else b"", reply.status, headers, None)


def _documented_headers(headers: Node, values: Values, at: str) -> Iterator[Pair]:
    """Yield the headers of a response, with their examples or generated values."""
    for name, header in headers.items():
        if _OF_THE_SERVER.fullmatch(name) or not _TOKEN.fullmatch(name):
            continue
        value = values.example(next(iter(header.get("content", {}).values()), header))
        if value is ABSENT:
            value = values.value(header["schema"], name=name, at=f"{at}/{name}")
        text = _as_header(value)
        if text.isascii() and text.isprintable():
            yield name, text


def _as_header(value: object) -> str:
    """Return a value as the text of a header: a list is separated by commas."""
    if isinstance(value, list):
        return ",".join(map(_as_header, value))
    return value if isinstance(value, str) else dump_json(value).decode()


def _is_text(kind: str) -> bool:
    """Return whether a body of a media type can be generated."""
    return is_json(kind) or kind.strip().lower().startswith("text/")


def _encoded(kind: str, body: object) -> bytes:
    """Return a body in its media type."""
    if isinstance(body, bytes):
        return body
    if isinstance(body, str) and not is_json(kind):
        return body.encode("utf-8", "replace")
    return dump_json(body) + b"\n"


def failed(
    operation: DocumentOperation,
    request: Request,
    code: str,
    statuses: Sequence[int],
    reasons: Sequence[ValueProblem],
    key: str = "",
    kind: str = "",
) -> Response:
    """Return the documented response to a request that fails.

    :param code: ours, for the request log; empty if the client has asked for the response.
    :param statuses: those that fit; the first that the document has counts.
    :param reasons: what is wrong, by place.
    :param key: of the record that does not exist.
    :param kind: the collection of that record, unless it is that of the operation.
    """
    details, path = operation.details, request.path
    values = values_of(details.api, session_of(request))
    name = singular(kind or details.guess.collection)
    asked = (details, *statuses), (*reasons,), key, name, path
    known: tuple[DocumentedReply, bytes] | None = values.results.get(asked)
    if known is None:
        from mockpets.seed.documented_errors import documented_error  # errors are rare

        error = documented_error(
            details.described, statuses, reasons, values, key=key, name=name, request_path=path
        )
        kind = concrete(error.media_type)
        reply = replace(details.reply(error.status), media_type=kind)
        known = reply, _encoded(kind, error.body) if kind else b""
        if len(key) + len(path) + sum([len(what) for _, what in reasons]) <= _KEPT_LENGTH:
            values.results.keep(asked, known)
    request.error_code = code or None
    return with_body(operation, values, *known)
