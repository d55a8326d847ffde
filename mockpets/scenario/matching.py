"""Compare a request with a stub's conditions: `meets` and `difference` use the same comparisons."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from mockpets.contract.fields import POSITION
from mockpets.scenario.scenario_model import Condition
from mockpets.strict_json import same_json

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from mockpets.contract.contract_model import Contracts, Operation
    from mockpets.scenario.scenario_model import Match


class _Absent:
    """The type of `ABSENT`, a missing value, which is different from null."""

    def __repr__(self) -> str:
        return "absent"


ABSENT: Final = _Absent()
ADDRESS: Final = ("operation", "role", "method", "path")
"""The conditions on where a request goes; one that fails another condition is near."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The parts of one request that a stub can match.

    :param path: decoded, from the contract's base path on.
    :param headers: names in lower case.
    """

    operation: Operation | None
    method: str
    path: str
    query: Mapping[str, Sequence[str]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: object = ABSENT

    @property
    def params(self) -> Mapping[str, str]:
        """The parameters in the path, as the operation names them."""
        return {} if self.operation is None else self.operation.in_path(self.path)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One condition, compared with a request.

    :param where: the part of the request: ``operation``, ``query.status``.
    :param expected: the condition as text: ``"sold"``, ``contains "so"``.
    :param holds: whether the request meets it; None if that is not known any more.
    """

    where: str
    expected: str
    got: str
    holds: bool | None = False


def path_matches(pattern: str, path: str) -> bool:
    """Return whether a path matches a pattern."""
    if pattern == path or not ("*" in pattern or "{" in pattern):
        return pattern == path
    wanted, got = pattern.split("/"), path.split("/")
    return len(wanted) == len(got) and all(
        want == have or (have != "" and is_any_segment(want))
        for want, have in zip(wanted, got, strict=True)
    )


def is_any_segment(segment: str) -> bool:
    """Return whether a segment of a pattern is ``*`` or ``{name}``: any that is not empty."""
    return segment == "*" or segment[:1] == "{"


def meets(match: Match, facts: Facts) -> bool:
    """Return whether a request meets all conditions of `match`."""
    for _, _, _, holds in _compared(match, facts):  # noqa: SIM110 - a tenth of the calls with stubs
        if not holds:
            return False
    return True


def difference(match: Match, facts: Facts, *, every: bool = False) -> list[Comparison]:
    """Return the conditions of `match` that the request fails, or every condition."""
    return [
        Comparison(
            where,
            expected_value(wanted)
            if isinstance(wanted, Condition)
            else " or ".join(map(str, wanted)),
            got if isinstance(got, str) else ", ".join(map(_text, got)) or "absent",
            holds,
        )
        for where, wanted, got, holds in _compared(match, facts)
        if every or not holds
    ]


def _compared(
    match: Match, facts: Facts
) -> Iterator[tuple[str, Condition | Sequence[object], str | Sequence[object], bool]]:
    """Yield each condition: where it applies, the values expected and got, and if it holds."""
    if match.operations:
        name = facts.operation.name if facts.operation else "none"
        yield "operation", match.operations, name, name in match.operations
    if match.roles:
        role = facts.operation and facts.operation.role
        yield "role", match.roles, role or "none", role in match.roles
    if match.method is not None:
        # HEAD counts as GET; a stub cannot match HEAD alone.
        method = "GET" if facts.method == "HEAD" else facts.method
        yield "method", (match.method,), facts.method, match.method == method
    if match.path is not None:
        yield "path", (match.path,), facts.path, path_matches(match.path, facts.path)
    for condition in match.query:
        values = facts.query.get(condition.name, ())
        yield f"query.{condition.name}", condition, values, _meets(condition, values)
    if match.params or match.headers or match.body:
        body = facts.body if isinstance(facts.body, dict) else {}
        if match.body and isinstance(facts.body, list):
            body = {str(position): item for position, item in enumerate(facts.body)}
        parts: Sequence[tuple[str, Sequence[Condition], Mapping[str, object]]] = (
            ("params", match.params, facts.params if match.params else {}),
            ("headers", match.headers, facts.headers),
            ("body", match.body, body),
        )
        for part, conditions, have in parts:
            for condition in conditions:
                value = have.get(condition.name, ABSENT)
                if condition.below:
                    value = value_inside(value, condition.below)
                single: Sequence[object] = () if value is ABSENT else (value,)
                where = condition.path if condition.below else condition.name
                yield f"{part}.{where}", condition, single, _meets(condition, single)


def value_inside(value: object, path: Sequence[str]) -> object:
    """Return the value at a path of properties, and of positions in lists, or `ABSENT`."""
    for step in path:
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and POSITION.fullmatch(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            return ABSENT
    return value


def _meets(condition: Condition, values: Sequence[object]) -> bool:
    if condition.operator == "present":
        return bool(values) == condition.value
    return any(_holds(condition, value) for value in values)


def _holds(condition: Condition, value: object) -> bool:
    """Return whether one value meets one condition other than `present`."""
    wanted = condition.value
    match condition.operator:
        case "equals":
            return same_json(wanted, value)
        case "one_of":
            assert isinstance(wanted, tuple)  # noqa: S101 - the loader ensures it; for mypy
            return any(same_json(choice, value) for choice in wanted)
        case "contains":
            if isinstance(value, list):
                return any(same_json(wanted, item) for item in value)
            # Only strings contain strings: "None x" does not contain null.
            return isinstance(value, str) and isinstance(wanted, str) and wanted in value
        case _:
            # Globs have only * and ?, so escape the brackets of fnmatch's sets.
            pattern = str(wanted).replace("[", "[[]")
            return isinstance(value, str) and fnmatchcase(value, pattern)


def covers(wide: Match, narrow: Match, contracts: Contracts) -> bool:
    """Return whether every request that meets `narrow` certainly meets `wide` too.

    Of different conditions on one name, only those for given values are compared.
    """
    is_limited = bool(narrow.operations or narrow.params or narrow.roles)
    operations = operations_of(narrow, contracts) if is_limited else ()
    return (
        _within([each.name for each in operations], wide.operations)
        and _within([each.role for each in operations], wide.roles)
        and wide.method in (None, narrow.method)
        # A wildcard of the narrow path is a segment that only a wildcard of the wide one matches.
        and (wide.path is None or bool(narrow.path and path_matches(wide.path, narrow.path)))
        and all(
            any(_implies(have, wanted) for have in getattr(narrow, part))
            for part in ("params", "query", "headers", "body")
            for wanted in getattr(wide, part)
        )
    )


def operations_with(params: Sequence[Condition], contracts: Contracts) -> list[Operation]:
    """Return the operations that have these parameters in their paths; all if there are none."""
    names = {condition.name for condition in params}
    operations = contracts.operations.values()
    # Reading the parameters of thousands of operations takes longer than the rest of a start.
    return [each for each in operations if not names or names <= each.parameters.fields.keys()]


def operations_of(match: Match, contracts: Contracts) -> list[Operation]:
    """Return the operations whose requests may match."""
    if match.path:
        return []
    operations = operations_with(match.params, contracts)
    if match.operations:
        operations = [contracts.operations[name] for name in match.operations]
    return [each for each in operations if not match.roles or each.role in match.roles]


def _within(narrow: Collection[object], wide: Collection[object]) -> bool:
    """Return whether a restriction to some values lies within another; empty means any value."""
    return not wide or (bool(narrow) and set(narrow) <= set(wide))


def _implies(narrow: Condition, wide: Condition) -> bool:
    """Return whether a value that meets a condition certainly meets another one, too."""
    if (narrow.name, narrow.below) != (wide.name, wide.below):
        return False
    # As text, because 1 and true are equal in Python.
    values = _values(narrow)
    return repr(narrow) == repr(wide) or (bool(values) and values <= _values(wide))


def _values(condition: Condition) -> set[str]:
    """Return the values to which a condition limits, as text; none if it does not list them."""
    if condition.operator == "equals":
        return {repr(condition.value)}
    if condition.operator == "one_of" and isinstance(condition.value, tuple):
        return set(map(repr, condition.value))
    return set()


def _text(value: object) -> str:
    """Return a value as explanations show it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_text, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def condition_in_words(condition: Condition) -> str:
    """Return a condition as text, without its name: ``equals "sold"``, ``present``."""
    if condition.operator == "one_of":
        assert isinstance(condition.value, tuple)  # noqa: S101 - the loader ensures it; for mypy
        return "one of " + ", ".join(map(_text, condition.value))
    if condition.operator == "present":
        return "present" if condition.value else "absent"
    return f"{condition.operator} {_text(condition.value)}"


def expected_value(condition: Condition) -> str:
    """Return a condition as what a request should have: ``"sold"``, ``contains "so"``."""
    is_plain = condition.operator == "equals"
    return _text(condition.value) if is_plain else condition_in_words(condition)
