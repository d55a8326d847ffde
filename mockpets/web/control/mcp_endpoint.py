"""The Model Context Protocol (MCP) for coding agents: ``POST /__mockpets/mcp``.

Each message is one JSON-RPC request in a POST of its own, and the response is its body: no streams
and no MCP sessions. Revision 2026-07-28 is stateless and repeats parts of the body in headers;
2025-11-25 begins with ``initialize``. The tools are in `mcp_tools`.
Source: modelcontextprotocol.io/specification/2026-07-28, basic/transports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockpets.contract.rpc import VERSION_KEY, encoded, repeated, rpc_error
from mockpets.errors import RequestError, did_you_mean
from mockpets.strict_json import dump_json, parse_json
from mockpets.units import quote
from mockpets.version import FULL_VERSION
from mockpets.web.control import mcp_tools
from mockpets.web.control.call import json_response
from mockpets.web.messages import Response

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.web.control.call import ControlRequest
    from mockpets.web.control.mcp_tools import Run

_SERVER: Final = {"name": "mockpets", "version": FULL_VERSION}
_ABOUT: Final[Mapping[str, Any]] = {
    "capabilities": {"tools": {}},
    "instructions": "A mock of an HTTP API. Put a session into a state with `use`, send the "
    "app's requests to the session's base path, then `verify` or `explain` them. The commands do "
    "more, such as recording a flow: run `mockpets skill`, or load "
    "llms.txt beside the URL of this server.",
}
_SHAPE: Final = (
    "the body must be one JSON-RPC request or notification, not a batch: an object with 'jsonrpc' "
    "\"2.0\", a text 'method', and optionally a text or integer 'id' and an object 'params'"
)


class Revision(NamedTuple):
    """What differs between the revisions of the protocol.

    :param constants: the results of its methods besides those for tools.
    :param envelope: the keys of ``params._meta`` that each request needs, with headers that repeat
        its version, method and name.
    :param result: properties of every result.
    :param caching: properties of results that clients may cache.
    :param unknown: the status for an unknown method.
    """

    version: str
    constants: Mapping[str, Mapping[str, Any]]
    envelope: tuple[str, ...] = ()
    result: Mapping[str, str] = {}
    caching: Mapping[str, object] = {}
    unknown: int = 404


_LEGACY: Final = Revision(
    "2025-11-25",
    {
        "initialize": {"protocolVersion": "2025-11-25", "serverInfo": _SERVER, **_ABOUT},
        "ping": {},
    },
    unknown=400,  # its clients take a 404 for the end of an MCP session
)
_VERSIONS: Final = ("2026-07-28", _LEGACY.version)
_CACHING: Final = {"ttlMs": 300_000, "cacheScope": "private"}
_MODERN: Final = Revision(
    "2026-07-28",
    {
        "server/discover": {
            "supportedVersions": _VERSIONS,
            **_ABOUT,
            **_CACHING,
            "_meta": {"io.modelcontextprotocol/serverInfo": _SERVER},
        }
    },
    (VERSION_KEY, "io.modelcontextprotocol/clientCapabilities"),
    {"resultType": "complete"},
    _CACHING,
)


class _RpcError(Exception):
    """An error response: its code in `RPC_ERRORS`, its message, and data for programs."""


async def respond(call: ControlRequest, run: Run) -> Response:
    """Respond to the message in a body.

    :param run: calls the control API for the tools.
    """
    number, revision = None, _MODERN
    try:
        message = _read(call)
        number, params = message.get("id"), message.get("params", {})
        version = call.request.headers.get("MCP-Protocol-Version")
        revision = _revision(message["method"], _meta(params), version)
        if revision.envelope and ("id" in message or version != revision.version):
            _check_envelope(call, revision, message["method"], params)
        if "id" not in message:
            return Response(status=202)
        result = await _result(call, run, message["method"], params, revision)
    except _RpcError as error:
        code, text, *data = error.args
        status = revision.unknown if code == "method_not_found" else 400
        return json_response(rpc_error(code, text, number, *data), status)
    return json_response({"jsonrpc": "2.0", "id": number, "result": {**result, **revision.result}})


def _read(call: ControlRequest) -> dict[str, Any]:
    """Return the message in the body: a request or a notification."""
    try:
        message: Any = parse_json(call.request.get_data())
        dump_json(message)  # as the calls of the tools are made
    except RequestError as error:
        raise _RpcError("parse_error", error.message) from error
    except (UnicodeEncodeError, TypeError) as error:
        problem = "the body has half of a surrogate pair, or a number that is too large"
        raise _RpcError("parse_error", f"{problem}; send another value") from error
    if not (
        isinstance(message, dict)
        and message.get("jsonrpc") == "2.0"
        and isinstance(message.get("method"), str)
        and type(message.get("id", 0)) in (int, str)
        and isinstance(message.get("params", {}), dict)
    ):
        raise _RpcError("invalid_request", _SHAPE)
    return message


def _meta(params: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = params.get("_meta")
    return meta if isinstance(meta, dict) else {}


def _revision(method: str, meta: Mapping[str, Any], version: str | None) -> Revision:
    """Return the revision of a message, which clients of the older one name in any of three places.

    `initialize` has the version in its params, and gets the older one whatever it asks for.
    """
    older = _LEGACY.version
    is_older = meta.get(VERSION_KEY, older) == older and version in (None, older, encoded(older))
    is_first = method == "initialize" and VERSION_KEY not in meta
    return _LEGACY if is_first or is_older else _MODERN


def _check_envelope(
    call: ControlRequest, revision: Revision, method: str, params: Mapping[str, Any]
) -> None:
    """Check what every request of a stateless revision repeats: version, method and name."""
    meta, headers = _meta(params), call.request.headers
    version = headers.get("MCP-Protocol-Version")
    asked = meta.get(VERSION_KEY, version)
    if version not in (None, *_VERSIONS) and VERSION_KEY not in meta:
        raise _unsupported(version)
    if missing := [key for key in revision.envelope if key not in meta]:
        raise _RpcError("invalid_params", f"params._meta has no {', '.join(missing)}; add it")
    for name, value in repeated(method, params, asked).items():
        got = headers.get(name)
        if got is None or got not in (value, encoded(value)):
            shown = "is missing" if got is None else f"is {quote(got)}"
            message = f"the header {name} {shown}; send {quote(value)}, as in the body"
            raise _RpcError("header_mismatch", message)
    if asked != revision.version:
        raise _unsupported(asked)


def _unsupported(version: object) -> _RpcError:
    text = str(version)[:80]
    data = {"supported": _VERSIONS, "requested": text}
    message = f"unsupported protocol version {quote(text)}; supported: {', '.join(_VERSIONS)}"
    return _RpcError("unsupported_protocol_version", message, data)


async def _result(
    call: ControlRequest, run: Run, method: str, params: Mapping[str, Any], revision: Revision
) -> Mapping[str, Any]:
    """Return the result of a method, without what every result has."""
    match method:
        case "tools/call":
            tool = mcp_tools.TOOLS.get(name := str(params.get("name")))
            if tool is None:
                near = did_you_mean(name, mcp_tools.TOOLS)
                hint = near or f"known tools: {', '.join(mcp_tools.TOOLS)}"
                raise _RpcError("invalid_params", f"unknown tool {quote(name)}; {hint}")
            return await mcp_tools.call_tool(tool, call, run, params.get("arguments", {}))
        case "tools/list":
            return {"tools": mcp_tools.listed(call.contracts), **revision.caching}
    if method not in revision.constants:
        raise _RpcError("method_not_found", f"unknown method {quote(method)}")
    return revision.constants[method]
