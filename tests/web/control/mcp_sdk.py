"""Use the tools with the client of the official SDK, in all its modes; print what it returns.

Runs in an environment of its own: ``python mcp_sdk.py COMMAND URL``, in which COMMAND is mockpets.
"""

# mypy: ignore-errors

import asyncio
import json
import sys

from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client

CALLS = [
    ("use", {"session": "sdk", "scenario": "empty"}),
    ("use", {"session": "sdk", "scenario": "rety"}),
    ("state", {"session": "sdk", "findings": True}),
    ("try_request", {"session": "sdk", "method": "GET", "path": "/v1/pets", "compare": "retry"}),
    ("explain", {"session": "sdk", "number": 1}),
    ("verify", {"session": "sdk", "match": {}, "times": 1}),
    ("check_scenario", {"name": "mine", "text": "description: d"}),
]


async def use(server: object, mode: str) -> dict:
    async with Client(server, mode=mode) as client:
        tools = (await client.list_tools()).tools
        results = [await client.call_tool(name, arguments) for name, arguments in CALLS]
        unknown = None
        try:
            await client.call_tool("nöthing", {})
        except MCPError as error:
            unknown = error.error.code, error.error.message
        return {
            "mode": mode,
            "version": client.protocol_version,
            "tools": [tool.name for tool in tools],
            "failed": [result.is_error for result in results],
            "texts": [result.content[0].text for result in results],
            "unknown": unknown,
        }


async def main() -> None:
    command, url = sys.argv[1:]
    for mode in ("legacy", "2026-07-28", "auto"):
        stdio = StdioServerParameters(command=command, args=["mcp", "--url", url])
        for server in (f"{url}/__mockpets/mcp", stdio_client(stdio)):
            print(json.dumps(await use(server, mode)))


asyncio.run(main())
