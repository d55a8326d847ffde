"""Record a scenario from HAR files of a browser, of Playwright, or of mockpets."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, quote

from mockpets.contract.fields import parse_int64
from mockpets.errors import DocumentError, InputError, invalid
from mockpets.faults import LOST
from mockpets.journal.entry import Message
from mockpets.recording.collections import first_resources
from mockpets.recording.exchange import Exchange
from mockpets.recording.infer import infer
from mockpets.recording.pets import first_pets
from mockpets.redaction import is_secret, redacted_target
from mockpets.report import har
from mockpets.scenario.language.writer import text_of
from mockpets.settings import Settings
from mockpets.units import counted
from mockpets.web.app import create_app
from mockpets.web.recording_model import SessionModel

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mockpets.recording.infer import Recording
    from mockpets.web.app import Mock

_SAFE: Final = "/%?:@!$&'()*+,;=-._~[]"
"""What a target may have besides letters and digits; browsers have encoded the query."""


def record_files(files: Sequence[Path], base: str | None) -> tuple[Recording, list[str]]:
    """Return a scenario of the requests in HAR files, and what was kept and dropped.

    :param base: the base URL of the API; None if mockpets has responded.
    :raise InputError: with every problem of every file.
    """
    found = _read(files, base)
    exchanges = [_exchange(number, each) for number, each in enumerate(found, 1)]
    pets = first_pets(exchanges)
    known = {pet["id"] for pet in pets}
    description = (
        f"Recorded: {counted(len(exchanges), 'request')} of {counted(len(files), 'file')}."
    )
    document: dict[str, Any] = {"description": description, "pets": pets}
    settings = Settings(control="off")
    mock: Mock = create_app(settings).extensions["mockpets"]
    model = partial(SessionModel, settings, mock.sessions.shared)
    try:
        plain = infer(exchanges, document, model, lambda number: number not in known)
        results = [plain]
        if resources := first_resources(exchanges):
            document = {**document, "resources": resources}
            results.append(infer(exchanges, document, model, lambda number: number not in known))
        result = min(results, key=lambda each: len(text_of(each.document).splitlines()))
    except DocumentError as error:
        raise InputError(error.problems) from error
    kept = f"kept {counted(len(pets), 'pet')} of {counted(len(exchanges), 'request')}"
    return result, [kept, *_dropped(found)]


def read_exchanges(files: Sequence[Path], base: str | None) -> list[Exchange]:
    """Return the requests in HAR files in the order of their time, as for `record_files`."""
    return [_exchange(number, each) for number, each in enumerate(_read(files, base), 1)]


def _read(files: Sequence[Path], base: str | None) -> list[har.Exchange]:
    url = None if base is None else har.base_url(base)
    found = sorted(har.read(files, url), key=lambda each: each.start)
    if not found:
        raise invalid(str(files[0]), "has no request to the API", "record one in a browser")
    return found


def _dropped(exchanges: Sequence[har.Exchange]) -> list[str]:
    """Return which secrets the scenario does not have."""
    names = Counter(
        name
        for each in exchanges
        for name in {**each.headers, **each.response_headers}
        if is_secret(name) and not name.startswith(":")
    )
    listed = ", ".join(f"{name} ({count})" for name, count in sorted(names.items()))
    return [f"dropped secrets: {listed}"] if listed else []


def _exchange(number: int, each: har.Exchange) -> Exchange:
    target = redacted_target(each.target)
    query = target.partition("?")[2]
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
        has_key="authorization" in each.headers,
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
