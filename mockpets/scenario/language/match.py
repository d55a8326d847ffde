"""The shape of `match`: the requests that a stub applies to."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import GLOB, GLOB_LENGTH, GLOB_RULE, ROLES
from mockpets.contract.fields import INVALID
from mockpets.errors import did_you_mean, nearest
from mockpets.scenario.language.headers import TOKEN, TOKEN_HINT, check_duplicates
from mockpets.scenario.language.likely_mistakes import NEAR
from mockpets.scenario.language.mappings import (
    ByKind,
    MapOf,
    Object,
    needs,
    not_both,
    some,
    unknown_key,
)
from mockpets.scenario.language.shapes import (
    ByContracts,
    Choice,
    ListOf,
    OneOrMany,
    Text,
    Value,
)
from mockpets.scenario.matching import is_any_segment, operations_of, operations_with
from mockpets.scenario.scenario_model import OPERATORS, Condition, Match
from mockpets.strict_json import dump_json
from mockpets.units import either, quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mockpets.contract.contract_model import Contracts
    from mockpets.contract.fields import ContractField
    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Kind, Node
    from mockpets.scenario.language.shapes import Definitions, Schema

_NEVER: Final = {
    "HEAD": ("a stub cannot match HEAD alone: HEAD counts as GET", "use GET"),
    "OPTIONS": ("OPTIONS requests never reach a stub", "use another method"),
}
"""Method that a stub cannot match to the problem and its hint."""
SEGMENT: Final = r"[^/*?#%{}\s\x00-\x1f\x7f-\x9f]+"
_PATH: Final = rf"(?:/(?:\*|{SEGMENT}|\{{{SEGMENT}\}}))+/?"
_REGULAR_EXPRESSION: Final = re.compile(r"\^|.*(?:\$$|\.[*+]|\\[dwsb.])")
"""A start, an end, or parts that a glob has only by accident."""
_SPELLINGS: Final[Mapping[str, str]] = {
    "oneOf": "one_of",
    **dict(zip(OPERATORS, OPERATORS, strict=True)),
}
"""How an operator may be spelled, to its name."""


def _as_text(value: Any, *_: object) -> str:
    return value if isinstance(value, str) else dump_json(value).decode()


def _glob(glob: str, node: Node, diagnostics: Diagnostics) -> str:
    """Return a glob; warn about one that looks like a regular expression."""
    if _REGULAR_EXPRESSION.match(glob):
        what = f"{quote(glob)} looks like a regular expression, but is a glob"
        diagnostics.warn(node, what, "use * for any text, and ? for any one character")
    return glob


def _as_tuple(value: Any, node: Node, diagnostics: Diagnostics) -> Any:
    """Return a list as a tuple, because stubs are hashable; reject nested values."""
    if not isinstance(value, list):
        return value
    if any(item.kind in ("list", "mapping") for item in node.items):
        what = "must be a single value or a list of single values"
        return diagnostics.add(node, what, "remove the nested list or mapping")
    return tuple(value)


def _conditions(values: dict[str, Any], *_: object) -> tuple[Condition, ...]:
    """Return the conditions on each name; a value without an operator means `equals`."""
    return tuple(_each_condition(values, ()))


def _each_condition(values: dict[str, Any], path: tuple[str, ...]) -> Iterator[Condition]:
    for last, wanted in values.items():
        name, *below = *path, last
        if isinstance(wanted, dict) and wanted.keys().isdisjoint(OPERATORS):
            yield from _each_condition(wanted, (*path, last))
            continue
        operators = wanted if isinstance(wanted, dict) else {"equals": wanted}
        for operator in OPERATORS:
            if operator in operators:
                yield Condition(name, operator, operators[operator], tuple(below))


def _header_conditions(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Any:
    check_duplicates(node, diagnostics)
    for name, (key, _) in node.members.items():
        if "_" in name:
            # WSGI gives X_Token and X-Token the same name, so the server drops the former.
            what = f"header {quote(name)} never matches: the server drops names with '_'"
            diagnostics.add(key, what, "use a dash")
    return _conditions({name.lower(): wanted for name, wanted in values.items()})


def _is_nested(node: Node) -> bool:
    """Return whether a mapping has conditions on properties, and not operators."""
    return bool(node.members) and node.members.keys().isdisjoint(OPERATORS)


@dataclass(frozen=True, slots=True)
class _BodyCondition(ByKind):
    """A condition on a value in a body, or conditions on the properties of an object."""

    def _parse(self, node: Node, diagnostics: Diagnostics) -> Any:
        if _is_nested(node):
            return {
                name: value
                for name, (_, member) in node.members.items()
                if (value := self.read(member, diagnostics.at(name))) is not INVALID
            }
        return ByKind._parse(self, node, diagnostics)

    def _json_schema(self, definitions: Definitions) -> Schema:
        looks = ByKind._json_schema(self, definitions)
        properties = {
            "description": "Conditions on the properties of an object.",
            "type": "object",
            "minProperties": 1,
            "propertyNames": {"not": {"enum": list(OPERATORS)}},
            "additionalProperties": definitions.reference(self.name),
        }
        return {"anyOf": [*looks["anyOf"], properties]}


def _condition(kind: str, equals: Value, single: Value, shape: type[ByKind] = ByKind) -> ByKind:
    """Return the shape of the conditions on one name: `single` is that of other operators."""
    operators = Object(
        "Operators; all of them must hold.",
        {
            "equals": equals,
            "contains": single,
            "matches": Text(
                "A glob for the whole value: * is any text, ? is any one character.",
                GLOB_RULE,
                GLOB,
                GLOB_LENGTH,
                convert=_glob,
            ),
            "present": Value("Whether the request has it.", ("boolean",)),
            "one_of": ListOf("The value equals one of these.", single, least=1),
        },
        rules=(some(OPERATORS, "the condition has no operator"),),
        name=f"{kind}Operators",
    )
    kinds: dict[Kind, Any] = {**dict.fromkeys(equals.kinds, equals), "mapping": operators}
    expected = "a value or a mapping of operators"
    return shape("The expected value, or operators.", kinds, expected, name=f"{kind}Match")


_SINGLE: Final[tuple[Kind, ...]] = ("text", "integer", "number", "boolean")
_AS_TEXT: Final = Value("A value, compared as a string.", _SINGLE, convert=_as_text)
_IN_TEXT: Final = _condition("Text", _AS_TEXT, _AS_TEXT)
_IN_BODY: Final = replace(
    _condition(
        "Body",
        Value(
            "A JSON value: a single value or a list of single values.",
            (*_SINGLE, "nothing", "list"),
            mapping_hint="to match the properties of an object, remove 'equals'",
            convert=_as_tuple,
        ),
        Value("A single JSON value.", (*_SINGLE, "nothing")),
        _BodyCondition,
    ),
    description="The expected value, operators, or conditions on the properties of an object.",
)


def _advise_path(base: str, path: str) -> str:
    """Return how to fix a path that is not under a base path, or an empty string."""
    if path.startswith(f"{base}/"):
        return ""
    under = f"{base}/{path.lstrip('/')}"
    is_path = re.fullmatch(base + _PATH, under) and not re.match("/?v[0-9]", path)
    return f"paths begin with {base}{f': {under}' if is_path else ''}"


def _match(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Any:
    operations = tuple(dict.fromkeys(values.get("operation", ())))
    params = values.get("params", ())
    contracts = diagnostics.contracts
    if params and (problem := _of_params(operations, params, contracts)):
        return diagnostics.add(node, *problem)
    method, path = values.get("method", "").upper() or None, values.get("path")
    operation = operation_at(method, path, contracts) if path else None
    if (method is None) != (path is None) and (path is None or operation):
        return INVALID  # `MATCH` reports the missing key; without it, nothing else is certain
    if method in _NEVER:
        return diagnostics.add(node, *_NEVER[method], at=("method",))
    if operation:
        what = f"{quote(f'{method} {path}')} matches {operation}, an operation of the contract"
        return diagnostics.add(node, what, f"use operation: {operation}", at=("path",))
    conditions = [values.get(part, ()) for part in ("params", "query", "headers", "body")]
    roles = tuple(dict.fromkeys(values.get("role", ())))
    match = Match(operations, roles, method, path, *conditions)
    if any(condition.below for condition in match.body):
        bodies = [each.body for each in operations_of(match, contracts) if each.body]
        body = node.members["body"][1]
        for name, (_, value) in body.members.items():
            fields = [field for each in bodies for field in each.inside(name)]
            _check_properties(value, fields, diagnostics.at("body").at(name))
    return match


def _check_properties(
    node: Node, fields: Sequence[ContractField], diagnostics: Diagnostics
) -> None:
    """Report properties that are probably misspelt operators, since no body has them.

    :param fields: those of the value that has the properties; none if no schema describes it.
    """
    if not _is_nested(node):
        return
    for name, (key, value) in node.members.items():
        inside = [each for field in fields for each in field.inside(name)]
        # Operators take no mapping, so conditions below a name say that it is a property.
        near = not inside and value.kind != "mapping" and nearest(name, _SPELLINGS, NEAR)
        if fields and not any(field.may_have(name) for field in fields):
            unknown_key(key, name, OPERATORS, diagnostics)
        elif near:
            hint = f"did you mean '{near}'? If it is a property, write {{equals: ...}} below it"
            diagnostics.add(key, f"unknown key {quote(name)}", hint)
        _check_properties(value, inside, diagnostics.at(name))


def _of_params(
    operations: Sequence[str], params: Sequence[Condition], contracts: Contracts
) -> tuple[str, str, tuple[str, ...]] | None:
    """Return what is wrong with the parameters of operations, a hint, and the place; or None."""
    for condition in params:
        if not (having := [each.name for each in operations_with((condition,), contracts)]):
            return None  # `match_shape` reports names that no path has
        others = [operation for operation in operations if operation not in having]
        if not others:
            continue
        verb = "has" if len(others) == 1 else "have"
        what = f"{' and '.join(others)} {verb} no {condition.name}"
        known = list(contracts.operations[others[0]].parameters.fields)
        hint = did_you_mean(condition.name, known)
        if not hint and known:
            hint = f"{others[0]} has {either(known, 'and')}"
        elif len(having) == 1:
            what += f", only {having[0]} does"
        return what, hint or "remove it, or move it to a separate stub", ("params",)
    return None


def operation_at(method: str | None, path: str, contracts: Contracts) -> str | None:
    """Return an operation that a method, by default any, and a path pattern match, or None."""
    wanted = path.split("/")
    for operation in contracts.operations.values():
        segments = operation.path.split("/")
        if (
            method in (None, operation.method)
            and len(segments) == len(wanted)
            and all(
                want == segment or is_any_segment(want) or (want and is_any_segment(segment))
                for want, segment in zip(wanted, segments, strict=True)
            )
        ):
            return operation.name
    return None


@lru_cache(8)
def match_shape(contracts: Contracts) -> Object:
    """Return the shape of the conditions on requests to the operations of some contracts."""
    operations = contracts.operations.values()
    parameters = dict.fromkeys(name for each in operations for name in each.query.fields)
    path_parameters = dict.fromkeys(name for each in operations for name in each.parameters.fields)
    only_outside = "use path only for requests that are not in the contract"
    base, bases = contracts.base, "|".join(re.escape(each.base) for each in contracts.all)
    return Object(
        "The requests that the stub applies to; all conditions must hold. By default, every "
        f"request to {base or '/'}.",
        {
            "operation": OneOrMany(
                "One or more operations of the contract.",
                Choice("An operation.", tuple(contracts.operations), most=12, name="Operation"),
            ),
            "role": OneOrMany(
                "What the operation does to its records.", Choice("A role.", ROLES, name="Role")
            ),
            "method": Text(
                "The HTTP method, with path. For requests that are not in the contract.",
                "an HTTP method",
                TOKEN,
            ),
            "path": Text(
                "The decoded path, with method. A segment * or {name} matches any one segment.",
                f"a path such as {base}/store/orders, {base}/store/* or {base}/store/{{name}}, "
                "without percent-encoding",
                f"(?:{bases}){_PATH}",
                advise=partial(_advise_path, base),
            ),
            "params": MapOf(
                "Parameters of the operation's path: name to condition.",
                _IN_TEXT,
                "path parameter",
                "|".join(map(re.escape, path_parameters)),
                f"the contract has {', '.join(path_parameters) or 'none'}",
                advise=partial(did_you_mean, known=tuple(path_parameters)),
                convert=_conditions,
            ),
            "query": MapOf(
                "Query parameters: name to condition.",
                _IN_TEXT,
                "parameter name",
                r"[\s\S]+",
                "name a query parameter",
                convert=_conditions,
            ),
            "headers": MapOf(
                "Request headers: name, in any case, to condition.",
                _IN_TEXT,
                "header name",
                TOKEN,
                TOKEN_HINT,
                convert=_header_conditions,
            ),
            "body": MapOf(
                "Properties of a JSON body: name to condition.",
                _IN_BODY,
                "property name",
                r"[\s\S]*",
                convert=_conditions,
            ),
        },
        rules=(
            needs("method", "path", f"add path: {base}/..., or use operation"),
            needs("path", "method", "add method: GET, or use operation"),
            not_both(
                "operation", "path", "use path only for requests that are not in the contract"
            ),
            not_both("params", "path", "write the value, or * for any, as a segment of the path"),
            not_both("role", "path", only_outside),
            not_both("role", "operation", "name the operations alone, or their role"),
        ),
        misplaced={
            **dict.fromkeys(parameters, "move it under query"),
            **dict.fromkeys(path_parameters, "move it under params"),
            "outcome": "remove it: a stub is chosen before the response has an outcome",
        },
        name="Match",
        convert=_match,
    )


MATCH: Final = ByContracts("The requests that the stub applies to.", match_shape)
