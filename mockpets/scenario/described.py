"""Replies that name a status only: the contract says what else the response has."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mockpets.contract.error_body import error_body
from mockpets.contract.error_messages import from_network, network_error
from mockpets.scenario.scenario_model import Canned, Described

if TYPE_CHECKING:
    from mockpets.contract.contract_model import Contracts, Failure


class StatusError(NamedTuple):
    """The error of a status, for operations of the built-in contract and paths outside of any.

    :param names_key: see `Canned`.
    """

    code: str
    message: str
    names_key: bool


def error_of(status: int, contracts: Contracts) -> StatusError:
    """Return the error that contracts define for a status, else that of a network."""
    if not from_network(status):
        for failure in contracts.failures.values():
            if failure.status == status:
                return StatusError(failure.code, failure.message, is_absence(failure, contracts))
    return StatusError(*network_error(status), names_key=False)


def is_absence(failure: Failure, contracts: Contracts) -> bool:
    """Return whether a failure is that of a key that no record has."""
    collections = contracts.collections.values()
    return any(each.absent is not None and each.absent.failure == failure for each in collections)


def error_reply(status: int, contracts: Contracts) -> Canned:
    """Return the reply with a status of 400 or above, and what a contract says of it."""
    error = error_of(status, contracts)
    return Canned(
        status,
        (("Content-Type", "application/json"),),
        error_body(error.code, error.message, status),
        names_key=error.names_key,
        described=Described((status,)),
    )
