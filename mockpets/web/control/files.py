"""The views of the control API that check and save scenario files."""

from __future__ import annotations

import re
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from mockpets.constants import FILE_BYTES, NAME_LENGTH, SCENARIO_NAME
from mockpets.contract.query_parameters import Parameter
from mockpets.errors import DocumentError, RequestError
from mockpets.scenario import saved_file
from mockpets.units import quote
from mockpets.web.control.call import LONG, body_text, json_response, run_job
from mockpets.web.control.sessions import NO_SAVING, scenario

if TYPE_CHECKING:
    from mockpets.contract.control_types import CheckedScenario, ScenarioDetails
    from mockpets.web.control.call import ControlRequest, JsonResponse


def _name(text: str) -> str:
    if re.fullmatch(SCENARIO_NAME, text) and len(text) <= NAME_LENGTH:
        return text
    form = f"kebab-case (a-z, 0-9, single hyphens; at most {NAME_LENGTH} characters)"
    raise ValueError(f"must be in {form}, got {quote(text)}")


CHECK_PARAMETERS: Final = {
    "name": Parameter("Name of the scenario.", {"type": "string", "default": "scenario"}, _name)
}


def check_scenario(call: ControlRequest) -> JsonResponse[CheckedScenario]:
    """Check the text of a scenario file, as `mockpets check` does. This changes nothing."""
    from mockpets.scenario.check import check_text

    text, name = body_text(call.request, FILE_BYTES), call.query.get("name", "scenario")
    library = call.context.sessions.shared.library()
    check = partial(check_text, name, text, library)
    result = run_job(call, check, "checking the scenario", is_long=len(text) >= LONG)
    return json_response(cast("Any", asdict(result)))


def save_scenario(call: ControlRequest) -> JsonResponse[ScenarioDetails]:
    """Save a scenario file in a `--scenarios-dir`, and reload it.

    Send `If-Match` with the `digest` of the file that you have changed, or `If-None-Match: *` for
    a new one.
    """
    context = call.context
    if context.settings.public:
        raise RequestError("forbidden", NO_SAVING)
    try:
        name = _name(call.name)
    except ValueError as error:
        raise RequestError("invalid_request", f"the name of a scenario {error}") from None
    digest, text = _expected(call), body_text(call.request, FILE_BYTES)

    def save() -> None:
        from mockpets.scenario.check import check_text

        context.reload()
        library = context.sessions.shared.library()
        path = saved_file.place_of(name, library, context.settings.scenarios_dir)
        result = check_text(name, text, library, path)
        if result.problems:
            raise DocumentError(result.problems)
        saved_file.save(path, text, digest)
        context.reload()

    run_job(call, save, "saving the scenario", is_long=len(text) >= LONG)
    response = scenario(call)
    response.status_code = 201 if digest is None else 200
    return response


def _expected(call: ControlRequest) -> str | None:
    """Return the digest of the file to replace; None for a new file."""
    headers = call.request.headers
    match, none = headers.get("If-Match"), headers.get("If-None-Match")
    digest = re.fullmatch('"([0-9a-f]{32})"', match or "")
    if digest is not None and none is None:
        return digest[1]
    if match is None and none == "*":
        return None
    message = (
        "send If-Match with the digest of the file in double quotes (GET scenarios/NAME), or "
        "If-None-Match: * for a new file"
    )
    raise RequestError("invalid_request", message)
