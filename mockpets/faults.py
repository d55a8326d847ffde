"""The kinds of fault: each way in which a scenario can break a response.

`FAULTS` is the only list of them. The scenario language, its JSON Schema, the descriptions of
scenarios, ``mockpets new``, the app and the server read it, and a test compares the table of
``docs/scenarios/reference.md`` with it. The code that breaks a response is a function registered by
the kind's name: in `web.delivery` for a body, in `server.channel` for a connection.
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
    :param affects: ``connection`` sends nothing of the response, so the request has no status;
        ``body`` damages the body of a response, which must have one.
    :param effect: what it does, as a sentence without its subject, for descriptions.
    :param incomplete: whether the client gets less than the whole response.
    """

    name: str
    affects: Literal["connection", "body"]
    effect: str
    incomplete: bool = True


FAULTS: Final[Mapping[str, FaultKind]] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            FaultKind("connection_reset", "connection", "breaks the connection"),
            FaultKind("empty_reply", "connection", "closes the connection without a response"),
            FaultKind("truncated_body", "body", "closes the connection in the middle of the body"),
            FaultKind("malformed_json", "body", "damages the JSON of the body", incomplete=False),
        )
    }
)
CONNECTION_FAULTS: Final = frozenset(
    name for name, kind in FAULTS.items() if kind.affects == "connection"
)
"""The faults after which a client has no status; kept for code that runs for each request."""
INCOMPLETE_FAULTS: Final = frozenset(name for name, kind in FAULTS.items() if kind.incomplete)
"""The faults after which a client has less than the whole response."""
