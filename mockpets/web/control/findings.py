"""The view of the control API that reports what a session's requests show."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from mockpets.constants import VERSION
from mockpets.web.control.call import json_response, run_job

if TYPE_CHECKING:
    from mockpets.contract.control_types import Findings
    from mockpets.web.control.call import ControlRequest, JsonResponse


def findings(call: ControlRequest) -> JsonResponse[Findings]:
    """Report what the front end does wrong in this session, and its state coverage.

    Both are the JSON of `mockpets report`, from the request log of this session.
    """
    # Imported here, since it would slow down the start.
    from mockpets.journal import coverage
    from mockpets.journal.har import document
    from mockpets.report import coverage as coverage_report
    from mockpets.report.client_checks import build, dropped_limit
    from mockpets.report.formats import as_document
    from mockpets.report.har import requests_of

    session = call.session
    journal = session.journal

    def report() -> Findings:
        entries = journal.entries()
        requests = requests_of(document(entries, VERSION))
        checks = build(requests, "1 session", dropped_limit(session.name, journal.dropped))
        covered = coverage.build(coverage.rows_of(entries))
        result = {
            "report": as_document(checks),
            "coverage": coverage_report.as_document(covered),
        }
        return cast("Findings", result)

    what = "checking the requests"
    return json_response(run_job(call, report, what, is_long=True))
