"""Error messages for unknown paths, with a hint at the path that was probably meant."""

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
"""A path that looks like a session's base path without its tilde, such as ``/w3/v1/pets``."""
_ROOT_LENGTH: Final = 160
"""The longest root, in characters, that a message repeats."""


def not_found_message(path: str, root: str = "") -> str:
    """Return the error message for an unknown path, with the path to use instead.

    :param root: the part before the path: a prefix, a session's base path, or both.
    """
    known = [PETS_PATH, PET_PATH.replace("{petId}", "*"), ORDERS_PATH]
    root = root if len(root) <= _ROOT_LENGTH else ""
    message = f"unknown path {(root + path)[:80]!r}; "
    single = re.sub("//+", "/", path)
    if single != path and any(path_matches(pattern, single) for pattern in known):
        return f"{message}remove the extra slash: {root}{single}"
    for pattern in known:
        # The most common errors: a missing prefix, a trailing slash.
        if path_matches(pattern, API_PREFIX + path.rstrip("/")):
            correct = f"{root}{API_PREFIX}{path.rstrip('/')}"
            return f"{message}the base URL must end with {API_PREFIX}: {correct}"
        if path_matches(pattern, path.rstrip("/")):
            return f"{message}remove the trailing slash: {root}{path.rstrip('/')}"
    pet_store = f"the pet store is at {root}{PETS_PATH}"
    base = re.fullmatch(_UNMARKED_BASE, path)
    if base and f"/{BASE_MARK}" not in root:
        # A front end's own base path looks the same, so the pet store's path comes first.
        return (
            f"{message}{pet_store}, and the base path of a session starts with a tilde: "
            f"{root}/{BASE_MARK}{base[1][:NAME_LENGTH]}{base[2][:NAME_LENGTH]}"
        )
    near = did_you_mean(path, known)
    return message + (near.replace("'/", f"'{root}/") or pet_store)
