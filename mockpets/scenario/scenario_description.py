"""Describe scenarios in English, for the control API's lists and the panel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mockpets.faults import FAULTS
from mockpets.scenario.matching import condition_in_words
from mockpets.scenario.scenario_model import EVERYTHING, PASS, Canned, Generated
from mockpets.seed.names import AWKWARD
from mockpets.units import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mockpets.contract.contract_model import Collection, Contracts
    from mockpets.contract.control_types import StubDescription
    from mockpets.scenario.scenario_model import Content, Delay, Match, Reply, Stub

_REPLIES_SHOWN: Final = 10
"""Replies of a sequence that a description lists; a file may have thousands."""
_REPEATS: Final = {
    "last": "then repeats the last one",
    "cycle": "then starts over",
    "none": "then leaves requests to the next stub",
}


def describe_stub(stub: Stub) -> StubDescription:
    return {
        "label": stub.label,
        "scenario": stub.label.partition("/")[0],
        "when": describe_match(stub.match),
        "does": "; ".join(_does(stub)),
        "limits": ", ".join(_limits(stub)),
    }


def describe_match(match: Match, *more: str) -> str:
    """Return the requests that match, and `more`: ``getPet with params.petId "3" and ...``."""
    subject = " or ".join(match.operations) or "every request"
    if match.roles:
        subject = f"every {' or '.join(match.roles)}"
    if match.path is not None:
        subject = f"{match.method} {match.path}"
    conditions: list[str] = []
    parts = ("params.", match.params), ("query.", match.query)
    for lead, part in (*parts, ("header ", match.headers), ("body.", match.body)):
        conditions += [f"{lead}{item.path} {condition_in_words(item)}" for item in part]
    conditions += more
    return f"{subject} with {' and '.join(conditions)}" if conditions else subject


def describe_hidden(resource: Collection, first: Collection) -> str:
    """Return that a resource is hidden by another one."""
    reason = f"{first.label} comes first and has the same path, {first.path}"
    return f"resource {resource.label} is hidden: {reason}"


def describe_changed(collection: Collection, giver: str) -> str:
    """Return that records are no longer those that a scenario gives to a collection."""
    what = f"{collection.label} still has the changes made while {giver} was active"
    return f"{what}; to discard all changes, run 'mockpets reset'"


def describe_content(name: str, content: Content, contracts: Contracts) -> str:
    """Return what a scenario gives to a collection, or to `EVERYTHING`."""
    if name == EVERYTHING and not isinstance(content, Generated):
        return "no records in any collection"
    count = content.count if isinstance(content, Generated) else len(content)
    noun, whose = "record", f" of {name}"
    if name == EVERYTHING:
        whose = " in each collection"
    if name in contracts.collections:
        noun, whose = name.removesuffix("s"), ""
    if count == 0:
        return f"no {noun}s{whose}"
    if not isinstance(content, Generated):
        return f"a list of {counted(count, noun)}{whose}"
    parts = [counted(count, f"generated {noun}")]
    if content.seed is not None:
        parts.append(f"seed {content.seed}")
    if content.locale == AWKWARD:
        parts.append("awkward texts")
    elif content.locale is not None:
        parts.append(f"names in {content.locale}")
    return ", ".join(parts)


def _does(stub: Stub) -> Iterator[str]:
    """Yield each thing that a stub does, the response first."""
    if len(stub.replies) == 1 and stub.repeat != "none":
        yield _single_reply(stub.replies[0])
    elif stub.replies:
        yield _sequence(stub.replies, stub.repeat)
    if stub.fault is not None:
        yield f"{FAULTS[stub.fault].effect} ({stub.fault})"
    if stub.delay is not None:
        yield f"adds a delay of {_seconds(stub.delay)}"
    if stub.throttle is not None:
        yield f"sends the response at {stub.throttle} B/s"
    if stub.hold is not None:
        yield f"holds the response until the gate '{stub.hold}' opens"


def _single_reply(reply: Reply) -> str:
    if isinstance(reply, Canned):
        off = " (off contract)" if reply.off_contract else ""
        return f"responds with {reply.status}{off}"
    if reply == PASS:
        return "lets the operation respond"
    return f"{FAULTS[reply].effect} ({reply})"


def _sequence(replies: Sequence[Reply], repeat: str) -> str:
    """Return a sequence as a sentence without its subject, its end cut off if it is long."""
    entries = [_entry(reply) for reply in replies[:_REPLIES_SHOWN]]
    if left := len(replies) - len(entries):
        entries.append(f"and {left} more")
    return f"responds in turn with {', '.join(entries)}, {_REPEATS[repeat]}"


def _entry(reply: Reply) -> str:
    if isinstance(reply, Canned):
        return str(reply.status)
    return "the operation" if reply == PASS else reply


def _limits(stub: Stub) -> Iterator[str]:
    """Yield each limit in the order in which they are checked."""
    if stub.after:
        yield f"after {counted(stub.after, 'matching request')}"
    if stub.times is not None:
        yield "at most once" if stub.times == 1 else f"at most {stub.times} times"
    if stub.probability < 1:
        yield f"{stub.probability * 100:g} % of requests"


def _seconds(delay: Delay) -> str:
    if delay.shape == "fixed":
        return f"{delay.low:g} s"
    if delay.shape == "range":
        return f"{delay.low:g} to {delay.high:g} s"
    return f"{delay.low:g} s at the median, {delay.high:g} s at the 95th percentile"
