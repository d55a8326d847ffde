"""The shipped scenarios that fit every contract: they name nothing of a contract.

Reading all files to find them would delay the start of a server with a document by 200 ms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

GENERIC: Final[Mapping[str, str]] = {
    "broken-json": "Response bodies are not valid JSON.",
    "default": "The contract with generated records.",
    "double-submit": "Creating a record takes three seconds, so users click twice.",
    "empty": "No records, so lists are empty.",
    "flaky": "One request in four fails with 503.",
    "flaky-create": "Every third attempt to create a record fails with 503.",
    "jittery": "Delays of 200 ms, sometimes over a second.",
    "loading": "Responses wait until you open the gate.",
    "offline": "The connection breaks before a response arrives.",
    "rate-limited": "Every request fails with 429, Retry-After five seconds.",
    "retry": "The first two requests fail with 503, then all succeed.",
    "retry-now": "As retry, with a Retry-After of 0 for tests.",
    "server-error": "Every request fails with 500.",
    "slow": "Every response takes two seconds.",
    "slow-body": "Bodies arrive at 500 bytes per second.",
    "truncated": "The connection closes in the middle of the body.",
}
"""Their names and descriptions."""
