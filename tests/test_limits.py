"""The limits of clients and sessions, and how `--memory` changes them."""

import pytest

from mockpets import Settings
from mockpets.limits import USUAL
from mockpets.public.public_limits import PUBLIC

MIB = 2**20


@pytest.mark.parametrize(
    ("memory", "sessions"),
    [(1, 200), (16, 200), (17, 212), (80, 1000), (160, 2000), (800, 10_000), (8000, 10_000)],
)
def test_sessions_go_with_the_memory_within_bounds(memory: int, sessions: int) -> None:
    assert USUAL.sessions_in(memory * MIB) == sessions
    assert Settings(memory=memory * MIB).limits.sessions == sessions


def test_a_setting_replaces_the_limit_of_each_mode() -> None:
    for is_public, mode in ((False, USUAL), (True, PUBLIC)):
        assert Settings(public=is_public).limits == mode
        limits = Settings(public=is_public, max_sessions=7, max_records=5, reset_every=60.0).limits
        assert (limits.sessions, limits.records, limits.reset_seconds) == (7, 5, 60.0)
        assert (
            limits._replace(
                sessions=mode.sessions, records=mode.records, reset_seconds=mode.reset_seconds
            )
            == mode
        )


@pytest.mark.parametrize("mode", [USUAL, PUBLIC])
def test_the_parts_of_the_memory_do_not_exceed_it(mode: object) -> None:
    assert isinstance(mode, type(USUAL))
    assert mode.log_memory + mode.record_memory <= mode.memory
    assert mode.log_memory > 8 * MIB - 1
