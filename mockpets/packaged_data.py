"""Find the shipped folders, such as `scenarios/`, in a checkout, an editable install or a wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def shipped(kind: str) -> Path:
    """Return the folder of the shipped files.

    A wheel has them inside the package (see ``force-include`` in pyproject.toml); otherwise they
    are beside it.

    :param kind: ``fixtures``, ``kit`` or ``scenarios``.
    """
    inside = _PACKAGE / "_shipped" / kind
    return inside if inside.is_dir() else _PACKAGE.parent / kind
