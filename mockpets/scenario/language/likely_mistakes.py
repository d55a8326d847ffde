"""Warn about parts of a stub that are valid, but probably a mistake; `mockpets check` shows them.

Valid requests are those of the contract's schemas, so a new property or value needs no change here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from mockpets.contract.fields import INVALID, split_hint
from mockpets.errors import did_you_mean
from mockpets.scenario.matching import operations_of
from mockpets.scenario.scenario_model import Canned, Match
from mockpets.units import quote, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mockpets.contract.contract_model import Operation
    from mockpets.contract.fields import ContractField
    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Node, Path
    from mockpets.scenario.scenario_model import Condition, Reply

_TEMPLATE: Final = re.compile(r"\{\{.{0,60}?\}\}", re.DOTALL)
_INVALID: Final = (400, 422)
"""The statuses of responses to invalid requests."""
NEAR: Final = 0.75
"""High, because a name of one's own, such as `tags`, is not a misspelt `status`."""


_PARTS: Final = {
    "params": "parameter of",
    "query": "query parameter of",
    "body": "property of",
}
"""Part of a match to what a name in it names."""


class _Owner(NamedTuple):
    """What has the names in a mapping of conditions: an operation, a body, or an object in it.

    :param inside: returns the fields of a name, none if it is unknown.
    :param allows: whether a valid request may have a name.
    """

    name: str
    known: Iterable[str]
    inside: Callable[[str], Sequence[ContractField]]
    allows: Callable[[str], bool] = lambda _: True


def _owners(operations: Sequence[Operation], part: str) -> list[_Owner]:
    """Return what has the names in a part of a match."""
    if part == "body":
        bodies = [each.body for each in operations if each.body]
        return [_Owner(each.name, each.properties, each.inside, each.allows) for each in bodies]
    schemas = [each.parameters if part == "params" else each.query for each in operations]
    return [_Owner(each.name, each.fields, each.inside) for each in schemas]


def warn_templates(reply: Node, diagnostics: Diagnostics) -> None:
    """Warn about each text of a reply that has a template, as in other mock servers."""
    for name, (_, member) in reply.members.items():
        warn_templates(member, diagnostics.at(name))
    for position, item in enumerate(reply.items, 1):
        warn_templates(item, diagnostics.at(position))
    if isinstance(reply.value, str) and (template := _TEMPLATE.search(reply.value)):
        what = f"{quote(template[0])} is sent unchanged, because replies have no templates"
        hint = "write {body.name} in a message, text or header, or {from: body.name} in a body"
        diagnostics.warn(reply, what, hint)


def warn_conditions(
    stub: Node, match: Match, replies: Sequence[Reply], diagnostics: Diagnostics
) -> None:
    """Warn about conditions that no valid request meets.

    Names that are near to none of the contract's names are valid: the service ignores them. A stub
    that only rejects with 400 or 422 expects invalid requests.
    """
    expects_invalid = bool(replies) and all(
        isinstance(reply, Canned) and reply.status in _INVALID for reply in replies
    )
    if match.path or expects_invalid:
        return
    operations = operations_of(match, diagnostics.contracts)
    if not operations:
        what, hint = "no operation matches", "change the role, or the names under params"
        diagnostics.warn(stub, what, hint, at=("match",))
        return
    if match.body and not any(each.body for each in operations):
        _warn_no_body(stub, operations, diagnostics)
    for part in _PARTS:
        unknown: set[Path] = set()
        for condition in getattr(match, part):
            path: Path = ("match", part)
            owners, fields = _owners(operations, part), []
            for name in (condition.name, *condition.below):
                path = (*path, name)
                fields = [field for owner in owners for field in owner.inside(name)]
                if not fields:
                    break
                # An object without a name of its own is called like its property.
                owners = [
                    _Owner(each.component or name, each.properties, each.inside, each.allows)
                    for each in fields
                ]
            if fields:
                _warn_values(stub, path, condition, fields, diagnostics)
            elif path not in unknown:
                unknown.add(path)
                _warn_name(stub, path, owners, diagnostics)


def _warn_no_body(stub: Node, operations: Sequence[Operation], diagnostics: Diagnostics) -> None:
    """Warn about a condition on the body of operations without one."""
    others = [each.name for each in diagnostics.contracts.operations.values() if each.body]
    what, hint = f"only {''.join(others)} has a body", f"use operation: {''.join(others)}, or "
    if len(others) != 1:
        names = [each.name for each in operations]
        what, hint = f"{shortened(names, 'and')} {_verb(names)} no JSON body", ""
    what, hint = f"no valid request matches, because {what}", f"{hint}remove the condition"
    diagnostics.warn(stub, what, hint, at=("match", "body"))


def _verb(names: Sequence[str]) -> str:
    return "has" if len(names) == 1 else "have"


def _warn_name(stub: Node, path: Path, owners: Sequence[_Owner], diagnostics: Diagnostics) -> None:
    """Warn about a name that no request has: a misspelt one, or one that no object can have."""
    _, part, *_, name = map(str, path)
    key = stub.find(path[:-1])[0].members[name][0]
    for step in path:
        diagnostics = diagnostics.at(step)
    for owner in owners:
        if near := did_you_mean(name, owner.known, NEAR):
            diagnostics.warn(key, f"{quote(name)} is not a {_PARTS[part]} {owner.name}", near)
            return
    if owners and not any(each.allows(name) for each in owners):
        what = f"{quote(name)} is not a property of {owners[0].name}, which allows no others"
        hint = f"properties: {', '.join(owners[0].known)}"
        diagnostics.warn(key, f"no valid request matches, because {what}", hint)


def _warn_values(
    stub: Node,
    path: Path,
    condition: Condition,
    fields: Sequence[ContractField],
    diagnostics: Diagnostics,
) -> None:
    """Warn about values of `equals` and `one_of` that no operation's field allows."""
    if stub.find(path)[0].kind == "mapping":
        path = (*path, condition.operator)
    wanted = condition.value
    values: list[tuple[tuple[int, ...], object]] = []
    if condition.operator == "one_of" and isinstance(wanted, tuple):
        values = [((position,), value) for position, value in enumerate(wanted)]
    elif condition.operator == "equals":
        values = [((), list(wanted) if isinstance(wanted, tuple) else wanted)]
    field = fields[0]
    choices = cast("Sequence[str]", field.openapi.get("enum", ()))
    for step, value in values:
        if all(each.accept(value) is INVALID for each in fields):
            what, hint = split_hint(field.problem(value))
            hint = (
                did_you_mean(str(value), choices)
                or hint
                or "change it, or respond with 400 if it is for invalid requests"
            )
            diagnostics.warn(stub, f"no valid request matches: {what}", hint, at=(*path, *step))
