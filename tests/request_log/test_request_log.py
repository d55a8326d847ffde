"""The request log: recorded data, limits and memory."""

import gc
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets.request_log.entry import Entry, Note, sent_headers
from mockpets.request_log.request_log import RequestLog, RequestLogs
from tests.request_log.entries import add, created, entry, message

MIB = 1024 * 1024


def fill(request_log: RequestLog, count: int, body: bytes = b"") -> None:
    for _ in range(count):
        add(request_log, entry(request_log.next_number(), body=body))


def numbers(request_log: RequestLog) -> list[int]:
    return [kept.number for kept in request_log.entries()]


# --- Messages ---------------------------------------------------------------------------------


def test_headers_keep_their_order_and_lose_secrets() -> None:
    sent = [
        ("Host", "localhost:7387"),
        ("authorization", "Bearer mockpets~w3"),
        ("X-Empty", ""),
        ("X-Colon", "a: b: c"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
        ("Referer", "http://localhost:5173/?token=abc&page=2"),
        ("WWW-Authenticate", 'Bearer realm="mockpets"'),
    ]

    assert message(sent, b"").headers == [
        ("Host", "localhost:7387"),
        ("authorization", "Bearer [redacted]"),
        ("X-Empty", ""),
        ("X-Colon", "a: b: c"),
        ("Set-Cookie", "[redacted]"),
        ("Set-Cookie", "[redacted]"),
        ("Referer", "http://localhost:5173/?token=[redacted]&page=2"),
        ("WWW-Authenticate", 'Bearer realm="mockpets"'),
    ]


def test_a_line_end_in_a_value_adds_no_header() -> None:
    assert message([("A", "1\nB: 2"), ("C", "3")], b"").headers == [("A", "1 B: 2"), ("C", "3")]


@pytest.mark.parametrize(
    ("size", "limit", "kept", "cut"),
    [(0, 4, 0, False), (4, 4, 4, False), (5, 4, 4, True), (5, 0, 0, True), (0, 0, 0, False)],
)
def test_a_long_body_is_truncated_but_its_size_is_not(
    size: int, limit: int, kept: int, cut: bool
) -> None:
    made = message([], b"x" * size, limit)

    assert (len(made.body), made.size, made.cut) == (kept, size, cut)


@pytest.mark.parametrize(("target", "expected"), [
    ("/v1/pets", []),
    ("/v1/pets?a=1&b=&a=%C3%A9+x&c", [("a", "1"), ("b", ""), ("a", "é x"), ("c", "")]),
    ("/v1/pets?a=%ff", [("a", "\\xff")]),
    ("/v1/pets?token=abc", [("token", "[redacted]")]),
])  # fmt: skip
def test_the_query_of_an_entry(target: str, expected: list[tuple[str, str]]) -> None:
    assert entry(target=target).query == expected


def test_the_headers_of_a_head_are_those_that_the_app_gets() -> None:
    head = b"GET / HTTP/1.1\r\nhost: a\r\nX-A:  1 \r\nx_b: ignored\r\nx-a: \xe9\r\nEmpty:\r\n\r\n"
    assert sent_headers(head) == [("Host", "a"), ("X-A", "1, \xe9"), ("Empty", "")]


# --- Numbers and bounds -----------------------------------------------------------------------


def test_numbers_continue_after_clear_and_restart_after_reset() -> None:
    request_log = RequestLogs(MIB).new(3)
    fill(request_log, 5)
    assert (numbers(request_log), request_log.last, request_log.dropped) == ([3, 4, 5], 5, 2)

    assert len(request_log.detach()) == 3
    fill(request_log, 1)
    assert (numbers(request_log), request_log.last, request_log.dropped) == ([6], 6, 0)
    assert request_log.resets == 0

    request_log.reset()
    assert (len(request_log), request_log.last, request_log.resets) == (0, 0, 1)
    fill(request_log, 1)
    assert numbers(request_log) == [1]


def test_entries_are_sorted_by_number() -> None:
    request_log = RequestLogs(MIB).new(10)
    first, second = request_log.next_number(), request_log.next_number()
    add(request_log, entry(second))
    add(request_log, entry(first))

    assert numbers(request_log) == [first, second]


def test_an_entry_is_made_once_when_it_is_first_read() -> None:
    made: list[Entry] = []

    def make() -> Entry:
        made.append(entry(1, outcome="pending"))
        return made[-1]

    request_log = RequestLogs(MIB).new(10)
    kept = request_log.add(make, 2000, "pending")
    assert made == []

    first = request_log.entries()
    request_log.end(kept, "sent")
    assert [each.outcome for each in (*first, *request_log.entries())] == ["pending", "sent"]
    assert len(made) == 1


# --- The budget -------------------------------------------------------------------------------


def test_the_largest_request_log_makes_room() -> None:
    request_logs = RequestLogs(MIB)
    quiet, busy = request_logs.new(1000), request_logs.new(1000)
    fill(quiet, 10)
    fill(busy, 1000, b"x" * 4096)

    assert numbers(quiet) == list(range(1, 11))
    assert quiet.dropped == 0
    assert busy.dropped == 1000 - len(busy) > 0
    assert numbers(busy)[-1] == 1000
    assert MIB * 3 // 4 < request_logs.used <= MIB


def test_a_new_entry_costs_no_more_while_many_request_logs_are_full() -> None:
    request_logs = RequestLogs(300_000)
    many = [request_logs.new(10) for _ in range(1000)]
    kept = entry(1)

    def calls() -> int:
        counted = 0

        def count(_frame: object, event: str, _argument: object) -> None:
            nonlocal counted
            counted += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(count)
        try:
            for request_log in many:
                add(request_log, kept, 200)
        finally:
            sys.setprofile(before)
        return counted

    with_room, full = [calls() for _ in range(4)][::3]
    assert 270_000 < request_logs.used <= 300_000
    assert full < 3 * with_room, "not once for each of a thousand request logs"
    lengths = {len(each) for each in many}
    assert max(lengths) - min(lengths) <= 2, "none loses more than it must"


def test_an_entry_larger_than_the_budget_is_dropped() -> None:
    request_logs = RequestLogs(5000)
    request_log = request_logs.new(10)
    add(request_log, created(1, b"x" * 4096))
    add(request_log, entry(2, notes=(Note("ignored_query", "x" * 20_000),)))

    assert (len(request_log), request_log.dropped, request_logs.used) == (0, 2, 0)


@pytest.mark.slow
@pytest.mark.parametrize("end", ["close", "collect", "collect a circle"])
def test_a_destroyed_request_log_uses_no_budget(end: str) -> None:
    request_logs = RequestLogs(MIB)
    request_log = request_logs.new(100)
    fill(request_log, 50)
    assert request_logs.used > 0

    if end == "close":
        request_log.close()
        fill(request_log, 1)  # a request of the dropped session was still running
        assert len(request_log) == 0
    else:
        if end == "collect a circle":
            circle: list[object] = [request_log]  # a session can be part of one
            circle.append(circle)
            del circle
        del request_log
        gc.collect()

    assert request_logs.used == 0
    other = request_logs.new(100)
    fill(other, 1)
    assert len(other) == 1


@pytest.mark.slow
def test_a_request_log_can_be_collected_while_another_makes_room() -> None:
    request_logs = RequestLogs(40_000)
    request_log = request_logs.new(1000)
    threshold = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(200):
            left = request_logs.new(10)
            circle: list[object] = [left]  # only the garbage collector finds it
            circle.append(circle)
            fill(left, 2, b"x" * 4096)
            fill(request_log, 2, b"x" * 4096)
    finally:
        gc.set_threshold(*threshold)
    del left, circle
    gc.collect()

    fill(request_log, 3)
    assert len(request_log) >= 3
    assert request_logs.used <= 40_000
    request_log.close()
    assert request_logs.used == 0


STEPS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.one_of(st.integers(0, 4000), st.sampled_from(["detach", "reset", "close", "drop"])),
    ),
    max_size=60,
)


@given(STEPS)
def test_any_traffic_stays_within_size_and_budget(steps: Sequence[tuple[int, int | str]]) -> None:
    """Each request log has its newest entries, and has counted the others."""
    request_logs = RequestLogs(30_000)
    pool = [request_logs.new(5) for _ in range(3)]
    given_to: list[list[Entry]] = [[] for _ in pool]
    closed = [False] * 3
    for which, step in steps:
        request_log = pool[which]
        if isinstance(step, int):
            made = created(request_log.next_number(), b"x" * step)
            add(request_log, made)
            if not closed[which]:
                given_to[which].append(made)
        elif step == "drop":
            pool[which], closed[which] = request_logs.new(5), False
            del request_log
        else:
            getattr(request_log, step)()
            closed[which] = closed[which] or step == "close"
        if isinstance(step, str):
            given_to[which] = []
        assert request_logs.used <= 30_000
        for kept, expected in zip(pool, given_to, strict=True):
            assert len(kept) <= 5
            assert kept.dropped + len(kept) == len(expected)
            assert kept.entries() == expected[len(expected) - len(kept) :]
    for request_log in pool:
        request_log.close()
    assert request_logs.used == 0


def test_threads_write_and_read_concurrently() -> None:
    request_logs = RequestLogs(MIB)
    pool = [request_logs.new(100), request_logs.new(100)]

    def work(turn: int) -> list[tuple[int, int]]:
        taken = []
        for step in range(2000):
            which = (turn + step) % 2
            number = pool[which].next_number()
            taken.append((which, number))
            add(pool[which], entry(number, body=b"x" * 2000))
            if step % 50 == 0:
                seen = numbers(pool[which])
                assert seen == sorted(set(seen))
        return taken

    with ThreadPoolExecutor(4) as threads:
        taken = Counter(pair for pairs in threads.map(work, range(4)) for pair in pairs)

    assert max(taken.values()) == 1
    assert [request_log.last for request_log in pool] == [4000, 4000]
    assert all(0 < len(request_log) <= 100 for request_log in pool)
    assert all(request_log.dropped + len(request_log) == 4000 for request_log in pool)
    assert 0 < request_logs.used <= MIB
    for request_log in pool:
        request_log.close()
    assert request_logs.used == 0
