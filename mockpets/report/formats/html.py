"""A report as one HTML page that needs no script and no other file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from mockpets.constants import VERSION
from mockpets.errors import printable

if TYPE_CHECKING:
    from mockpets.report.findings import Report

_CSP: Final = "default-src 'none'; style-src 'unsafe-inline'"
# The colours are those of the panel.
_STYLE: Final = """
:root {
  color-scheme: light dark;
  --ground: light-dark(#f4f6f8, #12151a);
  --card: light-dark(#fff, #1a1e25);
  --line: light-dark(#d5dae1, #343c48);
  --text: light-dark(#1a1f26, #e6e9ee);
  --soft: light-dark(#525c68, #a5afbb);
  --accent: light-dark(#0b6659, #63d3c1);
  --warn: light-dark(#854d00, #f2b963);
  --warn-ground: light-dark(#fdf0d9, #3a2c12);
  --bad: light-dark(#b0221b, #ff958c);
  --bad-ground: light-dark(#fde7e5, #41201e);
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground);
}
*, ::before, ::after { box-sizing: border-box; }
body { max-width: 64rem; margin: 0 auto; padding: 1.5rem 1rem; overflow-wrap: anywhere; }
h1 { margin: 0; font-size: 1.6rem; }
h2 { margin: 0 0 0.5rem; font-size: 1.15rem; }
h3 { margin: 1.25rem 0 0.5rem; font-size: 1rem; }
p, ul { margin: 0.5rem 0; }
a { color: var(--accent); }
section {
  margin: 1rem 0; padding: 1rem; border: 1px solid var(--line); border-radius: 8px;
  background: var(--card);
}
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.35rem 0.75rem 0.35rem 0; border-top: 1px solid var(--line); text-align: left; }
th, td { vertical-align: baseline; }
th { font-weight: inherit; }
thead th { color: var(--soft); font-size: 0.85rem; overflow-wrap: normal; }
th:first-child { width: 100%; }
td { white-space: nowrap; }
td:last-child, th:last-child:not(:first-child) { padding-right: 0; text-align: right; }
code, .requests { font-family: var(--mono); font-size: 0.85rem; }
ul { padding-left: 1.25rem; }
small, footer { color: var(--soft); font-weight: 400; }
.level { padding: 0.1rem 0.5rem; border-radius: 99px; font: 600 0.8rem/1.5 system-ui, sans-serif; }
.error { color: var(--bad); background: var(--bad-ground); }
.warning { color: var(--warn); background: var(--warn-ground); }
"""


def write(report: Report) -> str:
    """Return the page, in ASCII, so that it is the same in every encoding.

    The page is built as a tree, so that no text can become an element or an attribute.
    """
    page = ET.Element("html", {"lang": "en"})
    head = ET.SubElement(page, "head")
    ET.SubElement(head, "meta", {"charset": "utf-8"})
    ET.SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": _CSP})
    width = {"name": "viewport", "content": "width=device-width, initial-scale=1"}
    ET.SubElement(head, "meta", width)
    _add(head, "title", report.title)
    ET.SubElement(head, "style").text = _STYLE
    body = ET.SubElement(page, "body")
    main = ET.SubElement(body, "main")
    _add(main, "h1", report.title)
    _add(main, "p", report.summary)
    if report.limits:
        section = ET.SubElement(main, "section")
        _add(section, "h2", "Not checked")
        entries = ET.SubElement(section, "ul")
        for limit in report.limits:
            _add(entries, "li", limit)
    _add_rules(main, report)
    _add_findings(main, report)
    _add(ET.SubElement(body, "footer"), "p", f"Written by mockpets {VERSION}.")
    text: bytes = ET.tostring(page, encoding="us-ascii", method="html")
    return f"<!doctype html>\n{text.decode('ascii')}"


def _add_rules(main: ET.Element, report: Report) -> None:
    """Add a table of all rules that were checked, with links to the broken ones."""
    section = ET.SubElement(main, "section")
    _add(section, "h2", "Rules")
    table = ET.SubElement(section, "table")
    row = ET.SubElement(ET.SubElement(table, "thead"), "tr")
    for column in ("Rule", "Level", "Findings"):
        _add(row, "th", column, scope="col")
    rows = ET.SubElement(table, "tbody")
    for rule in report.rules:
        findings = report.by_rule.get(rule, ())
        row = ET.SubElement(rows, "tr")
        if findings:
            _add(_add(row, "th", "", scope="row"), "a", rule.title, href=f"#{rule.name}")
            _add(_add(row, "td", ""), "span", rule.level, **{"class": f"level {rule.level}"})
        else:
            _add(row, "th", rule.title, scope="row")
            _add(row, "td", rule.level)
        _add(row, "td", str(len(findings)))


def _add_findings(main: ET.Element, report: Report) -> None:
    """Add a section for each broken rule."""
    for rule, findings in report.by_rule.items():
        section = ET.SubElement(main, "section", {"id": rule.name})
        heading = _add(section, "h2", f"{rule.title} ")
        _add(heading, "span", rule.level, **{"class": f"level {rule.level}"})
        _add(section, "p", rule.explanation)
        fix = ET.SubElement(section, "p")
        _add(fix, "strong", "Fix:").tail = f" {printable(rule.fix)}"
        for finding in findings:
            message = _add(section, "h3", f"{finding.message} ")
            _add(message, "small", f"({finding.source})")
            requests = ET.SubElement(section, "ul", {"class": "requests"})
            for each in finding.evidence:
                _add(requests, "li", str(each))
        name = _add(section, "p", "Rule: ")
        _add(name, "code", rule.name)


def _add(parent: ET.Element, tag: str, text: str, **attributes: str) -> ET.Element:
    """Add an element with a text, and return it."""
    element = ET.SubElement(parent, tag, attributes)
    element.text = printable(text)
    return element
