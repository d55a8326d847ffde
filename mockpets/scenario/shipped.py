"""The shipped scenarios, so that a start neither reads YAML nor checks them.

Made by ``python -m generate``, do not edit. A scenario counts only as long as
its file has the digest beside it.
"""

from __future__ import annotations

from typing import Final

from mockpets.scenario.model import Canned, Delay, Generated, Match, Scenario, Stub

COMPILED: Final[dict[str, Scenario]] = {}
