"""The Model Context Protocol (MCP) for coding agents: ``POST /__mockpets/mcp``.

Each message is one JSON-RPC request in a POST of its own, and the response is its body: no streams
and no MCP sessions. Revision 2026-07-28 is stateless and repeats parts of the body in headers;
2025-11-25 begins with ``initialize``. The tools are in `mcp_tools`.
Source: modelcontextprotocol.io/specification/2026-07-28, basic/transports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

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

MODERN: Final = "2026-07-28"
LEGACY: Final = "2025-11-25"
_ENVELOPE: Final = (VERSION_KEY, "io.modelcontextprotocol/clientCapabilities")
_SERVER: Final = {"name": "mockpets", "version": FULL_VERSION}
_ABOUT: Final[Mapping[str, Any]] = {
    "capabilities": {"tools": {}},
    "instructions": "A mock of an HTTP API. Put a session into a state with `use`, send the "
    "app's requests to the session's base path, then `verify` or `explain` them. The commands do "
    "more, such as recording a flow: run `mockpets skill`, or load "
    "llms.txt beside the URL of this server.",
}
_CACHING: Final = {"ttlMs": 300_000, "cacheScope": "private"}
_SHAPE: Final = (
    "the body must be one JSON-RPC request or notification, not a batch: an object with 'jsonrpc' "
    "\"2.0\", a text 'method', and optionally a text or integer 'id' and an object 'params'"
)


class _RpcError(Exception):
    """The message gets an error: its code in `RPC_ERRORS`, its message, and data for programs."""


async def respond(call: ControlRequest, run: Run) -> Response:
    """Respond to the message in a body.

    :param run: calls the control API for the tools.
    """
    number, is_legacy = None, False
    try:
        message = _read(call)
        number, params = message.get("id"), message.get("params", {})
        version = call.request.headers.get("MCP-Protocol-Version")
        is_legacy = _is_legacy(message["method"], _meta(params), version)
        if not is_legacy and ("id" in message or version != MODERN):
            _check_envelope(call, message["method"], params, version)
        if "id" not in message:
            return Response(status=202)
        result = await _result(call, run, message["method"], params, is_legacy=is_legacy)
    except _RpcError as error:
        code, text, *data = error.args
        # Clients of the older revision take a 404 for the end of an MCP session.
        status = 404 if code == "method_not_found" and not is_legacy else 400
        return json_response(rpc_error(code, text, number, *data), status)
    return json_response({"jsonrpc": "2.0", "id": number, "result": result})


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


def _is_legacy(method: str, meta: Mapping[str, Any], version: str | None) -> bool:
    """Return whether a message is of the older revision, which clients name in any of three places.

    `initialize` has the version in its params, and gets the older one whatever it asks for.
    """
    if VERSION_KEY not in meta and method == "initialize":
        return True
    return meta.get(VERSION_KEY, LEGACY) == LEGACY and version in (None, LEGACY, encoded(LEGACY))


def _check_envelope(
    call: ControlRequest, method: str, params: Mapping[str, Any], version: str | None
) -> None:
    """Check what every request of the stateless revision repeats: version, method and name."""
    meta, headers = _meta(params), call.request.headers
    asked = meta.get(VERSION_KEY, version)
    if version not in (None, MODERN, LEGACY) and VERSION_KEY not in meta:
        raise _unsupported(version)
    if missing := [key for key in _ENVELOPE if key not in meta]:
        raise _RpcError("invalid_params", f"params._meta has no {', '.join(missing)}; add it")
    for name, value in repeated(method, params, asked).items():
        got = headers.get(name)
        if got is None or got not in (value, encoded(value)):
            shown = "is missing" if got is None else f"is {quote(got)}"
            message = f"the header {name} {shown}; send {quote(value)}, as in the body"
            raise _RpcError("header_mismatch", message)
    if asked != MODERN:
        raise _unsupported(asked)


def _unsupported(version: object) -> _RpcError:
    text = str(version)[:80]
    data = {"supported": [MODERN, LEGACY], "requested": text}
    message = f"unsupported protocol version {quote(text)}; supported: {MODERN}, {LEGACY}"
    return _RpcError("unsupported_protocol_version", message, data)


async def _result(
    call: ControlRequest, run: Run, method: str, params: Mapping[str, Any], *, is_legacy: bool
) -> dict[str, Any]:
    """Return the result of a method."""
    era: dict[str, Any] = {} if is_legacy else {"resultType": "complete"}
    caching = {} if is_legacy else _CACHING
    match method:
        case "tools/call":
            tool = mcp_tools.TOOLS.get(str(name := params.get("name")))
            if tool is None:
                near = did_you_mean(str(name), mcp_tools.TOOLS)
                hint = near or f"known tools: {', '.join(mcp_tools.TOOLS)}"
                raise _RpcError("invalid_params", f"unknown tool {quote(str(name))}; {hint}")
            result = await mcp_tools.call_tool(tool, call, run, params.get("arguments", {}))
            return {**result, **era}
        case "tools/list":
            return {"tools": mcp_tools.listed(call.contracts), **caching, **era}
        case "initialize" if is_legacy:
            return {"protocolVersion": LEGACY, "serverInfo": _SERVER, **_ABOUT}
        case "ping" if is_legacy:
            return {}
        case "server/discover" if not is_legacy:
            server = {"_meta": {"io.modelcontextprotocol/serverInfo": _SERVER}}
            return {"supportedVersions": [MODERN, LEGACY], **_ABOUT, **caching, **server, **era}
    raise _RpcError("method_not_found", f"unknown method {quote(method)}")
