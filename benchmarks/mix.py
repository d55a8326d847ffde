"""How fast is a front end's mix? Requests like those of its pages, in shuffled order.

All subjects get the same sequence, each in its own spelling, with the headers that a browser sends
with `fetch` from another origin. At full speed, all operations take equally long, because each
request waits for those of the other connections. So their latencies are from a run at a low rate.
"""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.contracts import CONTRACTS, COUNT, MISSING_ID, Query
from benchmarks.load import CONNECTIONS, KEY, LEVELS, Request, send, send_paced
from benchmarks.tables import figure

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from benchmarks.contracts import Contract
    from benchmarks.load import Timed
    from benchmarks.subjects import Subject
    from benchmarks.tables import Figures, Row

_SEED: Final = 7
_ORIGIN: Final = "http://localhost:5173"
_HEADERS: Final[tuple[tuple[str, str], ...]] = (
    ("Connection", "keep-alive"),
    ("sec-ch-ua-platform", '"Linux"'),
    ("Authorization", KEY),
    (
        "User-Agent",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
        "Chrome/141.0.0.0 Safari/537.36",
    ),
    ("sec-ch-ua", '"Google Chrome";v="141", "Not?A_Brand";v="8", "Chromium";v="141"'),
    ("sec-ch-ua-mobile", "?0"),
    ("Accept", "*/*"),
    ("Origin", _ORIGIN),
    ("Sec-Fetch-Site", "same-site"),
    ("Sec-Fetch-Mode", "cors"),
    ("Sec-Fetch-Dest", "empty"),
    ("Referer", f"{_ORIGIN}/"),
    ("Accept-Encoding", "gzip, deflate, br, zstd"),
    ("Accept-Language", "en-US,en;q=0.9"),
)


class Part(NamedTuple):
    """A kind of request in the mix.

    :param label: its name in the report.
    :param operation: one of `OPERATIONS`; the rejected requests count together.
    :param times: how often its requests occur in the sequence, together.
    """

    label: str
    operation: str
    times: int


OPERATIONS: Final = ("list", "get", "create", "rejected")
PARTS: Final[Mapping[str, Part]] = {
    "list": Part("lists", "list", 360),
    "get": Part("single records", "get", 150),
    "create": Part("creates", "create", 60),
    "limit=0": Part("limit=0", "rejected", 10),
    "no key": Part("a missing key", "rejected", 10),
    "missing record": Part("a missing record", "rejected", 10),
}
"""These are 600 requests: 60 % lists, 25 % single records, 10 % creates, and 5 % rejected requests
in equal shares. Each list and each single record occurs as often as the others."""


def demanded(contract: Contract) -> dict[str, int]:
    """Return the status that a contract demands of each part."""
    rejected = {"limit=0": contract.invalid, "no key": 401, "missing record": 404}
    return {"list": 200, "get": 200, "create": 201, **rejected}


def requests(subject: Subject) -> Iterator[Request]:
    """Yield each request of the mix once, in a subject's spelling."""
    for query in subject.contract.queries:
        yield _request("list", subject.page(query))
    for number in range(1, COUNT + 1):
        yield _request("get", subject.record(number))
    yield _request("create", subject.targets.create, subject.contract.new)
    yield _request("limit=0", subject.page(Query(0)))
    yield _request("no key", subject.page(Query()))
    yield _request("missing record", subject.record(MISSING_ID))


def _request(part: str, target: str, body: str = "") -> Request:
    headers = (pair for pair in _HEADERS if part != "no key" or pair[0] != "Authorization")
    return Request(part, target, body, tuple(headers))


def mix(subject: Subject, parts: Container[str] = PARTS) -> list[Request]:
    """Return the sequence, the same for each subject and run.

    :param parts: the parts that the subject can do; the others are left out.
    """
    different = [*requests(subject)]
    counts = Counter(item.part for item in different)
    sequence = [
        item for item in different for _ in range(PARTS[item.part].times // counts[item.part])
    ]
    Random(_SEED).shuffle(sequence)
    return [item for item in sequence if item.part in parts]


def measure(
    subject: Subject, port: int, statuses: Mapping[str, int], seconds: int, levels: Iterable[int]
) -> Figures:
    """Return the rates of the mix, and the latencies as a whole and of each operation.

    :param statuses: the status of each part that the subject can do.
    :param levels: numbers of connections, `CONNECTIONS` among them.
    :raise RuntimeError: if it fails under load or responds unlike in the check.
    """
    sequence = mix(subject, statuses)
    send(port, sequence, statuses, subject.warm_seconds)
    loads = {number: send(port, sequence, statuses, seconds, number) for number in levels}
    figures = {f"mix_{number}": load.rate for number, load in loads.items()}
    figures |= {"mix_p50": loads[CONNECTIONS].p50, "mix_p99": loads[CONNECTIONS].p99}
    # Longer, because a tenth of these 1,000 requests per second are creates.
    return figures | _percentiles(send_paced(port, sequence, statuses, 3 * seconds))


def _percentiles(timed: Timed) -> Figures:
    """Return p50 and p99 of each operation in ms, such as `mix_get_p50`."""
    results: Figures = {}
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


FIGURE: Final = "mix_16"
HEAD: Final = (
    *(f"r/s, {connections} conn." for connections in LEVELS),
    *("p50 ms", "p99 ms"),
    *(f"{operation}: p50 / p99 ms at 1,000 r/s" for operation in OPERATIONS),
    *("does", "statuses unlike the contract's", "setup"),
)


def cells(row: Row, ours: Row) -> list[str]:
    """Return the cells of a row, as in `HEAD`."""
    times = [
        " / ".join(figure(row, f"mix_{operation}_{name}", ".2f") for name in ("p50", "p99"))
        for operation in OPERATIONS
    ]
    abilities = CONTRACTS[row["contract"]].all_abilities()
    able = [name for name in abilities if name in row["able"]]
    does = "all" if len(able) == len(abilities) else ", ".join(able) or "fixed responses"
    speed = [figure(row, f"mix_{connections}", ",.0f", ours) for connections in LEVELS]
    speed.append(figure(row, "mix_p50", ".2f"))
    return [*speed, figure(row, "mix_p99", ".2f"), *times, does, _differences(row), row["note"]]


def _differences(row: Row) -> str:
    """Return the parts that a server's mix lacks, and its statuses unlike the contract's."""
    statuses, expected = row["statuses"], demanded(CONTRACTS[row["contract"]])
    parts = [f"without {part.label}" for name, part in PARTS.items() if name not in statuses]
    parts += [
        f"{statuses[name]} for {part.label}"
        for name, part in PARTS.items()
        if statuses.get(name, expected[name]) != expected[name]
    ]
    return "; ".join(parts) or "none"
