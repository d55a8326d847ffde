"""What clients may do, as one value."""

from __future__ import annotations

from typing import Final, NamedTuple

from mockpets.constants import DELAY_SECONDS, SERVER_BODY_BYTES


class Limits(NamedTuple):
    """The limits of clients and their sessions; `Settings.limits` has those that apply.

    :param memory: of the request logs and records of all sessions, in bytes; the records that the
        server starts with do not count.
    :param memory_parts: one of so many parts of it is for request logs, the others for records.
    :param sessions: the maximum number, for a `memory` that is not set.
    :param idle_seconds: how long a session must be unused before a new session may replace it.
    :param reset_seconds: the interval at which all sessions are reset; 0 for never.
    :param records: by how many records requests may exceed what a collection contains.
    :param name_length: of a new record's name, in characters; None for no limit.
    :param body_bytes: the size of the largest body that an operation or a stub takes.
    :param delay_seconds: the maximum total delay of a response.
    :param wait_seconds: how long a hold or a throttle may last; None for no limit.
    :param address_part: one address may have one of so many parts of the connections; None for all.
    :param faults: whether scenarios may break connections.
    :param documents: whether requests may send scenarios.
    :param files: whether the control API may save scenario files.
    :param page_tools: whether pages have the toolbar, short paths to the panel, and reports of
        origins that may not call the control API.
    :param logs_values: whether the request log has bodies, and its notes have values.
    :param logs_addresses: whether the access log has the addresses of clients.
    """

    memory: int = 80 * 2**20
    memory_parts: int = 5
    sessions: int = 1000
    idle_seconds: float = 600.0
    reset_seconds: float = 0.0
    records: int = 10_000
    name_length: int | None = None
    body_bytes: int = SERVER_BODY_BYTES
    delay_seconds: float = DELAY_SECONDS
    wait_seconds: float | None = None
    address_part: int | None = None
    faults: bool = True
    documents: bool = True
    files: bool = True
    page_tools: bool = True
    logs_values: bool = True
    logs_addresses: bool = True

    @property
    def log_memory(self) -> int:
        """The part of the memory for request logs; fixed, so that no kind takes another's room."""
        return self.memory // self.memory_parts

    @property
    def record_memory(self) -> int:
        """The part of the memory for records."""
        return self.log_memory * (self.memory_parts - 1)

    def sessions_in(self, memory: int) -> int:
        """Return how many sessions go with another `memory`: at least 200, at most 10,000."""
        return min(max(memory * self.sessions // self.memory, 200), 10_000)


USUAL: Final = Limits()
