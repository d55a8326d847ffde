"""Attacks with connections, also with little memory: a normal client is served beside them."""

from __future__ import annotations

import os
import sys

import pytest

from tests.live.attack_connections import (
    ATTACKS,
    CONNECTIONS,
    RSS_GROWTH,
    TOKEN,
    attack,
)
from tests.live.processes import memory_limit

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and all of 127.0.0.0/8"),
]

SECONDS = float(os.environ.get("ATTACK_SECONDS", "3"))
MEMORY = 256
"""The server's address space in MiB."""
PUBLIC = ("--public", "--control-token", TOKEN)
LOCAL = ("--scenario", "default")
SHORT = [("requests", PUBLIC), ("incomplete", LOCAL)]
"""Attacks that a change must pass; `.ci/long` runs the others too, for a minute each."""


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        pytest.param(kind, words, marks=() if (kind, words) in SHORT else pytest.mark.long)
        for kind in ATTACKS
        for words in (LOCAL, PUBLIC)
    ],
    ids=str,
)
def test_connections_of_one_address_lock_nobody_out(kind: str, words: tuple[str, ...]) -> None:
    result = attack(kind, SECONDS, words, CONNECTIONS, memory_limit(MEMORY))
    print(f"\n{kind}: {result}")

    # Without shares, a new client waits until the first connections are slow enough.
    allowed = 0 if words is PUBLIC else 1
    assert len(result.problems) <= allowed, result.problems
    assert result.times
    assert result.rss_peak < MEMORY
    assert result.rss_after < result.rss_before * RSS_GROWTH
