"""List the scenario and fixture files in folders by name, with a signature of each version."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mockpets.constants import FILE_SUFFIXES, FIXTURE_SUFFIXES
from mockpets.errors import InputError, Problem, invalid
from mockpets.packaged_data import shipped

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(frozen=True)
class Source:
    """A scenario or fixture file, as `shown` in messages, and the earlier ones that it replaces."""

    path: Path
    shown: str
    signature: tuple[int, ...]
    replaces: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Return the file's name, followed by the names of the files that it replaces."""
        return " in place of ".join((self.shown, *reversed(self.replaces)))


def find(kind: str, folders: Iterable[Path]) -> dict[str, Source]:
    """Return ``scenarios`` or ``fixtures`` by name, sorted; later folders replace earlier files.

    :raise InputError: a folder cannot be read, or has two files of the same name.
    """
    sources: dict[str, Source] = {}
    problems: list[Problem] = []
    ours = shipped(kind)
    for folder in (ours, *folders):
        in_folder: dict[str, Source] = {}
        for path in files_in(kind, folder):
            name = as_text(path.stem)
            if name in in_folder:
                problems.append(same_name(path, in_folder[name].path))
                continue
            shown = f"{kind}/{path.name} (shipped)" if folder == ours else as_text(path)
            in_folder[name] = source_of(path, shown, sources.get(name))
        sources.update(in_folder)
    if problems:
        raise InputError(problems)
    return dict(sorted(sources.items()))


def as_text(path: Path | str) -> str:
    """Return a path as text that UTF-8 can encode, with each byte that is not UTF-8 escaped."""
    return str(path).encode("utf-8", "backslashreplace").decode("utf-8")


def same_name(path: Path, other: Path) -> Problem:
    """Return the problem that two files of one folder have the same name."""
    what = f"{other.name} also has the name '{path.stem}'"
    return Problem(str(path), 0, 0, "", what, "rename or remove one of them")


def source_of(path: Path, shown: str, replaced: Source | None = None) -> Source:
    """Return a file as a source; the signature of an inaccessible file is empty."""
    signature: tuple[int, ...] = ()
    with suppress(OSError):
        status = path.stat()
        signature = (status.st_mtime_ns, status.st_size, status.st_ino)
    replaces = (*replaced.replaces, replaced.shown) if replaced else ()
    return Source(path, shown, signature, replaces)


def files_in(kind: str, folder: Path) -> list[Path]:
    """Return the files of a folder, sorted by name, or raise InputError if it cannot be read."""
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        what = f"cannot read this folder of {kind}: {error.strerror}"
        raise invalid(str(folder), what, f"check --{kind}-dir") from error
    suffixes = FIXTURE_SUFFIXES if kind == "fixtures" else FILE_SUFFIXES
    return [
        path for path in paths if path.suffix.lower() in suffixes and not path.name.startswith(".")
    ]
