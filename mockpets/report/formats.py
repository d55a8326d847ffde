"""Write a report as text or JSON, or as annotations and Markdown for GitHub Actions.

Each format escapes the texts of clients in its own way.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import VERSION
from mockpets.errors import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mockpets.report.findings import Finding, Report

_TITLE: Final = "Client behaviour"


def _lines_of(finding: Finding) -> list[str]:
    return [f"{finding.source}: {finding.message}", *(f"  {each}" for each in finding.evidence)]


def as_text(report: Report) -> str:
    """Return a summary, then each broken rule with its findings and how to fix it."""
    lines = [report.summary, *(f"not checked: {limit}" for limit in report.limits)]
    for rule, findings in report.by_rule.items():
        lines += ["", f"{rule.level}: {rule.title} ({rule.name})"]
        lines += [f"  {line}" for finding in findings for line in _lines_of(finding)]
        lines += [f"  Why: {rule.explanation}", f"  Fix: {rule.fix}"]
    return "\n".join(map(printable, lines))


def as_document(report: Report) -> dict[str, Any]:
    """Return the JSON object of a report."""
    return {
        "version": VERSION,
        "title": _TITLE,
        "summary": report.summary,
        "checked": report.checked,
        "limits": report.limits,
        "rules": [asdict(rule) for rule in report.rules],
        "findings": [asdict(each) | {"rule": each.rule.name} for each in report.findings],
    }


def as_json(report: Report) -> str:
    """Return a JSON object, in ASCII, so that every terminal keeps it unchanged."""
    return json.dumps(as_document(report), indent=2)


# --- Markdown -----------------------------------------------------------------------------------


def as_markdown(report: Report) -> str:
    """Return the text under a heading, as `markdown` does."""
    return markdown(_TITLE, as_text(report))


def markdown(title: str, text: str) -> str:
    """Return a heading, and a text as a code block, in which nothing is a link, mention or HTML."""
    # Longer than any fence in the text.
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"## {title}\n\n{fence}text\n{text}\n{fence}"


# --- GitHub Actions -----------------------------------------------------------------------------


def as_annotations(report: Report) -> str:
    """Return workflow commands: an annotation with the summary, and one for each finding.

    GitHub shows ten errors and ten warnings of each step; the summary of the job lists all.
    """
    findings = [
        annotation(each.rule.level, f"{each.rule.title} ({each.rule.name})", _lines_of(each))
        for each in report.findings
    ]
    return "\n".join([annotation("notice", _TITLE, [report.summary]), *findings])


def annotation(name: str, title: str, lines: Iterable[str]) -> str:
    """Return a workflow command: one line, in which GitHub's runner decodes ``%`` escapes.

    :param name: ``error``, ``warning`` or ``notice``.
    """
    message = "\n".join(map(printable, lines))
    title = _encoded(printable(title)).replace(":", "%3A").replace(",", "%2C")
    return f"::{name} title={title}::{_encoded(message)}"


def _encoded(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


WRITERS: Final[Mapping[str, Callable[[Report], str]]] = {
    "text": as_text,
    "github": as_annotations,
    "markdown": as_markdown,
    "json": as_json,
}
"""The formats of the command, and the Markdown that GitHub gets besides its annotations."""
