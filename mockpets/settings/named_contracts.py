"""The contracts that the settings name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mockpets.contract.pet_store import BUILT_IN

if TYPE_CHECKING:
    from mockpets.contract.contract_model import Contracts
    from mockpets.scenario.contract_files import ContractFiles
    from mockpets.settings.settings_table import Settings


def contract_files(settings: Settings) -> ContractFiles | None:
    """Return the documents that a server with these settings has; None without any.

    :raise InputError: a document or its corrections are invalid.
    """
    if not (settings.contract or settings.corrections):
        return None
    from mockpets.scenario.contract_files import ContractFiles  # most servers have no document

    corrections = Path(settings.corrections) if settings.corrections else None
    return ContractFiles(settings.contract, corrections)


def contracts_of(settings: Settings) -> Contracts:
    """Return the contracts that a server with these settings has.

    :raise InputError: as `contract_files`.
    """
    files = contract_files(settings)
    return BUILT_IN if files is None else files.current()
