"""The peers in `peers.toml`, each with a folder in the cache for its packages and files.

All of them run on one Node from npm, since some require a newer one than distributions have.
Nothing is installed outside the cache, and nothing twice.
"""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
import tomllib
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.subjects import Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from benchmarks.contracts import Contract

_FILES: Final = Path(__file__).parent / "peer_files"
_TEXT: Final = Path(__file__).with_name("peers.toml").read_text(encoding="utf-8")
PEERS: Final[Mapping[str, Mapping[str, Any]]] = {
    peer["name"]: peer for peer in tomllib.loads(_TEXT)["peer"]
}
_NODE: Final = "24.21.0"
_ENVIRONMENT: Final = {"NODE_ENV": "production", "NO_UPDATE_NOTIFIER": "1"}
"""The environment of all peers; without it, some start a process that checks for updates."""
_INSTALL_SECONDS: Final = 300


def peers_of(contract: Contract) -> dict[str, Mapping[str, Any]]:
    """Return the peers that serve a contract, by name."""
    return {name: peer for name, peer in PEERS.items() if contract.name in peer}


def make_ready(peer: Mapping[str, Any], home: Path, contract: Contract) -> Subject:
    """Install a peer unless it is installed, and return it.

    :param contract: a contract that it serves.
    :param home: an existing folder for all peers.
    :raise RuntimeError: if it cannot run here.
    """
    command = peer["command"].replace("{node}", node(home)).split()
    folder = home / re.sub(r"\W+", "-", peer["name"])
    install(folder, peer["packages"])
    return Subject(
        peer["name"],
        tuple(command),
        folder,
        version=re.split("@", peer["packages"][0])[-1],
        note=peer[contract.name]["note"],
        environment=_ENVIRONMENT,
        contract=contract,
        targets=contract.targets._replace(**peer[contract.name].get("targets", {})),
        warm_seconds=2,
        renew=partial(set_up, peer, folder, contract),
    )


# --- Packages -----------------------------------------------------------------------------------


def node(home: Path) -> str:
    """Install Node from npm, for all peers, and return its path.

    :raise RuntimeError: if npm has no Node for this machine.
    """
    system = {"Linux": "linux", "Darwin": "darwin"}.get(platform.system())
    machine = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine())
    if system is None or machine is None:
        raise RuntimeError(f"npm has no Node for {platform.system()} on {platform.machine()}")
    package = f"node-{system}-{machine}"
    install(home / "node", [f"{package}@{_NODE}"])
    return str(home / "node" / "node_modules" / package / "bin" / "node")


def install(folder: Path, packages: Sequence[str]) -> None:
    """Install packages from npm, such as `name@1.2.3`, into a folder.

    :raise RuntimeError: if they cannot be installed.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError("npm is not installed")
    mark = folder / "installed.json"
    if mark.is_file() and json.loads(mark.read_text(encoding="utf-8")) == packages:
        return
    _write(folder / "package.json", {"private": True})
    options = ("--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
    try:
        subprocess.run(  # noqa: S603 - a fixed command
            (npm, "install", *options, *packages),
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
            timeout=_INSTALL_SECONDS,
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        output = " ".join(str(error.stderr or error).split())[:300]
        raise RuntimeError(f"npm cannot install {packages[0]}: {output}") from error
    _write(mark, packages)


# --- Files --------------------------------------------------------------------------------------


def set_up(peer: Mapping[str, Any], folder: Path, contract: Contract) -> None:
    """Write the files of a peer for a contract into its folder."""
    made: dict[str, Callable[[], object]] = {
        "records.json": lambda: contract.records,
        "db.json": lambda: {contract.collection[1:]: contract.records},
        "openapi.json": lambda: _openapi(contract),
        "imposters.ejs": lambda: _imposters(contract),
        "scalar.json": lambda: _with_handlers(contract),
        "mockoon.json": lambda: _with_data_bucket(contract),
    }
    for target, source in peer[contract.name]["files"].items():
        is_file = source not in made
        value = (_FILES / source).read_text(encoding="utf-8") if is_file else made[source]()
        _write(folder / target, value)


def _write(path: Path, value: object) -> None:
    """Write text, or a value as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
    path.write_text(text, encoding="utf-8")


def _openapi(contract: Contract) -> dict[str, Any]:
    """Return the OpenAPI document with the timed page as its example and full paths."""
    spec: dict[str, Any] = deepcopy(dict(contract.document))
    spec.pop("servers", None)
    spec["paths"] = {f"{contract.base}{path}": item for path, item in spec["paths"].items()}
    new = {"id": len(contract.records) + 1, **json.loads(contract.new)}
    for path, method, status, example in (
        (contract.collection, "get", "200", contract.page()),
        (contract.collection, "post", "201", new),
        (contract.item, "get", "200", contract.records[0]),
    ):
        operation = spec["paths"][f"{contract.base}{path}"][method]
        content = operation["responses"][status]["content"]["application/json"]
        content.pop("examples", None)  # a document with both is invalid
        content["example"] = example
    return spec


def _imposters(contract: Contract) -> str:
    """Return the configuration of mountebank, an EJS template that reads the port at startup."""
    code = (_FILES / "mountebank.js").read_text(encoding="utf-8")
    # mountebank puts the function in parentheses, where a semicolon is a syntax error.
    function = code[code.index("(config)") :].rstrip().removesuffix(";")
    function = function.replace("PETS", json.dumps(contract.records), 1)
    stubs = [{"responses": [{"inject": function}]}]
    imposter = json.dumps({"protocol": "http", "stubs": stubs})
    return f'{{"imposters": [{{"port": <%- process.env.PORT %>, {imposter[1:]}]}}'


def _with_handlers(contract: Contract) -> dict[str, Any]:
    """Return the OpenAPI document with what Scalar's store has and the operations do with it."""
    spec = _openapi(contract)
    count = json.dumps({"id": "Patient", "count": len(contract.records)})
    seed = f"seed({json.dumps(contract.records)}); store.create('Counts', {count})"
    spec["components"]["schemas"]["Patient"]["x-seed"] = seed
    for path, method in (
        (contract.collection, "get"),
        (contract.collection, "post"),
        (contract.item, "get"),
    ):
        operation = spec["paths"][f"{contract.base}{path}"][method]
        file = _FILES / f"scalar-{operation['operationId']}.js"
        operation["x-handler"] = file.read_text(encoding="utf-8")
    return spec


def _with_data_bucket(contract: Contract) -> dict[str, Any]:
    """Return the environment of Mockoon, with the records in its data bucket."""
    text = (_FILES / "mockoon.json").read_text(encoding="utf-8")
    environment: dict[str, Any] = json.loads(text)
    environment["data"][0]["value"] = json.dumps(contract.records)
    return environment
