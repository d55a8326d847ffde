"""Build what a release consists of, from a checkout: ``python deploy/release/build.py FOLDER``.

``--only pyz`` builds only mockpets.pyz. The same commit gives the same bytes: versions are pinned
with hashes, times are constant, and files that differ between machines are left out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KIT = ROOT / "kit"
PYZ = "mockpets.pyz"
VERSION = json.loads((KIT / "package.json").read_text("utf-8"))["version"]
_BILL = "sbom.cdx.json"
_BRANCH = "refs/heads/release"
_PEOPLE = [
    f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL", "DATE")
]
_TIME = (1980, 1, 1, 0, 0, 0)
"""The first time that a ZIP file can have."""
_PLATFORMS = ("manylinux2014_x86_64", "manylinux_2_28_x86_64")
_WHEELS = (
    *("--no-deps", "--require-hashes", "--only-binary", ":all:", "--python-version", "3.11"),
    *(word for name in _PLATFORMS for word in ("--platform", name)),
)
"""The same for every Python; PyYAML's machine code is used only if it fits."""
_MACHINE_CODE = (".so", ".pyd")
"""Suffixes of compiled modules. MarkupSafe and PyYAML have the same in Python."""
_DIFFERENT = ("RECORD", "INSTALLER", "REQUESTED", "WHEEL", "direct_url.json")
"""Metadata that pip writes, or that names the platform."""
_MODE = 0o100644 << 16


def run(*command: str | Path, folder: Path = ROOT, **variables: str) -> str:
    """Run a program; return its output."""
    env = {**os.environ, **variables}
    return subprocess.check_output([*map(str, command)], cwd=folder, env=env, text=True)  # noqa: S603


def pip(*arguments: str | Path) -> None:
    """Run pip as a part of this build."""
    run(sys.executable, "-m", "pip", "-qq", "--disable-pip-version-check", *arguments)


def build_packages(folder: Path, *, sdist: bool) -> Path:
    """Build the wheel, and the sdist if it is wanted; return the wheel."""
    with TemporaryDirectory() as tools:
        # What mockpets needs, too, since the build reads scenarios and generates pets.
        requirements = ("-r", HERE / "build.txt", "-r", HERE / "pyz.txt")
        pip("install", "--target", tools, *_WHEELS, *requirements)
        targets = ("-t", "wheel", *(("-t", "sdist") if sdist else ()))
        command = (sys.executable, "-m", "hatchling", "build", "-d", folder, *targets)
        run(*command, PYTHONPATH=tools)
    [wheel] = folder.glob("*.whl")
    return wheel


def build_pyz(wheel: Path, path: Path) -> Path:
    """Write the zipapp with the wheel, its dependencies and their bill of materials."""
    with TemporaryDirectory() as temporary:
        site = Path(temporary)
        pip("install", "--no-compile", "--target", site, *_WHEELS, "-r", HERE / "pyz.txt")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(site)  # noqa: S202 - it was built here
        (site / _BILL).write_text(run(sys.executable, HERE / "sbom.py", site))
        contents = {
            file.relative_to(site).as_posix(): file.read_bytes()
            for file in sorted(site.rglob("*"))
            if file.is_file() and _is_kept(file.relative_to(site))
        }
    write_pyz(path, wheel.name.split("-")[1], contents)
    return path


def write_pyz(path: Path, version: str, contents: Mapping[str, bytes]) -> None:
    """Write files, by name, behind the code that unpacks them."""
    digest = hashlib.sha256()
    for name, data in contents.items():
        digest.update(b"%d %d %s" % (len(name.encode()), len(data), name.encode() + data))
    main = (HERE / "pyz_main.py").read_text("utf-8")
    main = main.replace('"unbuilt"', f'"{version}-{digest.hexdigest()[:16]}"', 1)
    with path.open("wb") as file:
        file.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(file, "w") as archive:
            for name, data in {"__main__.py": main.encode(), **contents}.items():
                entry = zipfile.ZipInfo(name, _TIME)
                entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, _MODE
                archive.writestr(entry, data, compresslevel=9)
    path.chmod(0o755)


def _is_kept(path: Path) -> bool:
    folder = path.parts[0]
    is_metadata = folder.endswith(".dist-info") and path.name in _DIFFERENT
    return not (is_metadata or folder == "bin" or path.suffix in _MACHINE_CODE)


def build_npm(folder: Path, pyz: Path) -> Path:
    """Pack the kit with the server as an npm package; return the tarball."""
    with TemporaryDirectory() as temporary:
        package = Path(temporary, "package")
        shutil.copytree(KIT, package, ignore=shutil.ignore_patterns("node_modules"))
        shutil.copy(pyz, package)
        schema = run(sys.executable, pyz, "schema", XDG_CACHE_HOME=temporary)
        (package / "scenario.schema.json").write_text(schema)
        packed = run("npm", "pack", "--silent", "--pack-destination", folder, folder=package)
    return folder / packed.split()[-1]


def commit_npm(tarball: Path) -> str:
    """Commit the source with the files of the npm package to the branch `release`.

    A tag on it serves npm, pip and uv. Returns the commit; it has the author and time of the
    commit that it was built from, so that it is the same wherever it is made.
    """
    source = run("git", "rev-parse", "HEAD").strip()
    with TemporaryDirectory() as temporary:
        work = Path(temporary)
        with tarfile.open(tarball) as archive:
            archive.extractall(work, filter="data")
        index = {"GIT_INDEX_FILE": str(work / "index")}
        for name in ("README.md", "LICENSE"):  # the project's own stay
            (work / "package" / name).unlink()
        run("git", "read-tree", source, **index)
        add = ("add", "--force", "--ignore-removal", ":/")
        run("git", "--work-tree", work / "package", *add, **index)
        tree = run("git", "write-tree", **index).strip()
    tip = run("git", "for-each-ref", "--format=%(objectname) %(tree)", _BRANCH).split()
    if tree in tip:
        return tip[0]
    form = "--format=%an%n%ae%n%aI%n%cn%n%ce%n%cI"
    people = dict(zip(_PEOPLE, run("git", "log", "-1", form).splitlines(), strict=True))
    parents = [word for parent in (*tip[:1], source) for word in ("-p", parent)]
    message = f"mockpets {VERSION} with the npm package"
    commit = run("git", "commit-tree", tree, *parents, "-m", message, **people).strip()
    run("git", "update-ref", _BRANCH, commit)
    return commit


def write_checksums(folder: Path) -> None:
    """Write the checksums of all files, for ``sha256sum --check``."""
    files = sorted(folder.iterdir())
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (folder / "SHA256SUMS").write_text("".join(lines))


def main() -> None:
    """Build into the folder that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="a new or empty folder")
    parser.add_argument("--only", choices=["pyz"], help="build nothing else")
    arguments = parser.parse_args()
    folder: Path = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        parser.error(f"{arguments.folder}: this folder is not empty; name a new one")
    if arguments.only:
        with TemporaryDirectory() as temporary:
            build_pyz(build_packages(Path(temporary), sdist=False), folder / PYZ)
    else:
        pyz = build_pyz(build_packages(folder, sdist=True), folder / PYZ)
        with zipfile.ZipFile(pyz) as archive:
            (folder / f"{PYZ}.{_BILL}").write_bytes(archive.read(_BILL))
        commit = commit_npm(build_npm(folder, pyz))
        print(f"branch release: {commit}")
    write_checksums(folder)
    for file in sorted(folder.iterdir()):
        print(f"{file.stat().st_size:>9}  {file.name}")


if __name__ == "__main__":
    main()
