"""What to say of a path that leads nowhere."""

from __future__ import annotations

import re
from typing import Final

from mockpets.constants import (
    API_PREFIX,
    BASE_MARK,
    CONTROL_PREFIX,
    NAME_LENGTH,
    ORDERS_PATH,
    PET_PATH,
    PETS_PATH,
    SCENARIO_NAME,
    SESSION_NAME,
)
from mockpets.errors import did_you_mean
from mockpets.scenario.matching import path_matches

_UNMARKED_BASE: Final = (
    rf"/(?!v\d+/)({SESSION_NAME}(?:\+{SCENARIO_NAME})*)((?:{API_PREFIX}|{CONTROL_PREFIX})(?:/.*)?)"
)
"""What may be meant as the base path of a session; not a version twice."""
_ROOT_SHOWN: Final = 160
"""Characters of what stands before a path that a hint repeats."""


def not_found_message(path: str, root: str = "") -> str:
    """Return what to say of a path that leads nowhere: where the pet store is.

    :param root: what stands before the path: a prefix, a session's base path, or both.
    """
    known = [PETS_PATH, PET_PATH.replace("{petId}", "*"), ORDERS_PATH]
    root = root if len(root) <= _ROOT_SHOWN else ""
    said = f"there is nothing at {(root + path)[:80]!r}; "
    for pattern in known:
        # The commonest slips: the prefix left out, a slash at the end.
        if path_matches(pattern, API_PREFIX + path.rstrip("/")):
            there = f"{root}{API_PREFIX}{path.rstrip('/')}"
            return f"{said}the base address ends in {API_PREFIX}: {there}"
        if path_matches(pattern, path.rstrip("/")):
            return f"{said}without the slash at the end there is: {root}{path.rstrip('/')}"
    there = f"the pet store is at {root}{PETS_PATH}"
    base = re.fullmatch(_UNMARKED_BASE, path)
    if base and f"/{BASE_MARK}" not in root:
        # A front end's own base path looks the same, so where the pet store is comes first.
        return (
            f"{said}{there}, and the base path of a session begins with a tilde: "
            f"{root}/{BASE_MARK}{base[1][:NAME_LENGTH]}{base[2][:NAME_LENGTH]}"
        )
    near = did_you_mean(path, known)
    return said + (near.replace("'/", f"'{root}/") or there)
