"""Warn about parts of a stub that are valid, but probably a mistake; `mockpets check` shows them.

Valid requests are those of the contract's schemas, so a new property or value needs no change here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast

from mockpets.contract.fields import INVALID, split_hint
from mockpets.errors import did_you_mean
from mockpets.scenario.matching import operations_of
from mockpets.scenario.model import Canned, Match
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mockpets.contract.fields import ContractField
    from mockpets.contract.model import Contracts, Operation
    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Node
    from mockpets.scenario.model import Condition, Reply

_TEMPLATE: Final = re.compile(r"\{\{.{0,60}?\}\}", re.DOTALL)
_CUTOFF: Final = 0.75
"""High, because a name of one's own, such as `tags`, is not a misspelt `status`."""


def _inputs(
    contracts: Contracts,
) -> Iterator[tuple[str, Operation, str, Mapping[str, ContractField]]]:
    """Yield a part of a match, the operation that has it, what a name in it names, its fields."""
    for each in contracts.operations.values():
        if each.parameters.fields:
            yield "params", each, f"parameter of {each.name}", each.parameters.fields
        if each.query.fields:
            yield "query", each, f"query parameter of {each.name}", each.query.fields
        if each.body is not None:
            yield "body", each, f"property of {each.body.name}", each.body.schema.fields


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
    that only rejects with 400 expects invalid requests.
    """
    expects_invalid = bool(replies) and all(
        isinstance(reply, Canned) and reply.status == 400 for reply in replies
    )
    contracts = diagnostics.contracts
    inputs = () if match.path or expects_invalid else _inputs(contracts)
    for part, operation, kind, fields in inputs:
        conditions: tuple[Condition, ...] = getattr(match, part)
        if operation not in operations_of(match, contracts):
            if part == "body" and conditions:
                what = f"no valid request matches, because only {operation.name} has a body"
                hint = f"use operation: {operation.name}, or remove the condition"
                diagnostics.warn(stub, what, hint, at=("match", part))
            continue
        for condition in conditions:
            if condition.name in fields:
                _warn_values(stub, part, condition, fields[condition.name], diagnostics)
            elif near := did_you_mean(condition.name, fields, _CUTOFF):
                key = stub.find(("match", part))[0].members[condition.name][0]
                what = f"{quote(condition.name)} is not a {kind}"
                diagnostics.at("match").at(part).at(condition.name).warn(key, what, near)


def _warn_values(
    stub: Node, part: str, condition: Condition, field: ContractField, diagnostics: Diagnostics
) -> None:
    """Warn about values of `equals` and `one_of` that the contract does not allow."""
    path: tuple[str | int, ...] = ("match", part, condition.name)
    if stub.find(path)[0].kind == "mapping":
        path = (*path, condition.operator)
    wanted = condition.value
    values: list[tuple[tuple[int, ...], object]] = []
    if condition.operator == "one_of" and isinstance(wanted, tuple):
        values = [((position,), value) for position, value in enumerate(wanted)]
    elif condition.operator == "equals":
        values = [((), list(wanted) if isinstance(wanted, tuple) else wanted)]
    choices = cast("Sequence[str]", field.openapi.get("enum", ()))
    for step, value in values:
        if field.accept(value) is INVALID:
            what, hint = split_hint(field.problem(value))
            advice = "change it, or respond with 400 if it is for invalid requests"
            hint = did_you_mean(str(value), choices) or hint or advice
            diagnostics.warn(stub, f"no valid request matches: {what}", hint, at=(*path, *step))
