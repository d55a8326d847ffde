"""The peers: their packages and versions, their setup, and their commands.

Each peer has a folder in the cache, outside the checkout, with its packages and files. All Node
peers run on one Node from npm, since some require a newer one than distributions have. Peers that
cannot be installed are reported and skipped.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from benchmarks import peer_setups as setups
from benchmarks.installs import NODE, install, java, node
from benchmarks.subjects import Subject, folder_size

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from benchmarks.subjects import Kind
    from mockpets.contract.schemas import Pet

__all__ = ["RECIPES", "Recipe", "make_ready"]

_ENVIRONMENT = {"NODE_ENV": "production", "NO_UPDATE_NOTIFIER": "1"}
"""The environment of all peers; without it, some start a process that checks for updates."""


class Recipe(NamedTuple):
    """How to install and run a peer. See `Subject` for the parameters after `set_up`.

    :param packages: pinned packages from npm or PyPI; the first one has the peer's version. If
        there are none, the version is Node's.
    :param command: `{node}`, `{java}`, `{port}` and `{other}` are replaced.
    :param set_up: writes the peer's files into its folder.
    """

    name: str
    packages: tuple[str, ...]
    command: str
    set_up: Callable[[Path, Sequence[Pet]], None]
    note: str = ""
    list_target: str = "/v1/pets?limit={limit}"
    status_parameter: str = "status"
    pets_target: str = "/v1/pets"
    pet_target: str = "/v1/pets/{id}"
    list_property: str = ""
    warm_seconds: int = 2
    kind: Kind = "peer"


_MOUNTEBANK = (
    "{node} node_modules/mountebank/bin/mb start --configfile imposters.ejs --port {other} "
    "--host 127.0.0.1 --localOnly --nologfile --loglevel error"
)
_MOCKS_SERVER = (
    "{node} node_modules/@mocks-server/main/bin/mocks-server --server.port {port} "
    "--plugins.adminApi.port {other}"
)
_SCALAR = ("@scalar/mock-server@0.14.4", "@hono/node-server@2.1.8")
_APIMOCK = "@apimock-rs/bin-linux-x64-gnu"  # `apimock-rs` starts this binary by way of Node
_KEEP_ALIVE = "with keep-alive headers"
_OWN_CODE = "the user's code does the job"

RECIPES = (
    Recipe(
        "Prism",
        ("@stoplight/prism-cli@5.16.0",),
        # Multiple processes, the default in production, fail on Node 24.
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
        "a CRUD route over a data bucket; its filter is `status_eq`; always logs each request",
        status_parameter="status_eq",
    ),
    Recipe(
        "json-server",
        ("json-server@0.17.4",),
        "{node} node_modules/json-server/lib/cli/bin.js db.json --port {port} --host 127.0.0.1 "
        "--quiet --routes routes.json --middlewares middleware.cjs",
        setups.json_server,
        "13 lines of middleware for the key; writes its file on each POST",
    ),
    Recipe(
        "json-server beta",
        ("json-server@1.0.0-beta.15",),
        "{node} node_modules/json-server/lib/bin.js db.json --port {port} --host 127.0.0.1",
        setups.json_server,
        "no key, no `/v1`; its page size is `_per_page`; writes its file on each POST",
        list_target="/pets?_page=1&_per_page={limit}",
        pets_target="/pets",
        pet_target="/pets/{id}",
        list_property="data",
    ),
    Recipe(
        "Mockaton",
        ("mockaton@8.23.4",),
        "{node} node_modules/mockaton/src/cli.js --port {port} --host 127.0.0.1 --config "
        "mockaton.config.js",
        setups.mockaton,
        "a file for each response",
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
        f"stubs with fixed responses, {_KEEP_ALIVE}",
    ),
    Recipe(
        "mountebank, own code",
        ("mountebank@2.9.1",),
        f"{_MOUNTEBANK} --allowInjection",
        setups.mountebank_code,
        f"an injected function, {_KEEP_ALIVE}: {_OWN_CODE}",
    ),
    Recipe(
        "MSW, own code",
        # MSW 3 no longer exports `handleRequest`, which its HTTP middleware calls.
        ("msw@2.15.0", "@mswjs/http-middleware@0.10.3", "express@4.22.3"),
        "{node} msw.mjs",
        setups.msw,
        f"behind its HTTP middleware: {_OWN_CODE}",
    ),
    Recipe(
        "mocks-server",
        ("@mocks-server/main@4.1.0",),
        _MOCKS_SERVER,
        setups.mocks_server,
        "routes with fixed responses",
    ),
    Recipe(
        "mocks-server, own code",
        ("@mocks-server/main@4.1.0",),
        _MOCKS_SERVER,
        setups.mocks_server_code,
        f"middleware routes: {_OWN_CODE}",
    ),
    Recipe(
        "Scalar",
        _SCALAR,
        "{node} scalar.mjs",
        setups.scalar,
        "our OpenAPI document; the page is an example",
    ),
    Recipe(
        "Scalar, own code",
        _SCALAR,
        "{node} scalar.mjs",
        setups.scalar_code,
        "our OpenAPI document with seed data and handlers over its store; new ids are UUIDs",
    ),
    Recipe(
        "Connexion",
        ("connexion[uvicorn]==3.3.0",),
        "venv/bin/python -m uvicorn app:app --host 127.0.0.1 --port {port} --no-access-log "
        "--log-level critical",
        setups.connexion,
        "our OpenAPI document, mocked; the page is an example; 15 lines start it and check the key",
    ),
    Recipe(
        "apimock-rs",
        (f"{_APIMOCK}@6.2.0",),
        f"node_modules/{_APIMOCK}/apimock --config apimock.toml --port {{port}}",
        setups.apimock,
        "rules with fixed responses, ignoring the query; always logs each request",
    ),
    Recipe(
        "WireMock",
        ("wiremock@3.13.2",),
        "{java} -jar node_modules/wiremock/build/wiremock-standalone-3.13.2.jar --port {port} "
        "--bind-address 127.0.0.1 --root-dir . --no-request-journal --disable-request-logging "
        "--disable-banner",
        setups.wiremock,
        "stubs with fixed responses, request journal off",
        warm_seconds=4,
    ),
    Recipe(
        "MockServer",
        ("mockserver-node@8.0.0",),
        "{java} -Dmockserver.initializationJsonPath=expectations.json "
        "-Dmockserver.logLevel=ERROR -Dmockserver.disableSystemOut=true "
        "-Dmockserver.maxLogEntries=1000 -jar node_modules/"
        "mockserver-node/mockserver-netty-8.0.0-jar-with-dependencies.jar -serverPort {port}",
        setups.mockserver,
        "expectations with fixed responses; keeps 1,000 requests, like our request log",
        warm_seconds=4,
    ),
    Recipe(
        "Node, raw",
        (),
        "{node} constant.mjs",
        setups.constant,
        "a constant from `http.createServer`",
        kind="constant",
    ),
)


def make_ready(recipe: Recipe, home: Path, pets: Sequence[Pet]) -> Subject:
    """Install a peer unless it is installed, and return it.

    :param home: an existing folder for all peers.
    :raise UnavailableError: if it cannot run here.
    """
    runtimes = {"{node}": lambda: node(home), "{java}": java}
    parts = recipe.command.split()
    command = tuple(runtimes[part]() if part in runtimes else part for part in parts)
    folder = home / re.sub(r"\W+", "-", recipe.name)
    folder.mkdir(parents=True, exist_ok=True)
    packages = install(folder, recipe.packages) if recipe.packages else None
    return Subject(
        recipe.name,
        command,
        folder,
        recipe.kind,
        version=re.split("==|@", recipe.packages[0])[-1] if recipe.packages else NODE,
        note=recipe.note,
        size=None if packages is None else folder_size(packages),
        environment=_ENVIRONMENT,
        list_target=recipe.list_target,
        status_parameter=recipe.status_parameter,
        pets_target=recipe.pets_target,
        pet_target=recipe.pet_target,
        list_property=recipe.list_property,
        warm_seconds=recipe.warm_seconds,
        renew=partial(recipe.set_up, folder, pets),
    )
