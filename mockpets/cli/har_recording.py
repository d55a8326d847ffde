"""Record a scenario from HAR files of a browser, of Playwright, or of mockpets."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, quote

from mockpets.constants import FILE_BYTES, REDACTED
from mockpets.contract.fields import parse_int64, split_hint
from mockpets.contract.schemas import RESPONSES
from mockpets.contract.serialization import body_problems
from mockpets.errors import RequestError, invalid
from mockpets.faults import LOST
from mockpets.journal.entry import Message
from mockpets.recording.exchange import Exchange, created_records
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

    from mockpets.recording.infer import Recording
    from mockpets.web.app import Mock

_MOST: Final = 1000
"""The most requests of a recording, as in the request log."""
_OUR_KEY: Final = "mockpets"
_KEY_LENGTH: Final = 8
_COOKIE_LENGTH: Final = 16
"""The shortest values that a body may not repeat; a shorter one may be a word."""
_SAFE: Final = "/%?:@!$&'()*+,;=-._~[]"
"""What a target may have besides letters and digits; browsers have encoded the query."""


def record_files(files: Sequence[Path], base: str | None) -> tuple[Recording, list[str]]:
    """Return a scenario of the requests in HAR files, and what was kept and dropped.

    :param base: the base URL of the API; None if mockpets has responded.
    :raise InputError: with every problem of every file.
    """
    ignored: Counter[str] = Counter()
    found = _read(files, base, ignored)
    if len(found) > _MOST:
        what = f"has {len(found)} requests to the API, of at most {_MOST}"
        raise invalid(str(files[0]), what, "record fewer requests")
    found, secrets = _without_secrets(found)
    exchanges = [_bounded(_exchange(number, each)) for number, each in enumerate(found, 1)]
    pets = first_pets(exchanges)
    description = (
        f"Recorded: {counted(len(exchanges), 'request')} of {counted(len(files), 'file')}."
    )
    document: dict[str, Any] = {"description": description, "pets": pets}
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
    for what, counts in (("requests", ignored), ("secrets", secrets)):
        if counts:
            listed = ", ".join(f"{name} ({count})" for name, count in sorted(counts.items()))
            summary.append(f"dropped {what}: {listed}")
    return result, [*summary, *_off_contract(exchanges)]


def _bounded(exchange: Exchange) -> Exchange:
    """Return an exchange without a body that no scenario file has room for."""
    response = exchange.response
    is_large = response.size > FILE_BYTES
    return replace(exchange, response=response._replace(body=b"")) if is_large else exchange


def read_exchanges(files: Sequence[Path], base: str | None) -> list[Exchange]:
    """Return the requests in HAR files in the order of their time, as for `record_files`."""
    found, _ = _without_secrets(_read(files, base))
    return [_exchange(number, each) for number, each in enumerate(found, 1)]


def _read(
    files: Sequence[Path], base: str | None, ignored: Counter[str] | None = None
) -> list[har.Exchange]:
    url = None if base is None else har.base_url(base)
    found = _revalidated(sorted(har.read(files, url, ignored), key=lambda each: each.start))
    if not found:
        raise invalid(str(files[0]), "has no request to the API", "record one in a browser")
    return found


def _revalidated(exchanges: Iterable[har.Exchange]) -> list[har.Exchange]:
    """Return exchanges with the response that the browser took from its cache after each 304.

    Firefox records the 304. Chromium records the body, with the few headers of the 304.
    """
    result: list[har.Exchange] = []
    cached: dict[tuple[str, str], har.Exchange] = {}
    for each in exchanges:
        key = each.method, each.target
        is_new = each.status == HTTPStatus.OK and "content-type" in each.response_headers
        if is_new:
            cached[key] = each
        elif each.status in (HTTPStatus.OK, HTTPStatus.NOT_MODIFIED) and key in cached:
            old = replace(each, status=HTTPStatus.OK, content=each.content or cached[key].content)
            each = replace(old, response_headers=cached[key].response_headers)
        result.append(each)
    return result


def _without_secrets(exchanges: Sequence[har.Exchange]) -> tuple[list[har.Exchange], Counter[str]]:
    """Return exchanges without secrets in URLs and bodies, and how often each name had one.

    Secret headers stay, because reports need their names; no other value repeats theirs.
    """
    names: Counter[str] = Counter()
    values: set[str] = set()
    for each in exchanges:
        for name, value in [*each.headers.items(), *each.response_headers.items()]:
            if is_secret(name) and not name.startswith(":"):
                names[name] += 1
                values.update(_secrets(name, value))
    bodies = [[_json(text, names) for text in (each.body, each.content)] for each in exchanges]
    secrets = sorted(values, key=len, reverse=True)

    def without(text: str) -> str:
        for secret in secrets:
            text = text.replace(secret, REDACTED)
        return text

    result = [
        replace(
            each,
            target=without(redacted_target(each.target)),
            path=each.path and without(each.path),
            body=body and without(body),
            content=content and without(content),
            response_headers={
                name: value if is_secret(name) else without(value)
                for name, value in each.response_headers.items()
            },
        )
        for each, (body, content) in zip(exchanges, bodies, strict=True)
    ]
    return result, names


def _secrets(name: str, value: str) -> Iterator[str]:
    """Yield the parts of a secret header that may be a secret: not a short word, or our key."""
    if name == "set-cookie":
        parts = [line.partition(";")[0] for line in value.splitlines()]
    else:
        parts = value.split(";") if name == "cookie" else value.split()[-1:]
    least = _COOKIE_LENGTH if "cookie" in name else _KEY_LENGTH
    for part in parts:
        secret = part.partition("=")[2].strip() if "cookie" in name else part
        if len(secret) >= least and secret != _OUR_KEY:
            yield secret


def _json(text: str | None, names: Counter[str]) -> str | None:
    """Return a JSON text without the texts of secret properties, which are counted."""
    found: Counter[str] = Counter()
    try:
        value = json.loads(text or "", object_pairs_hook=property_redactor(found))
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
    """Yield how the status or the body of a response breaks the contract, as far as recorded."""
    operation, status = exchange.operation, exchange.status
    if operation is None or status is None or exchange.method == "HEAD" or exchange.response.cut:
        return
    if status not in RESPONSES[operation]:
        yield f"{operation} {status}: the contract does not list this status"
        return
    for path, what in body_problems(operation, status, exchange.body):
        place = ".".join(part for part in path if isinstance(part, str))  # in any of the pets
        yield f"{operation} {status}: {place or 'the body'} {split_hint(what)[0]}"


def _exchange(number: int, each: har.Exchange) -> Exchange:
    query = each.target.partition("?")[2]
    path = each.path or each.target.partition("?")[0]
    operation = each.operation
    last = path.rpartition("/")[2]
    return Exchange(
        number=number,
        method=each.method,
        target=quote(path, safe="/:@!$&'()*+,;=-._~")
        + (f"?{quote(query, safe=_SAFE)}" if query else ""),
        path=path,
        query=tuple(parse_qsl(query, keep_blank_values=True)),
        operation=operation,
        pet_id=parse_int64(last) if operation == "getPet" else None,
        request=_message(each.headers, each.body),
        # Browsers leave the key out of their files.
        has_key="authorization" in each.headers or each.status != HTTPStatus.UNAUTHORIZED,
        status=each.status,
        response=_message(each.response_headers, each.content),
        fault=LOST if each.outcome == "broken" else None,
        ran=False,
    )


def _message(headers: Any, body: str | None) -> Message:
    head = "\n".join(
        f"{name}: {value}".replace("\n", " ")
        for name, value in headers.items()
        if not is_secret(name) and not name.startswith(":")
    )
    data = None if body is None else body.encode("utf-8", "replace")
    return Message(head, b"", 1) if data is None else Message(head, data, len(data))
