"""The views of the control API that explain a response: of a recorded request, or of any other."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from mockpets.constants import CONTROL_PREFIX
from mockpets.errors import RequestError
from mockpets.web.control.call import body_text, json_response, run_job
from mockpets.web.control.journal import recorded_request

if TYPE_CHECKING:
    from mockpets.contract.control_types import Explanation
    from mockpets.web.control.call import ControlRequest, JsonResponse

_CONTROL_PATH: Final = re.compile(rf"(?:/~[^/]*)?{CONTROL_PREFIX}(?:/.*)?", re.DOTALL)


def explain(call: ControlRequest) -> JsonResponse[Explanation]:
    """Explain a recorded request: what responded, each stub with each condition, and the counts."""
    from mockpets.journal.explanation import explanation  # here, since it slows down the start

    return json_response(explanation(recorded_request(call), call.session.seed, sent=True))


def explain_request(call: ControlRequest) -> JsonResponse[Explanation]:
    """Explain a request that was not sent: what would respond to it now. This changes nothing."""
    from mockpets.journal.explanation import explanation
    from mockpets.scenario.language.verification import parse_request
    from mockpets.web.dry_run import dry_run

    request = parse_request(body_text(call.request))
    path = unquote(request["path"].partition("?")[0])
    if _CONTROL_PATH.fullmatch(path.removeprefix(call.context.settings.prefix)):
        message = "no scenario applies to the control API; send the path of an operation"
        raise RequestError("invalid_request", message)
    if request["method"] == "OPTIONS":
        message = "no scenario applies to a preflight; send the method of the request after it"
        raise RequestError("invalid_request", message)
    context = call.context
    run = partial(dry_run, context.settings, context.sessions, call.session.name, request)
    result = run_job(call, run, "explaining a request", is_long=True)
    return json_response(explanation(result.entry, result.seed, sent=False))
