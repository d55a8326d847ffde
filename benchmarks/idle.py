"""Was the machine idle? Its speed before each turn of a server, and what else runs on it.

Serves the control: ``python -m benchmarks.idle PORT`` sends a fixed response to each request.
"""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Final, cast

from benchmarks.load import Request, send
from benchmarks.process import started
from benchmarks.subjects import Subject, environment

if TYPE_CHECKING:
    from asyncio import BaseTransport

MOST: Final = 0.08
"""A run is not idle if the control's rate varied more, or other programs took a larger share."""
_PARTS: Final = 4
_WAIT: Final = 0.5
_RESPONSE: Final = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n[]\n"


@dataclass
class Machine:
    """What was noticed about the machine during a run.

    :param rates: of the control, in requests per second.
    :param busy: shares of all processors that other programs took while nothing was measured.
    """

    rates: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)

    def check(self, folder: Path) -> None:
        """Look at the machine, and measure the control, whose output goes to a folder."""
        before = _times()
        time.sleep(_WAIT)
        spent = [after - number for number, after in zip(before, _times(), strict=True)]
        self.busy.append(1 - spent[0] / sum(spent) if sum(spent) else 0.0)
        command = (sys.executable, "-m", "benchmarks.idle", "{port}")
        with started(Subject("control", command, folder, environment=environment())) as server:
            self.rates.append(send(server.port, [Request("list", "/")], {"list": 200}, 1).rate)

    @property
    def variation(self) -> float:
        """The control's rate in the fastest quarter of the run and the slowest: 0.1 for 10 % more.

        Of medians: a virtual machine is faster in one second and slower in the next, which short
        turns in another order each round spread over all servers. A slow quarter of an hour is not.
        """
        size = -(-len(self.rates) // _PARTS)
        quarters = [median(self.rates[at : at + size]) for at in range(0, len(self.rates), size)]
        return max(quarters) / min(quarters) - 1

    def problems(self) -> list[str]:
        """Return why figures of this run are not to be published; nothing if it was idle."""
        if not self.rates:
            return []
        return [
            f"{what} {share:.0%}; at most {MOST:.0%} is idle"
            for what, share in (
                ("the control's speed varied by", self.variation),
                ("other programs took", mean(self.busy)),
            )
            if share > MOST
        ]

    def summary(self) -> str:
        """Return what was noticed, as a sentence."""
        return (
            f"Before each turn of a server, a control was measured: its median varied by "
            f"{self.variation:.0%} between the quarters of the run, single seconds by "
            f"{max(self.rates) / min(self.rates) - 1:.0%}. Other programs took "
            f"{mean(self.busy):.0%} of the processors."
        )


def _times() -> tuple[int, int]:
    """Return idle and other time of all processors so far; zeros on systems other than Linux."""
    try:
        first, _ = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)
    except OSError:
        return 0, 0
    times = list(map(int, first.split()[1:9]))  # the rest is in `user` too
    return times[3] + times[4], sum(times) - times[3] - times[4]


class _Fixed(asyncio.Protocol):
    def connection_made(self, transport: BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._transport.write(_RESPONSE * data.count(b"\r\n\r\n"))


async def _serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(_Fixed, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
