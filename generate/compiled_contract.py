"""Make mockpets/contract/compiled.py from pet-store.yaml."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from generate import ROOT

if TYPE_CHECKING:
    from pathlib import Path

_FOLDER = ROOT / "mockpets" / "contract"
_HEADER = '''\
"""The document of pet-store.yaml, so that a start does not read YAML.

Made by ``python -m generate``, do not edit.
"""

from __future__ import annotations

from typing import Any, Final

DOCUMENT: Final[dict[str, Any]] = {
'''


def files() -> dict[Path, str]:
    """Return the module."""
    return {_FOLDER / "compiled.py": module((_FOLDER / "pet-store.yaml").read_text("utf-8"))}


def module(text: str) -> str:
    """Return the module for a document in YAML."""
    parts = [f"    {name!r}: {part!r},\n" for name, part in yaml.safe_load(text).items()]
    return f"{_HEADER}{''.join(parts)}}}\n"
