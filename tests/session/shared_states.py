"""Shared states for tests of sessions without an app."""

from functools import partial

from mockpets.limits import Limits
from mockpets.memory_budget import MemoryBudget
from mockpets.records.table import TableCache
from mockpets.request_log.request_log import RequestLogs
from mockpets.scenario.library import Library
from mockpets.scenario.scenario_model import Scenario
from mockpets.seed.generated_records import generate
from mockpets.session.session import SharedState


def shared_state(*scenarios: Scenario, budget: int = 2**20, max_new: int = 10) -> SharedState:
    """Return a shared state with these scenarios, no active ones, and no records."""
    library = Library({one.name: one for one in scenarios}, {}, {})
    records = MemoryBudget(budget, "records")
    return SharedState(
        library=lambda: library,
        tables=TableCache(generate, records),
        starts={},
        scenarios=(),
        seed=1,
        locale="en_US",
        request_log=partial(RequestLogs(2**20).new, 100),
        records=records,
        limits=Limits(records=max_new),
    )
