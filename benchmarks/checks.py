"""Check the responses of a subject before it is timed, and find out which abilities it has.

A subject must return the exact page that is timed. The table lists its other abilities, as measured
and not as claimed: ``key`` (checks the key), those of `Contract.abilities` such as ``limit``,
``envelope`` (the list is in the property of the contract, beside the totals), ``get`` (finds a
record and misses an unknown one), ``rejects`` (invalid requests) and ``remembers`` (returns a new
record by its id and in a list). A server with all of them does the whole job.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks.contracts import COUNT, MISSING_ID, NEW_NAME, Query
from benchmarks.process import call

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from benchmarks.contracts import Contract
    from benchmarks.load import Request
    from benchmarks.process import Response
    from benchmarks.subjects import Subject

_SUCCESS: Final = frozenset(range(200, 300))


def check(subject: Subject, port: int) -> tuple[str, ...]:
    """Check a running subject; return those of `Contract.all_abilities` that it has.

    :raise RuntimeError: it does not return the page that is timed.
    """
    contract = subject.contract
    page, expected = _names(subject, port, contract.timed), _expected(contract, contract.timed)
    if page != expected:
        raise RuntimeError(f"expected a list of {contract.timed.limit} records, got {page}")
    able = {
        name: _names(subject, port, query) == _expected(contract, query)
        for name, query in contract.abilities.items()
    }
    able |= {
        "key": call(port, subject.page(), key=None).status == 401,
        "envelope": call(port, subject.page()).value == contract.page(),
        "get": all(
            _name(call(port, subject.record(number))) == contract.records[number - 1]["name"]
            for number in (1, COUNT)
        )
        and call(port, subject.record(MISSING_ID)).status == 404,
        "rejects": 400 <= call(port, subject.page(Query(0))).status < 500
        and 400 <= call(port, subject.targets.create, body='{"name": 1}').status < 500,
    }
    able["remembers"] = _remembers(subject, port)
    return tuple(name for name in contract.all_abilities() if able[name])


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


def _remembers(subject: Subject, port: int) -> bool:
    """Create a record; return whether it can be read by its id and in a list."""
    created = call(port, subject.targets.create, body=subject.contract.new)
    if created.status != 201 or not isinstance(created.value, dict) or "id" not in created.value:
        return False
    listed = _names(subject, port, subject.contract.listed) or []
    return NEW_NAME in listed and _name(call(port, subject.record(created.value["id"]))) == NEW_NAME


def _name(response: Response) -> object:
    """Return the name of the record in a response, or None if it is not a success with one."""
    value = response.value if response.status in _SUCCESS else None
    return value.get("name") if isinstance(value, dict) else None


def _expected(contract: Contract, query: Query) -> list[str]:
    """Return the names that a list must have."""
    return [each["name"] for each in contract.selected(query)]


def _names(subject: Subject, port: int, query: Query) -> list[str] | None:
    """Return the names in a list, or None if the response is not a list."""
    response = call(port, subject.page(query))
    value = response.value
    if subject.targets.property and isinstance(value, dict):
        value = value.get(subject.targets.property)
    if response.status != 200 or not isinstance(value, list):
        return None
    return [str(each.get("name")) for each in value if isinstance(each, dict)]
