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
_DEFINABLE: Final = rf"{API_PREFIX}(?:/[\w.~-]+)+/?"
"""A path that a stub can match, and that YAML reads without quotes."""
_CUTOFF: Final = 0.84
"""High, because all paths start alike: `/v1/pest` is near `/v1/pets`, `/v1/posts` is not."""
_LENGTH: Final = 160
"""The longest root or path of a stub, in characters, that a message repeats."""
_KNOWN: Final = [PETS_PATH, PET_PATH.replace("{petId}", "*"), ORDERS_PATH]
_ID: Final = "/([0-9]+)(?=/|$)"


def not_found_message(path: str, root: str = "") -> str:
    """Return the error message for an unknown path, with the path to use instead.

    :param root: the part before the path: a prefix, a session's base path, or both.
    """
    root = root if len(root) <= _LENGTH else ""
    message = f"unknown path {(root + path)[:80]!r}; "
    single = re.sub("//+", "/", path)
    if single != path and any(path_matches(pattern, single) for pattern in _KNOWN):
        return f"{message}remove the extra slash: {root}{single}"
    for pattern in _KNOWN:
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
    # An id differs from the pattern's, but is no misspelling.
    near = did_you_mean(re.sub(_ID, "/*", path), _KNOWN, _CUTOFF)
    if pet_id := re.search(_ID, path):
        near = near.replace("*", pet_id[1][:NAME_LENGTH])
    return message + (near.replace("'/", f"'{root}/") or pet_store)


def stub_advice(method: str, path: str) -> str:
    """Return how to define a response in a scenario, or an empty string if no stub should."""
    is_known = any(path_matches(pattern, path.rstrip("/")) for pattern in _KNOWN[:2])
    if is_known or len(path) > _LENGTH or not re.fullmatch(_DEFINABLE, path):
        return ""
    method = "GET" if method == "HEAD" else method[:40]
    return (
        f"to define a response, add a stub to a scenario: 'match: {{method: {method}, "
        f"path: {re.sub(_ID, '/*', path)}}}', a reply, and 'off_contract: true'"
    )
