"""Tell a request of the journal in one line, for terminals and test reports."""

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
    """Return number, local time, method, target, status, milliseconds, stubs and what is special.

    What a client sent is in it, made fit for a terminal. A delay stands behind a plus; ``-`` stands
    for the status of a broken connection, and for no stub.
    """
    target = _BASE.sub("", summary["target"])  # all of a journal have the same session
    at = datetime.fromisoformat(summary["at"]).astimezone().strftime("%H:%M:%S.%f")[:-3]
    delay = f" +{summary['delay_ms']:.0f}" if summary["delay_ms"] else ""
    columns = (
        f"{summary['number']:>4}",
        at,
        f"{summary['method']:<6} {target:<28}",
        f"{summary['status'] or '-':>3}",
        f"{summary['app_ms']:.1f}{delay} ms",
        " ".join(summary["stubs"]) or "-",
        "; ".join(_special(summary)),
    )
    return printable("  ".join(columns).rstrip())


def _special(summary: RequestSummary) -> list[str]:
    """Return what is worth knowing of a request beyond the columns."""
    said = {
        "fault {}": summary["fault"],
        "held at {}": summary["hold"],
        "{:g} B/s": summary["throttle"],
    }
    faults = [text.format(value) for text, value in said.items() if value is not None]
    return [*faults, *(note["text"] for note in summary["notes"])]
