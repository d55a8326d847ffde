"""The servers to measure: their commands and the URLs of their requests."""

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
from benchmarks.installs import mockpets_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mockpets.contract.schemas import Pet

__all__ = [
    "BEFORE",
    "LIMIT",
    "MISSING_ID",
    "NEW",
    "OURS",
    "PETS",
    "STATUS",
    "Subject",
    "compile_ours",
    "folder_size",
    "installed_size",
    "ours",
    "under_python",
]

LIMIT = 20
STATUS = "available"
NEW = '{"name":"Benchmark","categoryId":2,"status":"pending"}'
"""The posted pet. Its status differs from `STATUS`, so that the timed page stays the same."""
PETS = 50
"""Number of pets at the start; more than `LIMIT` of them have `STATUS`."""

MISSING_ID = 999_999_999
"""An id that no pet has."""

Kind = Literal["mockpets", "stack", "constant", "peer"]

_ROOT = Path(__file__).parent.parent


_APPS = ("benchmarks.apps",)
_OPTIONS = ("--count", str(PETS), "--max-pets", "100000", "--quiet")
_QUIET = "access log off, like the peers"
OURS: Mapping[str, tuple[Kind, str, *tuple[str, ...]]] = {
    "mockpets": (
        "mockpets",
        _QUIET,
        "mockpets",
        "serve",
        "--port",
        "{port}",
        *_OPTIONS,
    ),
    "loop, raw": ("constant", "a constant on our loop", *_APPS, "loop", "raw", "{port}"),
    "waitress, raw": ("constant", "a constant, 4 threads", *_APPS, "stock", "raw", "{port}"),
    "waitress, Flask": ("stack", "one plain view", *_APPS, "stock", "flask", "{port}"),
    "waitress, mockpets": ("stack", "our app, 4 threads", *_APPS, "stock", "mockpets", "{port}"),
}
"""The servers besides the peers: name to kind, note and the arguments of ``python -m``."""
BEFORE: Final = "mockpets, before"
"""The name of the other checkout in the tables."""


class Subject(NamedTuple):
    """A server to measure.

    :param command: `{port}` and `{other}` are replaced with free ports.
    :param folder: its working directory, with its output.
    :param kind: `stack` for parts of our own stack; `constant` for those that do no work.
    :param note: a remark on its setup, for the reader of the table.
    :param size: installed bytes, without the interpreter, or None if meaningless.
    :param list_target: target of the list operation without a filter.
    :param status_parameter: the query parameter that filters the list.
    :param pets_target: target of the create operation.
    :param pet_target: target of the get operation.
    :param list_property: property of the response with the list; empty if the response is the list.
    :param warm_seconds: seconds of load before the first measurement.
    :param renew: writes its files before each start, since some servers store new pets in them.
    """

    name: str
    command: tuple[str, ...]
    folder: Path
    kind: Kind = "peer"
    version: str = ""
    note: str = ""
    size: int | None = None
    environment: Mapping[str, str] = {}
    list_target: str = "/v1/pets?limit={limit}"
    status_parameter: str = "status"
    pets_target: str = "/v1/pets"
    pet_target: str = "/v1/pets/{id}"
    list_property: str = ""
    warm_seconds: int = 1
    renew: Callable[[], None] = lambda: None

    def page(self, limit: int = LIMIT, status: str = STATUS) -> str:
        """Return the target of a list request, without a filter if `status` is empty."""
        target = self.list_target.format(limit=limit)
        return f"{target}&{self.status_parameter}={status}" if status else target

    def pet(self, number: int) -> str:
        """Return the target of a get request."""
        return self.pet_target.format(id=number)


def compile_ours(before: Path | None = None) -> bool:
    """Compile mockpets and this benchmark, as pip does on installation; return whether it worked.

    With PYTHONDONTWRITEBYTECODE, each start would otherwise compile the checkout again, unlike an
    installed package.

    :param before: another checkout of mockpets to compile.
    """
    folders = [Path(mockpets.__file__).parent, Path(__file__).parent]
    folders += [] if before is None else [before / "mockpets"]
    return all(compileall.compile_dir(folder, quiet=2) for folder in folders)


def installed_size(name: str) -> int:
    """Return the bytes of an installed distribution and all its requirements."""
    seen: set[str] = set()
    waiting, size = [name], 0
    while waiting:
        normalized = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if normalized in seen:
            continue
        seen.add(normalized)
        try:
            package = metadata.distribution(normalized)
        except metadata.PackageNotFoundError:
            continue  # for another platform or Python
        size += sum(_size(Path(str(package.locate_file(path)))) for path in package.files or [])
        waiting += [text.split(";")[0] for text in package.requires or [] if "extra ==" not in text]
        waiting = [re.match(r"[\w.-]+", text)[0] for text in waiting]  # type: ignore[index]  # requirements start with a name
    return size


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def folder_size(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def ours(home: Path, pets: Sequence[Pet], before: Path | None = None) -> list[Subject]:
    """Return mockpets and the parts of its stack, run by the current Python.

    :param home: an existing folder for their output.
    :param pets: data for the app without a generator.
    :param before: another checkout to measure.
    """
    size = installed_size("mockpets")
    if (_ROOT / "mockpets").samefile(Path(mockpets.__file__).parent):  # installed as editable
        size += sum(folder_size(_ROOT / part) for part in ("mockpets", "scenarios", "fixtures"))

    def subject(name: str, kind: Kind, note: str, *command: str, checkout: Path = _ROOT) -> Subject:
        folder = home / re.sub(r"\W+", "-", name)
        folder.mkdir(exist_ok=True)
        (folder / "pets.json").write_text(json.dumps(pets), encoding="utf-8")
        version = metadata.version("mockpets") if kind == "mockpets" else ""
        arguments = (sys.executable, "-m", *command)
        own_size = size if kind == "mockpets" else None
        environment = _environment(checkout)
        return Subject(name, arguments, folder, kind, version, note, own_size, environment)

    subjects = [subject(name, *row) for name, row in OURS.items()]
    if before is not None:
        _, _, *command = OURS["mockpets"]
        note = "another checkout, the same libraries"
        subjects.append(subject(BEFORE, "stack", note, *command, checkout=before.absolute()))
    return subjects


def under_python(python: str, folder: Path, default: Subject) -> Subject:
    """Install mockpets for another Python and return it.

    :param folder: for its environment and its output.
    :param default: mockpets under the running Python.
    :raise UnavailableError: if it cannot be installed.
    """
    command, version = mockpets_for(python, folder, _ROOT)
    return default._replace(
        name=f"mockpets, {version}",
        command=(command, *default.command[1:]),
        folder=folder,
        kind="stack",
        note="another Python, the same libraries",
        size=None,
    )


def _environment(checkout: Path) -> dict[str, str]:
    """Return the environment for importing `mockpets` and `benchmarks` from a checkout."""
    current = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": os.pathsep.join([str(checkout), *([current] if current else [])])}
