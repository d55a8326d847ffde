"""The kinds of fault: each way in which a scenario can break a response.

`FAULTS` is the only list of them. The scenario language, its JSON Schema, the descriptions of
scenarios, ``mockpets new``, the app and the server read it, and a test compares the table of
``docs/reference/scenario-language.md`` with it. `web.delivery` cuts or damages the response, and
`server.channel` ends the connection.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One kind of fault.

    :param name: the value of `fault` in a scenario file.
    :param sends: how much of the response the server sends: nothing, so the request has no status;
        the head; the head and half of the body; or all, with a body that is not valid JSON.
    :param then: what happens to the connection after that; ``wait`` until the client leaves.
    :param effect: what it does, as a sentence without its subject, for descriptions.
    :param word: the same in lists, in place of a status or after it.
    """

    name: str
    sends: Literal["nothing", "head", "half", "all"]
    then: Literal["reset", "close", "wait", "keep open"]
    effect: str
    word: str = "broken"


FAULTS: Final[Mapping[str, FaultKind]] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            FaultKind("connection_reset", "nothing", "reset", "breaks the connection", "reset"),
            FaultKind(
                "empty_reply",
                "nothing",
                "close",
                "closes the connection without a response",
                "empty",
            ),
            FaultKind("stall", "head", "wait", "sends the headers, then nothing more", "stall"),
            FaultKind(
                "truncated_body",
                "half",
                "close",
                "closes the connection in the middle of the body",
                "cut",
            ),
            FaultKind(
                "malformed_json", "all", "keep open", "damages the JSON of the body", "bad JSON"
            ),
        )
    }
)
NO_RESPONSE_FAULTS: Final = frozenset(
    name for name, kind in FAULTS.items() if kind.sends == "nothing"
)
"""The faults after which a client has no status."""
INCOMPLETE_FAULTS: Final = frozenset(name for name, kind in FAULTS.items() if kind.sends != "all")
"""The faults after which a client has less than the whole response."""
CONNECTION_FAULTS: Final = NO_RESPONSE_FAULTS | {
    n for n, kind in FAULTS.items() if kind.then == "wait"
}
"""The faults that hold or break a connection, which `Limits.faults` may exclude."""
LOST: Final = next(
    n for n, kind in FAULTS.items() if (kind.sends, kind.then) == ("nothing", "reset")
)
"""The fault that a client sees as a lost connection."""
