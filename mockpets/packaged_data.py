"""Find the shipped folders, such as `scenarios/`, in a checkout, an editable install or a wheel."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TypeVar, cast

T = TypeVar("T")
_PACKAGE = Path(__file__).resolve().parent


def shipped(kind: str) -> Path:
    """Return the folder of the shipped files.

    A wheel has them inside the package (see ``force-include`` in pyproject.toml); otherwise they
    are beside it.

    :param kind: ``fixtures``, ``kit`` or ``scenarios``.
    """
    inside = _PACKAGE / "_shipped" / kind
    return inside if inside.is_dir() else _PACKAGE.parent / kind


def of_build(module: str, name: str, default: T) -> T:
    """Return a value of a module that `hatch_build.py` writes, or the default in a checkout."""
    try:
        return cast(T, getattr(import_module(f"mockpets.{module}"), name))
    except ModuleNotFoundError:
        return default
