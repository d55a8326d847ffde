"""The model of a report: the rules that were checked, and the findings that show broken ones.

`mockpets report` checks the requests of a client, `mockpets compare` the responses of a service.
Both build a `Report`, which `report.formats` writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from mockpets.units import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

Level = Literal["error", "warning"]


URL_LENGTH: Final = 200
"""The longest URL in a report, in characters."""


def shortened(url: str) -> str:
    """Return a URL with its end cut off if it is long."""
    return url if len(url) <= URL_LENGTH else f"{url[: URL_LENGTH - 3]}..."


@dataclass(frozen=True, slots=True)
class Rule:
    """What a report checks.

    :param name: in kebab-case, unique in its report.
    :param level: ``error`` if users of the client notice it, or the contract forbids it.
    :param title: the problem in a few words, such as "Retry without growing pauses".
    :param explanation: when there is a finding, and why it matters; whole sentences.
    :param fix: how to fix it; whole sentences.
    """

    name: str
    level: Level
    title: str
    explanation: str
    fix: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A request that shows a finding.

    Texts come from clients and services, so every format escapes them.

    :param request: method and target: ``GET /v1/pets?limit=0``.
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
        """Return one line: ``request 4, 12:00:01.250Z: GET /v1/pets, 503 (detail)``."""
        time = self.at.partition("T")[2] or self.at
        name = f"request {self.number}, {time}" if self.number else time
        detail = f" ({self.detail})" if self.detail else ""
        return f"{name}: {self.request}, {self.response}{detail}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One place where a rule is broken.

    :param message: what is wrong, with the values; one sentence without a period.
    :param source: where the requests come from: ``session checkout``, a file or a URL.
    :param file: the source, if it is a file.
    :param evidence: the requests that show it, in their order; at least one.
    """

    rule: Rule
    message: str
    source: str
    evidence: tuple[Evidence, ...]
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a check.

    :param title: such as "Client behaviour".
    :param checked: what was checked, such as ``12 requests in 2 sessions``.
    :param rules: all that were checked, in the order in which they are listed: errors first.
    :param findings: in the order of the rules, and in their order in time.
    :param limits: what could not be checked, one sentence each, such as dropped requests.
    """

    title: str
    checked: str
    rules: tuple[Rule, ...]
    findings: tuple[Finding, ...]
    limits: tuple[str, ...] = ()

    @property
    def by_rule(self) -> Mapping[Rule, tuple[Finding, ...]]:
        """The findings of each rule that has any."""
        found = {
            rule: tuple(each for each in self.findings if each.rule is rule) for rule in self.rules
        }
        return {rule: findings for rule, findings in found.items() if findings}

    @property
    def summary(self) -> str:
        """Return ``2 findings of 1 rule in 12 requests in 2 sessions``."""
        if not self.findings:
            return f"no findings in {self.checked}"
        return (
            f"{counted(len(self.findings), 'finding')} of {counted(len(self.by_rule), 'rule')} "
            f"in {self.checked}"
        )
