"""Visitors of a public demo behind a proxy: everyone gets good responses and keeps their pets.

`VISITORS` and `VISITOR_SECONDS` set other numbers; by default a few for some
seconds, who wait less than people do.
"""

import asyncio
import os
import sys

import pytest

from tests.live.visitors import Proxy, Report, Visitor, demo, run

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")]


def test_every_visitor_gets_good_responses_and_keeps_all_pets() -> None:
    visitors = int(os.environ.get("VISITORS", "20"))
    pause = 8.0 if "VISITORS" in os.environ else 1.0
    report = run(visitors, float(os.environ.get("VISITOR_SECONDS", "3")), pause=pause)
    print(f"\n{report}")

    assert report.added >= visitors
    assert report.is_good, str(report)


def test_the_program_notices_visitors_that_are_rejected() -> None:
    """Without this, the first test could pass whatever the server does."""
    rejected = run(20, 1, "--max-sessions", "5", pause=0.4)
    assert rejected.unserved
    assert not rejected.is_good


def test_the_program_notices_pets_that_are_lost() -> None:
    """Without this, the first test could pass whatever the server does."""

    async def visit_again(port: int) -> Report:
        report, proxy = Report(1), Proxy(port)
        visitor = Visitor(1, proxy, report, 0)
        await visitor._add()
        status, _ = await visitor._ask("POST", "/__mockpets/visitor/reset")
        assert status == 200
        await visitor._list()
        await proxy.close()
        return report

    with demo() as (port, _):
        assert asyncio.run(visit_again(port)).lost == 1
