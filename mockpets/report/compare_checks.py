"""Compare the responses of the real service with the contract: types and rules, not values.

Each check yields a `_Difference`; equal ones of several requests become one finding.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

from mockpets.constants import API_PREFIX, OPERATIONS, PAGE_DEFAULT, PAGE_MAX, PROBLEMS_SHOWN
from mockpets.contract.fields import split_hint
from mockpets.contract.openapi import document
from mockpets.contract.schemas import ERROR_FIELDS, FILTERS, PET_FIELDS, RESPONSES
from mockpets.contract.serialization import body_problems
from mockpets.redaction import redacted_target
from mockpets.report.findings import COMPARE_RULES, Evidence, Finding, Report
from mockpets.report.probes import is_removed, listed_ids
from mockpets.strict_json import shown
from mockpets.units import counted, quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mockpets.contract.fields import ContractField
    from mockpets.report.probes import Probe, ProbeResult, Redact

COMPARE_PETS: Final = 1000
"""Maximum number of pets in one response whose properties `mockpets compare` checks."""

_REDIRECTS: Final = (301, 302, 303, 307, 308)
_JSON: Final = "application/json"
_FIELDS: Final = {"Pet": PET_FIELDS, "Error": ERROR_FIELDS}
_KEYS: Final = {"valid": "", "invalid": "with an invalid key", "missing": "without a key"}


class _Difference(NamedTuple):
    """A response that is not like the contract.

    :param message: differences with the same rule and message are one finding.
    :param detail: what only this request shows.
    :param cause: replaces the message as what tells differences apart.
    """

    rule: str
    message: str
    detail: str = ""
    cause: object = None

    @property
    def key(self) -> tuple[str, object]:
        """Equal for differences that are one finding."""
        return self.rule, self.cause or self.message


def compare(
    results: Sequence[ProbeResult], source: str, limits: Iterable[str], redact: Redact
) -> Report:
    """Return the report on a service.

    :param source: its base URL.
    :param limits: why some requests were not sent.
    :param redact: replaces the key in its texts.
    """
    base = urlsplit(source).path
    groups: dict[tuple[str, object], tuple[str, list[Evidence]]] = {}
    for result in results:
        for each in _differences(result, results, redact):
            _, evidence = groups.setdefault(each.key, (each.message, []))
            evidence.append(_evidence(result, each.detail, base, redact))
    findings: list[Finding] = []
    for rule in COMPARE_RULES:
        broken = [
            Finding(rule, message, source, tuple(evidence))
            for (name, _), (message, evidence) in groups.items()
            if name == rule.name
        ]
        findings += broken[:PROBLEMS_SHOWN]
        if len(broken) > PROBLEMS_SHOWN:
            hidden = len(broken) - PROBLEMS_SHOWN
            limits = [*limits, f"{hidden} more findings of {rule.name} are not listed"]
    return Report(
        "Comparison with the service",
        f"{counted(len(results), 'request')} to {source}",
        COMPARE_RULES,
        tuple(findings),
        (*limits, *_not_shown(results)),
    )


def _evidence(result: ProbeResult, detail: str, base: str, redact: Redact) -> Evidence:
    probe = result.probe
    target = probe.target if probe.pet_id is None else redact(probe.target)
    return Evidence(
        f"{probe.method} {base}{target}",
        str(result.status or "no response"),
        None,
        result.at,
        ", ".join(filter(None, (_KEYS[probe.key], detail))),
    )


# --- Checks -----------------------------------------------------------------------------------


def _differences(
    result: ProbeResult, results: Sequence[ProbeResult], redact: Redact
) -> Iterator[_Difference]:
    probe = result.probe
    if result.status is None:
        yield _Difference("no-response", f"no usable response: {result.problem}")
    elif result.status in _REDIRECTS:
        target = redacted_target(redact(result.headers.get("location", "")))
        where = f"to {quote(target)}" if target else "without a Location"
        what = "the service redirects instead of responding"
        yield _Difference("redirect", what, where)
    elif probe.method == "HEAD":
        yield from _head(result, results, redact)
    elif result.status != probe.status:
        yield from _status(result, results)
    else:
        yield from _headers(result)
        yield from _body(result, redact)
        yield from _page(result, results)


def _status(result: ProbeResult, results: Sequence[ProbeResult]) -> Iterator[_Difference]:
    probe, status = result.probe, result.status
    if probe.invalid:
        what = f"{probe.operation} responds to {probe.invalid} with {status}"
        yield _Difference("invalid-input", f"{what}, mockpets with {probe.status}")
    elif probe.pet_id is not None and is_removed(results):
        what = f"{probe.operation} of a pet that the service lists responds with {status}"
        yield _Difference("removed-operation", what)
    elif probe.pet_id is None or status != 404:  # else it was deleted just now
        key = f" {_KEYS[probe.key]}" if probe.key != "valid" else ""
        what = f"{probe.operation}{key}: expected {probe.status}, got {status}"
        yield _Difference("status", what)


def _head(
    result: ProbeResult, results: Sequence[ProbeResult], redact: Redact
) -> Iterator[_Difference]:
    for get in results:
        if get.probe.target != result.probe.target or get.probe.method != "GET":
            continue
        if get.status != get.probe.status:
            return  # it has a finding of its own
        if result.status != get.status:
            what = f"HEAD responds with {result.status}, GET with {get.status}"
            yield _Difference("head", what)
        elif (mine := _media_type(result)) != (other := _media_type(get)):
            what = f"HEAD responds with Content-Type {quote(redact(mine))}"
            yield _Difference("head", f"{what}, GET with {quote(redact(other))}")


def _headers(result: ProbeResult) -> Iterator[_Difference]:
    """Yield the headers that the OpenAPI document names, and the response does not have."""
    probe = result.probe
    method, path = OPERATIONS[probe.operation]
    described = document()["paths"][path.removeprefix(API_PREFIX)][method.lower()]
    listed = described["responses"].get(str(probe.status), {})
    for name in listed.get("headers", ()):
        if name.lower() not in result.headers:
            what = f"{probe.operation} {probe.status} does not have the header {name}"
            yield _Difference("missing-header", what)


def _body(result: ProbeResult, redact: Redact) -> Iterator[_Difference]:
    """Yield the problems of a body; all those of an error have one rule."""
    is_error = result.probe.status >= 400
    name = f"{result.probe.operation} {result.status}"
    if problem := _type_problem(result, redact):
        yield _Difference("error-body" if is_error else "content-type", f"{name}: {problem}")
        if is_error or result.problem:
            return
    if result.problem:
        rule = "error-body" if is_error else "invalid-json"
        yield _Difference(rule, f"{name}: the body is not valid JSON", result.problem)
        return
    yield from (_error if is_error else _content)(result.probe, result.value, redact)


def _content(probe: Probe, value: object, redact: Redact) -> Iterator[_Difference]:
    pets: Sequence[object] = [value]
    detail = ""
    if RESPONSES[probe.operation][probe.status] == "Pets":
        pets = value[:COMPARE_PETS] if isinstance(value, list) else []
        value = pets or value
        detail = f"in {{}} of {len(pets)} pets" if pets else ""
    found = [
        _shape(path, what, value, "Pet", redact)
        for path, what in body_problems(probe.operation, probe.status, value)
    ]
    for pet in pets:
        found += _unknown("Pet", pet, redact)
    count = Counter(each.key for each in found)
    for key, each in {each.key: each for each in found}.items():
        yield _Difference(each.rule, each.message, detail.format(count[key]), each.cause)


def _shape(
    path: tuple[str | int, ...], what: str, body: Any, schema: str, redact: Redact
) -> _Difference:
    """Return the difference for a problem of the value at a path in a body."""
    name = path[-1] if path else None
    for key in path[:-1]:
        body = body[key]
    if not isinstance(name, str):  # the whole body, or a whole pet
        subject, value = ("the body", body) if name is None else (f"a {schema}", body[name])
        shown_value = shown(redact(value) if isinstance(value, str) else value)
        return _Difference("type", f"{subject} {what}, got {shown_value}")
    if name not in body:
        message = f"{schema} does not have the required property {name}"
        return _Difference("missing-property", message)
    field, value = _FIELDS[schema][name], body[name]
    text = f"{schema}.{name} {_expected(field, value, what, redact)}"
    if isinstance(value, str) and "enum" in field.openapi:
        return _Difference("enum-value", text)
    return _Difference("type", text, cause=(name, type(value)))


def _expected(field: ContractField, value: object, what: str, redact: Redact) -> str:
    """Return a problem of a value without the key, and without a hint for who sends requests."""
    text = str(value)
    hidden = redact(text) if not isinstance(value, (dict, list)) else text
    return split_hint(what if hidden == text else field.problem(hidden))[0]


def _unknown(schema: str, value: object, redact: Redact) -> Iterator[_Difference]:
    for name in value if isinstance(value, dict) else ():
        if name not in _FIELDS[schema]:
            message = f"{schema} has the property {quote(redact(name))}"
            yield _Difference("unknown-property", message)


def _type_problem(result: ProbeResult, redact: Redact) -> str:
    """Return what is wrong with the type or the encoding of a body; empty if nothing is."""
    if "content-type" not in result.headers:
        return f"the header Content-Type is missing; expected {_JSON}"
    if (got := _media_type(result)) != _JSON:
        return f"Content-Type must be {_JSON}, got {quote(redact(got))}"
    encoding = result.headers.get("content-encoding", "identity")
    if encoding.strip().lower() != "identity":
        return f"the body has Content-Encoding {quote(redact(encoding))} without being asked to"
    return ""


def _media_type(result: ProbeResult) -> str:
    return result.headers.get("content-type", "").partition(";")[0].strip().lower()


def _error(probe: Probe, value: object, redact: Redact) -> Iterator[_Difference]:
    name = f"{probe.operation} {probe.status}"
    for path, what in body_problems(probe.operation, probe.status, value):
        message = _shape(path, what, value, "Error", redact).message
        yield _Difference("error-body", f"{name}: {message}", cause=(name, path))
    yield from _unknown("Error", value, redact)


def _page(result: ProbeResult, results: Sequence[ProbeResult]) -> Iterator[_Difference]:
    probe, pets = result.probe, result.pets
    if pets is None:
        return
    if len(pets) > probe.limit:
        message = f"a limit of {probe.limit} returns more pets"
        if probe.limit == PAGE_DEFAULT:
            message = f"without a limit, the service returns more than {PAGE_DEFAULT} pets"
        yield _Difference("limit", message, f"{len(pets)} pets")
    elif probe.limit == PAGE_MAX and len(pets) > PAGE_DEFAULT:
        defaults = [
            len(each.pets)
            for each in results
            if each.pets is not None
            and each.probe.limit == PAGE_DEFAULT
            and each.probe.filter is None
        ]
        if defaults and (count := defaults[0]) < PAGE_DEFAULT:
            message = f"without a limit, the service returns fewer than {PAGE_DEFAULT} pets"
            yield _Difference("limit", message, f"{count} instead of {PAGE_DEFAULT} pets")
    if probe.filter is not None:
        name, value = probe.filter
        compares = FILTERS[name].compares
        field = PET_FIELDS[compares]
        # An invalid value has a finding of its own.
        others = [
            pet
            for pet in pets
            if isinstance(pet, dict)
            and (compares not in pet or field.accept(pet[compares]) not in (None, value))
        ]
        if others:
            message = f"{name}={value} returns pets with another {compares}, or without one"
            yield _Difference("filter", message, f"{len(others)} of {len(pets)} pets")


# --- Limits of the comparison -----------------------------------------------------------------


def _not_shown(results: Sequence[ProbeResult]) -> Iterator[str]:
    """Yield what could not be compared with the data of the service."""
    pages = [(each.probe, each.pets) for each in results if each.pets is not None]
    if not pages:
        yield "the service sent no valid list of pets, so no pet and no page was checked"
        return
    if not any(pets for _, pets in pages):
        yield (
            "the service has no pets, so the properties of a pet, the limits, the filters and "
            "getPet of an existing pet were not checked"
        )
        return
    if not listed_ids(results):
        yield "no listed pet has a valid ID, so getPet of an existing pet was not checked"
    most = max(len(pets) for _, pets in pages)
    # A full page of the largest limit shows that the limit has an effect.
    small = [probe.limit for probe, _ in pages if most < min(probe.limit + 1, PAGE_MAX)]
    if small:
        limits = ", ".join(map(str, sorted(set(small))))
        page = f"no page has more than {counted(most, 'pet')}"
        yield f"{page}, so these limits were not checked: {limits}"
    empty = ["=".join(probe.filter) for probe, pets in pages if probe.filter and not pets]
    if empty:
        yield f"no pet matches {', '.join(empty)}, so these filters were not checked"
    if any(len(pets) > COMPARE_PETS for _, pets in pages):
        yield f"of each page, only the first {COMPARE_PETS} pets were checked"
    if is_removed(results):
        yield "getPet seems to be removed, so its errors were not checked"
