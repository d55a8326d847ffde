"""A report as JSON, for other programs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from mockpets.constants import VERSION

if TYPE_CHECKING:
    from mockpets.report.findings import Report


def write(report: Report) -> str:
    """Return a report as a JSON object, in ASCII, so that every terminal keeps it unchanged.

    A finding has the name of its rule; the rules have all their texts.
    """
    document = {
        "version": VERSION,
        "title": report.title,
        "summary": report.summary,
        "checked": report.checked,
        "limits": report.limits,
        "rules": [asdict(rule) for rule in report.rules],
        "findings": [asdict(each) | {"rule": each.rule.name} for each in report.findings],
    }
    return json.dumps(document, indent=2)
