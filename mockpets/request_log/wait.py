"""A response that waits: held at a gate, delayed, or throttled."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.constants import RequestOutcome, WaitKind
    from mockpets.request_log.entry import Entry
    from mockpets.scenario.scenario_model import Reply


@dataclass(slots=True, eq=False)
class Wait:
    """What a response waits for, and since when, in seconds of `perf_counter`.

    :param number: of the request in its session's request log.
    :param gate: the gate that holds it; None without one.
    :param delay: seconds, which run at the same time as the hold.
    :param throttle: bytes per second; None for no limit.
    """

    number: int
    gate: str | None = None
    delay: float = 0.0
    throttle: int | None = None
    since: float = field(default_factory=perf_counter)
    due: float = 0.0
    """When the delay is over."""
    left_gate: float | None = None
    is_opened: bool = False
    """Whether the gate was opened. Otherwise it leaves the gate because it ends."""
    ended: float | None = None
    read: Callable[[], Entry] | None = None
    """Returns the entry of its request; None once the response has ended."""
    release: Callable[[Reply, float], None] | None = None
    """Sends the response, or a stub's reply in its place, after a delay in seconds. `PASS` stands
    for the response, and the name of a fault breaks it. None before the server has the response,
    and once it has ended."""

    def __post_init__(self) -> None:
        """Start the delay."""
        self.due = self.since + self.delay

    def held_seconds(self) -> float | None:
        """Return for how many seconds the gate has held it so far; None without a gate."""
        end = self.left_gate or self.ended or perf_counter()
        return None if self.gate is None else end - self.since

    def kind(self, outcome: RequestOutcome) -> WaitKind | None:
        """Return what it waits for, or waited for when its client left; None otherwise."""
        if outcome not in ("pending", "client_left"):
            return None
        has_left = self.left_gate is not None if outcome == "pending" else self.is_opened
        if self.gate is not None and not has_left:
            return "held"
        if (self.ended or perf_counter()) < self.due:
            return "delayed"
        return None if self.throttle is None else "throttled"
