"""What is measured: a command that serves the job, and how its requests are spelled."""

from __future__ import annotations

import compileall
import json
import os
import re
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import mockpets

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mockpets.contract.schemas import Pet

__all__ = [
    "BEFORE",
    "LIMIT",
    "NEW",
    "OURS",
    "PETS",
    "STATUS",
    "Subject",
    "compile_ours",
    "folder_size",
    "installed_size",
    "ours",
]

LIMIT = 20
STATUS = "available"
NEW = '{"name":"Benchmark","categoryId":2,"status":"pending"}'
"""What is posted; not of the status that the timed list shows, so that its page stays."""
PETS = 50
"""Animals at the start: more of `STATUS` than `LIMIT`."""

Kind = Literal["mockpets", "stack", "constant", "peer"]

_ROOT = Path(__file__).parent.parent


_APPS = ("benchmarks.apps",)
_MORE = ("--count", str(PETS), "--max-pets", "100000", "--quiet")
_QUIET = "its log quiet, as the peers' are"
OURS: Mapping[str, tuple[Kind, str, *tuple[str, ...]]] = {
    "mockpets": (
        "mockpets",
        _QUIET,
        "mockpets",
        "serve",
        "--port",
        "{port}",
        *_MORE,
    ),
    "loop, raw": ("constant", "a constant on our loop", *_APPS, "loop", "raw", "{port}"),
    "waitress, raw": ("constant", "a constant, 4 threads", *_APPS, "stock", "raw", "{port}"),
    "waitress, Flask": ("stack", "one plain view", *_APPS, "stock", "flask", "{port}"),
    "waitress, mockpets": ("stack", "our app, 4 threads", *_APPS, "stock", "mockpets", "{port}"),
}
"""What is measured besides the peers: name to kind, note and the words after ``python -m``."""
BEFORE: Final = "mockpets, before"
"""The name of the other checkout in the tables."""


class Subject(NamedTuple):
    """One server to be measured.

    :param command: `{port}` and `{other}` stand for free ports.
    :param folder: where it runs, and where its output is kept.
    :param kind: `stack` is what ours is made of, for orientation; `constant` of it does no job.
    :param note: what a reader must know of how it is set up.
    :param size: bytes installed, without the interpreter; None when that says nothing.
    :param list_target: the list operation in the subject's own spelling.
    :param list_member: the member of the answer that holds the list; empty when it is the answer.
    :param warm_seconds: of asking before anything is timed.
    :param renew: writes its files, before each start: some put into them what was posted.
    """

    name: str
    command: tuple[str, ...]
    folder: Path
    kind: Kind = "peer"
    version: str = ""
    note: str = ""
    size: int | None = None
    environment: Mapping[str, str] = {}
    list_target: str = "/v1/pets?limit={limit}&status={status}"
    pets_target: str = "/v1/pets"
    list_member: str = ""
    warm_seconds: int = 1
    renew: Callable[[], None] = lambda: None

    def page(self, limit: int = LIMIT, status: str = STATUS) -> str:
        """Return the target of a list request."""
        return self.list_target.format(limit=limit, status=status)


def compile_ours(before: Path | None = None) -> bool:
    """Compile mockpets and this benchmark, as pip compiles what it installs; return whether it did.

    :param before: another checkout of mockpets, compiled as well.

    A checkout is compiled when it is first imported, but never where Python is told to keep nothing
    (PYTHONDONTWRITEBYTECODE): each start would do it again, as none does of what is installed.
    """
    folders = [Path(mockpets.__file__).parent, Path(__file__).parent]
    folders += [] if before is None else [before / "mockpets"]
    return all(compileall.compile_dir(folder, quiet=2) for folder in folders)


def installed_size(name: str) -> int:
    """Return the bytes of an installed distribution and of all that it requires."""
    seen: set[str] = set()
    waiting, size = [name], 0
    while waiting:
        known = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if known in seen:
            continue
        seen.add(known)
        try:
            found = metadata.distribution(known)
        except metadata.PackageNotFoundError:
            continue  # for another platform or Python
        size += sum(_size(Path(str(found.locate_file(path)))) for path in found.files or [])
        waiting += [text.split(";")[0] for text in found.requires or [] if "extra ==" not in text]
        waiting = [re.match(r"[\w.-]+", text)[0] for text in waiting]  # type: ignore[index]  # a requirement begins with its name
    return size


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def folder_size(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def ours(home: Path, pets: Sequence[Pet], before: Path | None = None) -> list[Subject]:
    """Return mockpets and what it is made of, to be run by this very Python.

    :param home: an existing folder for their output.
    :param pets: for the app that does not make its own.
    :param before: another checkout, to be measured beside this one.
    """
    size = installed_size("mockpets")
    if (_ROOT / "mockpets").samefile(Path(mockpets.__file__).parent):  # installed as editable
        size += sum(folder_size(_ROOT / part) for part in ("mockpets", "scenarios", "fixtures"))

    def subject(name: str, kind: Kind, note: str, *command: str, checkout: Path = _ROOT) -> Subject:
        folder = home / re.sub(r"\W+", "-", name)
        folder.mkdir(exist_ok=True)
        (folder / "pets.json").write_text(json.dumps(pets), encoding="utf-8")
        version = metadata.version("mockpets") if kind == "mockpets" else ""
        words = (sys.executable, "-m", *command)
        shown = size if kind == "mockpets" else None
        return Subject(name, words, folder, kind, version, note, shown, _environment(checkout))

    subjects = [subject(name, *row) for name, row in OURS.items()]
    if before is not None:
        _, _, *command = OURS["mockpets"]
        note = "another checkout, the same libraries"
        subjects.append(subject(BEFORE, "stack", note, *command, checkout=before.absolute()))
    return subjects


def _environment(checkout: Path) -> dict[str, str]:
    """Return the environment in which a checkout's `mockpets` and `benchmarks` are found."""
    known = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": os.pathsep.join([str(checkout), *([known] if known else [])])}
