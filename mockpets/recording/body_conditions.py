"""Find the property of recorded bodies that tells an error from the other responses."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import REDACTED
from mockpets.errors import nearest
from mockpets.recording.stub import is_reference, is_stable, is_writable
from mockpets.redaction import is_secret_property
from mockpets.scenario.language.likely_mistakes import NEAR
from mockpets.scenario.matching import ABSENT, value_inside
from mockpets.scenario.scenario_model import OPERATORS
from mockpets.strict_json import deeper_than, load_json_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from mockpets.contract.contract_model import Operation
    from mockpets.recording.exchange import Assigned, Exchange

    Path = tuple[str, ...]

_BY_BODY: Final = (400, 404, 409, 422)
"""The statuses of errors that the body of a request causes; others may be gone the next time."""
_LEVELS: Final = 20
"""The most levels of a body that is compared; a file has 40."""
_PATHS: Final = 100
"""The most properties of a body that are compared, in its order."""
_OPERATORS: Final[Mapping[str, str]] = {name: name for name in OPERATORS}


def body_conditions(
    exchanges: Sequence[Exchange], replies: Sequence[str], is_assigned: Assigned
) -> list[dict[str, Any]] | None:
    """Return the condition on the body of each request by which a stub can tell them apart.

    :param exchanges: requests that meet the same other conditions.
    :param replies: what stubs must respond with; empty where the operation responds alike.
    :return: None if no property decides, or if the body is not the reason.
    """
    pairs = [*zip(exchanges, replies, strict=True)]
    if len({*replies}) < 2 or any(reply and each.status not in _BY_BODY for each, reply in pairs):
        return None
    bodies = [_body(each) for each in exchanges]
    if not all(isinstance(body, dict) for body in bodies):
        return None
    paths = dict.fromkeys(path for body in bodies for path in islice(_paths(body), _PATHS))
    found: list[tuple[int, list[Any], Path]] = []
    for path in paths:
        values = [value_inside(body, path) for body in bodies]
        known: dict[Hashable, str] = {}
        decides = all(
            known.setdefault((type(value), value), reply) == reply
            for value, reply in zip(values, replies, strict=True)
            if _is_single(value)
        )
        if (
            decides
            and _is_nameable(path, exchanges[0].operation)
            and all(_is_lasting(path[-1], value, is_assigned) for value in values)
        ):
            found.append((len(known), values, path))
    if not found:
        return None
    _, values, path = min(found, key=lambda each: each[0])  # one with few values is the reason
    return [_condition(path, value) for value in values]


def _body(exchange: Exchange) -> Any:
    if exchange.request.cut:
        return None
    try:
        value = load_json_of(exchange.request.body.decode())
    except (ValueError, RecursionError):
        return None
    return None if deeper_than(value, _LEVELS) else value


def _paths(body: dict[str, Any], path: Path = ()) -> Iterator[Path]:
    """Yield the paths of the values in a body and its objects; none within lists."""
    for name, value in body.items():
        if isinstance(value, dict) and value:
            yield from _paths(value, (*path, name))
        else:
            yield (*path, name)


def _is_single(value: object) -> bool:
    return value is ABSENT or value is None or isinstance(value, (str, int))


def _is_lasting(name: str, value: object, is_assigned: Assigned) -> bool:
    """Return whether a condition can have a value that requests have the next time, too."""
    if value is ABSENT or value is None or isinstance(value, bool):
        return True
    if not isinstance(value, (str, int)) or not is_writable(value):
        return False
    text = str(value)
    return (
        REDACTED not in text
        and (isinstance(value, int) or is_stable(text))
        and not is_reference(name, text, is_assigned)
    )


def _is_nameable(path: Path, operation: Operation | None) -> bool:
    """Return whether a condition can name a path, whose value is no secret."""
    first, *below = path
    if not is_writable(dict.fromkeys(path)) or any(map(is_secret_property, path)):
        return False
    body = operation.body if operation else None
    fields = body.inside(first) if body else ()
    for name in below:
        inside = [each for one in fields for each in one.inside(name)]
        is_misspelt = not inside and nearest(name, _OPERATORS, NEAR)
        is_single = fields and not any(each.may_have(name) for each in fields)
        if name in OPERATORS or is_misspelt or is_single:
            return False
        fields = inside
    return True


def _condition(path: Path, value: object) -> dict[str, Any]:
    condition: Any = {"present": False} if value is ABSENT else value
    for name in reversed(path):
        condition = {name: condition}
    result: dict[str, Any] = condition
    return result
