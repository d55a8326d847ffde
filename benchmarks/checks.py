"""Ask a subject for right answers before it is timed, and find out what of the job it does.

Two things it must do: give the very page that is timed, and answer the very body that is posted.
The rest is told in the table, as found and not as claimed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.process import call
from benchmarks.subjects import LIMIT, NEW, STATUS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.subjects import Subject
    from mockpets.contract.schemas import Pet

__all__ = ["ABILITIES", "LIKE_OURS", "Found", "examine"]

ABILITIES = ("key", "limit", "status", "refuses", "remembers")
"""Wants a key; cuts the page; filters it; refuses bad query and body; shows what was posted."""
LIKE_OURS = frozenset({"refuses", "remembers"})
"""One of these makes a peer do more than answer from a fixed text."""


class Found(NamedTuple):
    """What came of it.

    :param wrong: why it cannot be timed; empty when it can.
    :param creates: whether a POST answers 201 with the pet.
    :param able: those of `ABILITIES` that it has.
    """

    wrong: str
    creates: bool
    able: tuple[str, ...]


def examine(subject: Subject, port: int, pets: Sequence[Pet]) -> Found:
    """Return what a running subject can do.

    :param pets: those that it has been given.
    """
    page = _names(subject, port, LIMIT, STATUS)
    expected = [pet["name"] for pet in pets if pet.get("status") == STATUS][:LIMIT]
    if page != expected:
        return Found(f"the list is not the {LIMIT} pets that it should be: {page}", False, ())
    sold = [pet["name"] for pet in pets if pet.get("status") == "sold"]
    able = {
        "key": call(port, subject.page(), key=None).status == 401,
        "limit": _names(subject, port, 5, STATUS) == expected[:5],
        "status": _names(subject, port, LIMIT, "sold") == sold[:LIMIT],
        "refuses": 400 <= call(port, subject.page(limit=0)).status < 500
        and 400 <= call(port, subject.pets_target, body='{"name": 1}').status < 500,
    }
    answer = call(port, subject.pets_target, body=NEW)
    made = _parsed(answer.body)
    creates = answer.status == 201 and isinstance(made, dict) and made.get("name") == "Benchmark"
    pending = _names(subject, port, 100, "pending") or []
    able["remembers"] = creates and "Benchmark" in pending
    return Found("", creates, tuple(name for name in ABILITIES if able[name]))


def _names(subject: Subject, port: int, limit: int, status: str) -> list[str] | None:
    """Return the names on a page, None when the answer is none."""
    answer = call(port, subject.page(limit, status))
    value = _parsed(answer.body)
    if subject.list_member and isinstance(value, dict):
        value = value.get(subject.list_member)
    if answer.status != 200 or not isinstance(value, list):
        return None
    return [str(pet.get("name")) for pet in value if isinstance(pet, dict)]


def _parsed(body: bytes) -> object:
    try:
        return json.loads(body)
    except ValueError:
        return None
