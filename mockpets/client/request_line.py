"""Format a request of the request log as one line, for terminals and test reports."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Final

from mockpets.constants import BASE_MARK
from mockpets.errors import printable

if TYPE_CHECKING:
    from mockpets.contract.control_types import RequestSummary

_BASE: Final = re.compile(f"^/{BASE_MARK}[^/]*")


def request_line(summary: RequestSummary) -> str:
    """Return number, local time, method, target, status, milliseconds, stubs and notes.

    The time that a delay, a gate or a throttle added follows a plus sign. ``-`` is the status of a
    broken connection, or means that no stub took part; ``...`` is the status of a response that has
    not ended. The outcome precedes the notes unless it is ``sent``.
    """
    target = _BASE.sub("", summary["target"])  # all requests of a log have the same session
    time = datetime.fromisoformat(summary["at"]).astimezone().strftime("%H:%M:%S.%f")[:-3]
    status = "..." if summary["outcome"] == "pending" else summary["status"] or "-"
    added = _added_ms(summary)
    cells = (
        f"{summary['number']:>4}",
        time,
        f"{summary['method']:<6} {target:<28}",
        f"{status:>3}",
        f"{summary['app_ms']:.1f}{f' +{added:.0f}' if added else ''} ms",
        " ".join(summary["stubs"]) or "-",
        "; ".join(_remarks(summary)),
    )
    return printable("  ".join(cells)).rstrip()


def _added_ms(summary: RequestSummary) -> float:
    """Return the milliseconds that a delay, a gate and a throttle have added so far."""
    delay, held, total = summary["delay_ms"], summary["held_ms"], summary["total_ms"]
    if total is not None and (held is not None or summary["throttle"]):
        return total - summary["app_ms"]
    return max(delay, held or 0)


def _remarks(summary: RequestSummary) -> list[str]:
    outcome, hold = summary["outcome"], summary["hold"]
    seconds = (summary["held_ms"] or 0) / 1000
    formats = {
        "{}": None if outcome == "sent" else outcome.replace("_", " "),
        "fault {}": summary["fault"],
        "held at {}": hold and f"{hold} for {seconds:.1f} s",
        "{:g} B/s": summary["throttle"],
    }
    remarks = [text.format(value) for text, value in formats.items() if value is not None]
    notes = [note["text"] for note in summary["notes"] if note["code"] != "references"]
    # A fault is also the text of the note that the response is off contract.
    return [*dict.fromkeys([*remarks, *notes])]
