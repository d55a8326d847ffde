"""What both ends of MCP know: JSON-RPC errors, and the headers that repeat parts of a message.

Keep imports light: the app loads this module. Source: JSON-RPC 2.0, part 5.1;
modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http.
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any, Final

from mockpets.strict_json import dump_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.errors import RequestError

RPC_ERRORS: Final = {
    "parse_error": -32700,
    "invalid_request": -32600,
    "method_not_found": -32601,
    "invalid_params": -32602,
    "internal_error": -32603,
    "header_mismatch": -32020,
    "unsupported_protocol_version": -32022,
}
VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"


def rpc_error(
    code: str, message: str, number: object = None, data: Mapping[str, object] | None = None
) -> Any:
    """Return the response with an error.

    :param code: one of `RPC_ERRORS`; any other is an ``invalid_request``.
    :param number: the ``id`` of the message; None if it could not be read.
    """
    value = RPC_ERRORS.get(code, RPC_ERRORS["invalid_request"])
    error = {"code": value, "message": message, **({} if data is None else {"data": data})}
    return {"jsonrpc": "2.0", "id": number, "error": error}


def rejection(error: RequestError) -> bytes:
    """Return the body for a message that was rejected without reading it."""
    return dump_json(rpc_error(error.code, error.message, data={"code": error.code}))


def repeated(method: object, params: Mapping[str, Any], version: object) -> dict[str, str]:
    """Return the headers that a request of the stateless revision must have, as plain text."""
    headers = {"MCP-Protocol-Version": str(version), "Mcp-Method": str(method)}
    return {**headers, "Mcp-Name": str(params.get("name"))} if method == "tools/call" else headers


def encoded(text: str) -> str:
    """Return the form of a header's value for any text."""
    return f"=?base64?{b64encode(text.encode('utf-8', 'replace')).decode()}?="
