"""Limit the memory of the request bodies that are arriving, of all connections together."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class BodyBudget:
    """Counts the bytes of incomplete bodies; at the limit, rejects the largest.

    The largest, and not the newest, so that clients that fill the budget cannot lock out small
    bodies.

    :param limit: bytes.
    """

    def __init__(self, limit: int) -> None:
        self.used = 0
        """Bytes."""
        self._limit = limit
        self._sizes: dict[Callable[[], None], int] = {}

    def count(self, reject: Callable[[], None], size: int) -> None:
        """Set the size in bytes of what a connection holds, which may reject a body.

        :param reject: responds that the server is busy, and frees the body; the same for each call
            about a connection.
        """
        self.used += size - self._sizes.get(reject, 0)
        self._sizes[reject] = size
        while self.used > self._limit:
            reject_largest = max(self._sizes, key=self._sizes.__getitem__)
            self.forget(reject_largest)
            reject_largest()

    def forget(self, reject: Callable[[], None]) -> None:
        """Return the bytes of a connection, if it has any: its body is complete or rejected."""
        self.used -= self._sizes.pop(reject, 0)
