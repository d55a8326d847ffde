"""The shipped scenarios that fit every contract: their stubs match by role, not by name.

Reading all files to find them would delay the start of a server with a document by 200 ms.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.contract.states import allows
from mockpets.scenario.matching import operations_of
from mockpets.scenario.scenario_model import EVERYTHING, Canned, Described, Generated
from mockpets.seed.names import AWKWARD
from mockpets.units import either

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.contract.contract_model import Contracts
    from mockpets.scenario.scenario_model import Reply, Scenario, Stub


class Generic(NamedTuple):
    """What a shipped scenario is for a document.

    :param message: of its errors; empty for that of the file.
    :param content: of every collection of a document; None for the session's.
    """

    description: str
    message: str = ""
    content: Generated | None = None


GENERIC: Final[Mapping[str, Generic]] = {
    "awkward-names": Generic(
        "Long, right-to-left, emoji, markup and empty texts.",
        content=Generated(32, locale=AWKWARD),
    ),
    "broken-json": Generic("Response bodies are not valid JSON."),
    "create-rejected": Generic(
        "Creating a record fails with 400 or 422.", "already taken; choose another one"
    ),
    "default": Generic("The contract with generated records."),
    "double-submit": Generic("Creating a record takes three seconds, so users click twice."),
    "empty": Generic("No records, so lists are empty."),
    "expired-key": Generic(
        "The credential works three times, then fails with 401.", "the credential has expired"
    ),
    "flaky": Generic("One request in four fails with 503."),
    "flaky-create": Generic("Every third attempt to create a record fails with 503."),
    "full-page": Generic("One hundred records in each collection.", content=Generated(100)),
    "jittery": Generic("Delays of 200 ms, sometimes over a second."),
    "loading": Generic("Responses wait until you open the gate."),
    "maintenance": Generic(
        "Every request fails with 503, Retry-After two minutes.",
        "closed for maintenance; try again in two minutes",
    ),
    "missing": Generic("Lists show records, but fetching one fails with 404."),
    "offline": Generic("The connection breaks before a response arrives."),
    "rate-limited": Generic("Every request fails with 429, Retry-After five seconds."),
    "retry": Generic("The first two requests fail with 503, then all succeed."),
    "retry-now": Generic("Like retry, but with Retry-After 0, so tests don't wait."),
    "server-error": Generic("Every request fails with 500."),
    "slow": Generic("Every response takes two seconds."),
    "slow-body": Generic("Bodies arrive at 500 bytes per second."),
    "truncated": Generic("The connection closes in the middle of the body."),
    "unauthorized": Generic("Every request fails with 401, as with a revoked credential."),
}


def for_documents(scenario: Scenario, *, has_built_in: bool) -> Scenario:
    """Return a shipped scenario as it is for documents, with the built-in contract or without."""
    generic = GENERIC.get(scenario.name)
    if generic is None:
        return scenario
    data = dict(scenario.data) if has_built_in or generic.content is None else {}
    if generic.content is not None:
        data[EVERYTHING] = generic.content
    return replace(
        scenario,
        description=scenario.description if has_built_in else generic.description,
        stubs=tuple(_stub(each, generic.message) for each in scenario.stubs),
        data=data,
    )


def _stub(stub: Stub, message: str) -> Stub:
    return replace(stub, replies=tuple(_reply(each, message) for each in stub.replies))


def _reply(reply: Reply, message: str) -> Reply:
    if not isinstance(reply, Canned):
        return reply
    statuses = reply.described.statuses if reply.described else (reply.status,)
    return replace(reply, described=Described(statuses, message=message))


def why_skipped(scenario: Scenario, contracts: Contracts) -> str:
    """Return why a shipped scenario does not fit contracts; empty if it does."""
    if scenario.name in GENERIC and GENERIC[scenario.name].content and not contracts.collections:
        return "no operation has records"
    for stub in scenario.stubs:
        operations = operations_of(stub.match, contracts)
        if not operations and stub.match.roles:
            return f"no operation has the role {either(stub.match.roles)}"
        for reply in stub.replies:
            if isinstance(reply, Canned) and reply.described is not None:
                statuses = reply.described.statuses
                if not any(allows(each, one) for each in operations for one in statuses):
                    whose = f"{either(stub.match.roles)} " if stub.match.roles else ""
                    return f"no {whose}operation documents {either(map(str, statuses))}"
    return ""
