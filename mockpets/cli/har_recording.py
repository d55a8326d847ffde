"""Record a scenario from HAR files of a browser, of Playwright, or of mockpets."""

from __future__ import annotations

from collections import Counter
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import FILE_BYTES
from mockpets.contract.fields import split_hint
from mockpets.contract.states import lists
from mockpets.errors import RequestError, invalid
from mockpets.recording.exchange import created_records, exchange_of
from mockpets.recording.first_records import first_records
from mockpets.recording.infer import infer
from mockpets.recording.secret_removal import Redactor, listed_secrets
from mockpets.report import har_reader
from mockpets.settings import Settings
from mockpets.settings.named_contracts import contracts_of
from mockpets.units import counted, either
from mockpets.web.app import create_app
from mockpets.web.recording_model import SessionModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from mockpets.contract.contract_model import Contracts
    from mockpets.recording.exchange import Exchange
    from mockpets.recording.infer import Recording
    from mockpets.request_log.entry import Entry, Message
    from mockpets.web.app import Mock

_MOST: Final = 1000
"""The most requests of a recording, as in the request log."""


def record_files(
    files: Sequence[Path], base: str | None, given: Settings
) -> tuple[Recording, list[str]]:
    """Return a scenario of the requests in HAR files, and what was kept and dropped.

    :param base: the base URL of the API; None if mockpets has responded.
    :param given: the settings, which name the contracts.
    :raise InputError: a file is invalid, or there are too many requests.
    """
    contracts = contracts_of(given)
    found, others = _read(files, base, contracts)
    if len(found) > _MOST:
        what = f"has {len(found)} requests to the API, of at most {_MOST}"
        raise invalid(str(files[0]), what, "record fewer requests")
    redactor = Redactor()
    exchanges = _exchanges(redactor.clean([*map(_shortened, found)]))
    records = first_records(exchanges, contracts)
    description = (
        f"Recorded: {counted(len(exchanges), 'request')} of {counted(len(files), 'file')}."
    )
    document: dict[str, Any] = {"description": description, "data": records}
    settings = Settings(
        control="off", contract=given.contract, corrections=given.corrections, now=given.now
    )
    mock: Mock = create_app(settings).extensions["mockpets"]
    model = partial(SessionModel, settings, mock.sessions.shared)
    try:
        is_created = created_records(exchanges)
        result = infer(exchanges, document, model, is_created, redactor, contracts)
    except RequestError as error:
        raise invalid(str(files[0]), error.without_advice or "", "record fewer requests") from error
    resources = len(result.document.get("resources", ()))
    seen = [
        counted(len(rows), name.removesuffix("s"))
        for name, rows in records.items()
        if rows or len(records) == 1
    ]
    seen += [counted(resources, "resource")] * bool(resources)
    kept = either(seen, "and") if seen else "no records"
    summary = [f"kept {kept} of {counted(len(exchanges), 'request')}"]
    if others:
        summary.append(f"dropped {counted(others, 'request')} to other URLs, preflights or cached")
    summary += listed_secrets(redactor.dropped)
    return result, [*summary, *_off_contract(exchanges)]


def read_exchanges(
    files: Sequence[Path], base: str | None, redactor: Redactor, contracts: Contracts
) -> list[Exchange]:
    """Return the requests in HAR files in the order of their time, as for `record_files`."""
    found, _ = _read(files, base, contracts)
    return _exchanges(redactor.clean([*map(_shortened, found)]))


def _shortened(entry: Entry) -> Entry:
    """Return an entry without the body of a response for which no file has room."""
    response = entry.response
    if response.size <= FILE_BYTES:
        return entry
    return entry._replace(response=response._replace(body=b""))


def _exchanges(entries: Iterable[Entry]) -> list[Exchange]:
    return [exchange_of(entry._replace(number=number)) for number, entry in enumerate(entries, 1)]


def _read(files: Sequence[Path], base: str | None, contracts: Contracts) -> tuple[list[Entry], int]:
    """Return the requests to the API by time, and the number of the other requests."""
    root = None if base is None else har_reader.base_url(base)
    requests, others = har_reader.read(files, root, contracts)
    if not requests:
        raise invalid(str(files[0]), "has no request to the API", "record one in a browser")
    return _revalidated(sorted((each.entry for each in requests), key=lambda each: each.at)), others


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
    if not lists(operation, status):
        yield f"{operation.name} {status}: the contract does not list this status"
        return
    if operation.removal and status == 200 and not exchange.response.header("Sunset"):
        yield f"{operation.name} {status}: no Sunset header; the scenario sends it"
    for path, what in operation.body_problems(status, exchange.body):
        place = ".".join(part for part in path if isinstance(part, str))  # in any of the records
        yield f"{operation.name} {status}: {place or 'the body'} {split_hint(what)[0]}"
