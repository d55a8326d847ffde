"""What `.ci/release` builds: mockpets.pyz and the npm package, as a user calls them."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from runpy import run_path
from tempfile import mkdtemp
from urllib.request import Request, urlopen

import pytest
import yaml
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from mockpets.kit_files import files_of
from mockpets.packaged_data import shipped
from tests.docs.test_ci import GITLAB
from tests.docs.test_ci import WITH_CONTAINER as CONTAINER
from tests.docs.test_ci import WORKFLOW as GITHUB
from tests.programs import free_port, need, run_within
from tests.test_container_files import needed_by_mockpets

ROOT = Path(__file__).parents[1]
CHROMIUM = ROOT / "tests/docs/chromium.py"
BUILD = ROOT / "deploy/release/build.py"
FAKE = "import sys\ndef main():\n    print(sys.argv[1:], flush=True)\n    {}\n"
"""A program in place of mockpets: it prints its arguments."""
SCHEMA = "scenario.schema.json"
PIN = re.compile(r"(\S+)==(\S+) --hash=sha256:[0-9a-f]{64}")


def fake_pyz(path: Path, statement: str = "return 3", **more: bytes) -> Path:
    files = {"mockpets/__init__.py": b"", "mockpets/__main__.py": FAKE.format(statement).encode()}
    files |= {f"{name}.py": content for name, content in more.items()}
    run_path(str(BUILD))["write_pyz"](path, "1.2.3", files)
    return path


def call(*command: str | Path, folder: Path, **variables: str) -> tuple[int, str, str]:
    """Run a command with a home of its own; return status, stdout and stderr."""
    done = run_within(300, folder, *command, **{"HOME": str(folder), **variables})
    return done.returncode, done.stdout, done.stderr


# --- The start of mockpets.pyz ----------------------------------------------------------------


@pytest.mark.slow
def test_it_is_unpacked_once_even_by_many_processes_at_a_time(tmp_path: Path) -> None:
    pyz = fake_pyz(tmp_path / "mockpets.pyz")
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    with ThreadPoolExecutor() as pool:
        done = list(
            pool.map(lambda _: call(sys.executable, pyz, "a b", folder=tmp_path, **cache), range(8))
        )

    assert set(done) == {(3, "['a b']\n", "")}
    [folder] = (tmp_path / "cache/mockpets").iterdir()
    assert folder.name.startswith("1.2.3-")
    marked = folder / "mockpets/__main__.py"
    marked.write_text(FAKE.format("return 44"))  # another size, for Python's cache
    assert call(sys.executable, pyz, folder=tmp_path, **cache)[0] == 44


@pytest.mark.parametrize(
    "count",
    [*(pytest.param(count, marks=pytest.mark.slow) for count in (1, 2, 3)), None],
    ids=["one", "two", "three", "all"],
)
def test_files_that_a_cleaner_deletes_are_unpacked_again(tmp_path: Path, count: int | None) -> None:
    """Cleaners of caches delete the files that were not read for the longest time."""
    pyz = fake_pyz(tmp_path / "mockpets.pyz")
    assert call(sys.executable, pyz, folder=tmp_path) == (3, "[]\n", "")
    [folder] = (tmp_path / ".cache/mockpets").iterdir()
    files = [path for path in folder.rglob("*") if path.is_file()]
    files.sort(key=lambda path: max(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    for path in files[:count]:
        path.unlink()
    with ThreadPoolExecutor() as pool:
        done = [*pool.map(lambda _: call(sys.executable, pyz, folder=tmp_path), range(8))]

    assert set(done) == {(3, "[]\n", "")}
    assert {path.name for path in files} <= {path.name for path in folder.rglob("*")}
    assert [*(tmp_path / ".cache/mockpets").iterdir()] == [folder]


def test_a_package_that_was_deleted_without_the_mark_is_unpacked_again(tmp_path: Path) -> None:
    pyz = fake_pyz(tmp_path / "mockpets.pyz")
    assert call(sys.executable, pyz, folder=tmp_path)[0] == 3
    [folder] = (tmp_path / ".cache/mockpets").iterdir()
    shutil.rmtree(folder / "mockpets")

    assert call(sys.executable, pyz, folder=tmp_path) == (3, "[]\n", "")
    assert call(sys.executable, pyz, folder=tmp_path) == (3, "[]\n", "")


@pytest.mark.parametrize("statement", ["import helper", "from helper import name"])
def test_another_module_that_was_deleted_is_one_line(tmp_path: Path, statement: str) -> None:
    pyz = fake_pyz(tmp_path / "mockpets.pyz", f"{statement}; return 3", helper=b"name = 1\n")
    assert call(sys.executable, pyz, folder=tmp_path)[0] == 3
    [folder] = (tmp_path / ".cache/mockpets").iterdir()
    (folder / "helper.py").unlink()
    hint = "delete this folder, then run the command again"
    status, _, err = call(sys.executable, pyz, folder=tmp_path)
    assert (status, err) == (1, f"mockpets: files are missing in {folder}; {hint}\n")

    shutil.rmtree(folder)
    assert call(sys.executable, pyz, folder=tmp_path)[0] == 3


def test_a_module_that_the_program_does_not_have_is_an_error_of_the_program(tmp_path: Path) -> None:
    pyz = fake_pyz(tmp_path / "mockpets.pyz", "import no_such_module")
    status, _, err = call(sys.executable, pyz, folder=tmp_path)

    assert status == 1
    assert err.splitlines()[-1] == "ModuleNotFoundError: No module named 'no_such_module'"


def test_an_empty_home_is_that_of_the_user(tmp_path: Path) -> None:
    """The user database names another folder, so that the user's own is not changed."""
    pyz = fake_pyz(tmp_path / "mockpets.pyz")
    code = (
        "import pwd, runpy, sys; "
        "user = pwd.struct_passwd(['me', '', 0, 0, '', sys.argv[1], '']); "
        "pwd.getpwuid = lambda _: user; "
        "runpy.run_path(sys.argv[2])"
    )
    empty = {"HOME": "", "XDG_CACHE_HOME": ""}
    command = (sys.executable, "-c", code, str(tmp_path), pyz)

    assert call(*command, folder=tmp_path, **empty)[0] == 3
    assert len([*(tmp_path / ".cache/mockpets").iterdir()]) == 1


def test_what_a_kill_has_left_is_removed_later(tmp_path: Path) -> None:
    pyz = fake_pyz(tmp_path / "mockpets.pyz")
    cache = tmp_path / ".cache/mockpets"
    for name in ("tmp-old", "tmp-new"):
        (cache / name / "mockpets").mkdir(parents=True)
    os.utime(cache / "tmp-old", (0, 0))
    assert call(sys.executable, pyz, folder=tmp_path)[0] == 3

    names = {path.name for path in cache.iterdir()}
    assert "tmp-old" not in names and "tmp-new" in names
    assert len(names) == 2


def test_a_home_that_cannot_be_written_is_explained(tmp_path: Path) -> None:
    pyz = fake_pyz(tmp_path / "mockpets.pyz")
    home = {"HOME": os.devnull, "XDG_CACHE_HOME": ""}
    status, out, err = call(sys.executable, pyz, folder=tmp_path, **home)

    assert (status, out) == (1, "")
    assert re.fullmatch(
        r"mockpets: cannot unpack into /dev/null/\.cache/mockpets/1\.2\.3-\w+: Not a directory; "
        r"set XDG_CACHE_HOME to a folder that you can write\n",
        err,
    )


def test_an_old_python_is_named(tmp_path: Path) -> None:
    pyz = fake_pyz(tmp_path / "mockpets.pyz")
    code = (
        "import runpy, sys; sys.version_info = (3, 9, 18); sys.version = '3.9.18 (main)'; "
        "runpy.run_path(sys.argv[1])"
    )
    hint = "mockpets needs 3.11 or newer; run this file with a newer one, such as python3.12"

    assert call(sys.executable, "-c", code, pyz, folder=tmp_path) == (
        *(1, ""),
        f"mockpets: this is Python 3.9.18, and {hint}\n",
    )


def test_the_pinned_versions_are_those_of_the_tests() -> None:
    """Without the comments, each line is one version with its hash."""
    pins = {}
    for name in ("build.txt", "pyz.txt"):
        lines = BUILD.with_name(name).read_text("utf-8").splitlines()
        rows = [PIN.fullmatch(line) for line in lines if not line.startswith("#")]
        pins[name] = {row[1]: row[2] for row in rows if row}
        assert len(pins[name]) == len(rows)
    constraints = dict(
        line.lower().replace("_", "-").split("==")
        for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
        if not line.startswith("#")
    )

    assert pins["pyz.txt"].items() <= constraints.items()
    assert "hatchling" in pins["build.txt"]
    assert needed_by_mockpets() <= pins["pyz.txt"].keys()


# --- The command of the npm package -----------------------------------------------------------


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The npm package with a fake program."""
    folder = tmp_path / "package"
    folder.mkdir()
    shutil.copy(shipped("kit") / "run.js", folder)
    (folder / "package.json").write_text('{"type": "module"}')
    fake_pyz(folder / "mockpets.pyz")
    return folder


def programs(folder: Path, scripts: Mapping[str, str]) -> str:
    """Write shell scripts into a new folder; return it as a PATH."""
    bin_folder = Path(mkdtemp(dir=folder))
    for name, text in scripts.items():
        (bin_folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (bin_folder / name).chmod(0o755)
    return str(bin_folder)


NEW = f'exec {sys.executable} "$@"'
UV = f'[ "$1" = --version ] && exit\necho uv $1 $2 $3 $4 $5\nshift 6\nexec {sys.executable} "$@"'


@pytest.mark.node
@pytest.mark.parametrize(("scripts", "shown"), [
    ({"python3": NEW}, "['serve', '--port', '0']\n"),
    ({"python": NEW, "python3": "exit 1"}, "['serve', '--port', '0']\n"),
    ({"python3.12": NEW, "python3": "exit 1", "uv": UV}, "['serve', '--port', '0']\n"),
    ({"python3": "exit 1", "uv": UV},
     "uv run --quiet --no-project --python >=3.11,<3.14\n['serve', '--port', '0']\n"),
], ids=["python3", "python", "python3.12", "uv"])  # fmt: skip
def test_it_runs_with_the_first_python_that_is_new_enough_or_uv(
    package: Path, scripts: Mapping[str, str], shown: str
) -> None:
    path = programs(package, scripts)
    command = (need("node"), package / "run.js", "serve", "--port", "0")

    assert call(*command, folder=package, PATH=path) == (3, shown, "")


@pytest.mark.node
def test_the_python_that_uv_is_told_to_use_is_used(package: Path) -> None:
    uv = f'[ "$1" = --version ] && exit\necho uv $1 $2 $3 $4\nshift 4\nexec {sys.executable} "$@"'
    path = programs(package, {"python3": "exit 1", "uv": uv})
    command = (need("node"), package / "run.js", "serve")
    status, out, err = call(*command, folder=package, PATH=path, UV_PYTHON="3.12")

    assert (status, out, err) == (3, "uv run --quiet --no-project python\n['serve']\n", "")


@pytest.mark.node
@pytest.mark.parametrize(
    "scripts", [{}, {"python3": "exit 1", "uv": "exit 1"}], ids=["nothing", "old programs"]
)
def test_without_python_it_says_what_to_install(package: Path, scripts: Mapping[str, str]) -> None:
    status, out, err = call(
        need("node"), package / "run.js", "serve", folder=package, PATH=programs(package, scripts)
    )

    assert (status, out, len(err.splitlines())) == (1, "", 3)
    assert err.startswith("mockpets: the server needs Python 3.11 or newer, or uv, and neither is")


@pytest.mark.node
@pytest.mark.parametrize(("number", "status"), [
    *((number, 5) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR2)),
    (signal.SIGKILL, -9),
])  # fmt: skip
def test_signals_reach_the_server(package: Path, number: signal.Signals, status: int) -> None:
    wait = "import signal; [signal.signal(n, lambda *_: sys.exit(5)) for n in (2, 3, 12, 15)]; " + (
        "print('ready', flush=True); sys.stdin.readline(); return 6"
    )
    fake_pyz(package / "mockpets.pyz", wait)
    command = [need("node"), str(package / "run.js")]
    env = {**os.environ, "HOME": str(package)}
    with subprocess.Popen(
        command, text=True, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["[]\n", "ready\n"]
        process.send_signal(number)
        process.wait(30)

    assert process.returncode == status


@pytest.mark.node
@pytest.mark.parametrize("python", [NEW, NEW.removeprefix("exec ")], ids=["child", "grandchild"])
def test_the_server_ends_if_its_npm_command_is_killed(package: Path, python: str) -> None:
    """Also if another program, such as uv, has started it."""
    wait = (
        "import signal, time; signal.signal(15, lambda *_: sys.exit(print('ended', flush=True))); "
        "print('ready', flush=True); time.sleep(20); print('left')"
    )
    fake_pyz(package / "mockpets.pyz", wait)
    command = [need("node"), str(package / "run.js"), "serve"]
    path = f"{programs(package, {'python3': python})}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "HOME": str(package), "PATH": path}
    with subprocess.Popen(command, text=True, env=env, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["['serve']\n", "ready\n"]
        process.kill()
        assert process.stdout.read() == "ended\n"


@pytest.mark.parametrize(
    "kind", ["closed", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("file", "text"))]
)
def test_a_pipe_that_another_program_has_closed_does_not_end_it(tmp_path: Path, kind: str) -> None:
    """The number may then be that of any file."""
    wait = "import os, time; time.sleep(0.5); return 3 + ('_MOCKPETS_LIFELINE' in os.environ)"
    pyz = fake_pyz(tmp_path / "mockpets.pyz", wait)
    with pyz.open("rb") as file:
        number = {"closed": "200", "file": str(file.fileno()), "text": "three"}[kind]
        done = subprocess.run(
            [sys.executable, pyz],
            env={**os.environ, "HOME": str(tmp_path), "_MOCKPETS_LIFELINE": number},
            pass_fds=[file.fileno()],
            check=False,
        )

    assert done.returncode == 3


# --- The release ------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with mockpets.pyz and the npm package, built here or by `.ci/release`."""
    if given := os.environ.get("TEST_RELEASE"):
        return Path(given)
    build = run_path(str(BUILD))
    folder = tmp_path_factory.mktemp("release")
    pyz = build["build_pyz"](build["build_packages"](folder, sdist=False), folder / "mockpets.pyz")
    build["build_npm"](folder, pyz)
    return folder


def first_page(url: str) -> list[object]:
    request = Request(f"{url}/v1/pets", headers={"Authorization": "Bearer mockpets"})  # noqa: S310 - our own server
    with urlopen(request, timeout=10) as response:  # noqa: S310
        pets: list[object] = json.load(response)
    return pets


def serves(folder: Path, *command: str | Path) -> str:
    """Start a server as the README does, call it, and stop it.

    Returns the command in its banner that lists the scenarios.
    """
    words = [*map(str, command), "serve", "--port", "0", "--scenario", "full-page"]
    env = {**os.environ, "HOME": str(folder)}
    with subprocess.Popen(words, cwd=folder, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            url = re.search(r"(http://\S+)/v1", process.stdout.readline())
            assert url
            assert len(first_page(url[1])) == 20
            shown = next(line for line in process.stdout if " scenarios: " in line)
        finally:
            process.terminate()
        assert process.wait(30) == 0
    return shown.partition(" scenarios: ")[2].strip()


@pytest.mark.long
@pytest.mark.node
def test_each_form_of_the_server_starts_and_writes_its_own_command(
    release: Path, tmp_path: Path
) -> None:
    """In one test, since the workers would build the release several times."""
    pyz = shutil.copy(release / "mockpets.pyz", tmp_path)
    with zipfile.ZipFile(pyz) as archive:
        bill = archive.read("sbom.cdx.json").decode()
        names = archive.namelist()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill) is None
    assert {each["name"] for each in json.loads(bill)["components"]} >= {"mockpets", "flask"}
    assert [name for name in names if name.endswith((".so", "RECORD", "direct_url.json"))] == []
    assert serves(tmp_path, sys.executable, pyz) == "python3 mockpets.pyz scenarios"
    status, out, err = call(
        sys.executable, "mockpets.pyz", "kit", "tests/mock", "--playwright", folder=tmp_path
    )
    assert (status, err) == (0, "")
    assert out.endswith("check it  python3 mockpets.pyz kit tests/mock --check\n")
    config = (tmp_path / "playwright.config.ts").read_text()
    assert 'command: "python3 mockpets.pyz",' in config

    project = tmp_path / "project"
    project.mkdir()
    (project / "package.json").write_text("{}")
    options = ("--no-audit", "--no-fund", "--offline", "--save-dev")
    [tarball] = release.glob("*.tgz")
    assert call(need("npm"), "install", *options, tarball, folder=project)[0] == 0
    installed = project / "node_modules/mockpets"
    files = {path.name for path in installed.iterdir()}
    assert files == {*files_of(), "LICENSE", "README.md", "run.js", "mockpets.pyz", SCHEMA}
    assert serves(project, installed.parent / ".bin/mockpets") == "npx mockpets scenarios"
    (project / "scenarios").mkdir()
    (project / "scenarios/tired-cat.yaml").write_text("description: d\n")
    status, out, err = call(
        installed.parent / ".bin/mockpets",
        *("kit", "--types", "--scenarios-dir", "scenarios"),
        folder=project,
    )
    assert (status, out.splitlines()[-1]) == (0, "check it  npx mockpets kit . --check"), err
    status, out, _ = call(installed.parent / ".bin/mockpets", "skill", "--install", folder=project)
    assert (status, out) == (0, ".agents/skills/mockpets: wrote 7 of 7 files\n")
    (project / "main.mjs").write_text(
        'import { startServer } from "mockpets/server";\n'
        "const stop = await startServer();\n"
        'console.log((await fetch(process.env.MOCKPETS_URL + "/__mockpets/health")).status);\n'
        "await stop();\n"
    )
    url = {"MOCKPETS_URL": "http://localhost:17455", "PATH": os.environ["PATH"]}
    assert call(need("node"), "main.mjs", folder=project, **url)[:2] == (0, "200\n")


# --- What takes long: .ci/release and .ci/long run it -----------------------------------------

PYTHONS = ("3.11", "3.12", "3.13")
NODES = ("20.20.2", "22.23.3", "24.21.0")
STRICT = "--noEmit --strict --skipLibCheck --target es2022 --module nodenext --types node"


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A release and a bare repository with its tag, built by another Python, if there is one."""
    clone = tmp_path_factory.mktemp("somebody") / "their checkout"
    subprocess.run([need("git"), "clone", "--quiet", ROOT, clone], check=True)
    python = next((path for each in reversed(PYTHONS) if (path := python_of(each))), sys.executable)
    folder = clone.parent / "release"
    subprocess.run([python, clone / "deploy/release/build.py", folder], check=True)
    bash("git tag v0 release && git clone --quiet --bare . ../pets.git", clone)
    return folder, clone.parent / "pets.git"


def python_of(version: str) -> str | None:
    """Return a Python of this version; a name on the PATH may be a shim without it."""
    installed = Path.home().glob(f".pyenv/versions/{version}.*/bin/python")
    names = (f"python{version}", *map(str, installed))
    return next(
        (
            name
            for name in names
            if shutil.which(name)
            and not subprocess.run([name, "-c", "pass"], capture_output=True).returncode
        ),
        None,
    )


def bash(script: str, folder: Path, **variables: str) -> str:
    """Run a script that must succeed; return its output."""
    status, out, err = call(need("bash"), "-euc", script, folder=folder, **variables)
    assert status == 0, out + err
    return out


def long_node(test: Callable[..., None]) -> Callable[..., None]:
    for mark in (pytest.mark.long, pytest.mark.node, pytest.mark.tool):
        test = mark(test)
    return test


@long_node
def test_a_commit_always_gives_the_same_bytes_without_a_path(
    whole: tuple[Path, Path], tmp_path: Path
) -> None:
    """Also those in the folder that `.ci/release` names, whose branch may have older releases."""
    theirs, repository = whole
    mine, ours, ref = ROOT, Path(os.environ.get("TEST_RELEASE", "")), "release^{tree}"
    if ours == Path():
        mine, ours, ref = tmp_path / "mine", tmp_path / "ours", "release"
        bash(f"git clone --quiet {shlex.quote(str(ROOT))} mine", tmp_path)
        bash(f"{sys.executable} mine/deploy/release/build.py ours", tmp_path)
    sums = (ours / "SHA256SUMS").read_text()

    assert sums == (theirs / "SHA256SUMS").read_text()
    bash("sha256sum --check --strict SHA256SUMS", ours)
    assert len(sums.splitlines()) == 5
    [sdist] = ours.glob("*.tar.gz")
    listed = bash(f"tar tzf {sdist}", ours)
    assert "/Dockerfile" in listed and "/constraints.txt" in listed  # the image is built from it
    revisions = {bash(f"git rev-parse {ref}", folder) for folder in (repository, mine)}
    assert len(revisions) == 1
    with zipfile.ZipFile(theirs / "mockpets.pyz") as archive:
        for name in archive.namelist():
            assert str(theirs.parent).encode() not in archive.read(name), name


@long_node
@pytest.mark.parametrize("version", PYTHONS)
def test_the_pyz_serves_on_every_python(
    whole: tuple[Path, Path], tmp_path: Path, version: str
) -> None:
    if python := python_of(version):
        serves(tmp_path, python, whole[0] / "mockpets.pyz")


PLAYWRIGHT = "npm install --silent --save-dev @playwright/test typescript@5 @types/node@20"
VITE = "npm create --yes vite@9 . -- --template react-ts --no-interactive"


@dataclass(frozen=True)
class Way:
    """A way to install mockpets.

    :param install: commands; `{git}` is the URL of the repository, and `{release}` the folder.
    :param command: what runs mockpets then.
    """

    install: str
    command: str


NPM = Way(f"{PLAYWRIGHT} ./*.tgz", "npx mockpets")
PIP = "python3 -m venv .venv && .venv/bin/pip install --quiet "
WAYS = {
    "npm": NPM,
    "npm in a project of Vite": NPM,
    "npm, with uv and without Python": NPM,
    "npm from git": replace(NPM, install=PLAYWRIGHT + " 'git+{git}#v0'"),
    "pyz": Way(PLAYWRIGHT, "python3 mockpets.pyz"),
    "wheel": Way(f"{PIP}{{release}}/*.whl && {PLAYWRIGHT}", "mockpets"),
    "sdist": Way(f"{PIP}{{release}}/*.gz && {PLAYWRIGHT}", "mockpets"),
    "pip from git": Way(f"{PIP}'git+{{git}}@v0' && {PLAYWRIGHT}", "mockpets"),
    "uv from git": Way(f"uv tool install --quiet 'git+{{git}}@v0' && {PLAYWRIGHT}", "mockpets"),
}
CLINIC = ROOT / "tests/contract/documents/clinic.yaml"
APP = """\
const show = (text: string) => (document.body.innerText = text);
const headers = { Authorization: "Bearer mockpets" };
try {
  const response = await fetch(`${import.meta.env.VITE_API_URL}/animals`, { headers });
  if (!response.ok) throw new Error(String(response.status));
  const { animals }: { animals: { name: string }[] } = await response.json();
  show(animals.map((each) => each.name).join("\\n") || "No animals");
} catch (error) {
  show(`Cannot load the animals: ${error}`);
}
"""
"""An app for the document, in place of what Vite's template shows."""
CASES = [("npm", node) for node in NODES]
CASES += [(way, NODES[1 if "Vite" in way else 2]) for way in [*WAYS][1:]]


@pytest.fixture(scope="session")
def uv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with uv and uvx."""
    folder = tmp_path_factory.mktemp("uv")
    bash("python3 -m venv . && bin/pip install --quiet uv", folder)
    (folder / "only").mkdir()
    for name in ("uv", "uvx"):
        shutil.copy(folder / "bin" / name, folder / "only")
    return folder / "only"


def path_without_python(folder: Path, *more: Path) -> str:
    """Return a PATH of the given folders, and of a new one with npm and what it calls."""
    folder.mkdir()
    for name in ("bash", "cat", "env", "git", "npm", "npx", "sed", "sh", "uname"):
        (folder / name).symlink_to(str(shutil.which(name)))
    return os.pathsep.join(map(str, (*more, folder)))


def python_for_uv(folder: Path) -> Path:
    """Return the folder of a Python as uv installs it, which would need the internet."""
    version, base = "{}.{}.{}".format(*sys.version_info), Path(sys.base_prefix)
    system = f"cpython-{version}-{sys.platform}-{os.uname().machine}-gnu"
    (folder / system).mkdir(parents=True)
    for path in base.iterdir():
        (folder / system / path.name).symlink_to(path)
    return folder


@long_node
@pytest.mark.parametrize(("way", "node"), CASES)
def test_from_nothing_to_a_green_test(
    whole: tuple[Path, Path], uv: Path, tmp_path: Path, way: str, node: str
) -> None:
    """As a colleague with an empty home; only Playwright's browser is that of this machine.

    Then the steps of both CI jobs, the compiler, and a second `init`.
    """
    release, repository = whole
    url = f"file://{repository}"
    parts, folder, home = WAYS[way], tmp_path / "my shop", tmp_path / "home"
    has_vite, has_npm = "Vite" in way, parts.command == NPM.command
    folder.mkdir()
    home.mkdir()
    bash(f"npm install --prefix node --silent node@{node}", tmp_path)
    bin_folders = (tmp_path / "node/node_modules/.bin", uv, folder / ".venv/bin")
    path = os.pathsep.join(map(str, (*bin_folders, home / ".local/bin", os.environ["PATH"])))
    url_of_mock = {"MOCKPETS_URL": f"http://localhost:{free_port()}"}
    variables = {"HOME": str(home), "PATH": path, "CI": "1", **url_of_mock}
    bash(VITE if has_vite else "npm init --yes", folder, **variables)
    contract = ""
    if has_vite:
        (folder / "api").mkdir()
        shutil.copy(CLINIC, folder / "api")
        (folder / "src/main.tsx").write_text(APP)
        contract = " --contract api/clinic.yaml"
    [tarball] = release.glob("*.tgz")
    if has_npm and "git" not in way:
        shutil.copy(tarball, folder)
    if way == "pyz":
        shutil.copy(release / "mockpets.pyz", folder)

    bash(parts.install.format(git=url, release=shlex.quote(str(release))), folder, **variables)
    if "without Python" in way:
        variables["PATH"] = path_without_python(tmp_path / "bin", *bin_folders[:2])
        variables["UV_PYTHON_INSTALL_DIR"] = str(python_for_uv(tmp_path / "pythons"))
        assert call("bash", "-c", "python3 || python", folder=folder, **variables)[0] == 127
    before = files_in(folder)
    written = bash(f"{parts.command} init{contract}", folder, **variables)
    new = files_in(folder) - before
    if has_vite:  # its seed opens a page
        install = "npx playwright install --dry-run chromium"
        bash(f"{install} | {sys.executable} {CHROMIUM}", folder, **variables)
        config = folder / "playwright.config.ts"
        config.write_text(config.read_text().replace("5273", str(free_port())))
    passed = bash("npx playwright test 2>&1", folder, **variables)

    kit = "tests" if has_npm else "tests/mockpets"
    assert f"  {kit}/: " in written
    assert f"{3 if has_vite else 1} passed" in passed
    assert "nothing to write" in bash(f"{parts.command} init", folder, **variables)
    github = GITHUB
    if parts.command != "mockpets":
        github = (folder / ".github/workflows/playwright.yml").read_text()
    steps = yaml.safe_load(github)["jobs"]["playwright"]["steps"]
    lines = [step["run"] for step in steps if "run" in step]
    variables["GITHUB_STEP_SUMMARY"] = str(folder / "summary.md")
    for script in (lines, yaml.safe_load(GITLAB)["playwright"]["script"]):
        # The browser is there, and Vite has packages for other systems, which a mirror may lack.
        left_out = ("playwright install", "npm ci") if has_vite else ("playwright install",)
        own_lines = [line for line in script if not any(words in line for words in left_out)]
        assert len(own_lines) >= 3
        text = "\n".join(own_lines).replace("npx mockpets", parts.command)  # as the page says
        text = text.replace("kit tests ", f"kit {kit} ")
        bash(text, folder, **variables)
    assert (folder / "summary.md").exists()
    bash(f"npx tsc -p tests && npx tsc {STRICT} playwright.config.ts", folder, **variables)
    if way == "pyz":
        check_container(folder, **variables)
    elif parts.command == "mockpets":
        serves(folder, str(shutil.which("mockpets", path=path)))
    for name in new:
        text = (folder / name).read_text()
        assert str(tmp_path) not in text and str(repository.parent) not in text, name


def check_container(folder: Path, **variables: str) -> None:
    """Start the server as the container on the page does; Playwright must not start another."""
    words = shlex.split(yaml.safe_load(CONTAINER)["steps"][0]["run"])
    pairs = pairwise(words)
    settings = dict(value.split("=") for option, value in pairs if option == "-e")
    port = variables["MOCKPETS_URL"].rpartition(":")[2]
    own = {"MOCKPETS_SCENARIOS_DIR": words[words.index("-v") + 1].partition(":")[0]}
    script = (
        "python3 mockpets.pyz serve >banner.txt & server=$!\n"
        "until python3 mockpets.pyz health; do sleep 0.2; done\n"
        "npx playwright test 2>&1\n"
        "kill $server"
    )
    passed = bash(script, folder, **{**variables, **settings, **own, "MOCKPETS_PORT": port})

    assert "1 passed" in passed
    assert "[WebServer]" not in passed and "which differs from" not in passed


def files_in(folder: Path) -> set[str]:
    """Return the files of a repository, without what is ignored or installed."""
    left_out = ("node_modules", ".venv", ".npm")
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in paths if path.parts[0] not in left_out}
