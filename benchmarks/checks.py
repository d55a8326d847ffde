"""Check the responses of a subject before it is timed, and find out which abilities it has.

A subject must return the exact page that is timed. The table lists its other abilities, as measured
and not as claimed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.process import call
from benchmarks.subjects import LIMIT, MISSING_ID, NEW, PETS, STATUS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from benchmarks.load import Request
    from benchmarks.subjects import Subject
    from mockpets.contract.contract_model import Record

ABILITIES: Final = ("key", "limit", "status", "get", "refuses", "remembers")
"""Checks the key, limits the page, filters it, finds a pet by its id and misses an unknown one,
rejects invalid requests, lists new pets. A server with all of them does the whole job."""
_SUCCESS: Final = frozenset(range(200, 300))


class CheckResult(NamedTuple):
    """The result of a check.

    :param creates: whether a POST returns 201 and the pet.
    :param able: its `ABILITIES`.
    """

    creates: bool
    able: tuple[str, ...]


def check(subject: Subject, port: int, pets: Sequence[Record]) -> CheckResult:
    """Check a running subject and return its abilities.

    :param pets: the pets in its data.
    :raise RuntimeError: it does not return the page that is timed.
    """
    page = _names(subject, port, LIMIT, STATUS)
    expected = [pet["name"] for pet in pets if pet.get("status") == STATUS][:LIMIT]
    if page != expected:
        raise RuntimeError(f"expected a list of {LIMIT} pets, got {page}")
    sold = [pet["name"] for pet in pets if pet.get("status") == "sold"]
    able = {
        "key": call(port, subject.page(), key=None).status == 401,
        "limit": _names(subject, port, 5, STATUS) == expected[:5],
        "status": _names(subject, port, LIMIT, "sold") == sold[:LIMIT],
        "get": all(_finds(subject, port, number, pets) for number in (1, PETS))
        and call(port, subject.pet(MISSING_ID)).status == 404,
        "refuses": 400 <= call(port, subject.page(limit=0)).status < 500
        and 400 <= call(port, subject.pets_target, body='{"name": 1}').status < 500,
    }
    response = call(port, subject.pets_target, body=NEW)
    pet = response.value
    creates = response.status == 201 and isinstance(pet, dict) and pet.get("name") == "Benchmark"
    pending = _names(subject, port, 100, "pending") or []
    able["remembers"] = creates and "Benchmark" in pending
    return CheckResult(creates, tuple(name for name in ABILITIES if able[name]))


def statuses(port: int, requests: Iterable[Request], expected: Mapping[str, int]) -> dict[str, int]:
    """Send requests once; return the status of each part that the subject can do.

    It cannot do a part if its requests have different statuses, or one that makes no sense: other
    than 2xx for a valid request, or 5xx for one to reject.

    :param expected: the status that the contract demands of each part.
    """
    received: dict[str, set[int]] = {}
    for item in requests:
        response = call(port, item.target, body=item.body or None, headers=item.all_headers)
        received.setdefault(item.part, set()).add(response.status)
    return {
        part: max(values)
        for part, values in received.items()
        if len(values) == 1
        and (values < _SUCCESS if expected[part] in _SUCCESS else max(values) < 500)
    }


def _finds(subject: Subject, port: int, number: int, pets: Sequence[Record]) -> bool:
    """Return whether a request for one pet returns it."""
    response = call(port, subject.pet(number))
    pet = response.value
    name = pets[number - 1]["name"]
    return response.status == 200 and isinstance(pet, dict) and pet.get("name") == name


def _names(subject: Subject, port: int, limit: int, status: str) -> list[str] | None:
    """Return the names on a page, or None if the response is not a page."""
    response = call(port, subject.page(limit, status))
    value = response.value
    if subject.list_property and isinstance(value, dict):
        value = value.get(subject.list_property)
    if response.status != 200 or not isinstance(value, list):
        return None
    return [str(pet.get("name")) for pet in value if isinstance(pet, dict)]
