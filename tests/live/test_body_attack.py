"""A few seconds of `body_attack`; `.ci/long` runs it for a minute."""

from __future__ import annotations

import sys

import pytest

from tests.live.body_attack import run


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("options", [pytest.param((), marks=pytest.mark.long), ("--public",)])
def test_bodies_that_do_not_end_lock_nobody_out_and_leave_no_memory(options: tuple[str]) -> None:
    report = run(3, *options)

    assert report.is_good(), report.as_json()
    assert report.peak < report.before + 100  # MiB; the limit of all bodies is 32
