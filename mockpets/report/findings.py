"""Reports: the rules of `rules.toml`, and the findings that show broken ones.

`client_checks` checks the requests of a client and builds a `Report`, which `formats` writes.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from mockpets.units import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Rule:
    """What a report checks; its texts are whole sentences, except for the title.

    :param name: in kebab-case, unique.
    :param level: ``error`` if users of the client notice it, or the contract forbids it.
    """

    name: str
    level: Level
    title: str
    explanation: str
    fix: str


def _rules(*, is_document: bool) -> Iterator[Rule]:
    text = Path(__file__).with_name("rules.toml").read_text(encoding="utf-8")
    document = tomllib.loads(text)
    for row in document["client"]:
        advice = document["libraries"].get(row["name"], {})
        if is_document and (own := document["document"].get(row["name"])):
            row |= own
            advice |= own.get("libraries", {})
        fix = [row["fix"], *(f"{library}: {text}." for library, text in advice.items())]
        yield Rule(row["name"], row["level"], row["title"], row["explanation"], " ".join(fix))


@cache
def client_rules(*, is_document: bool) -> tuple[Rule, ...]:
    """Return what a report checks, errors first.

    :param is_document: whether the built-in contract, which some texts name, is not served.
    """
    return tuple(_rules(is_document=is_document))


CLIENT_RULES: Final = client_rules(is_document=False)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A request that shows a finding; its texts come from clients.

    :param request: method and target: ``GET /v1/orders?limit=0``.
    :param response: ``503``, or what happened instead: ``broken``, ``client_left``.
    :param number: in the request log; None if the request is not from one.
    :param at: when it was sent, in ISO 8601 with milliseconds, in UTC.
    :param detail: what else matters, such as ``1.02 s after request 4``; may be empty.
    """

    request: str
    response: str
    number: int | None
    at: str
    detail: str = ""

    def __str__(self) -> str:
        """Return one line: ``request 4, 12:00:01.250Z: GET /v1/orders, 503 (detail)``."""
        time = self.at.partition("T")[2] or self.at
        name = f"request {self.number}, {time}" if self.number else time
        detail = f" ({self.detail})" if self.detail else ""
        return f"{name}: {self.request}, {self.response}{detail}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One place where a rule is broken.

    :param message: what is wrong, with the values; one sentence without a period.
    :param source: where the requests come from: ``session checkout`` or a file.
    :param evidence: at least one request.
    :param file: the source, if it is a file.
    """

    rule: Rule
    message: str
    source: str
    evidence: tuple[Evidence, ...]
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a check.

    :param checked: what was checked, such as ``12 requests in 2 sessions``.
    :param findings: by rule in the order of `CLIENT_RULES`, then by time.
    :param limits: what could not be checked, one sentence each, such as dropped requests.
    :param rules: those that were checked.
    """

    checked: str
    findings: tuple[Finding, ...]
    limits: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = CLIENT_RULES

    @property
    def by_rule(self) -> Mapping[Rule, tuple[Finding, ...]]:
        """The findings of each rule that has any."""
        return {rule: tuple(found) for rule, found in groupby(self.findings, attrgetter("rule"))}

    @property
    def summary(self) -> str:
        """Return ``2 findings of 1 rule in 12 requests in 2 sessions``."""
        if not self.findings:
            return f"no findings in {self.checked}"
        rules = counted(len(self.by_rule), "rule")
        return f"{counted(len(self.findings), 'finding')} of {rules} in {self.checked}"
