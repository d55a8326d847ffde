"""The views of the control API for the clock of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockpets.clock import Clock, time_text
from mockpets.web.control.call import body_text, json_response

if TYPE_CHECKING:
    from mockpets.contract.control_types import ClockState
    from mockpets.web.control.call import ControlRequest, JsonResponse


def clock_state(clock: Clock | None) -> ClockState:
    """Return the state of a clock; None stands for one that was not set."""
    shown = clock or Clock(0, frozen=False)
    return {"now": time_text(shown.now()), "frozen": shown.frozen, "set": clock is not None}


def clock(call: ControlRequest) -> JsonResponse[ClockState]:
    """Return the clock of the session."""
    return json_response(clock_state(call.session.clock))


def set_clock(call: ControlRequest) -> JsonResponse[ClockState]:
    """Set, freeze or advance the clock of the session, on which `Date` and references depend.

    From 5 December 2030 on, getPet responds with 410 if the clock was set. Delays, gates and limits
    keep the real time. A reset keeps the clock.
    """
    from mockpets.scenario.language.control_bodies import parse_clock

    call.session.set_clock(parse_clock(body_text(call.request)))
    return clock(call)
