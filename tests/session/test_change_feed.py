"""What has changed, for who waits and who asks, with what only one session and what all hear of."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from mockpets.session.change_feed import ChangeFeed


@pytest.fixture
def common() -> ChangeFeed:
    return ChangeFeed()


def test_what_one_tells_the_other_does_not_hear(common: ChangeFeed) -> None:
    one, other = ChangeFeed(common), ChangeFeed(common)
    one.publish("pets")
    assert (one.since(0), other.since(0), common.since(0)) == (["pets"], [], [])
    common.publish("files")
    one.publish("requests")
    assert one.since(0) == ["requests", "pets", "files"]
    assert other.since(0) == common.since(0) == ["files"]
    assert one.since(one.number) == []
    assert one.number > other.number > 0


def test_a_number_stays_right_when_a_session_goes_and_comes_again(common: ChangeFeed) -> None:
    before = ChangeFeed(common)
    before.publish("pets")
    seen = before.number
    again = ChangeFeed(common)
    again.publish("requests")

    assert again.number > seen
    assert again.since(seen) == ["requests"]


@pytest.mark.parametrize("first", ["own", "common"])
def test_who_waits_is_released_once(common: ChangeFeed, first: str) -> None:
    own, told = ChangeFeed(common), [""]
    leave = own.wait(own.number, lambda: told.append("released"))
    for each in (own, common) if first == "own" else (common, own):
        each.publish("sessions")
    assert told == ["", "released"]
    leave()
    own.publish("sessions")
    assert told == ["", "released"]


def test_who_comes_late_is_released_at_once_and_who_left_is_not(common: ChangeFeed) -> None:
    own, told = ChangeFeed(common), [""]
    common.publish("files")
    own.wait(0, lambda: told.append("late"))
    own.wait(own.number, lambda: told.append("left"))()
    own.publish("pets")
    common.publish("files")
    assert told == ["", "late"]


def test_nobody_misses_a_change_whatever_thread_tells_of_it(common: ChangeFeed) -> None:
    sessions = [ChangeFeed(common) for _ in range(4)]

    def tell(changes: ChangeFeed) -> None:
        for _ in range(300):
            changes.publish("pets")

    def listen(changes: ChangeFeed) -> None:
        seen = 0
        while "files" not in changes.since(0):  # the last there is
            changed = Event()
            leave = changes.wait(seen, changed.set)
            assert changed.wait(20), "a change was missed"
            leave()
            before, seen = seen, changes.number
            assert seen > before
            assert changes.since(before)

    with ThreadPoolExecutor(9) as pool:
        listening = [pool.submit(listen, each) for each in sessions]
        list(pool.map(tell, [common, *sessions]))
        common.publish("files")
        for each in listening:
            each.result()
    assert common.number == 5 * 300 + 1
