"""Record a scenario from HAR files of a browser, of Playwright, or of mockpets."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import FILE_BYTES, REDACTED
from mockpets.contract.fields import split_hint
from mockpets.contract.schemas import RESPONSES
from mockpets.contract.serialization import body_problems
from mockpets.errors import RequestError, invalid
from mockpets.journal.entry import Message
from mockpets.recording.exchange import created_records, exchange_of
from mockpets.recording.infer import infer
from mockpets.recording.pets import first_pets
from mockpets.redaction import is_secret, property_redactor, redacted_target
from mockpets.report import har
from mockpets.settings import Settings
from mockpets.units import counted
from mockpets.web.app import create_app
from mockpets.web.recording_model import SessionModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from mockpets.journal.entry import Entry
    from mockpets.recording.exchange import Exchange
    from mockpets.recording.infer import Recording
    from mockpets.web.app import Mock

_MOST: Final = 1000
"""The most requests of a recording, as in the request log."""
_OUR_KEY: Final = "mockpets"
_KEY_LENGTH: Final = 8
_COOKIE_LENGTH: Final = 16
"""The shortest values that a body may not repeat; a shorter one may be a word."""


def record_files(files: Sequence[Path], base: str | None) -> tuple[Recording, list[str]]:
    """Return a scenario of the requests in HAR files, and what was kept and dropped.

    :param base: the base URL of the API; None if mockpets has responded.
    :raise InputError: a file is invalid, or there are too many requests.
    """
    found, others = _read(files, base)
    if len(found) > _MOST:
        what = f"has {len(found)} requests to the API, of at most {_MOST}"
        raise invalid(str(files[0]), what, "record fewer requests")
    found, secrets = _without_secrets(found)
    exchanges = [
        each._replace(response=each.response._replace(body=b""))  # no file has room for it
        if each.response.size > FILE_BYTES
        else each
        for each in _exchanges(found)
    ]
    pets = first_pets(exchanges)
    description = (
        f"Recorded: {counted(len(exchanges), 'request')} of {counted(len(files), 'file')}."
    )
    document: dict[str, Any] = {"description": description, "data": {"pets": pets}}
    settings = Settings(control="off")
    mock: Mock = create_app(settings).extensions["mockpets"]
    model = partial(SessionModel, settings, mock.sessions.shared)
    try:
        result = infer(exchanges, document, model, created_records(exchanges))
    except RequestError as error:
        raise invalid(str(files[0]), error.for_visitors or "", "record fewer requests") from error
    resources = len(result.document.get("resources", ()))
    kept = counted(len(pets), "pet") + (f" and {counted(resources, 'resource')}" * bool(resources))
    summary = [f"kept {kept} of {counted(len(exchanges), 'request')}"]
    if others:
        summary.append(f"dropped {counted(others, 'request')} to other URLs, preflights or cached")
    if secrets:
        listed = ", ".join(f"{name} ({count})" for name, count in sorted(secrets.items()))
        summary.append(f"dropped secrets: {listed}")
    return result, [*summary, *_off_contract(exchanges)]


def read_exchanges(files: Sequence[Path], base: str | None) -> list[Exchange]:
    """Return the requests in HAR files in the order of their time, as for `record_files`."""
    found, _ = _read(files, base)
    return _exchanges(_without_secrets(found)[0])


def _exchanges(entries: Iterable[Entry]) -> list[Exchange]:
    return [exchange_of(entry._replace(number=number)) for number, entry in enumerate(entries, 1)]


def _read(files: Sequence[Path], base: str | None) -> tuple[list[Entry], int]:
    """Return the requests to the API by time, and the number of the other requests."""
    found, others = har.read(files, None if base is None else har.base_url(base))
    if not found:
        raise invalid(str(files[0]), "has no request to the API", "record one in a browser")
    return _revalidated(sorted((each.entry for each in found), key=lambda each: each.at)), others


def _revalidated(entries: Iterable[Entry]) -> list[Entry]:
    """Return entries with the response that the browser took from its cache after each 304.

    Firefox records the 304. Chromium records the body, with the few headers of the 304.
    """
    result: list[Entry] = []
    cached: dict[tuple[str, str], Message] = {}
    for each in entries:
        key, response = (each.method, each.target), each.response
        is_new = each.status == HTTPStatus.OK and response.header("content-type")
        if is_new:
            cached[key] = response
        elif each.status in (HTTPStatus.OK, HTTPStatus.NOT_MODIFIED) and key in cached:
            known = response if response.body else cached[key]
            each = each._replace(
                status=HTTPStatus.OK, response=known._replace(head=cached[key].head)
            )
        result.append(each)
    return result


def _without_secrets(entries: Sequence[Entry]) -> tuple[list[Entry], Counter[str]]:
    """Return entries without secrets in URLs, headers and bodies, and how often each name had one.

    No other value repeats the value of a secret header.
    """
    names: Counter[str] = Counter()
    values: set[str] = set()
    for each in entries:
        for name, value in [*each.request.headers, *each.response.headers]:
            if is_secret(name) and not name.startswith(":"):
                names[name] += 1
                values.update(_secrets(name, value))
    secrets = sorted(values, key=len, reverse=True)

    def without(text: str) -> str:
        for secret in secrets:
            text = text.replace(secret, REDACTED)
        return text

    def cleaned(message: Message) -> Message:
        body = without(_json(message.body.decode(), names)).encode()
        head = "\n".join(
            f"{name}: {without(value)}"
            for name, value in message.headers
            if not is_secret(name) and not name.startswith(":")
        )
        # A body that is not recorded has another size.
        return Message(head, body, message.size if message.cut else len(body))

    result = [
        each._replace(
            target=without(redacted_target(each.target)),
            path=without(each.path),
            request=cleaned(each.request),
            response=cleaned(each.response),
        )
        for each in entries
    ]
    return result, names


def _secrets(name: str, value: str) -> Iterator[str]:
    """Yield the parts of a secret header that may be a secret: not a short word, or our key."""
    if name == "set-cookie":
        parts = [value.partition(";")[0]]
    else:
        parts = value.split(";") if name == "cookie" else value.split()[-1:]
    least = _COOKIE_LENGTH if "cookie" in name else _KEY_LENGTH
    for part in parts:
        secret = part.partition("=")[2].strip() if "cookie" in name else part
        if len(secret) >= least and secret != _OUR_KEY:
            yield secret


def _json(text: str, names: Counter[str]) -> str:
    """Return a JSON text without the texts of secret properties, which are counted."""
    found: Counter[str] = Counter()
    try:
        value = json.loads(text, object_pairs_hook=property_redactor(found))
    except (ValueError, RecursionError):
        return text
    names.update({f"{name} in a body": count for name, count in found.items()})
    return json.dumps(value, ensure_ascii=False) if found else text


def _off_contract(exchanges: Iterable[Exchange]) -> list[str]:
    """Return how responses break the contract, and how many do so in the same way."""
    counts = Counter(problem for each in exchanges for problem in dict.fromkeys(_problems(each)))
    return [
        f"off contract: {problem} ({counted(count, 'request')})"
        for problem, count in counts.items()
    ]


def _problems(exchange: Exchange) -> Iterator[str]:
    """Yield how a response breaks the contract, as far as it is recorded."""
    operation, status = exchange.operation, exchange.status
    if operation is None or status is None or exchange.method == "HEAD" or exchange.response.cut:
        return
    if status not in RESPONSES[operation]:
        yield f"{operation} {status}: the contract does not list this status"
        return
    if (operation, status) == ("getPet", 200) and not exchange.response.header("Sunset"):
        yield f"{operation} {status}: no Sunset header; the scenario sends it"
    for path, what in body_problems(operation, status, exchange.body):
        place = ".".join(part for part in path if isinstance(part, str))  # in any of the pets
        yield f"{operation} {status}: {place or 'the body'} {split_hint(what)[0]}"
