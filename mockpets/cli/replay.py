"""The command `replay`: send recorded requests again, and compare the responses."""

from __future__ import annotations

import json
import os
import re
from contextlib import contextmanager, nullcontext, suppress
from itertools import zip_longest
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import click

from mockpets.cli.options import flag, option, with_json
from mockpets.cli.remote import show, with_client
from mockpets.constants import REDACTED
from mockpets.errors import MockpetsError, invalid, printable
from mockpets.faults import LOST
from mockpets.strict_json import dump_ascii, dump_json, load_json_of
from mockpets.units import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockpets.client import ControlClient
    from mockpets.recording.exchange import AssignedIds, Exchange
    from mockpets.recording.redaction import Redactor

_SECONDS: Final = 30.0
"""How long each request may take."""
_POLL: Final = 0.1
"""In seconds, how often it looks for held responses."""
_READS: Final = ("GET", "HEAD")
_HEADERS: Final = ("accept", "accept-language", "content-type")
"""The recorded headers that are sent again."""
_SHOWN: Final = 100


@click.command(
    epilog="The exit status is 1 if a response differs. Example: mockpets use two-orders; "
    "mockpets replay two-orders.har",
)
@click.argument("files", nargs=-1, required=True, type=Path, metavar="FILE...")
@option("--base-url URL", "Base URL of the API in the files, if it was not mockpets.")
@option("--key-env NAME", "Environment variable with the API key, if --url is not mockpets.")
@flag("--allow-writes", text="Send POST, PUT, PATCH and DELETE even if --url is not mockpets.")
@with_json
@with_client
def replay(
    client: ControlClient,
    files: tuple[Path, ...],
    base_url: str | None,
    key_env: str | None,
    allow_writes: bool,
    as_json: bool,
) -> int:
    """Send the requests of HAR files to a server, and compare status and body.

    They go to a running mockpets, one after the other. What a gate holds is released. Ids that
    either server assigned count as equal, and so do redacted secrets. With the URL of another
    service, only GET and HEAD are sent.
    """
    from mockpets.cli.har_recording import read_exchanges
    from mockpets.recording.redaction import Redactor

    redactor = Redactor()
    exchanges = read_exchanges(files, base_url, redactor)
    try:
        key = client.state()["settings"]["key"]
        is_ours = True
    except MockpetsError:  # also of a service that responds to unknown paths with an Error body
        if key_env is None:
            raise
        is_ours, key = False, _key_for(client.url, key_env)
    sent = [each for each in exchanges if is_ours or allow_writes or each.method in _READS]
    differences: list[dict[str, Any]] = []
    with _open_gates(client) if is_ours else nullcontext():
        for exchange, lines in _replayed(sent, client.root_url, key, redactor, is_ours=is_ours):
            target = f"{exchange.method} {exchange.target}"[:_SHOWN]
            if lines:
                row = {"number": exchange.number, "request": target, "differences": lines}
                differences.append(row)
            for line in () if as_json else lines:  # at once: a response may take long
                click.echo(printable(f"request {exchange.number}, {target}: {line}"))
    skipped = len(exchanges) - len(sent)
    rest = f", {counted(skipped, 'write')} not sent" if skipped else ""
    result = {"sent": len(sent), "skipped": skipped, "different": differences}
    text = f"{counted(len(sent), 'request')}: {counted(len(differences), 'difference')}{rest}"
    show(result, [text], as_json=as_json)
    return 1 if differences else 0


def _key_for(url: str, variable: str) -> str:
    """Return the key in a variable, for a service that is not mockpets.

    :raise InputError: there is none, or it cannot be sent to this URL. The message does not contain
        the name, which may be a key that was passed by mistake.
    """
    from mockpets.settings import Settings

    hint = "pass the name of the variable that has the key, not the key itself"
    key = os.environ.get(variable, "")
    if not key:
        what = "is empty" if variable in os.environ else "is not set"
        raise invalid("--key-env", f"this variable {what}", hint)
    if not re.fullmatch("[!-~]+", key):
        what = "the key must be printable ASCII without spaces and line ends"
        raise invalid("--key-env", what, "check how the variable is set")
    parts = urlsplit(url)
    if parts.scheme != "https" and not Settings(host=(parts.hostname or "",)).is_local:
        what = "http:// would send the key unencrypted to another machine"
        raise invalid("--url", what, "use https://")
    return key


@contextmanager
def _open_gates(client: ControlClient) -> Iterator[None]:
    """Release each response that a gate holds: the next request is sent after it."""
    is_done = Event()

    def release() -> None:
        while not is_done.wait(_POLL):
            with suppress(MockpetsError):  # it may be released already
                held = [each["request"] for each in client.held() if each["waits"] == "held"]
                if held:
                    client.release(*held)

    thread = Thread(target=release, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_done.set()
        thread.join()


def _replayed(
    exchanges: list[Exchange], url: str, key: str, redactor: Redactor, *, is_ours: bool
) -> Iterator[tuple[Exchange, list[str]]]:
    """Send requests in their order; yield each with what differs."""
    from mockpets.client.http_connection import PORTS, HttpConnection
    from mockpets.recording.exchange import AssignedIds

    parts = urlsplit(url)
    is_secure = parts.scheme == "https"
    port = parts.port or PORTS[is_secure]
    ids = AssignedIds()
    for exchange in exchanges:
        headers = {
            name: value for name, value in exchange.request.headers if name.lower() in _HEADERS
        }
        if exchange.has_key:
            headers["Authorization"] = f"Bearer {key}"
        target = ids.in_target(exchange.target)
        target = parts.path + target if is_ours else _joined(parts.path, target)
        # A connection for each: after a fault, the next one would fail too.
        connection = HttpConnection(parts.hostname or "", port, is_secure=is_secure)
        try:
            response = connection.send(
                exchange.method, target, headers, exchange.request.body, _SECONDS
            )
        except (OSError, ValueError):
            played = exchange._replace(status=None, fault=LOST)
        else:
            body = response.body if is_ours else _without_key(response.body, key)
            message = exchange.response._replace(body=body, size=len(body))
            played = exchange._replace(status=response.status, response=message, fault=None)
            played = redactor.exchange(played)
        finally:
            connection.close()
        ids.learn(exchange, played)
        yield exchange, [*_differences(exchange, played, ids)]


def _joined(path: str, target: str) -> str:
    """Return a target below a path of a service, where the base path of both counts once."""
    parts = path.split("/")
    for start in range(1, len(parts)):
        base = "/" + "/".join(parts[start:])
        if target.startswith(f"{base}/"):
            return path.removesuffix(base) + target
    return path + target


def _without_key(body: bytes, key: str) -> bytes:
    """Return a body without the key, which a service may repeat; only JSON is ever printed."""
    try:
        text = dump_ascii(load_json_of(body.decode("utf-8-sig")))
    except (ValueError, RecursionError):
        return body
    return text.replace(json.dumps(key)[1:-1], REDACTED).encode()


def _differences(exchange: Exchange, played: Exchange, ids: AssignedIds) -> Iterator[str]:
    if exchange.status is None and exchange.fault is None:
        return  # the client left
    if played.status != exchange.status:
        got, recorded = (str(each.status or "no response") for each in (played, exchange))
        yield f"{got}, recorded {recorded}"
    elif exchange.fault is None and not exchange.response.cut:
        if exchange.body is None:
            if played.response.body != exchange.response.body:
                yield "another body"
        elif found := next(_places(ids.in_body(exchange.body, exchange.path), played.body), None):
            where, recorded, got = found
            yield f"body{where}: {_text(got)}, recorded {_text(recorded)}"


_ABSENT: Final = object()


def _places(recorded: Any, got: Any, where: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield each place where two JSON values differ, with both values."""
    if isinstance(recorded, dict) and isinstance(got, dict):
        for name in {**recorded, **got}:
            pair = recorded.get(name, _ABSENT), got.get(name, _ABSENT)
            yield from _places(*pair, f"{where}.{name}")
    elif isinstance(recorded, list) and isinstance(got, list):
        for place, pair in enumerate(zip_longest(recorded, got, fillvalue=_ABSENT), 1):
            yield from _places(*pair, f"{where}.{place}")
    elif recorded == REDACTED:
        return
    elif recorded != got or isinstance(recorded, bool) != isinstance(got, bool):
        yield where, recorded, got


def _text(value: Any) -> str:
    return "missing" if value is _ABSENT else dump_json(value).decode()[:_SHOWN]
