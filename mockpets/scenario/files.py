"""Which files of scenarios and fixtures there are: by name, and told when they have changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mockpets.constants import FILE_SUFFIXES
from mockpets.errors import InputError, Problem
from mockpets.packaged_data import shipped

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(frozen=True)
class Source:
    """One scenario or fixture file.

    :param shown: how problems and lists name it.
    :param signature: what changes when the file does.
    :param replaces: how the files of earlier folders that have its name are shown.
    """

    path: Path
    shown: str
    signature: tuple[int, ...]
    replaces: tuple[str, ...] = ()


def find(kind: str, folders: Iterable[Path]) -> dict[str, Source]:
    """Return the files of one kind by name, sorted; of two for one name the later folder's.

    :param kind: ``scenarios`` or ``fixtures``.
    :raise InputError: a folder cannot be read, or holds two files for one name.
    """
    found: dict[str, Source] = {}
    problems: list[Problem] = []
    for folder in (shipped(kind), *folders):
        here: dict[str, Source] = {}
        for path in files_in(kind, folder):
            name = path.stem
            if name in here:
                problems.append(same_name(path, here[name].path))
                continue
            shown = f"{kind}/{path.name} (shipped)" if folder == shipped(kind) else str(path)
            here[name] = source_of(path, shown, found.get(name))
        found.update(here)
    if problems:
        raise InputError(problems)
    return dict(sorted(found.items()))


def same_name(path: Path, other: Path) -> Problem:
    """Return the problem that two files of one folder are for one name."""
    what = f"{other.name} has the name '{path.stem}' too"
    return Problem(str(path), 0, 0, "", what, "keep one of the two")


def source_of(path: Path, shown: str, replaced: Source | None = None) -> Source:
    """Return a file as a source; one that cannot be looked at changes when it can be."""
    try:
        status = path.stat()
        signature: tuple[int, ...] = (status.st_mtime_ns, status.st_size, status.st_ino)
    except OSError:
        signature = ()
    replaces = (*replaced.replaces, replaced.shown) if replaced else ()
    return Source(path, shown, signature, replaces)


def files_in(kind: str, folder: Path) -> list[Path]:
    """Return the scenario or fixture files of a folder, sorted by name.

    :raise InputError: the folder cannot be read.
    """
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        what = f"cannot be read as a folder of {kind}: {error.strerror}"
        raise InputError([Problem(str(folder), 0, 0, "", what, f"check --{kind}-dir")]) from error
    return [
        path
        for path in paths
        if path.suffix.lower() in FILE_SUFFIXES and not path.name.startswith(".")
    ]
