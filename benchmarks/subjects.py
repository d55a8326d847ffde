"""The servers to measure: their commands and the URLs of their requests."""

from __future__ import annotations

import compileall
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import mockpets

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mockpets.contract.contract_model import Record

OURS: Final = "mockpets"
BEFORE: Final = "mockpets, before"
"""The other checkout."""
SCRIPT: Final = "Flask, one route"
"""A small script, with which the start is compared."""
LIMIT: Final = 20
STATUS: Final = "available"
NEW: Final = '{"name":"Benchmark","categoryId":2,"status":"pending"}'
"""The posted pet. Its status differs from `STATUS`, so that the timed page stays the same."""
PETS: Final = 50
"""Number of pets at the start; more than `LIMIT` of them have `STATUS`."""
MISSING_ID: Final = 999_999_999
ROOT: Final = Path(__file__).parent.parent


class Subject(NamedTuple):
    """A server to measure.

    :param command: `{port}` and `{other}` are replaced with free ports.
    :param folder: its working directory, with its output.
    :param note: a remark on its setup, for the reader of the table.
    :param list_target: target of the list operation without a filter.
    :param status_parameter: the query parameter that filters the list.
    :param list_property: property of the response with the list; empty if the response is the list.
    :param warm_seconds: seconds of load before the first measurement.
    :param renew: writes its files before each start, since some servers store new pets in them.
    """

    name: str
    command: tuple[str, ...]
    folder: Path
    version: str = ""
    note: str = ""
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


def serving(
    folder: Path,
    *options: str,
    checkout: Path = ROOT,
    name: str = OURS,
    python: Path | str = sys.executable,
    count: int = PETS,
) -> Subject:
    """Return mockpets from a checkout, with `count` pets and without the access log."""
    pets = (f"--data=pets={count}", "--max-records=100000")
    serve = ("serve", "--port", "{port}", *pets, "--log=quiet")
    command = (str(python), "-m", "mockpets", *serve, *options)
    return Subject(name, command, folder, environment=environment(checkout))


def environment(checkout: Path = ROOT) -> dict[str, str]:
    """Return the environment for importing `mockpets` and `benchmarks` from a checkout."""
    current = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": os.pathsep.join([str(checkout), *([current] if current else [])])}


def own_subjects(
    home: Path, pets: Sequence[Record], before: Path | None, pythons: Sequence[Path] = ()
) -> list[Subject]:
    """Return mockpets, the script and the other checkout if there is one.

    :param home: an existing folder for their output.
    :param pythons: other interpreters for mockpets, with its dependencies.
    """
    script = home / "script"
    script.mkdir(exist_ok=True)
    (script / "pets.json").write_text(json.dumps(pets), encoding="utf-8")
    command = (sys.executable, str(Path(__file__).with_name("flask_script.py")), "{port}")
    subjects = [
        serving(home)._replace(note="access log off, like the peers"),
        Subject(SCRIPT, command, script),
    ]
    if before is not None:
        other = serving(home, checkout=before.absolute(), name=BEFORE)
        subjects.append(other._replace(note="another checkout, the same libraries"))
    for python in pythons:
        name = f"{OURS}, {build(python)}"
        subjects.append(serving(home, name=name, python=python.absolute()))
    return subjects


def build(python: Path | str) -> str:
    """Return the version of an interpreter, and its place if a distribution or image has put it.

    Such builds are optimised; those that version managers compile often are not.

    :raise RuntimeError: it cannot run.
    """
    code = "import platform, sys; print(platform.python_version(), sys.base_prefix)"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 - a fixed command
    except (OSError, subprocess.CalledProcessError) as error:
        raise RuntimeError(f"{python} is not a Python interpreter") from error
    version, prefix = done.stdout.strip().split(" ", 1)
    return f"Python {version} in {prefix}" if prefix.startswith("/usr") else f"Python {version}"


def compile_ours(before: Path | None = None) -> bool:
    """Compile mockpets and this benchmark, as pip does on installation; return whether it worked.

    With PYTHONDONTWRITEBYTECODE, each start would otherwise compile the checkout again.
    """
    folders = [Path(mockpets.__file__).parent, Path(__file__).parent]
    folders += [] if before is None else [before / "mockpets"]
    return all(compileall.compile_dir(folder, quiet=2) for folder in folders)
