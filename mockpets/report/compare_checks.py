"""Compare the responses of the real service with the contract: types and rules, not values.

Each check yields a `_Difference`; equal ones of several requests become one finding.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from mockpets.constants import PAGE_DEFAULT, PAGE_MAX, PROBLEMS_SHOWN
from mockpets.contract.fields import split_hint
from mockpets.contract.openapi import document
from mockpets.contract.schemas import FILTERS, PET_FIELDS, RESPONSES, ErrorSchema
from mockpets.contract.serialization import body_problems
from mockpets.redaction import redacted_target
from mockpets.report.findings import Evidence, Finding, Report
from mockpets.report.probes import Failure, Response, is_removed, listed_ids
from mockpets.report.rules import COMPARE_RULES
from mockpets.strict_json import shown
from mockpets.units import counted, quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mockpets.contract.fields import ContractField
    from mockpets.report.probes import Probe, ProbeResult, Redact

COMPARE_PETS: Final = 1000
"""Maximum number of pets in one response whose properties `mockpets compare` checks."""

_REDIRECTS: Final = (301, 302, 303, 307, 308)
_JSON: Final = "application/json"
_KEYS: Final = {"valid": "", "invalid": "with an invalid key", "missing": "without a key"}
_ERROR_FIELDS: Final[Mapping[str, Any]] = ErrorSchema().fields


@dataclass(frozen=True, slots=True)
class _Difference:
    """A response that is not like the contract.

    :param rule: its name.
    :param message: of the finding; differences with the same message are one finding.
    :param detail: what only this request shows.
    :param cause: replaces the message as what tells differences apart.
    """

    rule: str
    message: str
    detail: str = ""
    cause: tuple[object, ...] = ()

    @property
    def key(self) -> tuple[object, ...]:
        """What is equal for differences that are one finding."""
        return (self.rule, *(self.cause or (self.message,)))


def compare(
    results: Sequence[ProbeResult], source: str, limits: Iterable[str], redact: Redact
) -> Report:
    """Return the report on a service.

    :param source: the base URL of the service.
    :param limits: why some requests were not sent.
    :param redact: replaces the key in texts of the service.
    """
    base = urlsplit(source).path
    groups: dict[tuple[object, ...], list[tuple[_Difference, Evidence]]] = {}
    for result in results:
        for each in _differences(result, results, redact):
            evidence = _evidence(result, each.detail, base, redact)
            groups.setdefault(each.key, []).append((each, evidence))
    findings: list[Finding] = []
    for rule in COMPARE_RULES:
        found = [group for group in groups.values() if group[0][0].rule == rule.name]
        if len(found) > PROBLEMS_SHOWN:
            hidden = len(found) - PROBLEMS_SHOWN
            limits = [*limits, f"{hidden} more findings of {rule.name} are not listed"]
        findings += (
            Finding(rule, group[0][0].message, source, tuple(evidence for _, evidence in group))
            for group in found[:PROBLEMS_SHOWN]
        )
    return Report(
        "Comparison with the service",
        f"{counted(len(results), 'request')} to {source}",
        COMPARE_RULES,
        tuple(findings),
        (*limits, *_not_shown(results)),
    )


def _evidence(result: ProbeResult, detail: str, base: str, redact: Redact) -> Evidence:
    probe, outcome = result.probe, result.outcome
    target = probe.target if probe.pet_id is None else redact(probe.target)
    return Evidence(
        f"{probe.method} {base}{target}",
        str(outcome.status) if isinstance(outcome, Response) else "no response",
        None,
        result.at,
        ", ".join(filter(None, (_KEYS[probe.key], detail))),
    )


# --- Checks -----------------------------------------------------------------------------------


def _differences(
    result: ProbeResult, results: Sequence[ProbeResult], redact: Redact
) -> Iterator[_Difference]:
    """Yield what is not like the contract in one response."""
    probe, outcome = result.probe, result.outcome
    if isinstance(outcome, Failure):
        yield _Difference("no-response", f"no usable response: {outcome.reason}")
    elif outcome.status in _REDIRECTS:
        target = redacted_target(redact(outcome.headers.get("location", "")))
        where = f"to {quote(target)}" if target else "without a Location"
        yield _Difference(
            "redirect", "the service redirects instead of responding", where, ("redirect",)
        )
    elif probe.method == "HEAD":
        yield from _head(probe, outcome, results, redact)
    elif outcome.status != probe.status:
        yield from _status(probe, outcome, results)
    else:
        yield from _headers(probe, outcome)
        yield from _body(probe, outcome, redact)
        yield from _page(result, results)


def _status(
    probe: Probe, response: Response, results: Sequence[ProbeResult]
) -> Iterator[_Difference]:
    if probe.invalid:
        yield _Difference(
            "invalid-input",
            f"{probe.operation} responds to {probe.invalid} with {response.status}, mockpets "
            f"with {probe.status}",
        )
    elif probe.pet_id is not None and is_removed(results):
        yield _Difference(
            "removed-operation",
            f"{probe.operation} of a pet that the service lists responds with {response.status}",
        )
    elif probe.pet_id is None or response.status != 404:  # else it was deleted just now
        key = f" {_KEYS[probe.key]}" if probe.key != "valid" else ""
        yield _Difference(
            "status",
            f"{probe.operation}{key}: expected {probe.status}, got {response.status}",
        )


def _head(
    probe: Probe, response: Response, results: Sequence[ProbeResult], redact: Redact
) -> Iterator[_Difference]:
    for each in results:
        get = each.outcome
        if each.probe.target != probe.target or each.probe.method != "GET":
            continue
        if not isinstance(get, Response) or get.status != each.probe.status:
            return  # it has a finding of its own
        if response.status != get.status:
            message = f"HEAD responds with {response.status}, GET with {get.status}"
            yield _Difference("head", message)
        elif (mine := _media_type(response)) != (other := _media_type(get)):
            of_get = f"GET with {quote(redact(other))}"
            yield _Difference(
                "head", f"HEAD responds with Content-Type {quote(redact(mine))}, {of_get}"
            )


def _headers(probe: Probe, response: Response) -> Iterator[_Difference]:
    """Yield the headers that the OpenAPI document names, and the response does not have."""
    path = probe.target.partition("?")[0] if probe.operation == "listPets" else "/pets/{petId}"
    listed = document()["paths"][path]["get"]["responses"].get(str(probe.status), {})
    for name in listed.get("headers", ()):
        if name.lower() not in response.headers:
            message = f"{probe.operation} {probe.status} does not have the header {name}"
            yield _Difference("missing-header", message)


def _body(probe: Probe, response: Response, redact: Redact) -> Iterator[_Difference]:
    """Yield the problems of a body; all those of an error have one rule."""
    is_error = response.status >= 400
    name = f"{probe.operation} {response.status}"
    if problem := _type_problem(response, redact):
        yield _Difference("error-body" if is_error else "content-type", f"{name}: {problem}")
        if is_error or response.problem:
            return
    if response.problem:
        rule = "error-body" if is_error else "invalid-json"
        yield _Difference(rule, f"{name}: the body is not valid JSON", response.problem)
        return
    yield from (_error if is_error else _content)(probe, response, redact)


def _content(probe: Probe, response: Response, redact: Redact) -> Iterator[_Difference]:
    value = response.value
    pets: Sequence[object] = [value]
    detail = ""
    if RESPONSES[probe.operation][probe.status] == "Pets":
        pets = value[:COMPARE_PETS] if isinstance(value, list) else []
        value = pets or value
        detail = f"in {{}} of {len(pets)} pets" if pets else ""
    found = [
        _shape(path, what, value, redact)
        for path, what in body_problems(probe.operation, probe.status, value)
    ]
    for pet in pets:
        if isinstance(pet, dict):
            found += (_unknown("Pet", name, redact) for name in pet if name not in PET_FIELDS)
    count = Counter(each.key for each in found)
    for key, each in {each.key: each for each in found}.items():
        yield _Difference(each.rule, each.message, detail.format(count[key]), each.cause)


def _shape(path: tuple[str | int, ...], what: str, body: object, redact: Redact) -> _Difference:
    """Return the difference for a problem of the value at a path in a body with pets."""
    name = path[-1] if path else None
    value = body
    for key in path[:-1]:
        value = value[key]  # type: ignore[index]  # the path is a path of the body
    if not isinstance(name, str):  # the whole body, or a whole pet
        value = body if name is None else body[name]  # type: ignore[index]  # as above
        subject = "the body" if name is None else "a Pet"
        return _Difference("type", f"{subject} {what}, got {_shown(value, redact)}")
    assert isinstance(value, dict)  # noqa: S101 - it has a property with a problem
    if name not in value:
        message = f"Pet does not have the required property {name}"
        return _Difference("missing-property", message)
    value = value[name]
    text = f"Pet.{name} {_expected(PET_FIELDS[name], value, what, redact)}"
    if isinstance(value, str) and "enum" in PET_FIELDS[name].openapi:
        return _Difference("enum-value", text)
    return _Difference("type", text, cause=(name, type(value)))


def _expected(field: ContractField, value: object, what: str, redact: Redact) -> str:
    """Return a problem of a value without the key, and without a hint for who sends requests."""
    text = str(value)
    hidden = redact(text) if not isinstance(value, (dict, list)) else text
    return split_hint(what if hidden == text else field.problem(hidden))[0]


def _shown(value: object, redact: Redact) -> str:
    return shown(redact(value) if isinstance(value, str) else value)


def _unknown(schema: str, name: str, redact: Redact) -> _Difference:
    message = f"{schema} has the property {quote(redact(name))}"
    return _Difference("unknown-property", message)


def _type_problem(response: Response, redact: Redact) -> str:
    """Return what is wrong with the type or the encoding of a body; empty if nothing is."""
    if "content-type" not in response.headers:
        return f"the header Content-Type is missing; expected {_JSON}"
    if (got := _media_type(response)) != _JSON:
        return f"Content-Type must be {_JSON}, got {quote(redact(got))}"
    encoding = response.headers.get("content-encoding", "identity")
    if encoding.strip().lower() != "identity":
        return f"the body has Content-Encoding {quote(redact(encoding))} without being asked to"
    return ""


def _media_type(response: Response) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def _error(probe: Probe, response: Response, redact: Redact) -> Iterator[_Difference]:
    name = f"{probe.operation} {response.status}"
    value = response.value
    for path, what in body_problems(probe.operation, response.status, value):
        if not path:
            message = f"the body {what}, got {_shown(value, redact)}"
        else:
            key = str(path[0])
            got = value.get(key) if isinstance(value, dict) else None
            is_missing = isinstance(value, dict) and key not in value
            is_number = key == "status" and isinstance(got, int)
            text = what if is_missing or is_number else None
            text = text or _expected(_ERROR_FIELDS[key], got, what, redact)
            message = f"{key} {text}"
        yield _Difference("error-body", f"{name}: {message}", cause=(name, path))
    for each in value if isinstance(value, dict) else ():
        if each not in _ERROR_FIELDS:
            yield _unknown("Error", each, redact)


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
        count = next((len(each.pets or ()) for each in results if _is_default(each)), len(pets))
        if count < PAGE_DEFAULT:
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


def _is_default(result: ProbeResult) -> bool:
    probe = result.probe
    return result.pets is not None and probe.limit == PAGE_DEFAULT and probe.filter is None


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
