"""A report as text, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockpets.errors import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockpets.report.findings import Finding, Report


def write(report: Report) -> str:
    """Return a summary, then each broken rule with its findings and how to fix it."""
    return "\n".join(map(printable, _lines(report)))


def lines_of(finding: Finding) -> list[str]:
    """Return a finding and below it its requests, in lines without unprintable characters."""
    lines = [f"{finding.source}: {finding.message}", *(f"  {each}" for each in finding.evidence)]
    return [printable(line) for line in lines]


def _lines(report: Report) -> Iterator[str]:
    yield report.summary
    for limit in report.limits:
        yield f"not checked: {limit}"
    for rule, findings in report.by_rule.items():
        yield ""
        yield f"{rule.level}: {rule.title} ({rule.name})"
        for finding in findings:
            yield from (f"  {line}" for line in lines_of(finding))
        yield f"  Why: {rule.explanation}"
        yield f"  Fix: {rule.fix}"
