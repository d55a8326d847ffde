"""The command `replay`: send recorded requests again, and compare the responses."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager, nullcontext, suppress
from itertools import takewhile, zip_longest
from pathlib import Path
from threading import Event, Thread
from time import time
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import click

from mockpets.cli.options import flag, option, with_json
from mockpets.cli.remote import show, with_client, with_contracts
from mockpets.constants import REDACTED
from mockpets.errors import MockpetsError, invalid, printable
from mockpets.faults import LOST
from mockpets.strict_json import dump_text, load_json_of
from mockpets.units import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mockpets.client import ControlClient
    from mockpets.recording.exchange import AssignedIds, Exchange
    from mockpets.recording.secret_removal import Redactor
    from mockpets.request_log.entry import Message
    from mockpets.settings import Settings

_SECONDS: Final = 30.0
"""How long each request and its response may take, in addition to the recorded time."""
_LONGEST: Final = 600.0
"""How much of a longer recorded time counts, in seconds."""
_POLL: Final = 0.1
"""In seconds, how often it looks for held responses."""
_READS: Final = ("GET", "HEAD")
_HEADERS: Final = ("accept", "accept-language", "content-type")
"""The recorded headers that are sent again."""
_SHOWN: Final = 100
_PART: Final = 8
"""Characters at the beginning of the key that are a secret without the rest."""


@click.command(
    epilog="The exit status is 1 if a response differs. Example: mockpets use two-orders; "
    "mockpets replay two-orders.har",
)
@click.argument("files", nargs=-1, required=True, type=Path, metavar="FILE...")
@option("--base-url URL", "Base URL of the API in the files, if it is not mockpets.")
@option("--key-env NAME", "Environment variable with the API key, if --url is not mockpets.")
@flag("--allow-writes", text="Send POST, PUT, PATCH and DELETE even if --url is not mockpets.")
@with_json
@with_contracts
@with_client
def replay(
    client: ControlClient,
    settings: Callable[[], Settings],
    files: tuple[Path, ...],
    base_url: str | None,
    key_env: str | None,
    allow_writes: bool,
    as_json: bool,
) -> int:
    """Sends them to a running mockpets, one after the other, and releases responses that a gate
    holds. IDs that either server assigned count as equal, and so do redacted secrets. With the URL
    of another service, sends only GET and HEAD.
    """
    from mockpets.cli.har_recording import read_exchanges
    from mockpets.recording.secret_removal import Redactor
    from mockpets.settings.named_contracts import contracts_of

    redactor = Redactor()
    exchanges = read_exchanges(files, base_url, redactor, contracts_of(settings()))
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
        target = ids.in_target(exchange.target)
        if exchange.has_key:
            more, target = exchange.with_key(key, target)
            headers |= more
        target = parts.path + target if is_ours else _joined(parts.path, target)
        # A connection for each: after a fault, the next one would fail too.
        began = time()
        connection = HttpConnection(parts.hostname or "", port, is_secure=is_secure)
        seconds = _SECONDS + min((exchange.total_ms or 0) / 1000, _LONGEST)  # perhaps throttled
        try:
            response = connection.send(
                exchange.method, target, headers, exchange.request.body, seconds
            )
        except (OSError, ValueError):
            played = exchange._replace(status=None, fault=LOST)
        else:
            message = exchange.response._replace(body=response.body, size=len(response.body))
            if not is_ours:
                message = _without_key(message, key)
                exchange = exchange._replace(response=_without_key(exchange.response, key))
            played = exchange._replace(
                at=began, status=response.status, response=message, fault=None
            )
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


def _without_key(response: Message, key: str) -> Message:
    """Return a response without the key, or a long part of its beginning; a service may repeat it.

    Only JSON is ever printed. The recorded response loses the same, so that both can be equal.
    """
    if response.cut:
        return response
    try:
        value = load_json_of(response.body.decode("utf-8-sig"))
        body = dump_text(_cleaned(value, key)).encode()
    except (ValueError, RecursionError):
        return response
    return response._replace(body=body, size=len(body))


def _cleaned(value: Any, key: str) -> Any:
    """Return a JSON value without the key in its texts, names and numbers."""
    if isinstance(value, dict):
        return {_cleaned(name, key): _cleaned(item, key) for name, item in value.items()}
    if isinstance(value, list):
        return [_cleaned(item, key) for item in value]
    if value is None or isinstance(value, bool):
        return value
    text, parts, end = str(value), [], 0
    while (start := text.find(key[:_PART], end)) >= 0:
        parts += [text[end:start], REDACTED]
        pairs = zip(key, text[start : start + len(key)], strict=False)
        end = start + len([*takewhile(lambda pair: pair[0] == pair[1], pairs)])
    return "".join([*parts, text[end:]]) if parts else value


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
            return
        recorded_body = ids.in_body(exchange.lasting_body, exchange.path, exchange.id_names)
        if found := next(_places(recorded_body, played.lasting_body), None):
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
    return "missing" if value is _ABSENT else dump_text(value)[:_SHOWN]
