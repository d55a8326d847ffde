"""The change feed of a session: its own changes and the common ones, polled and awaited."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from mockpets.session.change_feed import ChangeFeed


@pytest.fixture
def common() -> ChangeFeed:
    return ChangeFeed()


def test_a_session_sees_its_own_and_common_changes(common: ChangeFeed) -> None:
    one, other = ChangeFeed(common), ChangeFeed(common)
    one.publish("data")
    assert (one.since(0), other.since(0), common.since(0)) == (["data"], [], [])
    common.publish("files")
    one.publish("requests")
    assert one.since(0) == ["requests", "data", "files"]
    assert other.since(0) == common.since(0) == ["files"]
    assert one.since(one.number) == []
    assert one.number > other.number > 0


def test_a_late_subscriber_is_released_at_once_and_a_cancelled_one_never(
    common: ChangeFeed,
) -> None:
    own, events = ChangeFeed(common), [""]
    common.publish("files")
    own.wait(0, lambda: events.append("late"))
    own.wait(own.number, lambda: events.append("left"))()
    own.publish("data")
    common.publish("files")
    assert events == ["", "late"]


def test_no_change_is_missed_between_threads(common: ChangeFeed) -> None:
    sessions = [ChangeFeed(common) for _ in range(4)]

    def tell(changes: ChangeFeed) -> None:
        for _ in range(300):
            changes.publish("data")

    def listen(changes: ChangeFeed) -> None:
        seen = 0
        while "files" not in changes.since(0):  # the last change
            changed = Event()
            cancel = changes.wait(seen, changed.set)
            assert changed.wait(20), "a change was missed"
            cancel()
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
