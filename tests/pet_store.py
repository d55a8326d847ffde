"""The collection and the operations of the built-in contract."""

from mockpets.contract.pet_store import BUILT_IN

PETS = BUILT_IN.collections["pets"]
OPERATIONS = BUILT_IN.operations
