"""What a report gets of the requests in a session's log."""

from collections.abc import Sequence
from typing import Any

import pytest

from mockpets.contract.pet_store import BUILT_IN
from mockpets.faults import LOST
from mockpets.report.recorded import of_log
from mockpets.request_log.entry import Entry
from tests.request_log.entries import entry


def recorded(*entries: Entry) -> Sequence[Entry]:
    return [each.entry for each in of_log(entries, BUILT_IN)]


def test_requests_are_in_order_and_preflights_are_left_out() -> None:
    entries = [entry(3), entry(1), entry(2, method="OPTIONS", operation=None, status=204)]
    assert [each.number for each in recorded(*entries)] == [1, 3]


@pytest.mark.parametrize(
    ("outcome", "known"),
    [
        ("sent", {"status": 401, "fault": None, "has_body": True}),
        ("broken", {"status": None, "fault": LOST, "has_body": False}),
        ("client_left", {"status": None, "fault": None, "has_body": False}),
        ("pending", {"status": None, "fault": None, "has_body": False}),
    ],
)
def test_only_what_a_client_received_is_known(outcome: str, known: dict[str, Any]) -> None:
    [seen] = recorded(entry(status=401, outcome=outcome, total_ms=3.0))

    assert (seen.status, seen.fault) == (known["status"], known["fault"])
    assert bool(seen.response.body) is known["has_body"]
    assert seen.total_ms == (3.0 if outcome == "sent" else None)


def test_a_body_that_was_cut_is_unknown() -> None:
    whole, cut = entry(1, body=b"{}"), entry(2, body=b"x" * 5000)
    assert [each.request.body for each in recorded(whole, cut)] == [b"{}", b""]
