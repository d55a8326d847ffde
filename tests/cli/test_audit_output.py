"""What `mockpets audit` prints and writes, and when it fails."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.audit.rules import RULES
from mockpets.cli.main import main
from mockpets.packaged_data import shipped
from tests.cli.audit_results import APP, FINDINGS, PACKAGE, RESULT, Run, cause, finding, result
from tests.docs.page import ROOT
from tests.programs import need
from tests.programs import run as run_program

# --- Output -----------------------------------------------------------------------------------


@pytest.mark.node
def test_the_summary(audited: Run) -> None:
    value = result(
        cause(),
        cause("stuck/GetTags", findings=[1], title="Loading forever"),
        cause("moved/x", "warning", findings=[2]),
        signed_in="jake@jake.jake",
        notes=["The app registers a service worker."],
        not_reached=["DeleteUser", "GetUser"],
        findings=[
            finding(),
            finding(expression=None, state="html", message="Still loading."),
            finding(action="Post \x1b", page="/"),
        ],
    )

    assert audited(value) == (0, [
        "1 page, 1 action, 167 probes in 4 min 38 s, signed in as jake@jake.jake",
        "2 errors and 1 warning",
        "note: The app registers a service worker.",
        "not reached: DeleteUser and GetUser",
        "",
        "error: No message for any failing read (6 of 6 operations) (silent/reads)",
        "  /article/{}: GetArticle:500: The text is missing, and nothing new is visible.",
        "error: Loading forever (stuck/GetTags)",
        "  /article/{}: GetArticle html: Still loading.",
        "warning: No message for any failing read (6 of 6 operations) (moved/x)",
        "  /, Post \\x1b: GetArticle:500: The text is missing, and nothing new is visible.",
        "",
        "wrote audit/index.html",
        "wrote audit/audit.json",
    ], [])  # fmt: skip


@pytest.mark.node
def test_the_documentation_shows_a_summary(audited: Run) -> None:
    page = (ROOT / "docs/bugs/audit.md").read_text("utf-8")
    [shown] = re.findall(r"^```text\n(\d+ pages, .+?)\n```$", page, re.MULTILINE | re.DOTALL)
    value = result(
        cause(title="No message when a request that reads fails (6 of 6 operations)"),
        cause("double-send/CreateComment", findings=[1],
              title="A second click sends CreateComment again"),
        cause("raw-exception/GetTags", "warning", findings=[2],
              title="The text of an exception is shown when GetTags fails"),
        signed_in="jake@jake.jake",
        findings=[
            finding(message="Texts are missing, and no message says why."),
            finding(action="Post Comment", expression="CreateComment:hold",
                    message="A second click sends the request again: 2 requests."),
            finding(page="/", expression="GetTags:malformed_json",
                    message="The page shows the text of an exception."),
        ],
    )  # fmt: skip
    value["pages"] *= 6
    value["actions"] *= 4

    assert audited(value) == (0, shown.split("\n"), [])


@pytest.mark.node
def test_a_summary_without_findings(audited: Run) -> None:
    assert audited(result(seconds=20, probes={"run": 2, "planned": 9})) == (0, [
        "1 page, 1 action, 2 of 9 probes in 20 s",
        "no findings",
        "",
        "wrote audit/index.html",
        "wrote audit/audit.json",
    ], [])  # fmt: skip


@pytest.mark.node
def test_a_summary_of_many_causes_has_at_most_30_lines(audited: Run) -> None:
    Path("audit-accepted.yaml").write_text("stuck/a0: Known\n", encoding="utf-8")
    value = result(
        *(cause(f"stuck/a{number}") for number in range(40)),
        complete=False,
        notes=["First\nline."] * 9,
        not_reached=[f"Get{number}" for number in range(40)],
    )

    _, out, _ = audited(value)

    assert len(out) == 30
    assert out[2].startswith("incomplete: ")
    assert out[3:7] == ["note: First\\nline."] * 3 + ["note: 6 more notes in the report"]
    assert out[7].endswith("Get7 and 32 more")
    assert out[25] == "and 31 more causes"
    assert out[27:] == [
        "not listed: 1 accepted",
        "wrote audit/index.html",
        "wrote audit/audit.json",
    ]


@pytest.mark.node
def test_json_is_the_file(audited: Run) -> None:
    Path("audit-accepted.yaml").write_text("silent/reads: >\n  Known,\n  ticket 7\n", "utf-8")
    value = result(cause(title="\u00e9\ud83d"), cause("stuck/x"))

    status, out, err = audited(value, "--json", "--baseline", save(result(cause("stuck/x"))))

    value["causes"][0]["accepted"] = "Known, ticket 7"
    value["causes"][1]["known"] = True
    assert (status, err) == (0, [])
    assert json.loads("\n".join(out)) == json.loads(RESULT.read_text("utf-8")) == value
    assert "\n".join(out).isascii()


@pytest.mark.node
def test_github_gets_annotations_and_a_summary(
    audited: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    title = "100 %, or: a\nline ```"
    value = result(cause(title=title), cause("moved/x", "warning"), cause("blocked/x", "note"))

    status, out, err = audited(value, "--format", "github")

    assert (status, err) == (0, [])
    assert out[:2] == [
        "::notice title=Front-end audit::1 page, 1 action, 167 probes in 4 min 38 s%0A1 error, 1 "
        "warning and 1 note",
        "::error title=100 %25%2C or%3A a\\nline ``` (silent/reads)::/article/{}: GetArticle:500: "
        "The text is missing, and nothing new is visible.%0AShow a message when a request fails.",
    ]
    assert [line.partition(" ")[0] for line in out[2:]] == ["::warning", "::notice"]
    summary = Path("summary.md").read_text("utf-8")
    assert summary.startswith("## Front-end audit\n\n````text\n1 page, ")
    assert summary.endswith("\nwrote audit/audit.json\n````\n")


# --- The sheet and the tests ------------------------------------------------------------------


@pytest.mark.node
def test_the_sheet_has_the_accepted_and_the_known_causes(audited: Run) -> None:
    Path("audit-accepted.yaml").write_text("silent/reads: The banner <b>says it.\n", "utf-8")
    value = result(cause(), cause("stuck/x", title="Loading forever"), cause("moved/y"))

    status, *_ = audited(value, "--baseline", save(result(cause("stuck/x"))))

    assert status == 0
    sheet = Path("audit/index.html").read_text("utf-8")
    assert "Accepted or known: 2</summary>" in sheet
    assert "The banner &lt;b&gt;says it." in sheet
    open_causes, _, closed = sheet.partition("Accepted or known: 2</summary>")
    assert ("moved/y" in open_causes, "stuck/x" in open_causes) == (True, False)
    assert "Loading forever" in closed


@pytest.mark.node
@pytest.mark.usefixtures("playwright")
def test_tests_that_fail_are_written_while_the_mock_runs(audited: Run) -> None:
    Path("audit-accepted.yaml").write_text("stuck/known: Known\n", encoding="utf-8")
    value = result(
        cause(),
        cause("stuck/no-test", findings=[1]),
        cause("stuck/signed-in", findings=[2]),
        cause("blank/signed-in", findings=[2]),
        cause("stuck/known"),
        cause("no-empty/x", "note"),
        findings=FINDINGS,
    )

    status, out, err = audited(value, "--tests", "e2e", "--browser", "chrome")

    assert (status, err) == (0, [
        "mockpets: no test for stuck/signed-in and blank/signed-in: the test cannot sign in as the "
        "audit did",
        "mockpets: no test for stuck/no-test: the test passes",
        "mockpets: the tests import tests/mockpets, which is missing; to write it, run: mockpets "
        "kit tests/mockpets --playwright",
    ])  # fmt: skip
    assert out[-1] == "wrote e2e: 1 failing test"
    assert sorted(path.name for path in Path("e2e").iterdir()) == [
        "audit.ts",
        "silent-reads.spec.ts",
    ]
    use, state = json.loads((PACKAGE / "seen.json").read_text("utf-8"))
    assert state == 200
    assert (use["baseURL"], use["channel"]) == (APP, "chrome")

    assert main(["kit", "tests/mockpets", "--playwright"]) == 0
    _, _, err = audited(value, "--tests", "e2e")
    assert [line for line in err if "import" in line] == []


@pytest.mark.node
@pytest.mark.usefixtures("playwright")
def test_tests_of_a_running_server_use_it(audited: Run) -> None:
    with MockpetsServer(Settings(port=0, host=("127.0.0.1",))) as server:
        audited(result(cause(), findings=FINDINGS), "--tests", "e2e", "--url", server.url)

        use, _ = json.loads((PACKAGE / "seen.json").read_text("utf-8"))
        assert use["mockUrl"] == server.url


@pytest.mark.node
@pytest.mark.usefixtures("playwright")
def test_without_a_failing_test_no_folder_is_written(audited: Run) -> None:
    value = result(cause(findings=[1]), findings=FINDINGS)

    status, out, err = audited(value, "--tests", "e2e")

    assert (status, err) == (0, ["mockpets: no test for silent/reads: the test passes"])
    assert out[-1] == "wrote audit/audit.json"
    assert not Path("e2e").exists()


@pytest.mark.node
@pytest.mark.usefixtures("playwright")
def test_a_folder_of_tests_that_cannot_be_written_is_reported_with_the_result(audited: Run) -> None:
    Path("text").write_text("text", encoding="utf-8")

    status, out, [error] = audited(result(cause(), findings=FINDINGS), "--tests", "text/e2e")

    assert (status, out[1]) == (1, "1 error")
    assert error.startswith("mockpets: text/e2e/audit.ts: cannot write this file: Not a directory")


# --- What fails -------------------------------------------------------------------------------


def save(value: object) -> str:
    Path("old.json").write_text(json.dumps(value), encoding="utf-8")
    return "old.json"


CAUSES = (cause(), cause("moved/x", "warning"), cause("blocked/x", "note"))


@pytest.mark.node
@pytest.mark.parametrize(("names", "broken"), [
    ([], ""),
    (["stuck"], ""),
    (["moved"], "moved"),
    (["stuck,silent", "blocked"], "blocked, silent"),
    (["error"], "silent"),
    (["warning"], "moved, silent"),
    (["note"], "blocked, moved, silent"),
    (["all"], "blocked, moved, silent"),
])  # fmt: skip
def test_causes_of_these_rules_fail_the_command(
    audited: Run, names: list[str], broken: str
) -> None:
    status, out, err = audited(result(*CAUSES), *(f"--fail-on={name}" for name in names))

    assert (status, out[1]) == (int(bool(broken)), "1 error, 1 warning and 1 note")
    assert err == ([f"mockpets: --fail-on: findings of {broken}"] if broken else [])


@pytest.mark.node
def test_accepted_and_known_causes_do_not_fail(audited: Run) -> None:
    Path("mine.yaml").write_text("moved/x: A redirect is right here.\n", encoding="utf-8")
    options = ("--fail-on", "all", "--accepted", "mine.yaml")

    status, out, err = audited(result(*CAUSES), *options, "--baseline", save(result(cause())))
    assert (status, err) == (1, ["mockpets: --fail-on: findings of blocked"])
    assert out[1] == "1 note"
    assert out[-3] == "not listed: 1 accepted and 1 in the baseline"

    status, out, err = audited(result(*CAUSES), *options, "--baseline", save(result(*CAUSES)))
    assert (status, out[1], err) == (0, "no findings", [])


@pytest.mark.node
@pytest.mark.parametrize(("name", "operations", "is_known"), [
    ("silent/GetTags", ["GetTags"], True),
    ("silent/reads", ["GetArticle", "GetTags", "GetUser"], True),
    ("silent/GetUser", ["GetUser"], False),
    ("stuck/GetTags", ["GetTags"], False),
    ("silent/app", [], False),
])  # fmt: skip
def test_a_cause_is_known_by_its_id_or_by_its_operations(
    audited: Run, name: str, operations: list[str], is_known: bool
) -> None:
    old = save(result(cause(operations=["GetArticle", "GetTags"])))

    audited(result(cause(name, operations=operations)), "--baseline", old)

    assert json.loads(RESULT.read_text("utf-8"))["causes"][0]["known"] is is_known


@pytest.mark.node
def test_the_last_result_can_be_the_baseline(audited: Run) -> None:
    assert audited(result(cause()), "--fail-on", "error")[0] == 1
    assert audited(result(cause()), "--fail-on", "error", "--baseline", RESULT)[0] == 0


ACCEPTED = "silent/read: A\nmoved/x: B\nstuck/GetTags: C\n"
NEAR = (
    "mockpets: audit-accepted.yaml:1:1: 'silent/read': is out of date: the audit found no such "
    "cause; did you mean 'silent/reads'?"
)
GONE = (
    "mockpets: audit-accepted.yaml:3:1: 'stuck/GetTags': is out of date: the audit found no such "
    "cause; remove the line"
)


@pytest.mark.node
@pytest.mark.parametrize(("complete", "problems"), [(True, [NEAR, GONE]), (False, [NEAR])])
def test_an_accepted_cause_that_is_out_of_date_is_reported(
    audited: Run, complete: bool, problems: list[str]
) -> None:
    Path("audit-accepted.yaml").write_text(ACCEPTED, encoding="utf-8")

    status, _, err = audited(result(*CAUSES, complete=complete))

    assert (status, err) == (0, problems)


@pytest.mark.node
def test_progress_is_shown_on_a_terminal_only(
    script: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    script(f"print({{ progress: 'page \\x1b 1' }});\nwrite({json.dumps(json.dumps(result()))});")

    assert main(["audit", APP]) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["audit", APP]) == 0
    assert capsys.readouterr().err == "\r\x1b[Kpage \\x1b 1\r\x1b[K"


@pytest.mark.node
def test_both_parts_have_the_same_rules(tmp_path: Path) -> None:
    module = (shipped("kit") / "audit" / "causes.js").as_uri()
    code = f"import {{ RULES }} from {json.dumps(module)}; console.log(JSON.stringify(RULES))"
    done = run_program(tmp_path, need("node"), "--input-type=module", "--eval", code)

    levels = {name: rule["level"] for name, rule in json.loads(done.stdout).items()}
    assert levels == {rule.name: rule.level for rule in RULES}
