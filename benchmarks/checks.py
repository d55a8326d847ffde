"""Check the responses of a subject before it is timed, and find out which abilities it has.

A subject must return the exact page that is timed. The table lists its other abilities, as measured
and not as claimed.
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

__all__ = ["ABILITIES", "LIKE_OURS", "CheckResult", "check"]

ABILITIES = ("key", "limit", "status", "refuses", "remembers")
"""Checks the key, limits the page, filters it, rejects invalid requests, lists new pets."""
LIKE_OURS = frozenset({"refuses", "remembers"})
"""A peer with one of these does more than send a fixed text."""


class CheckResult(NamedTuple):
    """The result of a check.

    :param problem: why the subject cannot be timed, or empty.
    :param creates: whether a POST returns 201 and the pet.
    :param able: its `ABILITIES`.
    """

    problem: str
    creates: bool
    able: tuple[str, ...]


def check(subject: Subject, port: int, pets: Sequence[Pet]) -> CheckResult:
    """Check a running subject and return its abilities.

    :param pets: the pets in its data.
    """
    page = _names(subject, port, LIMIT, STATUS)
    expected = [pet["name"] for pet in pets if pet.get("status") == STATUS][:LIMIT]
    if page != expected:
        return CheckResult(f"expected a list of {LIMIT} pets, got {page}", False, ())
    sold = [pet["name"] for pet in pets if pet.get("status") == "sold"]
    able = {
        "key": call(port, subject.page(), key=None).status == 401,
        "limit": _names(subject, port, 5, STATUS) == expected[:5],
        "status": _names(subject, port, LIMIT, "sold") == sold[:LIMIT],
        "refuses": 400 <= call(port, subject.page(limit=0)).status < 500
        and 400 <= call(port, subject.pets_target, body='{"name": 1}').status < 500,
    }
    response = call(port, subject.pets_target, body=NEW)
    pet = _parsed(response.body)
    creates = response.status == 201 and isinstance(pet, dict) and pet.get("name") == "Benchmark"
    pending = _names(subject, port, 100, "pending") or []
    able["remembers"] = creates and "Benchmark" in pending
    return CheckResult("", creates, tuple(name for name in ABILITIES if able[name]))


def _names(subject: Subject, port: int, limit: int, status: str) -> list[str] | None:
    """Return the names on a page, or None if the response is not a page."""
    response = call(port, subject.page(limit, status))
    value = _parsed(response.body)
    if subject.list_property and isinstance(value, dict):
        value = value.get(subject.list_property)
    if response.status != 200 or not isinstance(value, list):
        return None
    return [str(pet.get("name")) for pet in value if isinstance(pet, dict)]


def _parsed(body: bytes) -> object:
    try:
        return json.loads(body)
    except ValueError:
        return None
