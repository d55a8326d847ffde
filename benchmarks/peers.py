"""The peers: what is installed, at which version, how each is set up to do the job, what runs it.

Each gets a folder below the cache, outside the checkout, with its packages and its files. Peers of
Node run on one Node for all, from npm, since some want a newer one than distributions have. What
cannot be had is told as a reason and left out.
"""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from benchmarks import peer_setups as setups
from benchmarks.subjects import Subject, folder_size

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from mockpets.contract import Pet

__all__ = ["RECIPES", "Recipe", "UnavailableError", "make_ready"]

NODE = "24.21.0"
_INSTALL_SECONDS = 300
_MODULES = "node_modules"


class UnavailableError(Exception):
    """A peer cannot be had here; the message says why."""


class Recipe(NamedTuple):
    """How one peer is had and run.

    :param packages: npm's, pinned; the first gives the version.
    :param command: `{node}` and `{java}` are resolved here; `{port}` and `{other}`, and all below
        `set_up`, are as `Subject` has them.
    :param set_up: writes its files into its folder.
    """

    name: str
    packages: tuple[str, ...]
    command: str
    set_up: Callable[[Path, Sequence[Pet]], None]
    note: str = ""
    list_target: str = "/v1/pets?limit={limit}&status={status}"
    pets_target: str = "/v1/pets"
    list_member: str = ""
    warm_seconds: int = 1


_MOUNTEBANK = (
    "{node} node_modules/mountebank/bin/mb start --configfile imposters.ejs --port {other} "
    "--host 127.0.0.1 --localOnly --nologfile --loglevel error"
)
_OWN_CODE = "its user's own code does the job"

RECIPES = (
    Recipe(
        "Prism",
        ("@stoplight/prism-cli@5.16.0",),
        # More than one process, its default in production, fails on Node 24.
        "{node} node_modules/@stoplight/prism-cli/dist/index.js mock openapi.json --port {port} "
        "--host 127.0.0.1 --verboseLevel silent --multiprocess false",
        setups.prism,
        "our OpenAPI document; the page is an example",
    ),
    Recipe(
        "Mockoon",
        ("@mockoon/cli@9.9.0",),
        "{node} node_modules/@mockoon/cli/bin/run.js start --data mockoon.json --port {port} "
        "--hostname 127.0.0.1 --disable-log-to-file --disable-admin-api",
        setups.mockoon,
        "a CRUD route over a data bucket; spells the filter `status_eq`",
        list_target="/v1/pets?limit={limit}&status_eq={status}",
    ),
    Recipe(
        "json-server",
        ("json-server@0.17.4",),
        "{node} node_modules/json-server/lib/cli/bin.js db.json --port {port} --host 127.0.0.1 "
        "--quiet --routes routes.json --middlewares middleware.cjs",
        setups.json_server,
        "13 lines of middleware for the key; writes its file at each POST",
    ),
    Recipe(
        "json-server beta",
        ("json-server@1.0.0-beta.15",),
        "{node} node_modules/json-server/lib/bin.js db.json --port {port} --host 127.0.0.1",
        setups.json_server,
        "no key, no `/v1`; spells the page size `_per_page`; writes its file at each POST",
        list_target="/pets?_page=1&_per_page={limit}&status={status}",
        pets_target="/pets",
        list_member="data",
    ),
    Recipe(
        "Mockaton",
        ("mockaton@8.23.4",),
        "{node} node_modules/mockaton/src/cli.js --port {port} --host 127.0.0.1 --config "
        "mockaton.config.js",
        setups.mockaton,
        "a file for each answer",
    ),
    Recipe(
        "Mockaton, own code",
        ("mockaton@8.23.4",),
        "{node} node_modules/mockaton/src/cli.js --port {port} --host 127.0.0.1 --config "
        "mockaton.config.js",
        setups.mockaton_code,
        f"function mocks: {_OWN_CODE}",
    ),
    Recipe(
        "mountebank",
        ("mountebank@2.9.1",),
        _MOUNTEBANK,
        setups.mountebank,
        "stubs with a fixed answer",
    ),
    Recipe(
        "mountebank, own code",
        ("mountebank@2.9.1",),
        f"{_MOUNTEBANK} --allowInjection",
        setups.mountebank_code,
        f"an injected function: {_OWN_CODE}",
    ),
    Recipe(
        "MSW, own code",
        ("msw@2.15.0", "@mswjs/http-middleware@0.10.3", "express@4.22.1"),
        "{node} msw.mjs",
        setups.msw,
        f"behind its HTTP middleware: {_OWN_CODE}",
    ),
    Recipe(
        "WireMock",
        ("wiremock@3.13.2",),
        "{java} -jar node_modules/wiremock/build/wiremock-standalone-3.13.2.jar --port {port} "
        "--bind-address 127.0.0.1 --root-dir . --no-request-journal --disable-request-logging "
        "--disable-banner",
        setups.wiremock,
        "stubs with a fixed answer, its journal off",
        warm_seconds=4,
    ),
    Recipe(
        "MockServer",
        ("mockserver-node@8.0.0",),
        "{java} -Dmockserver.initializationJsonPath=expectations.json "
        "-Dmockserver.logLevel=ERROR -Dmockserver.disableSystemOut=true -jar node_modules/"
        "mockserver-node/mockserver-netty-8.0.0-jar-with-dependencies.jar -serverPort {port}",
        setups.mockserver,
        "expectations with a fixed answer",
        warm_seconds=4,
    ),
)


def make_ready(recipe: Recipe, home: Path, pets: Sequence[Pet]) -> Subject:
    """Install a peer, if that is not done yet, write its files, and return it.

    :param home: an existing folder for all peers.
    :raise UnavailableError: it cannot be had here.
    """
    runtime = _java() if "{java}" in recipe.command else _node(home)
    folder = home / re.sub(r"\W+", "-", recipe.name)
    _install(folder, recipe.packages)
    recipe.set_up(folder, pets)
    words = recipe.command.split()
    command = tuple(str(runtime) if word in ("{node}", "{java}") else word for word in words)
    return Subject(
        recipe.name,
        command,
        folder,
        version=recipe.packages[0].rpartition("@")[2],
        note=recipe.note,
        size=folder_size(folder / _MODULES),
        environment={"NODE_ENV": "production"},
        list_target=recipe.list_target,
        pets_target=recipe.pets_target,
        list_member=recipe.list_member,
        warm_seconds=recipe.warm_seconds,
    )


def _install(folder: Path, packages: Sequence[str]) -> None:
    """Have npm install packages; nothing is done when these are there already."""
    npm = shutil.which("npm")
    if npm is None:
        raise UnavailableError("npm is not installed")
    done = folder / "installed.json"
    if done.is_file() and json.loads(done.read_text(encoding="utf-8")) == list(packages):
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    options = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    try:
        subprocess.run(  # noqa: S603 - our own words
            [npm, "install", *options, *packages],
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
            timeout=_INSTALL_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise UnavailableError(f"npm takes over {_INSTALL_SECONDS} s for {packages[0]}") from error
    except subprocess.CalledProcessError as error:
        said = " ".join(error.stderr.split())[:300]
        raise UnavailableError(f"npm cannot install {packages[0]}: {said}") from error
    done.write_text(json.dumps(list(packages)), encoding="utf-8")


def _node(home: Path) -> Path:
    """Return the Node that all peers run on, from npm.

    :raise UnavailableError: there is none for this machine.
    """
    system = {"Linux": "linux", "Darwin": "darwin"}.get(platform.system())
    machine = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine())
    if system is None or machine is None:
        raise UnavailableError(f"npm has no Node for {platform.system()} on {platform.machine()}")
    package = f"node-{system}-{machine}"
    folder = home / "node"
    _install(folder, (f"{package}@{NODE}",))
    return folder / _MODULES / package / "bin" / "node"


def _java() -> str:
    """Return the Java of this machine.

    :raise UnavailableError: there is none.
    """
    java = shutil.which("java")
    if java is None:
        raise UnavailableError("Java is not installed (Debian: openjdk-17-jre-headless)")
    return java
