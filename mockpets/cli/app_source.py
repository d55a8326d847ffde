"""What `init` reads of a front end: its framework, its variables and its documents."""

from __future__ import annotations

import os
import re
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


class Framework(NamedTuple):
    """How a front end is served, and which of its variables reach the browser.

    :param package: the npm package that it is known by.
    :param prefix: what the names of these variables begin with.
    :param command: the development server for tests, without what runs npm packages. It has
        another port than yours, so that tests never open that one; only `react-scripts` has no such
        option. Vite 8.4 and Next 16 do not start beside another one in a folder, and name its URL.
    """

    package: str
    prefix: str
    command: str
    port: int


FRAMEWORKS: Final = (
    Framework("vite", "VITE_", "vite --port 5273 --strictPort", 5273),
    Framework("next", "NEXT_PUBLIC_", "next dev --port 3100", 3100),
    Framework("react-scripts", "REACT_APP_", "react-scripts start", 3000),
)
_NAMES: Final = re.compile(
    rb"\b(?:VITE|NEXT_PUBLIC|REACT_APP)_[A-Z0-9_]*(?:URL|URI|ENDPOINT)[A-Z0-9_]*\b"
)
_SOURCE: Final = (".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs", ".vue", ".svelte", ".astro")
_SKIPPED: Final = ("node_modules", "dist", "build", "out", "coverage", "tests", "e2e", "mock")
_FILES: Final = 5_000
_BYTES: Final = 1_000_000
"""How much of a repository is read: bundles and generated files are larger."""
_PLACES: Final = (
    *("", "api", "contract", "contracts", "doc", "docs", "openapi", "public", "schema", "schemas"),
    *("spec", "specs", "src", "src/api"),
)
"""The folders in which OpenAPI documents usually are."""
_DOCUMENT: Final = re.compile(rb"""^[\s{]*["']?openapi["']?\s*:\s*["']?3\.""", re.MULTILINE)


def framework(packages: Collection[str]) -> Framework | None:
    """Return the framework of a front end with these npm packages; None if it is unknown."""
    return next((each for each in FRAMEWORKS if each.package in packages), None)


def url_variables(prefix: str) -> dict[str, str]:
    """Return the variables with a URL that the app reads, each with the first file that names it.

    Names with API come first, then those that are read most often.

    :param prefix: what the names begin with; empty for that of any framework.
    """
    places: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for path in source_files():
        for name in map(bytes.decode, _NAMES.findall(_start_of(path, _BYTES))):
            if name.startswith(prefix):
                places.setdefault(name, path.as_posix())
                counts[name] += 1
    order = sorted(counts, key=lambda name: ("API" not in name, -counts[name], name))
    return {name: places[name] for name in order}


def source_files() -> Iterator[Path]:
    """Yield the app's own source files in a constant order, without tests and configurations."""
    return islice(_walk(), _FILES)


def _walk() -> Iterator[Path]:
    for folder, folders, names in os.walk("."):
        folders[:] = sorted(each for each in folders if each not in _SKIPPED and each[0] != ".")
        for name in sorted(names):
            if name.endswith(_SOURCE) and ".config." not in name:
                yield Path(folder, name)


def documents() -> list[Path]:
    """Return the OpenAPI documents in the usual places."""
    paths = (
        path
        for place in _PLACES
        for suffix in ("yaml", "yml", "json")
        for path in sorted(Path(place).glob(f"*.{suffix}"))
    )
    return [path for path in paths if _DOCUMENT.search(_start_of(path, 2_000))]


def _start_of(path: Path, size: int) -> bytes:
    """Return the first bytes of a file; none if it cannot be read or is no regular file."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(size)
    except OSError:
        return b""
