"""A report for GitHub Actions: annotations for the log, and a summary for the page of the run.

GitHub reads annotations from the lines of a step's standard output, as workflow commands. The
summary is Markdown that a step appends to a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

from mockpets.errors import printable
from mockpets.report.findings import Level
from mockpets.report.formats.markdown import blocks
from mockpets.report.formats.text import lines_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mockpets.report.findings import Report

ANNOTATIONS: Final = 10
"""GitHub shows at most this number of errors, and of warnings, for each step."""
SUMMARY_BYTES: Final = 1024 * 1024
"""GitHub rejects the summary of a step if it is larger."""
_CUT: Final = (
    "**The rest is left out, since GitHub allows 1 MiB for the summary of a step. "
    "To get the whole report, use `--format markdown -o FILE`.**"
)


def write(report: Report) -> str:
    """Return an annotation with the summary, and one for each finding up to GitHub's limit."""
    commands: list[str] = []
    notes = [report.summary]
    for level in get_args(Level):
        findings = [each for each in report.findings if each.rule.level == level]
        commands += [
            _command(level, f"{each.rule.title} ({each.rule.name})", lines_of(each))
            for each in findings[:ANNOTATIONS]
        ]
        if len(findings) > ANNOTATIONS:
            notes.append(
                f"GitHub shows {ANNOTATIONS} of {len(findings)} {level}s here; "
                "the summary of the job lists all"
            )
    return "\n".join([_command("notice", report.title, notes), *commands])


def summary(report: Report, room: int) -> str:
    """Return the summary as Markdown.

    :param room: how many bytes it may have. What does not fit is replaced by a sentence.
    """
    shown: list[str] = []
    room -= len(_CUT)
    for block in blocks(report):
        room -= len(f"{block}\n\n".encode())
        if room < 0:
            return "\n\n".join([*shown, _CUT])
        shown.append(block)
    return "\n\n".join(shown)


def _command(name: str, title: str, lines: Iterable[str]) -> str:
    """Return a workflow command: one line, in which GitHub's runner decodes ``%`` escapes."""
    message = "\n".join(map(printable, lines))
    title = _encoded(printable(title)).replace(":", "%3A").replace(",", "%2C")
    return f"::{name} title={title}::{_encoded(message)}"


def _encoded(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
