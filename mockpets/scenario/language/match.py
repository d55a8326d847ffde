"""The shape of `match`: which requests a stub is for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import API_PREFIX, INT64_MAX, INT64_MIN, OPERATIONS
from mockpets.contract.schemas import LIST_PARAMETERS
from mockpets.scenario.language.diagnostics import INVALID
from mockpets.scenario.language.headers import TOKEN, named_once
from mockpets.scenario.language.mappings import ByKind, MapOf, Object, needs, not_both, some
from mockpets.scenario.language.shapes import Choice, ListOf, Number, OneOrMany, Text, Value
from mockpets.scenario.model import OPERATORS, Condition, Match
from mockpets.strict_json import dump_json
from mockpets.units import quote

if TYPE_CHECKING:
    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Kind, Node

_NEVER: Final = {
    "HEAD": ("HEAD counts as GET", "write GET"),
    "OPTIONS": ("OPTIONS requests never reach a stub", "leave it out"),
}
"""Methods that no stub can be for, and what to tell and to do."""
_PATH: Final = rf"{API_PREFIX}(?:/(?:\*|[^/*?#%\s\x00-\x1f\x7f-\x9f]+))+/?"


# --- Conditions on a query parameter, a header, or a member of a body -------------------------


def _as_text(value: Any, *_: object) -> str:
    """Return a value as it stands in a query or a header."""
    return value if isinstance(value, str) else dump_json(value).decode()


def _as_tuple(value: Any, node: Node, diagnostics: Diagnostics) -> Any:
    """Return a list as a tuple, since a stub is hashable; lists of single values will do."""
    if not isinstance(value, list):
        return value
    if any(item.kind in ("list", "mapping") for item in node.items):
        return diagnostics.refuse(node, "a single value or a list of them")
    return tuple(value)


def _conditions(values: dict[str, Any], *_: object) -> tuple[Condition, ...]:
    """Return the conditions on each name; a value without an operator is `equals`."""
    return tuple(
        Condition(name, operator, operators[operator])
        for name, wanted in values.items()
        for operators in [wanted if isinstance(wanted, dict) else {"equals": wanted}]
        for operator in OPERATORS
        if operator in operators
    )


def _header_conditions(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Any:
    """Return the conditions on headers, whose names are held in lower case."""
    once = named_once(values, node, diagnostics)
    for name, (key, _) in node.members.items():
        if "_" in name:
            # Else X_Token could pass for X-Token, which WSGI spells alike.
            what = f"no request has a header {quote(name)}: the server drops names with '_'"
            diagnostics.add(key, what, "use a dash")
    return _conditions({name.lower(): wanted for name, wanted in once.items()})


def _condition(equals: Value, single: Value) -> ByKind:
    """Return the shape of what one name is held against.

    :param equals: of the value that may stand without an operator; never a mapping.
    :param single: of the values that other operators take.
    """
    operators = Object(
        "Operators, which must all hold.",
        {
            "equals": equals,
            "contains": single,
            "matches": Text("A glob for all of the text: * is any text, ? any one character."),
            "present": Value("Whether it is there at all.", ("boolean",)),
            "one_of": ListOf("Any of these.", single, least=1),
        },
        rules=(some(OPERATORS, "a value alone means equals"),),
        then=lambda values, *_: INVALID if INVALID in values.values() else values,
    )
    kinds: dict[Kind, Any] = {**dict.fromkeys(equals.kinds, equals), "mapping": operators}
    return ByKind("A value to equal, or operators.", kinds, "a value, or a mapping of operators")


_SINGLE: Final[tuple[Kind, ...]] = ("text", "integer", "number", "boolean")
_AS_TEXT: Final = Value("A value, held as text.", _SINGLE, then=_as_text)
_IN_TEXT: Final = _condition(_AS_TEXT, _AS_TEXT)
_IN_BODY: Final = _condition(
    Value(
        "A JSON value: a single one, or a list of them.",
        (*_SINGLE, "nothing", "list"),
        then=_as_tuple,
    ),
    Value("A single JSON value.", (*_SINGLE, "nothing")),
)


# --- Match ------------------------------------------------------------------------------------


def _match(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Any:
    """Return a stub's match, if all that it names can come together in a request."""
    if INVALID in values.values():
        return INVALID
    operations = tuple(dict.fromkeys(values.get("operation", ())))
    others = [operation for operation in operations if operation != "getPet"]
    if "petId" in values and others:
        at, steps = node.find(("petId",))
        what = f"{' and '.join(others)} has no petId, only getPet has"
        diagnostics.at(*steps).add(at, what, "leave it out, or give it a stub of its own")
        return INVALID
    method, path = values.get("method"), values.get("path")
    if method is not None and path is not None:
        method = method.upper()
        if method in _NEVER:
            at, steps = node.find(("method",))
            diagnostics.at(*steps).add(at, *_NEVER[method])
            return INVALID
        at, steps = node.find(("path",))
        if operation := _operation_at(method, path):
            what = f"{quote(f'{method} {path}')} can be one of the contract's operations"
            diagnostics.at(*steps).add(at, what, f"use operation: {operation}")
            return INVALID
    return Match(
        operations,
        method,
        path,
        values.get("petId", ()),
        values.get("query", ()),
        values.get("headers", ()),
        values.get("body", ()),
    )


def _operation_at(method: str, path: str) -> str | None:
    """Return an operation of the contract that a request like this can be, if there is one."""
    wanted = path.split("/")
    for operation, (known, template) in OPERATIONS.items():
        segments = template.split("/")
        if (
            known == method
            and len(segments) == len(wanted)
            and all(
                want in (segment, "*") or (segment[:1] == "{" and want)
                for want, segment in zip(wanted, segments, strict=True)
            )
        ):
            return operation
    return None


MATCH: Final = Object(
    "Which requests the stub is for: all of this must hold. Left out, every request to /v1.",
    {
        "operation": OneOrMany(
            "One of the contract's operations, or several.",
            Choice("An operation.", tuple(OPERATIONS)),
        ),
        "method": Text(
            "With path, instead of operation, for what the contract lacks.",
            "text, an HTTP method",
            TOKEN,
        ),
        "path": Text(
            "With method. A segment * stands for any one segment.",
            f"text, a decoded path such as {API_PREFIX}/store/orders or {API_PREFIX}/store/*",
            _PATH,
        ),
        "petId": OneOrMany(
            "One id, or several; of getPet alone.", Number("An id.", INT64_MIN, INT64_MAX)
        ),
        "query": MapOf(
            "Query parameters: name to condition.",
            _IN_TEXT,
            "a parameter's name",
            r"[\s\S]+",
            then=_conditions,
        ),
        "headers": MapOf(
            "Request headers: name, in any case, to condition.",
            _IN_TEXT,
            "a header's name",
            TOKEN,
            then=_header_conditions,
        ),
        "body": MapOf(
            "Members of a JSON body: name to condition.",
            _IN_BODY,
            "a member's name",
            r"[\s\S]*",
            then=_conditions,
        ),
    },
    rules=(
        needs("method", "path", f"add path: {API_PREFIX}/..., or use operation"),
        needs("path", "method", "add method: GET, or use operation"),
        not_both("operation", "path", "path is for what the contract lacks"),
        not_both("petId", "path", "give the id as a segment of the path, or * for any"),
    ),
    misplaced=dict.fromkeys(LIST_PARAMETERS, "it belongs under query"),
    then=_match,
)
