"""What was computed of an object, kept in that object, so that both are freed together.

A cache of a module would keep what its keys refer to: documents that were reloaded since, and the
values of seeds that no session has any more.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class Results(dict[Hashable, Any]):
    """Results by key; at the limit, a new one replaces all others.

    Safe to use from several threads.
    """

    __slots__ = ("_limit",)

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit

    def keep(self, key: Hashable, value: T) -> T:
        """Keep a result, and return it."""
        if len(self) >= self._limit:
            self.clear()
        self[key] = value
        return value
