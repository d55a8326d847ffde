"""The table of faults is the only list of them; everything else reads it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import mockpets
from mockpets import Settings, create_app
from mockpets.faults import FAULTS
from tests.cases import each as for_each
from tests.http_client import KEY

PACKAGE = Path(mockpets.__file__).parent
DOCS = Path(__file__).parent.parent / "docs" / "reference" / "scenario-language.md"


def test_the_docs_list_all_kinds() -> None:
    [table] = re.findall(
        r"\| `fault:` \| sends \| then \| what it does \|\n\|---\|---\|---\|---\|\n((?:\|.*\n)+)",
        DOCS.read_text(encoding="utf-8"),
    )

    assert table.splitlines() == [
        f"| `{kind.name}` | {kind.sends} | {kind.then} | {kind.effect} |"
        for kind in FAULTS.values()
    ]


@for_each("fault", FAULTS)
def test_only_the_table_names_a_kind(fault: str) -> None:
    files = {
        path.relative_to(PACKAGE).as_posix()
        for pattern in ("*.py", "*.js", "*.html")
        for path in PACKAGE.rglob(pattern)
        if re.search(rf"\b{fault}\b", path.read_text(encoding="utf-8"))
    }

    files.discard("scenario/shipped.py")  # generated from files, which name kinds
    assert files == {"faults.py"}


ADD_TWO_KINDS = """
import json
from pathlib import Path
from types import MappingProxyType

from mockpets import faults

more = {"new_body": faults.FaultKind("new_body", "half", "reset", "does something new")}
more["new_end"] = faults.FaultKind("new_end", "nothing", "close", "ends in a new way")
faults.FAULTS = MappingProxyType({**faults.FAULTS, **more})
faults.CONNECTION_FAULTS |= {"new_end"}
faults.NO_RESPONSE_FAULTS |= {"new_end"}
faults.INCOMPLETE_FAULTS |= more.keys()

from mockpets import Settings, create_app
from mockpets.errors import InputError
from mockpets.scenario.describe import describe_stub
from mockpets.scenario.language.loader import load_scenario, scenario_schema
from mockpets.scenario.template import new_scenario

def load(stub):
    path = Path("s.yaml")
    path.write_text(f"description: A.\\nstubs: [{stub}]")
    return load_scenario(path, "s.yaml", known=[], fixtures={})

def problem(stub):
    try:
        return load(stub)
    except InputError as error:
        return str(error)

responses = {}
for fault in more:
    text = {"description": "A.", "stubs": [{"fault": fault}]}
    client = create_app(Settings(api_key=("*",))).test_client()
    assert client.put("/__mockpets/scenario", json={"scenario": text}).status_code == 200
    response = client.get("/v1/pets", headers={"Authorization": "Bearer a"}, buffered=True)
    [row] = client.get("/__mockpets/requests").json["requests"]
    responses[fault] = [len(response.data), row["status"], row["fault"], row["outcome"]]
print(json.dumps({
    "read": [load(f"{{fault: {fault}}}").stubs[0].fault for fault in more],
    "described": [describe_stub(load(f"{{fault: {fault}}}").stubs[0])["does"] for fault in more],
    "unknown": problem("{fault: new_bodi}"),
    "never sent": problem("{fault: new_end, reply: {status: 503}}"),
    "no body": problem("{fault: new_body, reply: {status: 204}, off_contract: true}"),
    "schema": json.dumps(scenario_schema()),
    "new": new_scenario("a"),
    "responses": responses,
}))
"""


def test_a_new_row_works_everywhere(tmp_path: Path) -> None:
    """Run in a new process, which adds the rows before it imports anything else."""
    run = subprocess.run(
        [sys.executable, "-c", ADD_TWO_KINDS],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    seen = json.loads(run.stdout)

    assert seen["read"] == ["new_body", "new_end"]
    assert seen["described"] == ["does something new (new_body)", "ends in a new way (new_end)"]
    names = ", ".join(FAULTS)
    assert f"must be {names}, new_body or new_end, got 'new_bodi'" in seen["unknown"]
    assert "fault new_end ends the connection before this reply" in seen["never sent"]
    assert "fault new_body requires a body, but this reply has an empty body" in seen["no body"]
    kinds = json.dumps([*FAULTS, "new_body", "new_end"])
    assert seen["schema"].count('"connection_reset", ') == seen["schema"].count(kinds) > 0
    assert "new_body does something new; new_end ends in a new way." in seen["schema"]
    assert f"{names}, new_body, new_end.\n" in seen["new"]
    half = len(create_app(Settings()).test_client().get("/v1/pets", headers=KEY).data) // 2
    assert seen["responses"] == {
        "new_body": [half, 200, "new_body", "broken"],
        "new_end": [0, None, "new_end", "broken"],
    }
