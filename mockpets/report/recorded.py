"""The requests that a report checks, as the log of a session and HAR files have them."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from mockpets.faults import LOST
from mockpets.request_log.entry import Entry, Message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mockpets.contract.contract_model import Contracts


class Recorded(NamedTuple):
    """A request to the API, and the file that has it; None if it is from a server.

    Unknown are: the session if it is empty, the number if it is 0, the path if it is empty, the
    time of the response if it is None, and a message whose body is cut. Of a broken response
    without a fault, nothing is known.
    """

    file: str | None
    entry: Entry


def of_log(entries: Iterable[Entry], contracts: Contracts) -> list[Recorded]:
    """Return the requests in the log of a session, except preflights, as its HAR export has them.

    :param contracts: those that are served now.
    """
    return [
        Recorded(None, as_received(_exported(entry, contracts)))
        for entry in sorted(entries, key=attrgetter("at"))
        if entry.method != "OPTIONS"
    ]


def _exported(entry: Entry, contracts: Contracts) -> Entry:
    request, response, time = entry.request, entry.response, entry.total_ms
    return entry._replace(
        at=round(entry.at * 1_000_000) // 1000 / 1000,
        operation=contracts.operation_at(entry.method, entry.path),
        request=request._replace(body=b"") if request.cut else request,
        response=response if entry.outcome == "sent" else Message(),
        total_ms=None if time is None else round(time, 3),
    )


def as_received(entry: Entry) -> Entry:
    """Return an entry with what its client knows of the response."""
    is_sent, is_broken = entry.outcome == "sent", entry.outcome == "broken"
    # Our log has no time for a client that left, and for the opening of a gate. A fault has one.
    has_time = (is_sent or (is_broken and entry.fault is not None)) and entry.hold is None
    return entry._replace(
        status=entry.status if is_sent else None,
        fault=LOST if is_broken else None,
        hold=None,
        total_ms=entry.total_ms if has_time else None,
    )
