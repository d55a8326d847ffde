"""Expressions: scenarios without a file, such as ``CreateArticle:422`` or ``all:offline``.

An expression is ``OPERATION:STATE``, and may stand wherever the name of a scenario may. Case makes
no difference.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mockpets.constants import ALL_OPERATIONS
from mockpets.contract.media_types import json_media
from mockpets.contract.pet_store import PET_STORE
from mockpets.contract.states import allows, documented, statuses
from mockpets.errors import did_you_mean
from mockpets.faults import FAULTS, LOST
from mockpets.scenario.described import error_reply
from mockpets.scenario.scenario_model import (
    EVERYTHING,
    Canned,
    Delay,
    Described,
    Match,
    Scenario,
    Stub,
)
from mockpets.strict_json import dump_json
from mockpets.units import parse_duration, quote

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mockpets.contract.contract_model import Contracts, Operation

SOURCE: Final = "an expression"
"""What its scenario has in place of a file."""
WORDS: Final = ("hold", "empty", "offline", *FAULTS)
"""The states that are words; only a list can be empty."""
_SHOWN: Final = 12
"""The number of operations, or of examples, that a message lists."""
_ERROR: Final = 400
_SUCCESS: Final = 200


class ExpressionError(Exception):
    """An operation is unknown, or does not have a state; the message names what is known."""


def scenario_of(expression: str, contracts: Contracts) -> Scenario:
    """Return the scenario that an expression means, whose name has the case of the contract.

    :raise ExpressionError: see there.
    """
    given, _, state = expression.partition(":")
    operation = None
    if given.lower() != ALL_OPERATIONS:
        operation = contracts.operation_named(given)
        if operation is None:
            raise ExpressionError(_unknown(given, expression, contracts))
    if re.fullmatch("[2-5][0-9][0-9](:.*)?", state):
        return _status(operation, contracts, int(state[:3]), state[4:])
    who, whose = ALL_OPERATIONS, "Every operation"
    match = Match()
    if operation is not None:
        who = whose = operation.name
        match = Match(operations=(who,))
    word = state.lower()
    name = f"{who}:{word}"
    if word == "empty":
        return _empty(name, operation, contracts)
    if word == "hold":
        text, stub = f"{whose} waits at the gate {who}.", Stub(name, match, hold=who)
    elif (fault := LOST if word == "offline" else word) in FAULTS:
        text, stub = f"{whose} {FAULTS[fault].effect}.", Stub(name, match, fault=fault)
    elif "0" <= word[:1] <= "9":
        try:
            seconds = parse_duration(word)
        except ValueError as error:
            raise ExpressionError(f"the state of {quote(expression)} {error}") from None
        text = f"{whose} takes {word} longer."
        stub = Stub(name, match, delay=Delay("fixed", seconds, seconds))
    else:
        words = (*(statuses(documented(operation)) if operation else ()), *WORDS)
        hint = did_you_mean(word, words) or f"known: {', '.join(words)}, a duration such as 3s"
        raise ExpressionError(f"unknown state {quote(state)} in {quote(expression)}; {hint}")
    return _scenario(name, text, stub)


def _unknown(given: str, expression: str, contracts: Contracts) -> str:
    names = [*contracts.operations, ALL_OPERATIONS]
    rest = f" and {len(names) - _SHOWN} more (mockpets contract)" if len(names) > _SHOWN else ""
    hint = did_you_mean(given, names) or f"known: {', '.join(names[:_SHOWN])}{rest}"
    return f"unknown operation {quote(given)} in {quote(expression)}; {hint}"


def _scenario(name: str, description: str, *stubs: Stub, **more: Any) -> Scenario:
    return Scenario(name, description, (), stubs, SOURCE, **more)


def _empty(name: str, operation: Operation | None, contracts: Contracts) -> Scenario:
    """Return the scenario in which a list, or every collection, has no records."""
    if operation is None:
        return _scenario(name, "No collection has records.", data={EVERYTHING: ()})
    if operation not in contracts.paged:
        lists = ", ".join(each.name for each in contracts.paged[:_SHOWN]) or "none"
        raise ExpressionError(f"{operation.name} is not a list; only lists can be empty: {lists}")
    page = Canned(_SUCCESS, (("Content-Type", "application/json"),), b"[]\n", is_page=True)
    stub = Stub(name, Match(operations=(operation.name,)), replies=(page,))
    return _scenario(name, f"{operation.name} lists no records.", stub)


def _status(
    operation: Operation | None, contracts: Contracts, status: int, example: str
) -> Scenario:
    """Return the scenario in which operations respond with a status.

    :param example: the name of one in the document; empty for the first, or a generated body.
    """
    if operation is None:
        if example or status < _ERROR:
            what = "an example" if example else f"the success status {status}"
            raise ExpressionError(f"{what} belongs to one operation; name it in place of all")
        name, reply = f"{ALL_OPERATIONS}:{status}", error_reply(status, contracts)
        stub = Stub(name, replies=(reply,))
        return _scenario(name, f"Every operation responds with {status}.", stub)
    who = operation.name
    if not allows(operation, status):
        known = ", ".join(statuses(documented(operation)))
        what = f"{who} does not document {status}; it documents {known}"
        raise ExpressionError(f"{what}, and can have 429 and every 5xx")
    name, reply = f"{who}:{status}", error_reply(status, contracts)
    examples = _examples(operation, status)
    if example:
        names = {re.sub("[^A-Za-z0-9_.-]", "-", each).lower(): each for each in examples if each}
        if example.lower() not in names:
            hint = did_you_mean(example, names) or f"known: {', '.join(names) or 'none'}"
            raise ExpressionError(f"{name} has no example {quote(example)}; {hint}")
        name, example = f"{name}:{example.lower()}", names[example.lower()]
    if operation.details is not None:
        described = Described((status,), example=example)
        reply = Canned(status, reply.headers, reply.body, described=described)
    elif example or status < _ERROR:
        value = examples[example or next(iter(examples))]
        location = _built_in(operation, status).get("headers", {}).get("Location")
        own = [("Location", location["examples"]["header"]["value"])] if location else []
        reply = Canned(status, (*own, *reply.headers), dump_json(value) + b"\n")
    stub = Stub(name, Match(operations=(who,)), replies=(reply,))
    which = f", the example {example}" if example else ""
    return _scenario(name, f"{who} responds with {status}{which}.", stub)


def _built_in(operation: Operation, status: int) -> Mapping[str, Any]:
    """Return the response of the built-in contract's document; empty if it has none."""
    path = operation.path.removeprefix(PET_STORE.base)
    responses = PET_STORE.document["paths"][path][operation.method.lower()]["responses"]
    response: Mapping[str, Any] = responses.get(str(status), {})
    return response


def _examples(operation: Operation, status: int) -> Mapping[str, object]:
    """Return the examples of a response that have a name, by name."""
    if operation.details is None:
        content = _built_in(operation, status).get("content", {})
    else:
        content = (operation.details.response(status) or {}).get("content") or {}
    media = json_media(content)
    if media is None:
        return {}
    return {name: each.get("value") for name, each in media[1].get("examples", {}).items()}
