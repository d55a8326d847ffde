"""Send the front-end mix: as fast as a server responds, or at a low rate.

These are separate runs, for two reasons. At full speed, each request waits for those of the other
15 connections, so all operations take the same time, whatever they cost. And a script of wrk sees
which request a response belongs to only with one thread for each connection, but 16 busy threads
slow the server down by a tenth or more. At a low rate, these threads sleep.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.load import Load, exchange, figures, has_wrk, run_wrk
from benchmarks.mix import CONNECTIONS, OPERATIONS, PARTS, status_problems

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.mix import MixRequest

__all__ = ["lua", "send_mix", "time_mix"]

_SCRIPT = Path(__file__).with_name("mix.lua")
_Timed = Counter[tuple[str, int, int]]
"""Number of responses by part, status and latency in microseconds."""


def send_mix(
    port: int, sequence: Sequence[MixRequest], statuses: Mapping[str, int], seconds: int
) -> Load:
    """Send a sequence again and again, each request as soon as a previous response is complete.

    :param statuses: the expected status of each part.
    :raise RuntimeError: if the responses have other statuses or a connection breaks.
    """
    received: Counter[int] = Counter()
    if has_wrk():
        load, rows = _wrk(port, sequence, 1, seconds)
        for status, count in rows:
            received[int(status)] = int(count)
    else:
        encoded = [item.encoded(port) for item in sequence]
        responses = exchange(port, encoded, CONNECTIONS, seconds)
        received.update(response.status for response in responses)
        load = figures([response.seconds for response in responses], seconds)
    if problem := status_problems(sequence, statuses, received):
        raise RuntimeError(f"mix: {problem}")
    return load


def time_mix(
    port: int, sequence: Sequence[MixRequest], statuses: Mapping[str, int], seconds: int
) -> dict[str, float]:
    """Return the p50 and p99 of each operation at a low rate in ms, such as `mix_get_p50`.

    With wrk, each connection waits 16 ms on average before a request: about 1,000 requests per
    second. The built-in client uses one connection instead.

    :param statuses: the expected status of each part.
    :raise RuntimeError: if a response has another status or a connection breaks.
    """
    timed: _Timed = Counter()
    if has_wrk():
        _, rows = _wrk(port, sequence, CONNECTIONS, seconds)
        for part, status, microseconds, count in rows:
            timed[part, int(status), int(microseconds)] = int(count)
    else:
        for item in exchange(port, [item.encoded(port) for item in sequence], 1, seconds):
            part = sequence[item.number].part
            timed[part, item.status, int(item.seconds * 1_000_000)] += 1
    wrong = {(part, status) for part, status, _ in timed if status != statuses[part]}
    if wrong:
        found = (f"{status} for {PARTS[part].label}" for part, status in sorted(wrong))
        raise RuntimeError(f"mix: unlike before the run: {'; '.join(found)}")
    return _percentiles(timed)


def _percentiles(timed: _Timed) -> dict[str, float]:
    results: dict[str, float] = {}
    for operation in OPERATIONS:
        counts: Counter[int] = Counter()
        for (part, _, microseconds), count in timed.items():
            if PARTS[part].operation == operation:
                counts[microseconds] += count
        times = sorted(counts)
        sums = list(accumulate(counts[microseconds] for microseconds in times))
        for name, share in (("p50", 0.5), ("p99", 0.99)) if times else ():
            position = next(i for i, total in enumerate(sums) if total >= share * sums[-1])
            results[f"mix_{operation}_{name}"] = times[position] / 1000
    return results


def _wrk(
    port: int, sequence: Sequence[MixRequest], threads: int, seconds: int
) -> tuple[Load, list[list[str]]]:
    """Run wrk with the mix; return its figures and the rows that its script prints."""
    options = (f"-c{CONNECTIONS}", f"-d{seconds}s")
    script = lua(sequence, port, paced=threads > 1)
    load, output = run_wrk(f"http://127.0.0.1:{port}", *options, script=script, threads=threads)
    lines = [line.split("\t") for line in output.splitlines()]
    return load, [cells[1:] for cells in lines if cells[0] == "counted"]


def lua(sequence: Sequence[MixRequest], port: int, *, paced: bool) -> str:
    """Return the script for wrk.

    :param paced: send at a low rate and time each response; needs a thread for each connection.
    """
    numbers = {item: number for number, item in enumerate(dict.fromkeys(sequence), 1)}

    def table(values: Sequence[object]) -> str:
        return "{" + ", ".join(map(json.dumps, values)) + "}"  # ASCII strings of JSON are Lua's

    lines = [
        f"local requests = {table([item.encoded(port).decode('ascii') for item in numbers])}",
        f"local parts = {table([item.part for item in numbers])}",
        f"local sequence = {table([numbers[item] for item in sequence])}",
        f"local paced = {json.dumps(paced)}",
    ]
    return "\n".join([*lines, _SCRIPT.read_text(encoding="utf-8")])
