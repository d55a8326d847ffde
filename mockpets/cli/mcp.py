"""The command `mcp`: the Model Context Protocol over stdin and stdout."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from mockpets.cli.remote import TOKEN_VARIABLE, with_client
from mockpets.contract.rpc import VERSION_KEY, encoded, repeated, rpc_error
from mockpets.errors import MockpetsError, RequestError
from mockpets.strict_json import parse_json

if TYPE_CHECKING:
    from mockpets.client import ControlClient


@click.command()
@with_client
def mcp(client: ControlClient) -> None:
    """An agent that can use HTTP does not need this command, only the URL
    http://localhost:7387/__mockpets/mcp. --session is for calls of tools that name no session.
    """
    for line in sys.stdin.buffer:
        if line.strip() and (response := _forward(client, line)) is not None:
            click.echo(json.dumps(response))


def _forward(client: ControlClient, line: bytes) -> Any:
    """Return the response to a message; None to a notification."""
    try:
        parse_json(line)  # strictly, with our messages
        message: Any = json.loads(line)  # with numbers that can be sent again
    except (RequestError, ValueError) as error:  # such as an integer with 5,000 digits
        return rpc_error("parse_error", str(error))
    number = message.get("id") if isinstance(message, dict) else None
    try:
        response = client.mcp(message, _headers(message))
    except MockpetsError as error:
        response = rpc_error("internal_error", str(error))
    if isinstance(message, dict) and "id" not in message:
        return None
    if response is not None and response.get("id") is None:
        response["id"] = number  # the server rejected the message without reading it
        problem = response.get("error", {})
        if problem.get("data", {}).get("code") == "unauthorized":
            problem["message"] += f"; pass it with --token or the variable {TOKEN_VARIABLE}"
    return response


def _headers(message: Any) -> dict[str, str]:
    """Return the headers that a message of the stateless revision needs."""
    try:
        params = message["params"]
        headers = repeated(message["method"], params, params["_meta"][VERSION_KEY])
    except (TypeError, LookupError, AttributeError):
        return {}  # of the older revision, or invalid: the server says so
    return {name: encoded(value) for name, value in headers.items()}
