"""`mockpets audit`: its options, the program that it runs, and what it prints."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings
from tests.cli.audit_results import APP, FINDINGS, PACKAGE, RESULT, Run, cause, finding, result

# --- Options ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("arguments", "message"), [
    ([], "Missing argument 'APP_URL'; see 'mockpets audit --help'"),
    (["localhost:5173"], "APP_URL: must be the URL of a page of your app, got 'localhost:5173'; w"),
    (["ftp://localhost"], "APP_URL: must be the URL of a page of your app, got 'ftp://localhost'"),
    (["http://me:secret@localhost"], "APP_URL: must be the URL of a page of your app, got 'http:/"),
    (["http://\u00e4pp.example"], "APP_URL: must be an origin such as https://app.example, witho"),
    ([APP, "--pages", "0"], "--pages: must be an integer from 1 to 200, got '0'"),
    ([APP, "--pages", "201"], "--pages: must be an integer from 1 to 200, got '201'"),
    ([APP, "--pages", "many"], "--pages: must be an integer from 1 to 200, got 'many'"),
    ([APP, "--minutes", "0"], "--minutes: must be a number from 0.1 to 120, got '0'"),
    ([APP, "--minutes", "121"], "--minutes: must be a number from 0.1 to 120, got '121'"),
    ([APP, "--minutes", "nan"], "--minutes: must be a number from 0.1 to 120, got 'nan'"),
    ([APP, "--minutes", "5m"], "--minutes: must be a number from 0.1 to 120, got '5m'"),
    ([APP, "--workers", "9"], "--workers: must be an integer from 1 to 8, got '9'"),
    ([APP, "--base-url", "/api"], "--base-url: must be the base URL of the API, got '/api'; w"),
    ([APP, "--format", "markdown"], "--format: 'markdown' is not one of 'text', 'github', 'json'"),
    ([APP, "--json", "--format", "text"], "--json: cannot be combined with --format text; remove"),
    ([APP, "--fail-on", "eror"], "--fail-on: unknown rule 'eror'; did you mean 'error'?"),
    ([APP, "--fail-on", "error,stuk"], "--fail-on: unknown rule 'stuk'; did you mean 'stuck'?"),
    ([APP, "--fail-on", "x"], "--fail-on: unknown rule 'x'; rules: blank, stuck, looks-empty, si"),
    ([APP, "--token", "secret-token"], "--token: needs --url; add --url, or remove it"),
    ([APP, "--url", "http://localhost:1", "--contract", "pet-store"],
     "--contract: cannot be combined with --url; pass them to the server, or remove --url"),
    ([APP, "--url", "nonsense"], "nonsense: not a valid server URL; use a URL such"),
    ([APP, "--contract", "no.yaml"], "--contract: must be an existing OpenAPI document, got 'no."),
    ([APP, "--storage-state", "no.json"], "--storage-state no.json: file not found; check the pa"),
    ([APP, "--storage-state", "text"], "--storage-state text: is not a state that Playwright sav"),
    ([APP, "--storage-state", "list.json"], "--storage-state list.json: is not a state that Play"),
    ([APP, "--storage-state", "."], "--storage-state .: is a folder; name a file in it"),
    ([APP, "--baseline", "no.json"], "--baseline no.json: file not found; check the path"),
    ([APP, "--baseline", "text"], "--baseline text:1:1: is not valid JSON: expecting value"),
    ([APP, "--baseline", "list.json"], "--baseline list.json: is not the result of an audit; nam"),
    ([APP, "--accepted", "no.yaml"], "no.yaml: file not found; check the path"),
    ([APP, "--accepted", "list.json"], "list.json:1:1: must be a mapping of causes to reasons, g"),
    ([APP, "--tests", "text"], "--tests: Directory 'text' is a file"),
    ([APP, "--output", "text"], "text: cannot write this file: File exists"),
    ([APP, "--output", "text/audit"], "text/audit: cannot write this file: Not a directory; crea"),
])  # fmt: skip
def test_an_invalid_option_is_an_error_before_anything_starts(
    run: Run, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.setenv("PATH", "")  # Node would be looked for
    Path("text").write_text("text", encoding="utf-8")
    Path("list.json").write_text("[]", encoding="utf-8")

    status, out, err = run("audit", *arguments)

    assert (status, out, len(err)) == (2, [], 1), err
    assert message in err[0]
    assert not Path("audit").exists()


@pytest.mark.parametrize("name", ["audit.ts", "stuck-get-tags.spec.ts", "blank-loading-x.spec.ts"])
def test_a_file_that_a_test_would_overwrite_is_an_error_before_anything_starts(
    run: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("PATH", "")  # Node would be looked for
    folder = Path("e2e")
    folder.mkdir()
    for each in ("stuck.spec.ts", "login.spec.ts", "stuck-get-tags.ts", name):
        (folder / each).write_text("// mine\n", encoding="utf-8")

    assert run("audit", APP, "--tests", folder) == (2, [], [
        f"mockpets: e2e/{name}: this file exists, and 'mockpets audit' did not write it; "
        "rename it, or choose another folder"
    ])  # fmt: skip
    assert not Path("audit").exists()


def test_all_problems_of_the_options_are_reported(run: Run) -> None:
    status, _, err = run("audit", "x", "--base-url", "y", "--token", "z", "--storage-state", "q")

    assert (status, len(err)) == (2, 4)


@pytest.mark.parametrize(("changes", "message"), [
    ({"format": 2}, "has the format 2, expected 1; run the audit again with this version of mock"),
    ({"causes": {}}, "causes: must be an array; name an audit.json that 'mockpets audit' wrote"),
    ({"causes": [cause(id=1)]}, "causes.1.id: must be a text"),
    ({"causes": [cause(level="fatal")]}, 'causes.1.level: must be "error", "warning" or "note"'),
    ({"causes": [cause(findings=[1])]}, "causes.1.findings: must have indexes of findings"),
    ({"causes": [cause(findings=[])]}, "causes.1.findings: must have indexes of findings"),
    ({"causes": [cause(known=1)]}, "causes.1.known: must be true or false"),
    ({"findings": [finding(action=1)]}, "findings.1.action: must be a text or null"),
    ({"findings": [finding(steps=[{"do": "click"}])]}, "findings.1.steps.1.locator: must be pres"),
    ({"findings": [finding(steps=[{"do": "click", "locator": "x", "value": 1}])]},
     "findings.1.steps.1.value: must be a text"),
    ({"seconds": "5"}, "seconds: must be a number"),
    ({"seconds": True}, "seconds: must be a number"),
    ({"probes": 5}, "probes: must be an object"),
    ({"pages": [None]}, "pages.1: must be an object"),
])  # fmt: skip
def test_a_baseline_that_is_not_a_result_is_an_error(
    run: Run, changes: dict[str, Any], message: str
) -> None:
    Path("old.json").write_text(json.dumps(result(**changes)), encoding="utf-8")

    status, _, err = run("audit", APP, "--baseline", "old.json")

    assert (status, len(err)) == (2, 1)
    assert err[0].startswith(f"mockpets: --baseline old.json: {message}")


@pytest.mark.parametrize(("text", "problems"), [
    ("", ["audit-accepted.yaml: is empty"]),
    ("silent/reads:\n", ["audit-accepted.yaml:1:14: 'silent/reads': must be a reason, got null;"]),
    ("silent/reads: '  '\nstuck/x: 3\n", [
        "audit-accepted.yaml:1:15: 'silent/reads': must be a reason, got '  '; write the id of a ",
        "audit-accepted.yaml:2:10: 'stuck/x': must be a reason, got 3; write the id of a cause an",
    ]),
    ("stuck/x: a\nstuck/x: b\n", ["audit-accepted.yaml:2:1: duplicate key 'stuck/x', fi"]),
    ("- silent/reads\n", ["audit-accepted.yaml:1:1: must be a mapping of causes to reasons, got"]),
    ("a: !!str b\n", ["audit-accepted.yaml:1:4: a: tags are not supported, got '!!str'; remove t"]),
    ("a: b: c\n", ["audit-accepted.yaml:1:5: unexpected ':'; indent the key like the keys aroun"]),
])  # fmt: skip
def test_an_invalid_file_of_accepted_causes_is_an_error(
    run: Run, text: str, problems: list[str]
) -> None:
    Path("audit-accepted.yaml").write_text(text, encoding="utf-8")

    status, _, err = run("audit", APP)

    assert (status, len(err)) == (2, len(problems)), err
    for line, problem in zip(err, problems, strict=True):
        assert line.startswith(f"mockpets: {problem}")


# --- Node -------------------------------------------------------------------------------------


def fake_node(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    path = Path("bin/node").absolute()
    path.parent.mkdir()
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(path.parent))


def test_without_node_it_says_how_to_install_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    assert run("audit", APP) == (1, [], [
        "mockpets: node: is not on the PATH; install Node 20.19 or newer: "
        "https://nodejs.org/en/download"
    ])  # fmt: skip
    assert [*Path("audit").iterdir()] == []


@pytest.mark.skipif(os.name == "nt", reason="it needs a script in place of Node")
@pytest.mark.parametrize(("text", "got"), [
    ("echo v20.18.9", "v20.18.9"),
    ("echo v8.0.0", "v8.0.0"),
    ("echo not Node", "not Node"),
    ("exit 3", "no version, status 3"),
])  # fmt: skip
def test_a_node_that_is_too_old_is_named(
    run: Run, monkeypatch: pytest.MonkeyPatch, text: str, got: str
) -> None:
    fake_node(monkeypatch, text)

    status, out, [error] = run("audit", APP)

    assert (status, out) == (1, [])
    assert f"bin/node: must be Node 20.19 or newer, got {got}; install Node" in error


@pytest.mark.node
def test_the_program_gets_the_options_and_a_mock_with_the_settings(
    run: Run, script: Callable[[str], None]
) -> None:
    Path("mockpets.toml").write_text('data = ["pets=3"]\nport = 1\nstate = "s.db"\n', "utf-8")
    Path("state.json").write_text('{"cookies": [], "origins": []}', encoding="utf-8")
    script(f"""
const headers = {{ Authorization: "Bearer k" }};
const pets = await (await fetch(`${{config.url}}/v1/pets`, {{ headers }})).json();
const held = {{ ...headers, "Mockpets-Scenario": "listPets:hold" }};
const signal = AbortSignal.timeout(200);
await fetch(`${{config.url}}/v1/pets`, {{ headers: held, signal }}).catch(() => {{}});
const origin = {{ headers: {{ Origin: "https://app.example" }} }};
const state = await fetch(`${{config.url}}/__mockpets/state`, origin);
writeFileSync("seen.json", JSON.stringify([pets.length, state.status]));
write({json.dumps(json.dumps(result()))});
""")

    status, out, err = run(
        *("audit", "https://app.example/x", "--pages", 3, "--minutes", 0.5, "--workers", 1),
        *("--user", "jake", "--storage-state", "state.json", "--browser", "chrome", "-o", "o/a"),
        *("--base-url", "https://api.example/v2", "--api-key", "k"),
    )

    assert (status, err) == (0, [])
    config = json.loads(Path("config.json").read_text("utf-8"))
    assert re.fullmatch(r"http://127\.0\.0\.1:[0-9]+", config.pop("url"))
    here = str(Path.cwd())
    assert config == {
        "app": "https://app.example/x",
        "token": None,
        "baseUrl": "https://api.example/v2",
        "output": f"{here}/o/a",
        "pages": 3,
        "minutes": 0.5,
        "workers": 1,
        "user": "jake",
        "storageState": f"{here}/state.json",
        "browser": "chrome",
        "cwd": here,
    }
    assert json.loads(Path("seen.json").read_text("utf-8")) == [3, 200]
    assert sorted(path.name for path in Path("o/a").iterdir()) == ["audit.json", "index.html"]
    assert not Path("s.db").exists()
    assert out[-2:] == ["wrote o/a/index.html", "wrote o/a/audit.json"]


@pytest.mark.node
def test_a_running_server_is_used_with_its_token(
    run: Run, script: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    script(f"write({json.dumps(json.dumps(result()))});")
    settings = Settings(port=0, host=("127.0.0.1",), control_token="a-token-of-the-tests")
    with MockpetsServer(settings) as server:
        rejected = run("audit", APP, "--url", server.url, "--token", "another-token")
        missing = run("audit", APP, "--url", server.url)
        monkeypatch.setenv("MOCKPETS_CONTROL_TOKEN", "a-token-of-the-tests")
        accepted = run("audit", APP, "--url", server.url)
        config = json.loads(Path("config.json").read_text("utf-8"))
        assert (config["url"], config["token"]) == (server.url, "a-token-of-the-tests")

    for status, out, err in (rejected, missing):
        assert (status, out) == (1, [])
        assert err[-1].startswith("mockpets: pass the token with --token or the variable MOCKPETS_")
    assert accepted[0] == 0


def test_a_server_that_is_not_there_is_reported(run: Run) -> None:
    status, out, [error] = run("audit", APP, "--url", "http://127.0.0.1:1")

    assert (status, out) == (1, [])
    assert "127.0.0.1:1" in error


@pytest.mark.node
@pytest.mark.parametrize(("end", "status"), [(1, 1), (2, 2), (0, 1)])
def test_a_problem_of_the_program_is_reported(
    run: Run, script: Callable[[str], None], end: int, status: int
) -> None:
    problem = {"what": "the app does not respond: \x1b[31m", "hint": "start it first"}
    script(f"print({json.dumps({'problem': problem})});\nprocess.exitCode = {end};")

    message = "mockpets: the app does not respond: \\x1b[31m; start it first"
    assert run("audit", APP) == (status, [], [message])
    assert [*Path("audit").iterdir()] == []


@pytest.mark.node
def test_other_lines_of_the_program_are_ignored(run: Run, script: Callable[[str], None]) -> None:
    lines = "".join(
        f"console.log({json.dumps(line)});"
        for line in ("hello", "{}", "[]", "5", '{"problem": 5}', '{"progress": "3 of 5"}', "\ud83d")
    )
    script(f"{lines}\nwrite({json.dumps(json.dumps(result()))});")

    status, _, err = run("audit", APP)
    assert (status, err) == (0, [])


@pytest.mark.node
@pytest.mark.parametrize(("body", "message"), [
    ("throw new TypeError('cannot read x');", "status 1: TypeError: cannot read x; the whole mes"),
    ("import './missing.js';", "status 1: Error [ERR_MODULE_NOT_FOUND]: Cannot find module"),
    ("console.error('\\n  gone\\n'); process.exitCode = 7;", "status 7: gone; the whole message"),
    ("process.exitCode = 7;", "status 7: no message; the whole message is in audit/crash.log"),
    ("throw new Error('x'.repeat(5000));", "xxx...; the whole message is in audit/crash.log"),
])  # fmt: skip
def test_a_crash_is_one_line_and_a_file(
    run: Run, script: Callable[[str], None], body: str, message: str
) -> None:
    script(body)

    status, out, err = run("audit", APP)

    assert (status, out, len(err)) == (1, [], 1)
    assert message in err[0]
    assert len(err[0]) < 500
    log = Path("audit/crash.log").read_text("utf-8")
    assert ("    at " in log) == ("throw" in body or "import" in body)


@pytest.mark.node
@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals")
def test_a_program_that_is_killed_is_reported(run: Run, script: Callable[[str], None]) -> None:
    script("process.kill(process.pid, 'SIGKILL');\nsetTimeout(() => {}, 60000);")

    message = "mockpets: the audit was ended by SIGKILL; if memory is short, use --workers 1"
    assert run("audit", APP) == (1, [], [message])


@pytest.mark.node
def test_a_result_of_an_earlier_audit_is_not_taken_for_a_new_one(
    audited: Run, run: Run, script: Callable[[str], None]
) -> None:
    assert audited(result())[0] == 0
    script("")

    message = "mockpets: audit/audit.json: was not written; run the audit again"
    assert run("audit", APP) == (1, [], [message])


@pytest.mark.node
def test_a_result_that_is_broken_is_reported(audited: Run) -> None:
    status, out, [error] = audited(result(causes=[5]))

    assert (status, out) == (1, [])
    assert error.startswith("mockpets: audit/audit.json: causes.1: must be an object")


# --- Ctrl-C -----------------------------------------------------------------------------------

WAIT = """
print({ progress: "waiting" });
writeFileSync("started", "");
setInterval(() => {}, 1000);
let signals = 0;
"""
STOP = f"""
process.on("SIGINT", () => {{
  signals += 1;
  setTimeout(() => {{
    write({json.dumps(json.dumps(result(cause(), complete=False)))}.replace("278.1", signals));
    process.exit(130);
  }}, 200);
}});
"""


def interrupted(
    number: signal.Signals, *more: signal.Signals, options: Sequence[str] = ()
) -> tuple[int, str, str]:
    """Run the command in a process of its own, send it signals, and return its output."""
    code = (
        "import sys; from pathlib import Path; from mockpets.cli import audit\n"
        "audit.SCRIPT = Path('main.mjs'); from mockpets.cli.main import main\n"
        f"sys.exit(main(['audit', {APP!r}, *{[*options]!r}]))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            while not Path("started").exists():
                assert process.poll() is None
                time.sleep(0.05)
            os.killpg(process.pid, number)  # as a terminal does
            for each in more:
                while not Path("stopping").exists():
                    time.sleep(0.05)
                os.killpg(process.pid, each)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    return process.returncode, out, err


@pytest.mark.node
@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_lets_the_program_write_what_it_has(
    script: Callable[[str], None], number: signal.Signals
) -> None:
    script(STOP + WAIT)

    status, out, err = interrupted(number)

    assert (status, err) == (130, "")
    assert out.startswith("1 page, 1 action, 167 probes in 1 s\n1 error\nincomplete: ")
    assert json.loads(RESULT.read_text("utf-8"))["complete"] is False


@pytest.mark.node
@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals")
def test_an_audit_that_is_interrupted_writes_no_tests(script: Callable[[str], None]) -> None:
    script(STOP + WAIT)

    assert interrupted(signal.SIGINT, options=["--tests", "e2e"])[::2] == (130, "")
    assert not Path("e2e").exists()


@pytest.mark.node
@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals")
@pytest.mark.usefixtures("playwright")
@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)]
)
def test_ctrl_c_while_the_tests_run_ends_them_and_prints_the_result(
    script: Callable[[str], None], number: signal.Signals
) -> None:
    script(f"write({json.dumps(json.dumps(result(cause(), findings=FINDINGS)))});")
    started, pid = (json.dumps(str(Path(name).absolute())) for name in ("started", "pid"))
    (PACKAGE / "cli.js").write_text(
        'import { writeFileSync } from "node:fs";\n'
        f'writeFileSync({pid}, `${{process.pid}}`);\nwriteFileSync({started}, "");\n'
        "setInterval(() => {}, 1000);\n",
        encoding="utf-8",
    )

    status, out, err = interrupted(number, options=["--tests", "e2e"])

    assert (status, err) == (130, "")
    assert out.endswith("wrote audit/index.html\nwrote audit/audit.json\n")
    assert not Path("e2e").exists()
    with pytest.raises(ProcessLookupError):
        os.kill(int(Path("pid").read_text("utf-8")), 0)


@pytest.mark.node
@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals")
def test_a_second_ctrl_c_ends_a_program_that_does_not_stop(script: Callable[[str], None]) -> None:
    script('process.on("SIGINT", () => writeFileSync("stopping", ""));' + WAIT
           + 'writeFileSync("pid", `${process.pid}`);writeFileSync("started", "");')  # fmt: skip

    assert interrupted(signal.SIGINT, signal.SIGINT) == (130, "", "")
    with pytest.raises(ProcessLookupError):
        os.kill(int(Path("pid").read_text("utf-8")), 0)
