"""What `mockpets audit` prints: a summary for a terminal, or annotations for GitHub Actions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mockpets.errors import printable
from mockpets.report.formats import annotation, markdown
from mockpets.units import counted, either, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mockpets.audit.result import Cause, Level, Result

TITLE: Final = "Front-end audit"
LINES: Final = 30
"""The most lines of a summary."""
_NOTES: Final = 3
"""The most notes in a summary."""
_NAMES: Final = 8
"""The most operations in the line about those that were not reached."""
_COMMANDS: Final[dict[Level, str]] = {"error": "error", "warning": "warning", "note": "notice"}
"""The workflow commands of GitHub Actions by level."""


def new_causes(result: Result) -> list[Cause]:
    """Return the causes that are neither accepted nor in the baseline."""
    return [each for each in result["causes"] if each["accepted"] is None and not each["known"]]


def as_text(result: Result, files: Iterable[str] = ()) -> str:
    """Return a summary of at most `LINES` lines, some of which may be longer than a terminal.

    :param files: what the audit has written, as the user would name it.
    """
    causes = new_causes(result)
    head = [_measures(result), _counts(causes), *_remarks(result)]
    tail = [*_not_listed(result), *(f"wrote {file}" for file in files)]
    room = LINES - len(head) - len(tail) - 2  # blank lines
    listed = causes if 2 * len(causes) <= room else causes[: (room - 1) // 2]
    lines = [line for cause in listed for line in _lines_of(cause, result)]
    if more := len(causes) - len(listed):
        lines.append(f"and {counted(more, 'more cause')}")
    parts = filter(None, (head, lines, tail))
    return "\n\n".join("\n".join(map(printable, part)) for part in parts)


def as_annotations(result: Result) -> str:
    """Return workflow commands: an annotation with the counts, and one for each cause."""
    causes = new_causes(result)
    lines = [_measures(result), _counts(causes), *_remarks(result), *_not_listed(result)]
    commands = [annotation("notice", TITLE, lines)]
    for cause in causes:
        title, example = _lines_of(cause, result)
        text = [example.strip(), cause["advice"]]
        commands.append(annotation(_COMMANDS[cause["level"]], title.partition(": ")[2], text))
    return "\n".join(commands)


def as_markdown(result: Result, files: Iterable[str] = ()) -> str:
    """Return the summary for the page of a job of GitHub Actions."""
    return markdown(TITLE, as_text(result, files))


def _measures(result: Result) -> str:
    """Return ``4 pages, 3 actions, 167 probes in 4 min 38 s, signed in as jake``."""
    minutes, seconds = divmod(round(result["seconds"]), 60)
    time = f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
    run, planned = result["probes"]["run"], result["probes"]["planned"]
    probes = f"{run} of {planned} probes" if run < planned else counted(run, "probe")
    pages, actions = (
        counted(len(result["pages"]), "page"),
        counted(len(result["actions"]), "action"),
    )
    user = f", signed in as {result['signed_in']}" if result["signed_in"] else ""
    return f"{pages}, {actions}, {probes} in {time}{user}"


def _counts(causes: list[Cause]) -> str:
    """Return ``4 errors, 2 warnings and 1 note``."""
    levels = Counter(cause["level"] for cause in causes)
    counts = [counted(levels[level], level) for level in _COMMANDS if levels[level]]
    return either(counts, "and") if counts else "no findings"


def _remarks(result: Result) -> Iterator[str]:
    """Yield what limits the result."""
    if not result["complete"]:
        yield "incomplete: interrupted, or out of time; --minutes allows more"
    yield from (f"note: {each}" for each in result["notes"][:_NOTES])
    if more := len(result["notes"][_NOTES:]):
        yield f"note: {counted(more, 'more note')} in the report"
    if result["not_reached"]:
        yield f"not reached: {shortened(result['not_reached'], 'and', _NAMES)}"


def _lines_of(cause: Cause, result: Result) -> tuple[str, str]:
    """Return the title of a cause with its level and id, and its smallest example."""
    finding = result["findings"][cause["findings"][0]]
    place = f"{finding['page']}, {finding['action']}" if finding["action"] else finding["page"]
    state = finding["expression"] or f"{finding['operation']} {finding['state']}"
    title = f"{cause['level']}: {cause['title']} ({cause['id']})"
    return title, f"  {place}: {state}: {finding['message']}"


def _not_listed(result: Result) -> Iterator[str]:
    """Yield the number of causes that are accepted or known, if there are any."""
    accepted = sum(cause["accepted"] is not None for cause in result["causes"])
    known = len(result["causes"]) - accepted - len(new_causes(result))
    parts = [f"{accepted} accepted"] if accepted else []
    parts += [f"{known} in the baseline"] if known else []
    if parts:
        yield f"not listed: {' and '.join(parts)}"
