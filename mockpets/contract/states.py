"""The statuses that an operation can have as its state, in expressions such as ``getPet:404``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mockpets.contract.error_messages import from_network

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mockpets.contract.contract_model import Operation

_ERROR: Final = 400
_UNAUTHORIZED: Final = 401
_SERVER_ERROR: Final = 500


def statuses(responses: Iterable[str]) -> list[str]:
    """Return the statuses that a document lists, with one for each range and for the default.

    :param responses: as in the document: ``200``, ``4XX``, ``default``.
    """
    known = [each.upper() for each in responses]
    exact = [each for each in known if each.isdigit()]
    ranges = [f"{each[0]}00" for each in known if re.fullmatch("[2-5]XX", each)]
    has_error = any(int(each) >= _SERVER_ERROR for each in (*exact, *ranges))
    others = [str(_SERVER_ERROR)] if "DEFAULT" in known and not has_error else []
    return [*dict.fromkeys((*exact, *ranges, *others))]


def documented(operation: Operation) -> list[str]:
    """Return the statuses that an operation lists, as in the document but in upper case."""
    if operation.details is not None:
        return [status.upper() for status in operation.details.described.responses]
    return [*map(str, operation.statuses), *(["DEFAULT"] if operation.default else [])]


def lists(operation: Operation, status: int) -> bool:
    """Return whether an operation documents a status, or has it because it needs credentials."""
    if operation.lists(status):
        return True
    details = operation.details
    return status == _UNAUTHORIZED and details is not None and details.security.is_needed


def allows(operation: Operation, status: int) -> bool:
    """Return whether an operation can have a status as its state.

    It documents the status, also as a range or, of errors, by default; or networks send it; or it
    is any 4xx, of which the operation documents none; or 401, and the operation needs credentials.
    """
    known = documented(operation)
    if from_network(status) or str(status) in known or f"{status // 100}XX" in known:
        return True
    if not _ERROR <= status < _SERVER_ERROR:
        return False
    if "DEFAULT" in known or not any(each[0] == "4" for each in known):
        return True
    return lists(operation, status)
