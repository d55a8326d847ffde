"""Explain a recorded request as JSON of the control API: what responded, and why."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Final, cast

from mockpets.faults import FAULTS
from mockpets.redaction import redacted
from mockpets.request_log.comparison import compare
from mockpets.request_log.queries import summary
from mockpets.scenario.engine import DECIDED_WITHOUT_STUBS, reply_of
from mockpets.scenario.matching import ADDRESS
from mockpets.scenario.scenario_description import describe_stub
from mockpets.scenario.scenario_model import PASS
from mockpets.strict_json import dump_json

if TYPE_CHECKING:
    from mockpets.constants import Responder, StubResult
    from mockpets.contract.control_types import ComparedCondition
    from mockpets.contract.control_types import ExplainedStub as StubJson
    from mockpets.contract.control_types import Explanation as ExplanationJson
    from mockpets.request_log.entry import Entry
    from mockpets.scenario.engine import Step, Trace
    from mockpets.scenario.matching import Comparison
    from mockpets.scenario.scenario_model import Stub

_ERROR: Final = 400
_MESSAGES: Final = ("message", "detail", "error_description", "description", "title", "error")
"""Where errors say what is wrong, the most precise first; `detail` and `title` are of RFC 9457."""
_SHOWN: Final = 200
"""How much of an error of another form an explanation has, in characters."""
LISTED: Final = 100
"""Stubs that an explanation lists; those that take part come first if there are more."""


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


def _explain(trace: Trace, entry: Entry) -> Explanation:
    """Return what the search did with a request, from the `Trace` that the engine recorded."""
    steps = {step.position: step for step in trace.steps}
    stubs: list[ExplainedStub] = []
    responder = None
    for position, stub in enumerate(trace.stubs):
        conditions, step = compare(stub.match, entry, every=True), steps.get(position)
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
    """Return whether a stub is for another operation, role, method or path than the request's."""
    parts = {difference.where for difference in explained.differences}
    return not parts.isdisjoint(ADDRESS)


def explanation(entry: Entry, seed: int, *, sent: bool) -> ExplanationJson:
    """Return the explanation of a request; `sent` is False if it was only tried out."""
    trace = entry.trace or DECIDED_WITHOUT_STUBS.trace
    assert trace is not None  # noqa: S101 - for mypy
    explained = _explain(trace, entry)
    by = _responder(entry, explained)
    listed = _listed(explained)
    return {
        "request": summary(entry),
        "sent": sent,
        "by": by,
        "summary": _summary(entry, explained, by),
        "stub": explained.responder.stub.label if explained.responder else None,
        "nearest": explained.nearest.stub.label if explained.nearest else None,
        "seed": seed,
        "stubs": [_stub(stub, seed) for stub in listed],
        "omitted": len(explained.stubs) - len(listed),
    }


def _responder(entry: Entry, explained: Explanation) -> Responder:
    if entry.trace is None or entry.trace.is_rejected:
        return "check"
    responder = explained.responder
    if responder is not None and responder.step is not None:
        is_passed = reply_of(responder.stub, responder.step.used) == PASS
        if not is_passed or responder.stub.fault is not None:
            return "stub"
    if _resource(entry):
        return "resource"
    return "operation" if responder is not None or entry.operation is not None else "check"


def _resource(entry: Entry) -> str:
    """Return the resource that served a request, as its note has it; empty for none."""
    return next((note.text for note in entry.notes if note.code == "resource"), "")


def _listed(explained: Explanation) -> list[ExplainedStub]:
    stubs, nearest = explained.stubs, explained.nearest

    def order(place: int) -> tuple[bool, bool]:
        return stubs[place].step is None, stubs[place] is not nearest

    kept = sorted(range(len(stubs)), key=order)[:LISTED]
    return [stubs[place] for place in sorted(kept)]


# --- Text -------------------------------------------------------------------------------------


def _summary(entry: Entry, explained: Explanation, by: Responder) -> str:
    if by == "check":
        return _rejection(entry, explained)
    responder = explained.responder
    others = [stub for stub in explained.stubs if stub is not responder]
    shaping = [other.stub.label for other in others if other.result == "applies"]
    verb = "applies" if len(shaping) == 1 else "apply"
    also = f"; {' and '.join(shaping)} {verb} too" if shaping else ""
    if by == "stub" and responder is not None:
        return f"stub {responder.stub.label} {_effect(entry)}{also}"
    name = entry.operation.name if entry.operation else "none"
    what = _resource(entry) or f"operation {name}{_guessed(entry)}"
    message = f" ({error})" if (error := _error(entry)) else ""
    subject = f"{what} responds with {entry.status}{message}"
    if responder is not None:
        return f"{subject}: stub {responder.stub.label} lets it respond{also}"
    return f"{subject}; {_no_responder(explained)}{also}"


def _guessed(entry: Entry) -> str:
    """Return what an operation of a document was taken for, and by which rule."""
    operation = entry.operation
    if operation is None or operation.details is None:
        return ""
    # Imported here, since the built-in contract needs no rules.
    from mockpets.contract.role_rules import reason

    details = operation.details
    if details.described.not_served:
        return " (not served)"
    guess, name = details.guess, details.guess.collection
    if operation.collection is not None and details.api.stored(name) == name:
        name = operation.collection.name  # with the contract's label, if several have it
    of = f" of {name}" if name else ""
    return f" ({guess.role}{of}, {reason(guess.rule)})"


def _no_responder(explained: Explanation) -> str:
    if not explained.stubs:
        return "the active scenarios have no stubs"
    near = explained.nearest
    hint = "" if near is None else f" (nearest: {near.stub.label})"
    return f"no stub responds to this request{hint}"


def _effect(entry: Entry) -> str:
    fault = "" if entry.fault is None else f"{FAULTS[entry.fault].effect} ({entry.fault})"
    if entry.status is None:
        return fault
    return f"responds with {entry.status}{f' and {fault}' if fault else ''}"


def _rejection(entry: Entry, explained: Explanation) -> str:
    """Return why a check responded: before the scenarios, after their stubs, or in their place."""
    message = f": {error}" if (error := _error(entry)) else ""
    if entry.trace is None:
        return f"{entry.status} before any scenario ran{message}"
    if entry.trace.is_rejected:
        return f"{entry.status} from a limit, in place of what the stubs decided{message}"
    return f"{entry.status}, because {_no_responder(explained)}{message}"


def _error(entry: Entry) -> str:
    """Return what the body of an error says; empty for another response, and for one not in JSON.

    Documents have many forms of errors. Of an unknown form, it is the whole body, shortened.
    """
    if entry.status is None or entry.status < _ERROR:
        return ""
    try:
        body = json.loads(entry.response.body)
    except ValueError:
        return ""
    inner = body.get("error") if isinstance(body, dict) else None
    for each in (body, inner):
        texts = [each[name] for name in _MESSAGES if name in each] if isinstance(each, dict) else []
        for text in texts:
            if isinstance(text, str) and text:
                return str(redacted("message", text))
    return str(redacted("message", dump_json(body).decode()[:_SHOWN])) if body else ""


def _reason(explained: ExplainedStub, seed: int) -> str:
    """Return the result of a stub in words, with the counts and the draw that decided."""
    stub, step = explained.stub, explained.step
    if step is None:
        if explained.result == "not_reached":
            return "not reached: an earlier stub responds"
        return "does not match"
    drawn = "" if step.draw is None else _drawn(step.draw, stub.probability, seed)
    match step.result:
        case "after":
            skipped = f"matching request {step.passed + 1} of {stub.after}"
            return f'skipped: {skipped} that "after" skips'
        case "times":
            return f"used up: {step.used} of {stub.times}"
        case "sequence":
            return "sequence used up"
        case "probability":
            return f"not drawn: {drawn}"
        case "applies":
            used = "" if stub.times is None else f"use {step.used + 1} of {stub.times}"
            details = ", ".join(filter(None, (used, drawn)))
            return f"{explained.result}: {details}" if details else explained.result


def _drawn(draw: float, probability: float, seed: int) -> str:
    verb = "is" if draw < probability else "is not"
    return f"{draw:.6g} {verb} below {probability:g}, seed {seed}"


# --- As JSON ----------------------------------------------------------------------------------


def _stub(explained: ExplainedStub, seed: int) -> StubJson:
    stub, step = explained.stub, explained.step
    return {
        **describe_stub(stub),
        "result": explained.result,
        "reason": _reason(explained, seed),
        "conditions": [cast("ComparedCondition", asdict(each)) for each in explained.conditions],
        "after": stub.after,
        "times": stub.times,
        "passed": None if step is None else step.passed,
        "used": None if step is None else step.used,
        "probability": stub.probability,
        "draw": None if step is None else step.draw,
    }
