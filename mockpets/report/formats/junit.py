"""A report as JUnit XML, for GitLab, Jenkins and others: each rule is a test case."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from mockpets.errors import printable
from mockpets.report.formats.text import lines_of

if TYPE_CHECKING:
    from mockpets.report.findings import Report


def write(report: Report) -> str:
    """Return the XML, in ASCII, so that every terminal keeps it unchanged.

    A rule with findings is a test case with one failure, since some readers show only the first.
    """
    title = printable(report.title)
    broken = report.by_rule
    counts = {"tests": str(len(report.rules)), "failures": str(len(broken)), "errors": "0"}
    root = ET.Element("testsuites", {"name": "mockpets", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": title, **counts})
    for rule in report.rules:
        names = {"name": f"{rule.title} ({rule.name})", "classname": f"mockpets.{title}"}
        case = ET.SubElement(suite, "testcase", names)
        if findings := broken.get(rule):
            lines = [line for each in findings for line in lines_of(each)]
            message = printable(findings[0].message)
            if more := len(findings) - 1:
                message += f" (and {more} more)"
            failure = ET.SubElement(case, "failure", {"type": rule.level, "message": message})
            failure.text = "\n".join([*lines, f"Why: {rule.explanation}", f"Fix: {rule.fix}"])
    notes = [report.summary, *(f"not checked: {limit}" for limit in report.limits)]
    ET.SubElement(suite, "system-out").text = "\n".join(map(printable, notes))
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="us-ascii", xml_declaration=True)
    return text.decode("ascii")
