"""The views of the control API for the state coverage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mockpets.constants import VERSION
from mockpets.web.control.call import json_response, run_job

if TYPE_CHECKING:
    from mockpets.contract.control_types import ClearedCoverage, StateCoverage
    from mockpets.web.control.call import ControlRequest, JsonResponse

_AT_ONCE: Final = 200
"""The most counters to read on the app's thread, which takes about a millisecond."""


def coverage(call: ControlRequest) -> JsonResponse[StateCoverage]:
    """Return which states of each operation the server has sent, in all sessions."""
    counted = call.context.coverage
    is_long = len(counted) > _AT_ONCE
    rows = run_job(call, counted.rows, "reading the state coverage", is_long=is_long)
    total = sum(row["count"] for row in rows)
    return json_response({"version": VERSION, "total": total, "rows": rows})


def clear(call: ControlRequest) -> JsonResponse[ClearedCoverage]:
    """Start the state coverage again at zero."""
    return json_response({"cleared": call.context.coverage.clear()})
