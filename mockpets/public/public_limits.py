"""The numbers of public mode."""

from __future__ import annotations

from typing import Final

from mockpets.constants import BODY_BYTES, CONNECTIONS, WAITING_RESPONSES
from mockpets.limits import Limits

_PART: Final = 10
"""One visitor may have a tenth of the connections and of the parked responses."""

PUBLIC: Final = Limits(
    memory=72 * 2**20,
    memory_parts=9,  # thousands of visitors add records, and nobody verifies their requests
    sessions=5000,
    idle_seconds=60.0,  # visitors leave without removing their session
    reset_seconds=3600.0,
    records=1000,
    name_length=256,
    body_bytes=BODY_BYTES,
    delay_seconds=10.0,
    wait_seconds=10.0,
    address_part=_PART,
    faults=False,
    documents=False,
    files=False,
    page_tools=False,
    logs_values=False,
    logs_addresses=False,
)

RATE: Final = 2000
"""Requests per second of all visitors together; the setting `visitor_rate` is that of each."""
BURST: Final = 2
"""How many seconds of its rate a visitor, or all together, can use at once."""
TOKEN_ATTEMPTS: Final = (1 / 3, 20)
"""Failed attempts at the control token per second, and in a burst, from one address."""
IN_PROGRESS: Final = CONNECTIONS // _PART
"""Maximum number of responses in progress for one visitor."""
PARKED: Final = WAITING_RESPONSES // _PART
"""The same for a response that would be delayed, throttled or held."""
SESSION_PART: Final = 50
"""One address can have one of so many parts of the sessions."""
CREATE_SECONDS: Final = 600.0
"""How long it takes at least to create that many again."""
MEMORY_PART: Final = 16
"""The records of one address can use one of so many parts of the memory for records."""
