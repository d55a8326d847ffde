"""What a test expects, waits for or asks about: requests, or responses held at a gate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import (
    FILE_BYTES,
    FILE_NODES,
    HEADER_VALUE_BYTES,
    REQUEST_OUTCOMES,
    WAIT_SECONDS,
    WAITING_RESPONSES,
)
from mockpets.contract.contract_model import RecordSchema
from mockpets.contract.fields import INVALID
from mockpets.contract.fields import Choice as FieldChoice
from mockpets.scenario.language.diagnostics import Diagnostics
from mockpets.scenario.language.headers import TOKEN, TOKEN_HINT
from mockpets.scenario.language.mappings import ByKind, MapOf, Object, some
from mockpets.scenario.language.match import match_shape
from mockpets.scenario.language.parser import read
from mockpets.scenario.language.shapes import (
    ANY_KIND,
    ByContracts,
    Choice,
    Number,
    OneOrMany,
    Parsed,
    Text,
    Value,
    kebab_case,
)
from mockpets.text_files import check_text
from mockpets.units import DURATION, parse_duration

if TYPE_CHECKING:
    from mockpets.constants import RequestOutcome
    from mockpets.contract.contract_model import Contracts
    from mockpets.scenario.language.nodes import Node
    from mockpets.scenario.language.shapes import Shape
    from mockpets.scenario.scenario_model import Match

_FILE: Final = "body"
"""The text's name in messages."""
_BYTES: Final = 16 * 1024
"""Maximum size of a body, since each of its conditions is compared with each recorded request."""
_NODES: Final = 200
"""Enough for 90 conditions; a verification checks each of them against each recorded request."""


@dataclass(frozen=True, slots=True)
class Times:
    """How many requests must match; a `most` of None means no limit."""

    least: int = 1
    most: int | None = None

    def __str__(self) -> str:
        """Return the range as text: ``at least 1``, ``exactly 2``, ``2 to 4``."""
        if self.most is None:
            return f"at least {self.least}"
        if self.least == self.most:
            return f"exactly {self.least}"
        return f"{self.least} to {self.most}" if self.least else f"at most {self.most}"

    def allow(self, count: int) -> bool:
        """Return whether a count is within the range."""
        return self.least <= count and (self.most is None or count <= self.most)


@dataclass(frozen=True, slots=True)
class Verification:
    """An expectation of a test about the requests so far.

    :param outcomes: any of these; empty for all, as are `statuses`, such as ``503`` or ``5xx``.
    :param within: how many seconds to wait for them.
    """

    match: Match
    times: Times = Times()
    outcomes: tuple[RequestOutcome, ...] = ()
    statuses: tuple[str, ...] = ()
    within: float = 0.0

    def may_change(self, count: int, *, passed: bool) -> bool:
        """Return whether to wait before the result counts, because it may still change.

        :param count: how many requests match now.
        :param passed: whether the verification passes now.
        """
        times = self.times
        if passed:  # an upper limit must hold until the end; an exact number is waited for
            return times.most is not None and (times.least < times.most or not times.most)
        # Only pending requests can become fewer.
        return count < times.least or "pending" in self.outcomes


def _match(values: Any, node: Node, diagnostics: Diagnostics) -> Any:
    convert = match_shape(diagnostics.contracts).convert
    assert convert is not None  # noqa: S101 - for mypy
    match = convert(values, node, diagnostics)
    if match is INVALID:
        return INVALID
    return match, values.get("outcome", ()), values.get("status", ())


def _as_text(status: int | str, *_: object) -> str:
    return str(status).lower()


def _times(values: Any, node: Node, diagnostics: Diagnostics) -> Any:
    times = Times(values.get("at_least", 0), values.get("at_most"))
    if times.most is not None and times.least > times.most:
        what = f"at_least {times.least} is more than at_most {times.most}"
        diagnostics.add(node, what, "swap them")
    return times


def _verification(values: Any, *_: object) -> Verification:
    match, outcomes, statuses = values.pop("match")
    return Verification(match, outcomes=outcomes, statuses=statuses, **values)


_COUNT: Final = Number("A number of requests.", 0, 1_000_000)
_STATUS: Final = "a status such as 503, or a class such as 5xx"
_WITHIN: Final = Parsed(
    f"How long to wait, such as 5s; at most {WAIT_SECONDS:g}s.",
    "a duration such as 300ms or 5s",
    DURATION,
    partial(parse_duration, longest=WAIT_SECONDS),
)


@lru_cache(8)
def _match_shape(contracts: Contracts) -> Object:
    """Return the shape of the conditions on requests and their responses."""
    match = match_shape(contracts)
    choices = {
        choice: f"for a {each.name.removesuffix('s')}'s {name}, use query or body"
        for each in contracts.collections.values()
        if isinstance(each.schema, RecordSchema)
        for name, field in each.schema.whole.fields.items()
        if isinstance(field, FieldChoice)
        for choice in field.choices
    }

    status = ByKind(
        "A status such as 503, or a class such as 5xx.",
        {
            "integer": Number("A status.", 100, 599, convert=_as_text),
            "text": Text(
                "A status or a class.",
                _STATUS,
                "[1-5](?:[0-9][0-9]|[xX][xX])",
                advise=lambda text: choices.get(text, ""),
                convert=_as_text,
            ),
        },
        _STATUS,
    )
    return replace(
        match,
        description="Conditions as in a stub, or {} for all requests.",
        fields={
            **match.fields,
            "outcome": OneOrMany(
                "One or more outcomes.",
                Choice("An outcome.", REQUEST_OUTCOMES, name="RequestOutcome"),
            ),
            "status": OneOrMany(
                "One or more statuses of the response, or classes of them.", status
            ),
        },
        name="VerificationMatch",
        convert=_match,
    )


VERIFICATION: Final = Object(
    "The requests that a test expects.",
    {
        "match": ByContracts("Conditions as in a stub, or {} for all requests.", _match_shape),
        "times": ByKind(
            "How many requests must match; by default, at least 1.",
            {
                "integer": replace(_COUNT, convert=lambda count, *_: Times(count, count)),
                "mapping": Object(
                    "A minimum, a maximum, or both.",
                    {"at_least": _COUNT, "at_most": _COUNT},
                    rules=(some(("at_least", "at_most"), "the range has no limit"),),
                    name="Times",
                    convert=_times,
                ),
            },
            "a number or {at_least, at_most}",
        ),
        "within": replace(_WITHIN, description=f"{_WITHIN.description} By default, do not wait."),
    },
    required=("match",),
    name="Verification",
    convert=_verification,
)
GATE_WAIT: Final = Object(
    "The responses that a test expects to be held at a gate.",
    {
        "held": Number(
            "Minimum number of held responses; by default, 1.", 1, WAITING_RESPONSES // 2
        ),
        "within": replace(_WITHIN, description=f"{_WITHIN.description} By default, 5s."),
    },
    name="GateWait",
)
REQUEST: Final = Object(
    "A request to explain without sending it.",
    {
        "method": Text("The method, such as GET.", "a method such as GET or POST", TOKEN),
        "path": Text(
            "Path and query, such as /v1/items?limit=5.",
            "a path such as /v1/items?limit=5",
            r"/[!\"$-~]*",
            HEADER_VALUE_BYTES,
            lambda _: "percent-encode it, and start with '/'",
        ),
        "headers": MapOf(
            "The headers by name; see also `key`.",
            item=Text("A value.", "printable ASCII", r"[\t -~]*", HEADER_VALUE_BYTES),
            keys="header name",
            pattern=TOKEN,
            hint=TOKEN_HINT,
        ),
        "key": Text(
            "An API key, sent where the operation needs one, unless the request has one there. "
            "Without it, a request has only the credentials in its headers, path and query.",
            "printable ASCII",
            r"[!-~]+",
            HEADER_VALUE_BYTES,
        ),
        "body": Value("The body, sent as JSON.", ANY_KIND),
        "draft": Object(
            "A scenario file that is not saved, to use in place of the scenario of its name.",
            {
                "name": kebab_case("Name of the scenario.", "a scenario name"),
                "text": Text("The content of the file."),
            },
            required=("name", "text"),
            name="ScenarioDraft",
        ),
    },
    required=("method", "path"),
    name="RequestToExplain",
)


def parse_request(text: str, contracts: Contracts) -> dict[str, Any]:
    """Return the parts of a request in a JSON text, as far as given, or raise InputError."""
    values: dict[str, Any] = _read(text, contracts, REQUEST, FILE_BYTES, FILE_NODES)
    return values


def parse(text: str, contracts: Contracts) -> Verification:
    """Return the verification in a JSON text, or raise InputError with every problem."""
    verification: Verification = _read(text, contracts, VERIFICATION)
    return verification


def parse_gate_wait(text: str, contracts: Contracts) -> tuple[int, float]:
    """Return how many responses a gate must hold, and within how many seconds."""
    values = _read(text, contracts, GATE_WAIT) if text.strip() else {}
    return values.get("held", 1), values.get("within", 5.0)


def _read(
    text: str, contracts: Contracts, shape: Shape, size: int = _BYTES, nodes: int = _NODES
) -> Any:
    check_text(text, _FILE, size)
    return read(text, shape, Diagnostics(_FILE, contracts), is_json=True, nodes=nodes)
