"""The shape of a verification: which requests a test expects, and how many.

The conditions have the same shape as a stub's `match`, plus the outcome.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import REQUEST_OUTCOMES
from mockpets.scenario.language.diagnostics import INVALID, Diagnostics
from mockpets.scenario.language.mappings import ByKind, Object, some
from mockpets.scenario.language.match import MATCH
from mockpets.scenario.language.parser import parse as parse_document
from mockpets.scenario.language.shapes import Choice, Number, OneOrMany
from mockpets.scenario.language.text import check_text

if TYPE_CHECKING:
    from mockpets.constants import RequestOutcome
    from mockpets.scenario.language.nodes import Node
    from mockpets.scenario.model import Match

_FILE: Final = "body"
"""The text's name in messages."""
_BYTES: Final = 16 * 1024
_NODES: Final = 200
"""Enough for 90 conditions; a verification checks each of them against each recorded request."""


@dataclass(frozen=True, slots=True)
class Times:
    """How many requests must match.

    :param most: None for no limit.
    """

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

    :param outcomes: any of these; empty for all.
    """

    match: Match
    times: Times = Times()
    outcomes: tuple[RequestOutcome, ...] = ()


def _match(values: Any, node: Node, diagnostics: Diagnostics) -> Any:
    """Return the match and the outcomes."""
    assert MATCH.then is not None  # noqa: S101 - for mypy
    match = MATCH.then(values, node, diagnostics)
    return match if match is INVALID else (match, tuple(values.get("outcome", ())))


def _times(values: Any, node: Node, diagnostics: Diagnostics) -> Any:
    """Return the range of a mapping, if it is not empty."""
    if INVALID in values.values():
        return INVALID
    times = Times(values.get("at_least", 0), values.get("at_most"))
    if times.most is not None and times.least > times.most:
        diagnostics.add(
            node, f"at_least {times.least} is more than at_most {times.most}", "swap them"
        )
    return times


_COUNT: Final = Number("A number of requests.", 0, 1_000_000)
VERIFICATION: Final = Object(
    "The requests that a test expects.",
    {
        "match": replace(
            MATCH,
            description="Conditions as in a stub, or {} for all requests.",
            fields={
                **MATCH.fields,
                "outcome": OneOrMany(
                    "One or more outcomes.", Choice("An outcome.", REQUEST_OUTCOMES)
                ),
            },
            then=_match,
        ),
        "times": ByKind(
            "How many requests must match; by default, at least 1.",
            {
                "integer": replace(_COUNT, then=lambda count, *_: Times(count, count)),
                "mapping": Object(
                    "The lowest number, the highest number, or both.",
                    {"at_least": _COUNT, "at_most": _COUNT},
                    rules=(some(("at_least", "at_most"), "the range has no limit"),),
                    name="Times",
                    then=_times,
                ),
            },
            "a number or {at_least, at_most}",
        ),
    },
    required=("match",),
    name="Verification",
)


def parse(text: str) -> Verification:
    """Return the verification in a JSON text.

    :raise InputError: with every problem, each with its line and column.
    """
    check_text(text, _FILE, _BYTES)
    document = parse_document(text, _FILE, is_json=True, nodes=_NODES)
    diagnostics = Diagnostics(_FILE, problems=list(document.problems))
    values = VERIFICATION.read(document.root, diagnostics)
    diagnostics.close()
    match, outcomes = values["match"]
    return Verification(match, values.get("times", Times()), outcomes)
