"""The built-in contract: the pet store of pet-store.yaml."""

from __future__ import annotations

from typing import Final

from mockpets.contract.compiled import DOCUMENT
from mockpets.contract.contract_model import Contracts
from mockpets.contract.document import read

PET_STORE: Final = read(DOCUMENT)
BUILT_IN: Final = Contracts(PET_STORE)
"""What a server has that is given no contract."""
