"""Hold a request against a stub's conditions: pure, and the only code that compares the two.

`difference` returns what differs; a match is an empty difference. So the answer given and the
explanation of why another was not given cannot disagree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from mockpets.constants import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mockpets.scenario.model import Condition, Match


class _Absent:
    """What is not there, which is another thing than null."""

    def __repr__(self) -> str:
        return "absent"


ABSENT: Final = _Absent()


@dataclass(frozen=True, slots=True)
class Facts:
    """What a stub can match on, of one request.

    :param operation: the contract's, or None for what the contract lacks.
    :param method: upper case.
    :param path: decoded, from ``/v1`` on.
    :param pet_id: of the path, when it is an int64.
    :param query: every value of each parameter.
    :param headers: names in lower case.
    :param body: the value of a JSON body; `ABSENT` without one.
    """

    operation: str | None
    method: str
    path: str
    pet_id: int | None = None
    query: Mapping[str, Sequence[str]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: object = ABSENT


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One condition that failed.

    :param where: what was looked at: ``operation``, ``query.status``.
    :param expected: in words: ``equals "sold"``.
    :param got: what the request had, ``absent`` for nothing.
    """

    where: str
    expected: str
    got: str


def path_matches(pattern: str, path: str) -> bool:
    """Whether a path is like a pattern, in which a segment ``*`` stands for any one segment."""
    wanted, got = pattern.split("/"), path.split("/")
    return len(wanted) == len(got) and all(
        want == have or (want == "*" and have != "") for want, have in zip(wanted, got, strict=True)
    )


def difference(match: Match, facts: Facts) -> list[Mismatch]:
    """Return every condition of `match` that the request fails; nothing when it matches."""
    found: list[Mismatch] = []
    if match.operations and facts.operation not in match.operations:
        found.append(Mismatch("operation", _any_of(match.operations), facts.operation or "none"))
    # HEAD counts as GET: no stub can be for it alone.
    method = "GET" if facts.method == "HEAD" else facts.method
    if match.method is not None and match.method != method:
        found.append(Mismatch("method", match.method, facts.method))
    if match.path is not None and not path_matches(match.path, facts.path):
        found.append(Mismatch("path", match.path, facts.path))
    if match.pet_ids and facts.pet_id not in match.pet_ids:
        found.append(Mismatch("petId", _any_of(match.pet_ids), _said(facts.pet_id, none="absent")))
    for condition in match.query:
        found += _failed("query", condition, facts.query.get(condition.name, ()))
    for condition in match.headers:
        value = facts.headers.get(condition.name)
        found += _failed("headers", condition, () if value is None else (value,))
    members = facts.body if isinstance(facts.body, dict) else {}
    for condition in match.body:
        value = members.get(condition.name, ABSENT)
        found += _failed("body", condition, () if value is ABSENT else (value,))
    return found


def _failed(part: str, condition: Condition, values: Sequence[object]) -> list[Mismatch]:
    """Return what is wrong with the values of one name; one that holds is enough."""
    if condition.operator == "present":
        holds = bool(values) == condition.value
    else:
        holds = any(_holds(condition, value) for value in values)
    if holds:
        return []
    got = ", ".join(_said(value) for value in values) or "absent"
    return [Mismatch(f"{part}.{condition.name}", condition_in_words(condition), got)]


def _holds(condition: Condition, value: object) -> bool:
    """Whether one value passes one condition other than `present`."""
    wanted = condition.value
    match condition.operator:
        case "equals":
            return _same(wanted, value)
        case "one_of":
            assert isinstance(wanted, tuple)  # noqa: S101 - the loader's promise, for mypy
            return any(_same(choice, value) for choice in wanted)
        case "contains":
            if isinstance(value, list):
                return any(_same(wanted, item) for item in value)
            # Null and true are no part of a text, though their names may be.
            return isinstance(value, str) and isinstance(wanted, str) and wanted in value
        case _:
            # A glob has * and ? alone: brackets are no sets here.
            pattern = str(wanted).replace("[", "[[]")
            return isinstance(value, str) and fnmatchcase(value, pattern)


def _same(wanted: object, value: object) -> bool:
    """Whether two JSON values are equal as JSON counts: 1 is 1.0, but true is not 1.

    Their numbers are exact, integers or Decimal.
    """
    if isinstance(wanted, bool) or isinstance(value, bool):
        return wanted is value
    if isinstance(wanted, (list, tuple)):
        return (
            isinstance(value, list) and len(wanted) == len(value) and all(map(_same, wanted, value))
        )
    return wanted == value


def _any_of(values: Iterable[object]) -> str:
    return " or ".join(map(str, values))


def _said(value: object, none: str = "null") -> str:
    """Return a value as an explanation quotes it."""
    if value is None:
        return none
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_said, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def condition_in_words(condition: Condition) -> str:
    """Return what a value must be like, its name aside: ``equals "sold"``, ``present``."""
    if condition.operator == "one_of":
        assert isinstance(condition.value, tuple)  # noqa: S101 - the loader's promise, for mypy
        return "one of " + ", ".join(map(_said, condition.value))
    if condition.operator == "present":
        return "present" if condition.value else "absent"
    return f"{condition.operator} {_said(condition.value)}"


def operation_of(method: str, path: str) -> str | None:
    """Return the contract's operation for a method and a path from ``/v1`` on, if there is one."""
    wanted = "GET" if method == "HEAD" else method
    for operation, (known, template) in OPERATIONS.items():
        if known == wanted and path_matches(template.replace("{petId}", "*"), path):
            return operation
    return None
