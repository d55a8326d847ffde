"""The views of the control API for gates, at which scenarios hold responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockpets.errors import RequestError, did_you_mean
from mockpets.units import quote
from mockpets.web.control.call import body_text, json_response
from mockpets.web.control.waiting import wait_until

if TYPE_CHECKING:
    from mockpets.contract.control_types import GateCounts, HeldResponses, OpenedGate
    from mockpets.session.session import Session
    from mockpets.web.control.call import ControlRequest, JsonResponse


def gates(call: ControlRequest) -> JsonResponse[GateCounts]:
    """Return how many responses are held at each gate."""
    return json_response({"gates": call.session.gates.waiting()})


def open_gate(call: ControlRequest) -> JsonResponse[OpenedGate]:
    """Release the responses held at a gate, and return how many are held at the others."""
    gates = call.session.gates
    return json_response({"released": gates.open(call.name), "gates": gates.waiting()})


def wait_for_gate(call: ControlRequest) -> JsonResponse[HeldResponses]:
    """Wait until a gate holds as many responses as expected, and return how many it holds.

    :raise RequestError: ``not_held`` if it does not in time, with the number that it holds;
        ``busy`` if the server cannot hold one more response.
    :raise InputError: the body is invalid.
    """
    from mockpets.scenario.language.verification import parse_gate_wait

    expected, name = parse_gate_wait(body_text(call.request)), call.name

    def check(session: Session, _: bool) -> tuple[dict[str, int], int | None]:
        # Read before the gates, so that a change in between is not missed.
        change, gates = session.changes.number, session.gates.waiting()
        return gates, None if gates.get(name, 0) >= expected.held else change

    gates = wait_until(call, expected.within, check)
    details: HeldResponses = {"held": gates.get(name, 0)}
    if details["held"] < expected.held:
        plural = "" if expected.held == 1 else "s"
        others = ", ".join(f"{other} ({held})" for other, held in gates.items() if other != name)
        hint = did_you_mean(name, [*gates]) if name not in gates else ""
        more = f"; {hint}" if hint else f"; held at other gates: {others}" if others else ""
        raise RequestError(
            "not_held",
            f"expected at least {expected.held} response{plural} held at gate {quote(name)}, "
            f"got {details['held']}{more}",
            details=details,
        )
    return json_response(details)
