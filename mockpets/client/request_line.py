"""Format a request of the journal as one line, for terminals and test reports."""

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

    Control characters are escaped. A delay follows a plus sign. ``-`` is the status of a broken
    connection, or means that no stub took part. The outcome precedes the notes unless it is
    ``sent``.
    """
    target = _BASE.sub("", summary["target"])  # every request of a journal has the same session
    time = datetime.fromisoformat(summary["at"]).astimezone().strftime("%H:%M:%S.%f")[:-3]
    delay = f" +{summary['delay_ms']:.0f}" if summary["delay_ms"] else ""
    columns = (
        f"{summary['number']:>4}",
        time,
        f"{summary['method']:<6} {target:<28}",
        f"{summary['status'] or '-':>3}",
        f"{summary['app_ms']:.1f}{delay} ms",
        " ".join(summary["stubs"]) or "-",
        "; ".join(_remarks(summary)),
    )
    return printable("  ".join(columns).rstrip())


def _remarks(summary: RequestSummary) -> list[str]:
    """Return the outcome, fault, gate, throttle rate and notes of a request."""
    outcome = summary["outcome"]
    formats = {
        "{}": None if outcome == "sent" else outcome.replace("_", " "),
        "fault {}": summary["fault"],
        "held at {}": summary["hold"],
        "{:g} B/s": summary["throttle"],
    }
    remarks = [text.format(value) for text, value in formats.items() if value is not None]
    return [*remarks, *(note["text"] for note in summary["notes"])]
