"""Find the fewest stubs with which the operations respond as recorded.

Each request is sent to a model that has the pets and data of the beginning. Where the operation
responds in the same way, no stub is needed. The other responses become stubs: for requests of one
kind, one stub if a response repeats, else a sequence.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from mockpets.errors import DocumentError, RequestError
from mockpets.recording.stub import match_of, reply_of
from mockpets.scenario.language.writer import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mockpets.recording.exchange import Exchange

_READS: Final = ("GET", "HEAD")
_FLAG: Final = "off_contract: true"

Effects = dict[str, Any]
"""A part of a stub: its reply and fault, its delay, its throttle, or its hold; empty for none."""


class Model(Protocol):
    """A session with a scenario, to which requests are sent again; see `web.recording_model`."""

    def respond(self, exchange: Exchange) -> Exchange:
        """Return an exchange with the new response."""
        ...

    def save(self) -> Any:
        """Return the state before a request, for `restore`."""
        ...

    def restore(self, saved: Any) -> None:
        """Undo what came since."""
        ...


class Recording(NamedTuple):
    """A scenario, and what it does not repeat.

    :param document: in the scenario language, from this number of requests.
    :param notes: requests whose response differs or is not recorded, each in a sentence.
    """

    document: dict[str, Any]
    notes: list[str]
    requests: int


def infer(
    exchanges: Sequence[Exchange],
    document: Mapping[str, Any],
    model: Callable[[Mapping[str, Any]], Model],
    is_assigned: Callable[[int], bool],
) -> Recording:
    """Return a scenario with whose stubs the requests get their responses again.

    :param document: the scenario without stubs: a description, pets and resources.
    :param model: makes a model of a scenario.
    :param is_assigned: whether a pet id is not one of the pets of the beginning.
    """
    effects, notes = _effects(exchanges, model(document))
    keys = [_keys(exchange, is_assigned) for exchange in exchanges]
    wide: set[str] = set()
    """The kinds of requests whose narrower stubs do not repeat their responses."""
    while True:
        stubs = (
            [
                stub
                for parts in zip(*effects, strict=True)  # delays and holds before replies
                for stub in _fewest(keys, parts, wide)
            ]
            if effects
            else []
        )
        result = {**document, **({"stubs": stubs} if stubs else {})}
        result = _flagged(result, model)
        different = _different(exchanges, model(result))
        doubtful = {keys[place][1] for place in different} - wide
        if not doubtful:
            break
        wide |= doubtful
    notes += [f"request {exchanges[place].number} gets another response" for place in different]
    return Recording(result, notes, len(exchanges))


def _effects(exchanges: Sequence[Exchange], model: Model) -> tuple[list[list[Effects]], list[str]]:
    """Return what stubs must do in each exchange, by part, and what cannot be repeated."""
    result, notes = [], []
    for exchange in exchanges:
        parts = [
            {"delay": f"{exchange.delay:g}ms"} if exchange.delay else {},
            {} if exchange.throttle is None else {"throttle": f"{exchange.throttle} B/s"},
            {} if exchange.hold is None else {"hold": exchange.hold},
        ]
        before = None if exchange.method in _READS else model.save()
        played = model.respond(exchange)
        reply: Effects = {}
        if exchange.request.cut:
            notes.append(f"request {exchange.number}: its body is not recorded")
        elif exchange.fault is not None:
            reply = {"fault": exchange.fault}
            if exchange.status is None and exchange.ran:
                reply = {"reply": "pass", **reply}
        elif exchange.status is not None and not exchange.is_like(played):
            try:
                reply = {"reply": reply_of(exchange)}
            except RequestError as error:
                notes.append(error.message)
        if reply and before is not None and (reply.get("reply", "") != "pass"):
            model.restore(before)
        result.append([*parts, reply])
    return result, notes


def _keys(exchange: Exchange, is_assigned: Callable[[int], bool]) -> tuple[str, str, str]:
    """Return three matches of an exchange as JSON: of any request, of its kind, of its details."""
    narrow = match_of(exchange, is_assigned)
    kind = {name: narrow[name] for name in ("operation", "method", "path") if name in narrow}
    return "{}", json.dumps(kind), json.dumps(narrow)


def _fewest(
    keys: Sequence[tuple[str, str, str]], parts: Sequence[Effects], wide: Iterable[str]
) -> list[dict[str, Any]]:
    """Return stubs for one part of the effects: as few lines as possible."""
    everything: defaultdict[str, list[Effects]] = defaultdict(list)
    kinds: defaultdict[str, dict[str, list[Effects]]] = defaultdict(dict)
    for (_, kind, narrow), effects in zip(keys, parts, strict=True):
        everything[kind].append(effects)
        kinds[kind].setdefault(narrow, []).append(effects)
    by_kind: list[dict[str, Any]] = []
    for kind, values in everything.items():
        choices = [_stubs(kind, values)]
        if kind not in wide and len(kinds[kind]) > 1:
            # The one with more conditions first: the others match its requests too.
            ordered = sorted(kinds[kind], key=lambda narrow: -narrow.count(":"))
            choices.insert(0, [stub for key in ordered for stub in _stubs(key, kinds[kind][key])])
        best = min(choices, key=_lines)
        by_kind += best
    of_all = [] if wide else _stubs("{}", parts)
    affected = sum(any(values) for values in everything.values())
    is_general = len(of_all) == 1 < affected and "page" not in json.dumps(of_all)
    return min(by_kind, of_all if is_general else by_kind, key=_lines)


def _lines(stubs: list[dict[str, Any]]) -> int:
    return text_of({"stubs": stubs}).count("\n") if stubs else 0


def _stubs(key: str, values: Sequence[Effects]) -> list[dict[str, Any]]:
    """Return stubs for requests that meet one match, in their order."""
    match = {"match": json.loads(key)} if key != "{}" else {}
    runs = [(effects, len([*run])) for effects, run in groupby(values)]
    if not any(values):
        return []
    choices = [_in_turn(match, runs, counts_all=not _responds(values))]
    if _responds(values) and len(runs) > 1 and (sequence := _sequence(values)):
        choices.append([{**match, **sequence}])
    return min(choices, key=_lines)


def _responds(values: Sequence[Effects]) -> bool:
    """Return whether effects end the search for stubs."""
    return any("reply" in effects or "fault" in effects for effects in values)


def _in_turn(
    match: Mapping[str, Any], runs: Sequence[tuple[Effects, int]], *, counts_all: bool
) -> list[dict[str, Any]]:
    """Return a stub for each run of equal effects.

    :param counts_all: whether each stub counts all requests, because those before do not respond.
    """
    stubs, before = [], 0
    for place, (effects, length) in enumerate(runs):
        if effects:
            limits = {"after": before} if before else {}
            limits |= {"times": length} if place < len(runs) - 1 else {}
            stubs.append({**match, **limits, **effects})
        if counts_all or not effects:
            before += length
    return stubs


def _sequence(values: Sequence[Effects]) -> dict[str, Any] | None:
    """Return a sequence of replies; None if a fault loses the response of an operation."""
    if any(effects.get("reply") == "pass" for effects in values):
        return None
    replies = [effects.get("reply") or effects or "pass" for effects in values]
    period = next(
        size
        for size in range(1, len(replies) + 1)
        if all(reply == replies[place % size] for place, reply in enumerate(replies))
    )
    if 2 * period <= len(replies):
        return {"sequence": replies[:period], "repeat": "cycle"}
    while len(replies) > 1 and replies[-1] == replies[-2]:
        replies.pop()
    return {"sequence": replies}


def _flagged(
    document: dict[str, Any], model: Callable[[Mapping[str, Any]], Model]
) -> dict[str, Any]:
    """Return a scenario with `off_contract` in each stub that needs it.

    :raise DocumentError: the scenario is invalid for another reason.
    """
    try:
        model(document)
    except DocumentError as error:
        places = {
            int(found[1]) - 1
            for problem in error.problems
            if _FLAG in problem.hint and (found := re.search(r"stubs\.([0-9]+)", problem.where))
        }
        if not places:
            raise
        stubs = [
            {**stub, "off_contract": True} if place in places else stub
            for place, stub in enumerate(document["stubs"])
        ]
        return _flagged({**document, "stubs": stubs}, model)
    return document


def _different(exchanges: Sequence[Exchange], model: Model) -> list[int]:
    """Return the places of the exchanges in which a scenario does something else."""
    result = []
    for place, exchange in enumerate(exchanges):
        played = model.respond(exchange)
        same = exchange.status is None and exchange.fault is None  # the client left
        same = same or exchange.is_like(played)
        mine, its = ((each.delay, each.throttle, each.hold) for each in (exchange, played))
        if not same or mine != its:
            result.append(place)
    return result
