"""Find the fewest stubs with which the operations respond as recorded.

Each request is sent to a model that has the records of the beginning. Where the operation
responds in the same way, no stub is needed. The other responses become stubs: for requests of one
kind, one stub if a response repeats, else a sequence.
"""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from mockpets.constants import FILE_BYTES
from mockpets.errors import InputError, RequestError
from mockpets.recording.body_conditions import body_conditions
from mockpets.recording.recorded_resources import first_resources
from mockpets.recording.stub import is_writable, match_of, reply_of, shaping_of
from mockpets.scenario.language.writer import text_of
from mockpets.strict_json import dump_ascii
from mockpets.units import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mockpets.contract.contract_model import Contracts
    from mockpets.recording.exchange import Assigned, Exchange
    from mockpets.recording.secret_removal import Redactor

_READS: Final = ("GET", "HEAD")

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


class _RedactedModel:
    """A model whose responses lose what the recorded ones have lost."""

    def __init__(self, model: Model, redactor: Redactor) -> None:
        self.save, self.restore = model.save, model.restore
        self._model, self._redactor = model, redactor

    def respond(self, exchange: Exchange) -> Exchange:
        """Return an exchange with the new response."""
        return self._redactor.exchange(self._model.respond(exchange))


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
    is_assigned: Assigned,
    redactor: Redactor,
    contracts: Contracts,
) -> Recording:
    """Return a scenario with whose stubs the requests get their responses again.

    :param exchanges: without secrets, as the document is; see `redaction`.
    :param document: the scenario without stubs: a description, data and resources.
    :param model: makes a model of a scenario.
    :param is_assigned: since the beginning.
    :param redactor: has removed the secrets of the exchanges.
    """
    document, lost = _writable(redactor.value(document))
    exchanges = [exchange.completed() for exchange in exchanges]

    def redacted(document: Mapping[str, Any]) -> Model:
        return _RedactedModel(model(document), redactor)

    results = [_infer(exchanges, document, redacted, is_assigned, contracts)]
    known = document.get("resources", [])
    paths = [each["path"] for each in known]
    new = {path: rows for path, rows in first_resources(exchanges).items() if path not in paths}
    if new:
        document, more = _writable(_with_resources(document, new))
        lost += more
        results.append(_infer(exchanges, document, redacted, is_assigned, contracts))
    best = min(results, key=lambda each: (len(each.notes), text_of(each.document).count("\n")))
    return best._replace(notes=[*lost, *best.notes])


def _with_resources(document: Mapping[str, Any], new: Mapping[str, list[Any]]) -> dict[str, Any]:
    """Return a scenario with more collections, whose records are given by path."""
    contents, resources = {**document["data"]}, [*document.get("resources", ())]
    for path, rows in new.items():
        name = path.rpartition("/")[2]
        named = {} if name not in contents else {"name": path.strip("/").replace("/", "-")}
        resources.append({"path": path, **named})
        contents[named.get("name", name)] = rows
    return {**document, "data": contents, "resources": resources}


def _writable(document: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return a scenario without the records that no file can have, and how many these were."""
    contents, notes = {**document["data"]}, []
    for name, records in contents.items():
        if not isinstance(records, list):
            continue
        contents[name] = [record for record in records if is_writable(record)]
        if lost := len(records) - len(contents[name]):
            what = "with numbers, texts or a depth that a scenario file cannot have"
            notes.append(f"left out {counted(lost, 'record')} of {name} {what}")
    return {**document, "data": contents}, notes


def _infer(
    exchanges: Sequence[Exchange],
    document: Mapping[str, Any],
    model: Callable[[Mapping[str, Any]], Model],
    is_assigned: Assigned,
    contracts: Contracts,
) -> Recording:
    effects, reasons = _effects(exchanges, _whole(document, model), contracts)
    # Each reply is in the file at least once, and YAML needs more than half of the room of JSON.
    if sum(map(len, {dump_ascii(reply) for *_, reply in effects})) > 2 * FILE_BYTES:
        raise _too_large(f"is larger than {FILE_BYTES // 1024} KiB")
    keys = _by_body(
        [_keys(exchange, is_assigned) for exchange in exchanges],
        exchanges,
        [dump_ascii(reply) if reply else "" for *_, reply in effects],
        is_assigned,
    )
    wide: set[str] = set()
    """The kinds of requests whose narrower stubs do not repeat their responses."""
    while True:
        columns = zip(*effects, strict=True) if effects else ()  # delays and holds before replies
        found = [stub for parts in columns for stub in _fewest(keys, parts, wide)]
        stubs, problems = _valid(found, document, model)
        result = {**document, **({"stubs": stubs} if stubs else {})}
        different = _different(exchanges, _whole(result, model))
        doubtful = {keys[place][1] for place in different} - wide
        if not doubtful:
            break
        wide |= doubtful
    notes = [
        reasons.get(place, f"request {exchanges[place].number} has another response when replayed")
        for place in different
    ]
    return Recording(result, [*notes, *problems], len(exchanges))


def _effects(
    exchanges: Sequence[Exchange], model: Model, contracts: Contracts
) -> tuple[list[list[Effects]], dict[int, str]]:
    """Return what stubs must do in each exchange, by part, and why some cannot be repeated."""
    result, reasons = [], {}
    for place, exchange in enumerate(exchanges):
        before = None if exchange.method in _READS else model.save()
        played = model.respond(exchange)
        reply: Effects = {}
        if exchange.fault is not None:
            reply = {"fault": exchange.fault}
            if exchange.status is None and exchange.response.size:
                reply = {"reply": "pass", **reply}
        elif exchange.status is not None and not exchange.is_like(played):
            try:
                reply = {"reply": reply_of(exchange, contracts)}
            except RequestError as error:
                reasons[place] = error.without_advice or error.message
        if reply and before is not None and (reply.get("reply", "") != "pass"):
            model.restore(before)
        result.append([*shaping_of(exchange), reply])
    return result, reasons


def _keys(exchange: Exchange, is_assigned: Assigned) -> tuple[str, str, str]:
    """Return three matches of an exchange as JSON: of any request, of its kind, of its details."""
    narrow = match_of(exchange, is_assigned)
    kind = {name: narrow[name] for name in ("operation", "method", "path") if name in narrow}
    return "{}", json.dumps(kind), json.dumps(narrow)


def _by_body(
    keys: Sequence[tuple[str, str, str]],
    exchanges: Sequence[Exchange],
    replies: Sequence[str],
    is_assigned: Assigned,
) -> list[tuple[str, str, str]]:
    """Return the keys, the narrowest with a condition on the body if that decides the reply."""
    result = [*keys]
    alike: defaultdict[str, list[int]] = defaultdict(list)
    for place, (*_, narrow) in enumerate(keys):
        alike[narrow].append(place)
    for narrow, places in alike.items():
        bodies = body_conditions(
            [exchanges[place] for place in places],
            [replies[place] for place in places],
            is_assigned,
        )
        if bodies is not None:
            for place, body in zip(places, bodies, strict=True):
                result[place] = (*keys[place][:2], json.dumps({**json.loads(narrow), "body": body}))
    return result


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
        by_kind += _shortest(choices)
    of_all = [] if wide else _stubs("{}", parts)
    affected = sum(any(values) for values in everything.values())
    is_general = len(of_all) == 1 < affected and "page" not in dump_ascii(of_all)
    return _shortest([by_kind, of_all] if is_general else [by_kind])


def _shortest(choices: Sequence[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return choices[0] if len(choices) == 1 else min(choices, key=_lines)


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
    return _shortest(choices)


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


def _valid(
    stubs: list[dict[str, Any]],
    document: Mapping[str, Any],
    model: Callable[[Mapping[str, Any]], Model],
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the stubs with `off_contract` where they need it, and why some cannot be written."""
    try:
        model({**document, "stubs": stubs} if stubs else document)
    except InputError as error:
        if len(stubs) > 1:  # an error names only the first problems
            middle = len(stubs) // 2
            halves = [_valid(half, document, model) for half in (stubs[:middle], stubs[middle:])]
            return halves[0][0] + halves[1][0], halves[0][1] + halves[1][1]
        [stub] = stubs
        if "off_contract" not in stub:
            return _valid([{**stub, "off_contract": True}], document, model)
        return [], [f"a response cannot be written: {error.problems[0].what}"]
    return stubs, []


def _whole(document: Mapping[str, Any], model: Callable[[Mapping[str, Any]], Model]) -> Model:
    """Return the model of a scenario.

    :raise RequestError: ``conflict`` if it is too large for a file.
    """
    try:
        return model(document)
    except InputError as error:
        raise _too_large(error.problems[0].what) from error


def _too_large(what: str) -> RequestError:
    message = f"the recording is too large for a scenario: it {what}"
    return RequestError("conflict", message, advice="record fewer requests")


def _different(exchanges: Sequence[Exchange], model: Model) -> list[int]:
    """Return the places of the exchanges in which a scenario does something else."""
    result = []
    for place, exchange in enumerate(exchanges):
        played = model.respond(exchange)
        same = exchange.status is None and exchange.fault is None  # the client left
        same = same or exchange.is_like(played)
        mine, its = ((each.delay_ms, each.throttle, each.hold) for each in (exchange, played))
        if not same or mine != its:
            result.append(place)
    return result
