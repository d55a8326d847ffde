"""Explain what the search did with a request, from the `Trace` that the engine recorded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mockpets.constants import StubResult
    from mockpets.scenario.engine import Step, Trace
    from mockpets.scenario.matching import Comparison
    from mockpets.scenario.model import Match, Stub


@dataclass(frozen=True, slots=True)
class ExplainedStub:
    """What one stub did with a request; `step` is None if it does not match, or was not reached."""

    stub: Stub
    result: StubResult
    conditions: tuple[Comparison, ...]
    step: Step | None = None

    @property
    def differences(self) -> list[Comparison]:
        """The conditions that the request does not, or may not, meet."""
        return [condition for condition in self.conditions if not condition.holds]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a request got its response; `nearest` is the stub with the fewest differences."""

    responder: ExplainedStub | None
    stubs: tuple[ExplainedStub, ...]
    nearest: ExplainedStub | None


def explain(trace: Trace, compare: Callable[[Match], Sequence[Comparison]]) -> Explanation:
    """Return the explanation; `compare` compares all conditions of a match with the request."""
    steps = {step.position: step for step in trace.steps}
    stubs: list[ExplainedStub] = []
    responder = None
    for position, stub in enumerate(trace.stubs):
        conditions, step = compare(stub.match), steps.get(position)
        if step is not None:
            # The engine has seen values that may not be recorded.
            conditions = [replace(condition, holds=True) for condition in conditions]
            result: StubResult = step.result
            if step.result == "applies" and stub.answers:
                result = "responds"
        elif responder is not None:
            result = "not_reached"
        else:
            result = "no_match"
            if [condition.holds for condition in conditions if not condition.holds] == [None]:
                # At least one condition fails, so the only one that is not known does.
                conditions = [replace(one, holds=bool(one.holds)) for one in conditions]
        stubs.append(ExplainedStub(stub, result, tuple(conditions), step))
        if result == "responds":
            responder = stubs[-1]
    alike = [stub for stub in stubs if stub.result == "no_match" and not _is_elsewhere(stub)]
    nearest = min(alike, key=lambda stub: len(stub.differences), default=None)
    return Explanation(responder, tuple(stubs), nearest)


def _is_elsewhere(explained: ExplainedStub) -> bool:
    """Return whether a stub is for another operation, method or path than the request's."""
    parts = {difference.where for difference in explained.differences}
    return not parts.isdisjoint(("operation", "method", "path"))
