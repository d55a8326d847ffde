"""Choose what the first test and scenario of `init` are about, from the roles of a contract."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from mockpets.contract.contract_description import description
from mockpets.contract.states import lists
from mockpets.strict_json import dump_json
from mockpets.units import hyphenated

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.contract.contract_model import Contract, Operation
    from mockpets.contract.control_types import OperationDescription

    Pair = tuple[Operation, OperationDescription]

_KEY: Final = "mockpets"
"""A key for the request of the test, in whose text it becomes that of the test's session."""
_SERVER_ERROR: Final = 500
_WRITE: Final = ("create", "replace", "update", "act", "toggle", "delete")
_REJECTED: Final = (422, 400, 409, 404, 403)
"""The statuses of a scenario that rejects a write, most telling first."""
_LIST_ERRORS: Final = (500, 503, 502, 504, 429, 422, 400, 404, 403, 401)
"""The errors of a list, most telling first: apps often respond to a 401 with another page."""


def parts(contract: Contract) -> Mapping[str, str]:
    """Return what the templates of the test and the scenario name, for a contract."""
    described = description(contract)["operations"]
    pairs = [
        (operation, each)
        for operation, each in zip(contract.operations.values(), described, strict=True)
        if each["state"] != "not_served"
    ] or [*zip(contract.operations.values(), described, strict=True)]
    shown, about = _shown_first(pairs)
    rejected, status = _rejected(pairs, about["collection"])
    scenario = hyphenated(f"{rejected.name[:50]}-{status}")
    return {
        "list": _text(shown.name),
        "error": str(_first(about, _LIST_ERRORS)),
        "usual": ", ".join(["`${LIST}:hold`", *["`${LIST}:empty`"] * (about["role"] == "list")]),
        "operation": _text(rejected.name),
        "status": str(status),
        "description": _text(f"{rejected.name[:100]} responds with {status}."),
        "scenario": scenario,
        "reply": _reply(contract, status),
        **_request(contract, rejected),
    }


def _shown_first(pairs: list[Pair]) -> Pair:
    """Return the operation whose response the first page of an app most likely shows.

    It is a list, of whose collection the contract has the most operations, and that needs neither
    parameters nor, if possible, a log-in.
    """
    sizes = Counter(each["collection"] for _, each in pairs)

    def rank(pair: Pair) -> tuple[object, ...]:
        operation, each = pair
        details = operation.details
        return (
            operation.method != "GET",
            _needs_parameters(operation),
            each["role"] != "list",
            each["view"] or each["mine"],
            details is not None and details.security.is_needed,
            -sizes[each["collection"]] if each["collection"] else 0,
        )

    return min(pairs, key=rank)


def _needs_parameters(operation: Operation) -> bool:
    if "{" in operation.path:
        return True
    details = operation.details
    return details is not None and any(
        each.get("required") and each["in"] == "query" for each in details.described.parameters
    )


def _rejected(pairs: list[Pair], collection: str | None) -> tuple[Operation, int]:
    """Return the operation that the scenario rejects, and with which documented status.

    It is a create, if possible of the collection that the page shows, else another write.
    """

    def rank(pair: Pair) -> tuple[object, ...]:
        operation, each = pair
        role = each["role"]
        return (
            not any(lists(operation, status) for status in _REJECTED),
            _WRITE.index(role) if role in _WRITE else len(_WRITE),
            each["collection"] != collection,
            "{" in operation.path,
        )

    operation, each = min(pairs, key=rank)
    return operation, _first(each, _REJECTED)


def _first(operation: OperationDescription, wanted: tuple[int, ...]) -> int:
    """Return the first of these statuses that an operation documents.

    Else it is any error that it documents, or else 500, which every service can have.
    """
    errors = [int(status) for status in operation["states"] if status >= "400"]
    return next((status for status in wanted if status in errors), min(errors, default=500))


def _reply(contract: Contract, status: int) -> str:
    """Return the response in the scenario: an error of the built-in contract has a code."""
    codes = (code for code, each in contract.failures.items() if each.status == status)
    code = next(codes, "")
    return f"error: {code}" if code else f"status: {status}"


def _request(contract: Contract, operation: Operation) -> Mapping[str, str]:
    """Return method, path and headers of a request to an operation, for TypeScript."""
    credentials = operation.credentials(_KEY)
    headers = {name: value for place, name, value in credentials if place == "header"}
    query = urlencode([(name, value) for place, name, value in credentials if place == "query"])
    path = re.sub(r"\{[^}]*\}", "1", operation.path.removeprefix(contract.base))
    texts = [f"{_property(name)}: {_with_key(value)}" for name, value in headers.items()]
    if query:
        path += "?" + re.sub(rf"\b{_KEY}\b", "${mock.key}", query)
    return {
        "method": operation.method,
        "path": path,
        "headers": f"{{ {', '.join(texts)} }}" if texts else "{}",
    }


def _property(name: str) -> str:
    return name if re.fullmatch("[A-Za-z_]+", name) else _text(name)


def _with_key(value: str) -> str:
    """Return the value of a header in TypeScript, with the key of the test's session at its end."""
    if value == _KEY:
        return "mock.key"
    before = re.fullmatch(rf"(.*\W){_KEY}", value)
    return f"`{before[1]}${{mock.key}}`" if before else _text(value)


def _text(name: str) -> str:
    """Return a name in quotes, as TypeScript, JSON and YAML have it."""
    return dump_json(name).decode()
