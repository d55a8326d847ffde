"""The example `examples/next`: sessions of pages that a server renders, and what Next caches."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from tests.examples.project import (
    EXAMPLES,
    REPEAT,
    check_kit,
    copy,
    install,
    outcomes,
    playwright,
    share_one_session,
)
from tests.programs import free_port, need, run

CACHES = Path(__file__).with_name("next-caches")
"""Pages that Next caches in different ways."""
TESTS = 40 * REPEAT
TRACED: Mapping[str, str] = {"TRACING": "on"}


def build(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    variables = {"HOME": str(folder), "NEXT_TELEMETRY_DISABLED": "1", **variables}
    return run(folder, need("npx"), "next", "build", **variables)


def without_the_line(folder: Path) -> Path:
    """Remove every word about mockpets from the app of a copy; return the copy."""
    api = folder / "lib" / "api.ts"
    text = api.read_text(encoding="utf-8")
    for line in (
        'import { headers } from "next/headers";\n',
        'import { withSession } from "./mockpets/ssr";\n',
    ):
        assert text.count(line) == 1
        text = text.replace(line, "")
    assert text.count("withSession(await headers(), own)") == 1
    api.write_text(text.replace("withSession(await headers(), own)", "own"), encoding="utf-8")
    shutil.rmtree(folder / "lib" / "mockpets")
    (folder / "proxy.ts").unlink()
    return folder


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of the example in which `npm install` has run."""
    return install("next", tmp_path_factory.mktemp("next"))


@pytest.fixture(scope="module")
def built(installed: Path) -> Path:
    done = build(installed)
    assert done.returncode == 0, done.stdout + done.stderr
    return installed


# --- The Playwright tests -----------------------------------------------------------------------


def test_the_suite_passes_with_the_header(built: Path) -> None:
    status, output = playwright(built, f"--repeat-each={REPEAT}")

    assert f"Running {TESTS} tests using 8 workers" in output
    assert (status, outcomes(output)) == (0, [f"{TESTS} passed"]), output


def test_the_suite_passes_with_baggage_and_no_code_for_it(installed: Path, tmp_path: Path) -> None:
    example = without_the_line(copy(installed, tmp_path / "next"))
    app = [*(example / "app").rglob("*.ts*"), *(example / "lib").rglob("*.ts*")]
    for path in [*app, example / "instrumentation.ts", example / "next.config.ts"]:
        assert "mockpets" not in re.sub('[?][?] "[^"]*"', "", path.read_text("utf-8")).lower()
    done = build(example)
    assert done.returncode == 0, done.stdout + done.stderr

    status, output = playwright(example, f"--repeat-each={REPEAT}", **TRACED)

    assert f"Running {TESTS} tests using 8 workers" in output
    assert (status, outcomes(output)) == (0, [f"{TESTS} passed"]), output


def test_the_suite_fails_if_its_tests_share_one_session(built: Path, tmp_path: Path) -> None:
    """In parallel only: one test at a time passes, so nothing but the shared session is broken."""
    example = copy(built, tmp_path / "next")
    share_one_session(example)

    status, output = playwright(example, "--workers=1")
    assert (status, outcomes(output)) == (0, ["40 passed"]), output

    status, output = playwright(example, "--max-failures=1")
    assert status == 1, output
    assert any("failed" in each for each in outcomes(output)), output


def test_without_the_line_and_without_baggage_no_session_reaches_the_server(
    installed: Path, tmp_path: Path
) -> None:
    """The server rejects a request without a session, so that the page shows why."""
    example = without_the_line(copy(installed, tmp_path / "next"))
    done = build(example)
    assert done.returncode == 0, done.stdout + done.stderr

    with MockpetsServer(Settings(port=0, sessions="declared")) as server:
        ControlClient(server.url).make_session("a")
        with started(example, server.url) as url:
            status, html = get(url, "a")

    assert (status, "422: " in html.replace("<!-- -->", "")) == (200, True), html


@pytest.mark.parametrize(("names", "expected"), [
    ("demo%2Bempty", "No pets yet"),
    ("demo+server-error", "500: "),
    ("demo%2Bemtpy", "422: unknown scenario &#x27;emtpy&#x27;"),
])  # fmt: skip
def test_a_link_opens_the_page_in_a_session_with_scenarios(
    built: Path, names: str, expected: str
) -> None:
    with (
        MockpetsServer(Settings(port=0)) as server,
        started(built, server.url) as url,
        requests.Session() as visitor,
    ):
        opened = visitor.get(f"{url}/?a=1&mockpets={names}", timeout=60)
        again = visitor.get(url, timeout=60)
        cleared = visitor.get(f"{url}/?mockpets=", timeout=60)

    assert opened.url == f"{url}/?a=1"
    assert expected in opened.text.replace("<!-- -->", "")
    assert expected in again.text.replace("<!-- -->", "")
    assert expected not in cleared.text.replace("<!-- -->", "")
    assert visitor.cookies.get_dict() == {}


# --- Caches -------------------------------------------------------------------------------------


@contextmanager
def started(folder: Path, mock_url: str, **variables: str) -> Iterator[str]:
    """Start the built app of a copy; yield its URL."""
    port = free_port()
    command = [need("node"), "node_modules/next/dist/bin/next", "start"]
    with subprocess.Popen(
        [*command, "--hostname", "localhost", "--port", str(port)],
        cwd=folder,
        env={**os.environ, **api(mock_url), **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            lines: list[str] = []
            while "Ready" not in (lines or [""])[-1]:
                lines.append(process.stdout.readline())
                assert lines[-1], "".join(lines)
            yield f"http://localhost:{port}"
        finally:
            process.terminate()


def api(mock_url: str) -> dict[str, str]:
    return {"API_URL": f"{mock_url}/v1", "NEXT_TELEMETRY_DISABLED": "1"}


def get(url: str, session: str) -> tuple[int, str]:
    """Get a page as the fixtures of the kit do; return the status and the HTML."""
    headers = {"Mockpets-Session": session, "baggage": f"mockpets.session={session}"}
    response = requests.get(url, headers=headers, timeout=60)
    return response.status_code, response.text


def seen(url: str, mock: ControlClient) -> tuple[str, str, str]:
    """Return what tests see in a page: the first, a second one, and the first after a change."""
    first, second = mock.session("first"), mock.session("second")
    first.set_records("pets", [{"id": 1, "name": "A1", "categoryId": 2}])
    second.set_records("pets", [{"id": 1, "name": "B1", "categoryId": 2}])
    one, two = shown(url, "first"), shown(url, "second")
    first.set_records("pets", [{"id": 1, "name": "A2", "categoryId": 2}])
    return one, two, shown(url, "first")


def shown(url: str, session: str) -> str:
    status, html = get(url, session)
    names = re.search("names: (?:<!-- -->)?([^<]*)<", html)
    return names[1] if names else str(status)


OWN = ("A1", "B1", "A2")
FIRST_OF_OWN = ("A1", "B1", "A1")
FIRST_OF_ANY = ("A1", "A1", "A1")
BUILD = ("Built", "Built", "Built")
ERROR = ("500", "500", "500")


@pytest.mark.parametrize(("place", "variables", "expected"), [
    ("header", {}, (FIRST_OF_OWN, OWN, BUILD, ERROR)),
    ("baggage", {}, (FIRST_OF_ANY, BUILD, BUILD, FIRST_OF_ANY)),
    ("header", {"API_CACHE": "no-store"}, (OWN, OWN, BUILD, ERROR)),
    ("baggage", {"API_CACHE": "no-store"}, (OWN, OWN, BUILD, FIRST_OF_ANY)),
], ids=["header", "baggage", "header, no-store", "baggage, no-store"])  # fmt: skip
def test_what_tests_see_of_a_cached_page(
    installed: Path,
    tmp_path: Path,
    place: str,
    variables: dict[str, str],
    expected: tuple[tuple[str, str, str], ...],
) -> None:
    """As the table in docs/recipes/ssr.md says."""
    example = copy(installed, tmp_path / "next")
    shutil.copytree(CACHES, example / "app" / "caches")
    if place == "baggage":
        without_the_line(example)
        variables = {**variables, **TRACED}
    with MockpetsServer(Settings(port=0)) as server:
        mock = ControlClient(server.url)
        mock.set_records("pets", [{"id": 1, "name": "Built", "categoryId": 2}])
        done = build(example, **api(server.url), **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        with started(example, server.url, **variables) as url:
            names = ("data-cache", "isr", "static", "unstable-cache")
            result = tuple(seen(f"{url}/caches/{name}", mock) for name in names)

    assert result == expected


def test_a_page_that_is_rendered_in_the_build_fails_with_declared_sessions(
    installed: Path, tmp_path: Path
) -> None:
    example = copy(installed, tmp_path / "next")
    shutil.copytree(CACHES / "static", example / "app" / "caches" / "static")
    shutil.copy2(CACHES / "Names.tsx", example / "app" / "caches")
    with MockpetsServer(Settings(port=0, sessions="declared")) as server:
        done = build(example, **api(server.url))

    assert done.returncode != 0
    assert "names no session" in done.stdout + done.stderr


# --- Files --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_files_of_the_kit_are_up_to_date() -> None:
    assert check_kit("next", "tests/mockpets", "--playwright") == (0, "")
    assert check_kit("next", "lib/mockpets", "--ssr") == (0, "")


def test_the_app_has_one_line_for_the_session() -> None:
    app = [path for part in ("app", "lib") for path in (EXAMPLES / "next" / part).glob("**/*.ts*")]
    lines = [line for path in app for line in path.read_text("utf-8").splitlines()]

    assert [line.strip() for line in lines if "withSession(" in line and "export" not in line] == [
        "headers: withSession(await headers(), own),"
    ]
