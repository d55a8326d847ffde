"""The peers: what is installed, at which version, how each is set up to do the job, what runs it.

Each gets a folder below the cache, outside the checkout, with its packages and its files. Peers of
Node run on one Node for all, from npm, since some want a newer one than distributions have. What
cannot be had is told as a reason and left out.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from benchmarks import peer_setups as setups
from benchmarks.installs import install, java, node
from benchmarks.subjects import Subject, folder_size

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from mockpets.contract.schemas import Pet

__all__ = ["RECIPES", "Recipe", "make_ready"]

_ENVIRONMENT = {"NODE_ENV": "production", "NO_UPDATE_NOTIFIER": "1"}
"""Of all peers; some would look for a newer version in a process of its own."""


class Recipe(NamedTuple):
    """How one peer is had and run.

    :param packages: npm's or PyPI's, pinned; the first gives the version.
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
_MOCKS_SERVER = (
    "{node} node_modules/@mocks-server/main/bin/mocks-server --server.port {port} "
    "--plugins.adminApi.port {other}"
)
_SCALAR = ("@scalar/mock-server@0.14.4", "@hono/node-server@1.19.19")
_APIMOCK = "@apimock-rs/bin-linux-x64-gnu"  # what `apimock-rs` would start, by way of Node
_KEEP_ALIVE = "its answers told to keep the connection"
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
        "a CRUD route over a data bucket; spells the filter `status_eq`; logs each request, come "
        "what may",
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
        f"stubs with a fixed answer, {_KEEP_ALIVE}",
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
        ("msw@2.15.0", "@mswjs/http-middleware@0.10.3", "express@4.22.1"),
        "{node} msw.mjs",
        setups.msw,
        f"behind its HTTP middleware: {_OWN_CODE}",
    ),
    Recipe(
        "mocks-server",
        ("@mocks-server/main@4.1.0",),
        _MOCKS_SERVER,
        setups.mocks_server,
        "routes with a fixed answer",
    ),
    Recipe(
        "mocks-server, own code",
        ("@mocks-server/main@4.1.0",),
        _MOCKS_SERVER,
        setups.mocks_server_code,
        f"routes of middleware: {_OWN_CODE}",
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
        "our OpenAPI document with a seed and handlers over its store; ids are UUIDs",
    ),
    Recipe(
        "Connexion",
        ("connexion[uvicorn]==3.3.0",),
        "venv/bin/python -m uvicorn app:app --host 127.0.0.1 --port {port} --no-access-log "
        "--log-level critical",
        setups.connexion,
        "our OpenAPI document, mocked; the page is an example; 15 lines start it and know the key",
    ),
    Recipe(
        "apimock-rs",
        (f"{_APIMOCK}@6.2.0",),
        f"node_modules/{_APIMOCK}/apimock --config apimock.toml --port {{port}}",
        setups.apimock,
        "rules with a fixed answer, blind to the query; logs each request, come what may",
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
        "-Dmockserver.logLevel=ERROR -Dmockserver.disableSystemOut=true "
        "-Dmockserver.maxLogEntries=1000 -jar node_modules/"
        "mockserver-node/mockserver-netty-8.0.0-jar-with-dependencies.jar -serverPort {port}",
        setups.mockserver,
        "expectations with a fixed answer, 1,000 requests remembered, as our journal does",
        warm_seconds=4,
    ),
)


def make_ready(recipe: Recipe, home: Path, pets: Sequence[Pet]) -> Subject:
    """Install a peer, if that is not done yet, and return it.

    :param home: an existing folder for all peers.
    :raise UnavailableError: it cannot be had here.
    """
    runtimes = {"{node}": lambda: node(home), "{java}": java}
    words = recipe.command.split()
    command = tuple(runtimes[word]() if word in runtimes else word for word in words)
    folder = home / re.sub(r"\W+", "-", recipe.name)
    packages = install(folder, recipe.packages)
    return Subject(
        recipe.name,
        command,
        folder,
        version=re.split("==|@", recipe.packages[0])[-1],
        note=recipe.note,
        size=folder_size(packages),
        environment=_ENVIRONMENT,
        list_target=recipe.list_target,
        pets_target=recipe.pets_target,
        list_member=recipe.list_member,
        warm_seconds=recipe.warm_seconds,
        renew=partial(recipe.set_up, folder, pets),
    )
