"""A request and what became of it, as a request log or a HAR file of a browser shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mockpets.constants import OPERATIONS
from mockpets.scenario.matching import path_matches

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.constants import Operation, RequestOutcome


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its response. None stands for unknown, and proves nothing.

    :param source: where it comes from: ``session checkout``, or a file and its session.
    :param file: the source, if it is a file.
    :param session: its name.
    :param number: in the request log.
    :param start: when it was sent, in seconds since 1970, UTC.
    :param end: when its response ended, or the connection broke.
    :param target: path and query; may have secrets, which `redaction.redacted_target` replaces.
    :param path: decoded, from ``/v1`` on.
    :param headers: of the request, with names in lower case.
    :param body: of the request, complete; empty if it has none.
    :param status: of a complete response.
    :param response_headers: with names in lower case.
    :param outcome: what became of the response.
    """

    source: str
    file: str | None
    session: str | None
    number: int | None
    start: float
    end: float | None
    method: str
    target: str
    path: str | None
    headers: Mapping[str, str]
    body: str | None
    status: int | None
    response_headers: Mapping[str, str]
    outcome: RequestOutcome | None

    @property
    def is_navigation(self) -> bool:
        """Whether a person opened the URL in a browser, or reloaded it."""
        accept, mode = self.headers.get("accept", ""), self.headers.get("sec-fetch-mode", "")
        return "text/html" in accept or mode == "navigate"

    @property
    def operation(self) -> Operation | None:
        """The operation of the contract, or None."""
        method = "GET" if self.method == "HEAD" else self.method
        return next(
            (
                operation
                for operation, (allowed, pattern) in OPERATIONS.items()
                if method == allowed and path_matches(pattern, self.path or "")
            ),
            None,
        )
