"""A report as SARIF 2.1.0, for GitHub code scanning and other tools."""

from __future__ import annotations

import json
import os
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from mockpets.constants import VERSION
from mockpets.errors import printable
from mockpets.report.formats.markdown import escaped
from mockpets.report.formats.text import lines_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mockpets.report.findings import Finding, Report, Rule


def write(report: Report) -> str:
    """Return the SARIF document, in ASCII, so that every terminal keeps it unchanged."""
    driver = {
        "name": "mockpets",
        "version": VERSION,
        "rules": [_rule(rule) for rule in report.rules],
    }
    notes = [{"level": "warning", "message": _message([limit])} for limit in report.limits]
    run = {
        "tool": {"driver": driver},
        # GitHub keeps the results of several kinds of report apart by this.
        "automationDetails": {"id": f"{report.title.lower().replace(' ', '-')}/"},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notes}],
        "results": [*_results(report)],
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.name,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.explanation},
        "help": {"text": rule.fix, "markdown": escaped(rule.fix)},
        "defaultConfiguration": {"level": rule.level},
    }


def _results(report: Report) -> Iterator[dict[str, Any]]:
    seen: Counter[str] = Counter()
    for finding in report.findings:
        rule = finding.rule
        # What stays the same in the next run of the tests: no time, and no name of a session. Of
        # equal findings, the number tells them apart.
        same = f"{rule.name} {finding.evidence[0].request}"
        digest = sha256(same.encode("utf-8", "backslashreplace")).hexdigest()[:32]
        seen[digest] += 1
        yield {
            "ruleId": rule.name,
            "ruleIndex": report.rules.index(rule),
            "level": rule.level,
            "message": _message(lines_of(finding)),
            "locations": [_location(finding)],
            "partialFingerprints": {"primaryLocationLineHash": f"{digest}:{seen[digest]}"},
        }


def _location(finding: Finding) -> dict[str, Any]:
    """Return where the requests are from.

    GitHub rejects a result without the URI of a file. For a session or a server, that is its name,
    as a relative URI.
    """
    uri = quote(printable(finding.source)) if finding.file is None else _uri(finding.file)
    logical = {"name": printable(finding.source), "kind": "resource"}
    return {
        "physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": 1}},
        "logicalLocations": [logical],
    }


def _uri(file: str) -> str:
    """Return the URI of a file, relative to the working directory if it is below."""
    path = Path(os.path.abspath(file))  # noqa: PTH100 - Path.absolute() keeps `..`
    if path.is_relative_to(Path.cwd()):
        return quote(os.fsencode(path.relative_to(Path.cwd()).as_posix()))
    return path.as_uri()


def _message(lines: Iterable[str]) -> dict[str, str]:
    """Return a message in which nothing is a link; SARIF has ``[text](target)`` in plain text."""
    text = "\n".join(map(printable, lines))
    return {"text": text.replace("[", "\\[") if "](" in text else text}
