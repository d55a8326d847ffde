"""A report as Markdown, for a pull request or the summary of a CI job."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mockpets.errors import printable
from mockpets.report.formats.text import lines_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mockpets.report.findings import Report


def write(report: Report) -> str:
    """Return a table of the broken rules, and each rule with its findings."""
    return "\n\n".join(blocks(report))


def blocks(report: Report) -> Iterator[str]:
    """Yield the parts of the document, each complete in itself, with an empty line between them.

    Texts of requests are only in fenced code blocks, in which nothing is a link, a mention or HTML.
    """
    yield f"## {escaped(report.title)}"
    yield f"**{escaped(report.summary)}**"
    if report.limits:
        yield "Not checked:"
        yield _fenced(map(printable, report.limits))
    if not report.findings:
        return
    rows = [
        f"| {rule.level} | {escaped(rule.title)} | {len(findings)} |"
        for rule, findings in report.by_rule.items()
    ]
    yield "\n".join(["| level | rule | findings |", "|---|---|---:|", *rows])
    for rule, findings in report.by_rule.items():
        yield f"### {escaped(rule.title)}"
        yield escaped(rule.explanation)
        yield f"**Fix:** {escaped(rule.fix)} (Rule: `{rule.name}`)"
        for finding in findings:
            yield _fenced(lines_of(finding))


def _fenced(lines: Iterable[str]) -> str:
    """Return lines as a code block whose fence is longer than any in the lines."""
    text = "\n".join(lines)
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def escaped(text: str) -> str:
    """Return a text of a rule or a summary without the effect of Markdown's characters.

    Names with ``@`` are code, since GitHub and GitLab would notify users of these names.
    """
    return re.sub(
        r"@[\w/@-]+|[\\`*_\[\]<>#|&~$]",
        lambda match: f"`{match[0]}`" if len(match[0]) > 1 else f"\\{match[0]}",
        printable(text),
    )
