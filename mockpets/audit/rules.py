"""The rules of the audit, as the documentation and ``--fail-on`` name them.

`kit/audit/` checks them, and writes the title and the advice of each cause.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from mockpets.audit.result import Level


class AuditRule(NamedTuple):
    """What an audit reports.

    :param text: what the page or action does; the end of a sentence that begins with "it".
    """

    name: str
    level: Level
    text: str


RULES: Final = (
    AuditRule("blank", "error", "shows nothing at all after the failure"),
    AuditRule("stuck", "error", "keeps showing its loading state"),
    AuditRule("looks-empty", "error", "shows what it shows for an empty list"),
    AuditRule("silent", "error", "loses its content, or fails, without a message"),
    AuditRule("collateral", "error", "loses texts of operations that succeeded"),
    AuditRule("uncaught", "error", "throws an exception that nothing catches"),
    AuditRule("storm", "error", "sends an operation's request five or more times in two seconds"),
    AuditRule("input-lost", "error", "loses what the user typed"),
    AuditRule("double-send", "error", "sends a creating POST twice on a second click"),
    AuditRule("raw-exception", "warning", "shows the text of an exception"),
    AuditRule("raw-response", "warning", "shows the text of a 5xx response"),
    AuditRule("artefact", "warning", "shows `undefined`, `[object Object]` or `NaN`"),
    AuditRule("moved", "warning", "goes to another address"),
    AuditRule("dead-end", "warning", "has no link or button left"),
    AuditRule("unhandled-rejection", "warning", "leaves a rejected promise unhandled"),
    AuditRule("blank-loading", "warning", "shows nothing while it loads"),
    AuditRule("not-announced", "note", "shows a message outside of live regions and headings"),
    AuditRule("no-loading", "note", "shows no sign of loading"),
    AuditRule("blocked", "note", "withholds other content until one response arrives"),
    AuditRule("no-empty", "note", "shows nothing in place of an empty list"),
)
"""Errors first, then warnings and notes."""
