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
from benchmarks.contracts import PET_STORE, ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from benchmarks.contracts import Contract, Query, Targets

OURS: Final = "mockpets"
BEFORE: Final = "mockpets, before"
"""The other checkout."""
SCRIPT: Final = "Flask, one route"
"""A small script, with which the start is compared."""


class Subject(NamedTuple):
    """A server to measure.

    :param command: `{port}` and `{other}` are replaced with free ports.
    :param folder: its working directory, with its output.
    :param note: a remark on its setup, for the reader of the table.
    :param contract: what is measured of it.
    :param targets: its spelling of the requests.
    :param warm_seconds: seconds of load before the first measurement.
    :param renew: writes its files before each start, since some servers store new records in them.
    """

    name: str
    command: tuple[str, ...]
    folder: Path
    version: str = ""
    note: str = ""
    environment: Mapping[str, str] = {}
    contract: Contract = PET_STORE
    targets: Targets = PET_STORE.targets
    warm_seconds: int = 1
    renew: Callable[[], None] = lambda: None

    def page(self, query: Query | None = None) -> str:
        """Return the target of a list request, by default of the timed one."""
        query = query or self.contract.timed
        target = self.targets.list.format(limit=query.limit, page=query.page)
        return f"{target}&{self.targets.filter}={query.filter}" if query.filter else target

    def record(self, key: int | str) -> str:
        """Return the target of a get request."""
        return self.targets.get.format(id=key)


def serving(
    folder: Path,
    *options: str,
    checkout: Path = ROOT,
    name: str = OURS,
    python: Path | str = sys.executable,
) -> Subject:
    """Return mockpets from a checkout, without the access log."""
    serve = ("serve", "--port", "{port}", "--max-records=100000", "--log=quiet")
    command = (str(python), "-m", "mockpets", *serve, *options)
    return Subject(name, command, folder, environment=environment(checkout))


def environment(checkout: Path = ROOT) -> dict[str, str]:
    """Return the environment for importing `mockpets` and `benchmarks` from a checkout."""
    current = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": os.pathsep.join([str(checkout), *([current] if current else [])])}


def own_subjects(
    home: Path, contract: Contract, before: Path | None, pythons: Sequence[Path] = ()
) -> list[Subject]:
    """Return mockpets, the script if it has the contract, and the other checkout if there is one.

    :param home: an existing folder for their files and output.
    :param pythons: other interpreters for mockpets, with its dependencies.
    """
    records = home / f"{contract.name}.json"
    records.write_text(json.dumps(contract.records), encoding="utf-8")
    options = [option.replace("{records}", records.name) for option in contract.options]
    subjects = [serving(home, *options)._replace(note="access log off, like the peers")]
    if before is not None:
        other = serving(home, *options, checkout=before.absolute(), name=BEFORE)
        subjects.append(other._replace(note="another checkout, the same libraries"))
    for python in pythons:
        name = f"{OURS}, {build(python)}"
        subjects.append(serving(home, *options, name=name, python=python.absolute()))
    subjects = [each._replace(contract=contract, targets=contract.targets) for each in subjects]
    if has_script(contract):
        script = str(Path(__file__).with_name("flask_script.py"))
        command = (sys.executable, script, "{port}", records.name)
        subjects.append(Subject(SCRIPT, command, home))
    return subjects


def has_script(contract: Contract) -> bool:
    """Return whether `SCRIPT` has the list of a contract."""
    return contract.name == PET_STORE.name


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
