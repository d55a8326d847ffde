"""The views of the control API that check and save scenario files."""

from __future__ import annotations

import re
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from mockpets.constants import FILE_BYTES
from mockpets.contract import control_calls as calls
from mockpets.errors import RequestError
from mockpets.scenario import saved_file
from mockpets.units import parse_name, quote
from mockpets.web.control.call import LONG, body_text, json_response, responds_to
from mockpets.web.control.sessions import NO_SAVING, scenario, scenarios
from mockpets.web.jobs import run_job

if TYPE_CHECKING:
    from mockpets.contract.control_types import CheckedScenario, ScenarioDetails, ScenarioList
    from mockpets.web.control.call import ControlRequest, JsonResponse


@responds_to(calls.CHECK_SCENARIO)
async def check_scenario(call: ControlRequest) -> JsonResponse[CheckedScenario]:
    """Check the text of a scenario file, as `mockpets check` does. This changes nothing."""
    from mockpets.scenario.check import check_text

    text, name = body_text(call.request, FILE_BYTES), call.query.get("name", "scenario")
    library = call.context.sessions.shared.library()
    check = partial(check_text, name, text, library)
    result = await run_job(call.request, check, "checking the scenario", is_long=len(text) >= LONG)
    return json_response(cast("Any", asdict(result)))


@responds_to(calls.SAVE_SCENARIO)
async def save_scenario(call: ControlRequest) -> JsonResponse[ScenarioDetails]:
    """Save a scenario file in a `--scenarios-dir`, and reload it.

    To change a file, send `If-Match` with its `digest`; to create one, send `If-None-Match: *`.
    """
    context, name = call.context, _own_name(call)
    digest, text = _expected(call), body_text(call.request, FILE_BYTES)

    def save() -> None:
        from mockpets.scenario.check import load_text

        context.reload()
        library = context.sessions.shared.library()
        path = saved_file.place_of(name, library, context.settings.scenarios_dir)
        load_text(name, text, library, path)
        saved_file.save(path, text, digest)
        context.reload()

    await run_job(call.request, save, "saving the scenario", is_long=len(text) >= LONG)
    response = scenario(call)
    response.status_code = 201 if digest is None else 200
    return response


@responds_to(calls.OVERRIDE_SCENARIO)
async def override_scenario(call: ControlRequest) -> JsonResponse[ScenarioDetails]:
    """Use other text for a scenario in this session only, even if the scenario has no file."""
    from mockpets.scenario.check import load_text

    name, text = _own_name(call), body_text(call.request, FILE_BYTES)
    load = partial(load_text, name, text, call.session.library)
    document = await run_job(call.request, load, "reading the scenario", is_long=len(text) >= LONG)
    status = 200 if name in call.session.documents.overrides else 201
    call.session.override(name, (document, text))
    response = scenario(call)
    response.status_code = status
    return response


@responds_to(calls.DROP_OVERRIDE)
def drop_override(call: ControlRequest) -> JsonResponse[ScenarioList]:
    """Stop overriding a scenario, and list the scenarios.

    A scenario without a file disappears.
    """
    name = call.name.lower()
    if name not in call.session.documents.overrides:
        message = f"this session has no override of scenario {quote(name)}"
        raise RequestError("not_found", message)
    call.session.override(name, None)
    return scenarios(call)


def _own_name(call: ControlRequest) -> str:
    """Return the name in the path if a scenario of your own can have it."""
    if not call.context.sessions.shared.limits.files:
        raise RequestError("forbidden", NO_SAVING)
    try:
        return parse_name(call.name)
    except ValueError as error:
        raise RequestError("invalid_request", f"the name of a scenario {error}") from None


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
