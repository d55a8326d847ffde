"""Entries of a request log for tests, and a Hypothesis strategy for any entry."""

from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from mockpets.constants import REQUEST_OUTCOMES
from mockpets.redaction import redacted_target
from mockpets.request_log.entry import MESSAGE_BYTES, Entry, Message, Note
from mockpets.request_log.entry import message as recorded
from mockpets.request_log.request_log import Kept, RequestLog
from tests.pet_store import OPERATIONS

AT = 1_795_244_400.123
"""2026-11-21T07:00:00.123Z."""


def message(headers: Iterable[tuple[str, str]], body: bytes, limit: int = MESSAGE_BYTES) -> Message:
    """Return the recorded form of a request or response with this body."""
    return recorded(headers, body[:limit], len(body))


def add(request_log: RequestLog, kept: Entry, cost: int = 0) -> Kept:
    """Add an entry to a request log, by default with a cost like that of the app."""
    sizes = [len(part) for each in (kept.request, kept.response) for part in each[:2]]
    notes = [150 + 4 * len(note.text) for note in kept.notes]
    return request_log.add(lambda: kept, cost or 2000 + sum(sizes) + sum(notes), kept.outcome)


def entry(number: int = 1, target: str = "/v1/pets", **changes: Any) -> Entry:
    """Return a listPets with a response; `headers` and `body` are the request's."""
    sent = message(changes.pop("headers", []), changes.pop("body", b""))
    base: dict[str, Any] = {
        "number": number,
        "at": AT + number,
        "session": "default",
        "method": "GET",
        "target": redacted_target(target),
        "path": target.partition("?")[0],
        "operation": "listPets",
        "status": 200,
        "scenarios": ("default",),
        "request": sent,
        "response": message([("Content-Type", "application/json")], b"[]\n"),
    }
    parts = base | changes
    if isinstance(parts["operation"], str):
        parts["operation"] = OPERATIONS[parts["operation"]]
    return Entry(**parts)


def created(number: int, body: bytes, **changes: Any) -> Entry:
    """Return a createPet with this body."""
    headers = [("Content-Type", "application/json"), *changes.pop("headers", [])]
    base: dict[str, Any] = {"method": "POST", "operation": "createPet", "status": 201}
    return entry(number, body=body, headers=headers, **(base | changes))


NAMES = st.text("abcXYZ-09", min_size=1, max_size=12)
VALUES = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"))
HEADERS = st.lists(
    st.tuples(
        st.one_of(NAMES, st.sampled_from(["Host", "Content-Type", "Location", "Cookie"])), VALUES
    ),
    max_size=4,
)
MESSAGES: st.SearchStrategy[Message] = st.builds(
    message, HEADERS, st.one_of(st.binary(max_size=40), st.text().map(str.encode)), st.just(16)
)
TARGETS = st.one_of(
    st.sampled_from(["/v1/pets", "/v1/pets/7", "/~w3/v1/pets?limit=0", "http://a.test/v1/pets"]),
    st.text(st.characters(codec="latin-1"), max_size=30).map("/v1/pets?{}".format),
)
LABELS = st.sampled_from(["retry/fails", "retry/1", "slow/1", "slow/2"])
ENTRIES: st.SearchStrategy[Entry] = st.builds(
    Entry,
    number=st.integers(1, 50),
    at=st.floats(0, 4e9),
    session=st.sampled_from(["default", "w3"]),
    method=st.sampled_from(["GET", "POST", "HEAD", "PATCH"]),
    target=TARGETS.map(redacted_target),
    path=st.sampled_from(["/v1/pets", "/v1/pets/7", "/v1/store/orders", "/v1/[a]?"]),
    operation=st.sampled_from([None, *OPERATIONS.values()]),
    status=st.one_of(st.none(), st.integers(200, 599)),
    scenarios=st.lists(st.sampled_from(["default", "retry", "slow"]), max_size=2).map(tuple),
    stubs=st.lists(LABELS, max_size=2).map(tuple),
    fault=st.sampled_from([None, "connection_reset", "malformed_json"]),
    off_contract=st.one_of(st.none(), st.text(max_size=9)),
    app_ms=st.floats(0, 1e6),
    delay_ms=st.floats(0, 6e4),
    held_ms=st.one_of(st.none(), st.floats(0, 1e6)),
    total_ms=st.one_of(st.none(), st.floats(0, 1e6)),
    hold=st.sampled_from([None, "gate"]),
    throttle=st.one_of(st.none(), st.integers(1, 10**9)),
    notes=st.lists(
        st.builds(Note, st.sampled_from(["deprecated", "unmatched"]), st.text(max_size=9)),
        max_size=2,
    ).map(tuple),
    request=MESSAGES,
    response=MESSAGES,
    outcome=st.sampled_from(REQUEST_OUTCOMES),
)
"""Any entry; its fields do not have to be consistent."""
