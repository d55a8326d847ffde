"""The front-end mix: requests like those of a front end's pages, in shuffled order.

All subjects get the same sequence, each in its own spelling. A browser sends these headers with
`fetch` from another origin.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.load import KEY
from benchmarks.subjects import LIMIT, MISSING_ID, NEW, PETS

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from benchmarks.subjects import Subject

__all__ = [
    "CONNECTIONS",
    "OPERATIONS",
    "PARTS",
    "MixRequest",
    "Part",
    "mix",
    "requests",
    "status_problems",
]

CONNECTIONS = 16
_LIMITS = (5, 10, 20, 25, 30, 40, 50, 60, 80, 100)
_STATUSES = ("", "available", "sold")
_SEED = 7
_ORIGIN = "http://localhost:5173"
_HEADERS = {
    "Connection": "keep-alive",
    "sec-ch-ua-platform": '"Linux"',
    "Authorization": KEY,
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/141.0.0.0 Safari/537.36",
    "sec-ch-ua": '"Google Chrome";v="141", "Not?A_Brand";v="8", "Chromium";v="141"',
    "sec-ch-ua-mobile": "?0",
    "Accept": "*/*",
    "Origin": _ORIGIN,
    "Sec-Fetch-Site": "same-site",
    "Sec-Fetch-Mode": "cors",
    "Sec-Fetch-Dest": "empty",
    "Referer": f"{_ORIGIN}/",
    "Accept-Encoding": "gzip, deflate, br, zstd",
    "Accept-Language": "en-US,en;q=0.9",
}


class Part(NamedTuple):
    """A kind of request in the mix.

    :param label: its name in the report.
    :param operation: one of `OPERATIONS`; the rejected requests count together.
    :param times: how often each of its requests occurs in the sequence.
    :param status: the status that the contract demands.
    """

    label: str
    operation: str
    times: int
    status: int


OPERATIONS = ("list", "get", "create", "rejected")
PARTS: Final[Mapping[str, Part]] = {
    "list": Part("lists", "list", 12, 200),
    "get": Part("single pets", "get", 3, 200),
    "create": Part("creates", "create", 60, 201),
    "limit=0": Part("limit=0", "rejected", 10, 400),
    "no key": Part("a missing key", "rejected", 10, 401),
    "missing pet": Part("a missing pet", "rejected", 10, 404),
}
"""With 30 lists, 50 single pets and one request of each other part, these are 600 requests: 60 %
lists, 25 % single pets, 10 % creates, and 5 % rejected requests in equal shares."""


class MixRequest(NamedTuple):
    """A request of the mix.

    :param part: a key of `PARTS`.
    """

    part: str
    target: str
    body: str = ""

    @property
    def headers(self) -> Mapping[str, str]:
        """Return the headers of a browser, without `Host` and `Content-Length`."""
        headers = dict(_HEADERS)
        if self.part == "no key":
            del headers["Authorization"]
        if self.body:
            headers["Content-Type"] = "application/json"
        return headers

    def encoded(self, port: int) -> bytes:
        """Return the bytes to send to a port of this machine."""
        lines = [f"{'POST' if self.body else 'GET'} {self.target} HTTP/1.1"]
        lines += [f"Host: localhost:{port}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        lines += [f"Content-Length: {len(self.body.encode())}"] if self.body else []
        return "\r\n".join([*lines, "", self.body]).encode()


def requests(subject: Subject) -> Iterator[MixRequest]:
    """Yield each request of the mix once, in a subject's spelling."""
    for limit in _LIMITS:
        for status in _STATUSES:
            yield MixRequest("list", subject.page(limit, status))
    for number in range(1, PETS + 1):
        yield MixRequest("get", subject.pet(number))
    yield MixRequest("create", subject.pets_target, NEW)
    yield MixRequest("limit=0", subject.page(0, ""))
    yield MixRequest("no key", subject.page(LIMIT, ""))
    yield MixRequest("missing pet", subject.pet(MISSING_ID))


def mix(subject: Subject, parts: Container[str] = PARTS) -> list[MixRequest]:
    """Return the sequence, the same for each subject and run.

    :param parts: the parts that the subject can do; the others are left out.
    """
    sequence = [item for item in requests(subject) for _ in range(PARTS[item.part].times)]
    Random(_SEED).shuffle(sequence)
    return [item for item in sequence if item.part in parts]


def status_problems(
    sequence: Sequence[MixRequest], expected: Mapping[str, int], received: Counter[int]
) -> str:
    """Compare the statuses of a run with those of the check; return what differs, or nothing.

    At the end of a run, each connection may wait for a response, and wrk skips one request.

    :param sequence: the requests, which were sent repeatedly and in this order.
    :param expected: the status of each part.
    :param received: number of responses by status.
    """
    statuses = [expected[item.part] for item in sequence]
    rounds, rest = divmod(received.total(), len(sequence))
    wanted = Counter(statuses[:rest])
    for status, number in Counter(statuses).items():
        wanted[status] += number * rounds
    differing = [
        f"{received[status]:,} responses {status}, expected {wanted[status]:,}"
        for status in sorted({*wanted, *received})
        if abs(received[status] - wanted[status]) > CONNECTIONS + 1
        or (received[status] and not wanted[status])
        or (rounds and not received[status])
    ]
    return "; ".join(differing)
