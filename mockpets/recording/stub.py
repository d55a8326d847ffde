"""Write a recorded exchange as a stub of the scenario language."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs

from mockpets.constants import REDACTED
from mockpets.contract import media_types
from mockpets.contract.collections import identity
from mockpets.contract.error_messages import network_error
from mockpets.errors import RequestError
from mockpets.redaction import is_secret
from mockpets.scenario.language.nodes import FILE_DEPTH
from mockpets.scenario.language.reference_compiler import IN_BRACES, SOURCES
from mockpets.scenario.language.yaml_scalars import is_number
from mockpets.units import counted

if TYPE_CHECKING:
    from mockpets.contract.contract_model import Contracts, Operation
    from mockpets.recording.exchange import Assigned, Exchange

_ID: Final = re.compile("[0-9]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
"""A segment of a path that is probably an id: an integer or a UUID."""
_REFERENCE: Final = re.compile("(.+?)[-_]?id", re.IGNORECASE)
_DEPTH: Final = FILE_DEPTH - 8
"""Levels of a JSON value in a reply: a sequence in a stub has six around it."""
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_DATE: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].*)?")


def match_of(exchange: Exchange, is_assigned: Assigned, *, exact: bool = False) -> dict[str, Any]:
    """Return the conditions that requests like a recorded one meet.

    They are its operation, or else its method and path, and its query. Left out is what differs the
    next time: ids that the server has assigned, dates, and keys.

    :param exact: keep ids and dates.
    """

    def is_id(kind: str, value: str) -> bool:
        return bool(_ID.fullmatch(value)) or is_assigned(kind, value)

    def is_any(kind: str, value: str) -> bool:
        return REDACTED in value or (not exact and is_id(kind, value))

    match: dict[str, Any] = {}
    if exchange.operation is not None:
        operation, collection = exchange.operation, exchange.operation.collection
        kind = collection.name if collection else ""
        match["operation"] = operation.name
        params = {
            name: identity(value)
            for name, value in operation.in_path(exchange.path).items()
            if REDACTED not in value and (exact or not is_assigned(kind, value))
        }
        if params:
            match["params"] = params
    else:
        pairs = pairwise(["", *exchange.path.split("/")])
        segments = ["{id}" if is_any(kind, each) else each for kind, each in pairs]
        match |= {"method": exchange.method, "path": "/".join(segments)}
    query = {
        name: value
        for name, value in reversed(exchange.query)  # of a repeated parameter, the first value
        if not is_secret(name) and REDACTED not in value
        if exact or not (_DATE.fullmatch(value) or is_reference(name, value, is_assigned))
    }
    if query:
        match["query"] = dict(reversed(query.items()))
    return match


def is_reference(name: str, value: str, is_assigned: Assigned) -> bool:
    """Return whether a parameter such as ``petId`` has an id that the server has assigned."""
    kind = _REFERENCE.fullmatch(name)
    return kind is not None and is_assigned(kind[1].lower(), value)


def is_stable(value: str) -> bool:
    """Return whether a text is neither a date nor an id, which differ the next time."""
    return not (_DATE.fullmatch(value) or _ID.fullmatch(value))


def effects_of(exchange: Exchange, contracts: Contracts) -> dict[str, Any]:
    """Return what a stub does to respond in the same way: its reply, fault, delay and so on.

    :raise RequestError: ``not_found`` if the response, or all of it, is not recorded.
    """
    result: dict[str, Any] = {"fault": exchange.fault}
    if exchange.fault is None:
        result = {"reply": reply_of(exchange, contracts)}
    for part in shaping_of(exchange):
        result |= part
    return result


def shaping_of(exchange: Exchange) -> list[dict[str, Any]]:
    """Return the parts of a stub that delay, throttle and hold a response; empty for none."""
    return [
        {"delay": f"{exchange.delay_ms:g}ms"} if exchange.delay_ms else {},
        {} if exchange.throttle is None else {"throttle": f"{exchange.throttle} B/s"},
        {} if exchange.hold is None else {"hold": exchange.hold},
    ]


def reply_of(exchange: Exchange, contracts: Contracts) -> dict[str, Any]:
    """Return the reply that sends a recorded response, in the shortest form of the language.

    :raise RequestError: ``not_found`` if the response, or all of it, is not recorded.
    """
    status, response = exchange.status, exchange.response
    if status is None:
        message = f"request {exchange.number} has no response"
        raise RequestError("not_found", message, advice="choose one, such as status 503")
    if response.cut:
        message = f"the body of the response to request {exchange.number} is not recorded"
        if response.body:
            message += f" completely, only {len(response.body)} of {counted(response.size, 'byte')}"
        raise RequestError("not_found", message, advice="choose another, such as status 503")
    operation, reply = exchange.operation, _error_of(exchange, status, contracts)
    if reply is None and operation in contracts.paged and status == 200:
        reply = {"page": exchange.body} if _is_page(operation, exchange) else None
    if reply is None:
        reply = {"status": status}
        kind = response.header("Content-Type").partition(";")[0].strip().lower()
        usual = _usual_type(operation, status)
        is_body = kind == "application/json" or (kind == usual and media_types.is_json(kind))
        is_body = is_body and is_json(exchange) and is_writable(exchange.body)
        if response.body and is_body:
            reply["body"] = _literal(exchange.body)
            if kind != usual:
                reply["headers"] = {"Content-Type": kind}
        elif response.body and _is_of_document(exchange) and not _is_text(response.body):
            pass  # the document describes it; no file can have it
        elif response.body:
            reply["headers"] = {"Content-Type": response.header("Content-Type") or kind}
            reply["text"] = _braces(response.body.decode("utf-8", "replace"))
    if exchange.headers and "status" in reply:  # the others send their own
        headers = {
            name: int(value) if re.fullmatch("[1-9][0-9]{0,8}", value) else _braces(value)
            for name, value in exchange.headers.items()
        }
        reply["headers"] = {**reply.get("headers", {}), **headers}
    return reply


def _usual_type(operation: Operation | None, status: int) -> str:
    """Return the media type that a JSON body of a stub has; empty if the status has no body."""
    if operation is None or operation.details is None:
        return "application/json"
    known = operation.details.media_types(status)
    found = media_types.json_media({each: {} for each in known})
    return media_types.concrete(found[0]) if found else known[0] if known else "application/json"


def _is_text(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_page(listing: Operation, exchange: Exchange) -> bool:
    """Return whether a page of the records in the response of a list is sent in the same way."""
    records: Any = exchange.body
    if listing.details is not None:  # a document's list has an envelope, and pages of its own
        return False
    if listing.responses[200].problems(records):
        return False
    query = parse_qs(exchange.target.partition("?")[2], keep_blank_values=True)
    try:
        return len(records) > listing.most or listing.page(query).first(records) == records
    except RequestError:  # another server has accepted the query
        return False


def _is_of_document(exchange: Exchange) -> bool:
    return exchange.operation is not None and exchange.operation.details is not None


def _error_of(exchange: Exchange, status: int, contracts: Contracts) -> dict[str, Any] | None:
    """Return a reply for an Error body that the language has a short form for."""
    body = exchange.body
    if not isinstance(body, dict) or set(body) != {"code", "message", "status"}:
        return None
    code, message = body["code"], body["message"]
    if (code, message) == network_error(status) and not _is_of_document(exchange):
        return {"status": status}
    is_code = isinstance(code, str) and not _is_of_document(exchange)
    failure = contracts.failures.get(code) if is_code else None
    if failure is None or failure.status != status or not isinstance(message, str):
        return None
    usual, operation = failure.message, exchange.operation
    if operation is not None and operation.role == "get":
        collection = operation.collection
        if collection and collection.absent is not None and collection.absent.failure is failure:
            usual = collection.absent_message(exchange.path.rpartition("/")[2])
    is_usual = message == usual or not exchange.has_key  # a stub gets no request without a key
    return {"error": code} | ({} if is_usual else {"message": _braces(message)})


def is_json(exchange: Exchange) -> bool:
    """Return whether the body of the response is JSON."""
    return exchange.body is not None or exchange.response.body.strip() == b"null"


def is_writable(value: object, depth: int = _DEPTH) -> bool:
    """Return whether the scenario language can have a JSON value.

    Its numbers are not too long, its texts are complete, and it is not nested too deep.
    """
    if isinstance(value, str):
        return _SURROGATE.search(value) is None
    if isinstance(value, dict):
        is_nested = all(is_writable(item, depth - 1) for item in value.values())
        return depth > 0 and is_nested and "<<" not in value and all(map(is_writable, value))
    if isinstance(value, list):
        return depth > 0 and all(is_writable(item, depth - 1) for item in value)
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        return True
    return is_number(str(value))


def _literal(value: object) -> object:
    """Return a JSON value in which nothing is a reference."""
    if isinstance(value, dict):
        is_reference = "from" in value and value.keys() <= {"from", "default"}
        if is_reference or value.keys() == {"literal"}:
            return {"literal": value}
        return {name: _literal(item) for name, item in value.items()}
    return [_literal(item) for item in value] if isinstance(value, list) else value


def _braces(text: str) -> str:
    """Return a text in which nothing is a reference: sources in braces get a backslash."""

    def escaped(found: re.Match[str]) -> str:
        kind, dot, _ = found[2].partition(".")
        form = SOURCES.get(kind, "")
        return f"\\{found[0]}" if form and bool(dot) == ("." in form) else found[0]

    return IN_BRACES.sub(escaped, text)
