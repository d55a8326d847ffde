"""The query parameters of the control API: one declaration reads and documents a value."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, get_args

from mockpets.constants import (
    GLOB,
    GLOB_LENGTH,
    GLOB_RULE,
    INT64_MAX,
    INT64_MIN,
    LOG_ENTRIES,
    REQUEST_OUTCOMES,
    SCENARIO_NAME,
    WAIT_SECONDS,
    NoteCode,
)
from mockpets.contract.control_calls import TAGS
from mockpets.errors import did_you_mean
from mockpets.faults import FAULTS
from mockpets.units import parse_duration, parse_int64, parse_name, quote, switch

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from mockpets.contract.contract_model import Contracts

LISTED: Final = 100
"""Requests of the request log in a response if the call has no `limit`."""
CONTROL_RECORDS: Final = 1000
"""Maximum number of records in one response of the control API."""
_CLOSED_SECONDS: Final = 3600.0
"""The longest time for which the name of a deleted session can be closed."""
_MOST_TIMES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Parameter:
    """A query parameter; `read` returns a value, or raises ValueError with what was expected.

    :param names: returns the names of which the text must be one.
    """

    description: str
    schema: Mapping[str, object]
    read: Callable[[str], Any]
    names: Callable[[Contracts], Collection[str]] | None = None

    def value(self, text: str, contracts: Contracts) -> Any:
        """Return the value of a text, or raise ValueError."""
        if self.names is not None:
            one_of(text, self.names(contracts))
        return self.read(text)


_TEXT: Final = {"type": "string"}


def one_of(text: str, words: Collection[str]) -> str:
    """Return a text that is one of some words, or raise ValueError."""
    if text not in words:
        near = did_you_mean(text, words)
        message = f"must be one of {', '.join(words)}, got {quote(text)}"
        raise ValueError(f"{message}; {near}" if near else message)
    return text


def word(
    description: str, words: Collection[str], schema: Mapping[str, object] | None = None
) -> Parameter:
    """Return a parameter whose value is one of some words.

    :param schema: by default, one that lists them.
    """
    schema = schema or {"type": "string", "enum": [*words]}
    return Parameter(description, schema, partial(one_of, words=words))


def integer(
    description: str, low: int = INT64_MIN, high: int = INT64_MAX, unit: str = "", **options: object
) -> Parameter:
    """Return a parameter whose value is an integer in an inclusive range; by default, an int64."""

    def read(text: str) -> int:
        number = parse_int64(text)
        if number is None or not low <= number <= high:
            is_open = low > INT64_MIN and high == INT64_MAX
            expected = f"of at least {low}" if is_open else f"from {low} to {high}"
            raise ValueError(f"must be an integer {expected}{unit}, got {quote(text)}")
        return number

    schema: dict[str, object] = {"type": "integer", "format": "int64"}
    if low > INT64_MIN:
        schema["minimum"] = low
    if high < INT64_MAX:
        schema["maximum"] = high
    return Parameter(description, {**schema, **options}, read)


def _status(text: str) -> str:
    lower = text.lower()
    if not re.fullmatch(r"[1-5](?:[0-9][0-9]|xx)", lower):
        expected = "must be a status such as 404, or a class such as 4xx"
        raise ValueError(f"{expected}, got {quote(text)}")
    return lower


def _glob(text: str) -> str:
    if len(text) > GLOB_LENGTH or not re.fullmatch(GLOB, text):
        raise ValueError(f"must be {GLOB_RULE}, got {quote(text)}")
    return text


def _gate(text: str) -> str:
    if re.fullmatch(SCENARIO_NAME, text):
        return text
    raise ValueError(f"must be the name of a gate in kebab-case, got {quote(text)}")


def _delay(text: str) -> str:
    parse_duration(text)
    return text


def _component(name: str) -> Mapping[str, object]:
    return {"$ref": f"#/components/schemas/{name}"}


_CONTRACT: Final = Parameter(
    "Label of a contract, such as `blog` for blog.yaml; by default that of the first.",
    _TEXT,
    str,
    lambda contracts: [each.label for each in contracts.all],
)
_WITH_LOG_IN: Final = "Label of a contract, such as `blog` for blog.yaml, if several have a log-in."
_GLOB_SCHEMA: Final = {**_TEXT, "maxLength": GLOB_LENGTH, "pattern": f"^{GLOB}$"}
PARAMETERS: Final[Mapping[str, Mapping[str, Parameter]]] = {
    "": {},
    "contract": {"contract": _CONTRACT},
    "log_in": {"contract": replace(_CONTRACT, description=_WITH_LOG_IN)},
    "check": {
        "name": Parameter("Name of the scenario.", {**_TEXT, "default": "scenario"}, parse_name)
    },
    "closed": {
        "closed": Parameter(
            "How long the name stays closed, such as 60s; at most 1h. Requests that name it return "
            "410, so a page that still polls does not recreate the session.",
            {**_TEXT, "default": "0s"},
            partial(parse_duration, longest=_CLOSED_SECONDS),
        )
    },
    "export": {"log": Parameter("Whether to add the request log.", {"type": "boolean"}, switch)},
    "events": {
        "since": integer(
            "The `change` of an earlier response; without it, the call responds at once.", 0
        ),
        "wait": integer(
            "Seconds to wait for a change.", 0, int(WAIT_SECONDS), unit=" (seconds)", default=0
        ),
    },
    "records": {
        "after": Parameter(
            "Only records after the one with this ID: the `next` of the previous page.", _TEXT, str
        ),
        "limit": integer("Maximum number of records.", 1, CONTROL_RECORDS, default=CONTROL_RECORDS),
    },
    "requests": {
        "limit": integer(
            "Maximum number of requests; the newest are returned. At most 1000.",
            1,
            LOG_ENTRIES,
            default=LISTED,
        ),
        "operation": Parameter(
            "Only requests of this operation.",
            _component("Operation"),
            str,
            lambda contracts: contracts.operations,
        ),
        "method": Parameter("Only requests with this method.", _TEXT, str.upper),
        "path": Parameter("Only this path, in which * matches any text.", _GLOB_SCHEMA, _glob),
        "status": Parameter(
            "Only this status, such as 404, or this class of statuses, such as 4xx. A response "
            "that is not sent yet has no status.",
            {
                "anyOf": [
                    {"type": "integer", "minimum": 100, "maximum": 599},
                    {**_TEXT, "pattern": "^[1-5](?:[0-9][0-9]|[xX][xX])$"},
                ]
            },
            _status,
        ),
        "stub": Parameter(
            "Only requests in which this stub took part: its label, in which * matches any text, "
            "or - for requests without a stub.",
            _GLOB_SCHEMA,
            _glob,
        ),
        "note": word("Only requests with this note.", get_args(NoteCode), _component("NoteCode")),
        "outcome": word(
            "Only requests with this outcome.", REQUEST_OUTCOMES, _component("RequestOutcome")
        ),
        "since": integer("Only requests with higher numbers.", 0),
    },
    "stub": {
        "status": integer("Respond with this status instead.", 200, 599),
        "fault": word("Break the response in this way instead.", tuple(FAULTS)),
        "hold": Parameter("Hold the response of the operation at this gate.", _TEXT, _gate),
        "delay": Parameter("Delay the response of the operation, such as 3s.", _TEXT, _delay),
        "times": integer("Maximum number of requests to respond to.", 1, _MOST_TIMES),
        "exact": word("Match the ids and dates of the request too.", ("true",)),
    },
    "tag": {"tag": word("Only the calls with this tag.", tuple(TAGS))},
}
"""Those of each call; the row of a call has the key."""
