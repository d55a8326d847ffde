"""The commands ``check``, ``new`` and ``schema``."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from mockpets.contract.pet_store import BUILT_IN
from mockpets.errors import InputError
from mockpets.scenario.language.loader import scenario_schema
from mockpets.scenario.library import load_library
from mockpets.scenario.template import new_scenario
from tests.http_client import Client
from tests.scenario.language.test_schema import keys_of

Run = Any


def test_the_shipped_scenarios_have_no_problems(run: Run) -> None:
    status, lines, err = run("check")

    assert (status, err) == (0, [])
    stubs = sum(len(each.stubs) for each in load_library([], []).scenarios.values())
    assert lines[0].endswith(f"checked: 0 problems; {stubs} stubs")
    assert len(lines) == 1


def test_all_problems_of_all_files_are_reported_at_once(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("descriptoin: x\nstubs:\n  - reply: {status: 99}\n")
    (tmp_path / "worse.yaml").write_text("description: d\nstubs: [{reply: {error: nope}}\n")
    (tmp_path / "pets.json").write_text('[{"id": 1, "name": "a"}]')
    (tmp_path / "good.yaml").write_text("description: d\n")
    status, lines, _ = run("check", ".")

    assert status == 1
    shown = [line.partition(": ")[0] for line in lines if line.startswith(("bad", "worse", "pets"))]
    assert {"bad.yaml:1:1", "bad.yaml:3:21", "pets.json:1:2"} <= set(shown)
    assert any(place.startswith("worse.yaml:") for place in shown)
    assert f"3 scenarios and 1 fixture checked: {len(shown)} problems" == lines[-1]
    assert len(lines) == len(shown) + 1


@pytest.mark.parametrize("folder", ["empty", "nested", "hidden", "other"])
def test_a_folder_without_files_is_a_problem(run: Run, tmp_path: Path, folder: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "nested" / "scenarios").mkdir(parents=True)
    (tmp_path / "nested" / "scenarios" / "a.yaml").write_text("description: d\n")
    for name in ("hidden/.a.yaml", "other/a.txt"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("description: d\n")
    (tmp_path / "good.yaml").write_text("description: d\n")
    status, lines, _ = run("check", "good.yaml", folder)

    assert status == 1
    assert lines == [
        f"{folder}: no scenario or fixture files (.yaml, .yml, .json) in this folder; name the "
        "folder that contains them; subfolders are not checked",
        "1 scenario and 0 fixtures checked: 1 problem",
    ]


LIST = "- {id: 3, name: Bo, categoryId: 1}\n"


@pytest.mark.parametrize("words", [["list.yaml"], ["."], ["--scenarios-dir", "."]])
@pytest.mark.parametrize("text", [LIST, "- {match: {operation: getPet}, delay: 1s}\n", "[]\n"])
def test_a_scenario_file_with_a_yaml_list_must_be_a_mapping(
    run: Run, tmp_path: Path, text: str, words: list[str]
) -> None:
    (tmp_path / "list.yaml").write_text(text)
    status, lines, _ = run("check", *words)

    assert status == 1
    assert lines[0].startswith("list.yaml:1:1: must be a mapping, got a list; put the list under")
    assert lines[1].endswith("checked: 1 problem")


@pytest.mark.parametrize(("file", "text", "words"), [
    ("litter.json", '[{"id": 3, "name": "Bo", "categoryId": 1}]', ["litter.json"]),
    ("litter.json", '[{"id": 3, "name": "Bo", "categoryId": 1}]', ["."]),
    ("fixtures/litter.yaml", LIST, ["fixtures"]),
    ("fixtures/litter.yaml", LIST, ["fixtures/litter.yaml"]),
    ("pets/litter.yaml", LIST, ["pets", "--fixtures-dir", "pets"]),
    ("pets/litter.yaml", LIST, ["pets/litter.yaml", "--fixtures-dir", "./pets"]),
])  # fmt: skip
def test_a_json_list_and_a_yaml_list_in_a_folder_of_fixtures_are_fixtures(
    run: Run, tmp_path: Path, file: str, text: str, words: list[str]
) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(text)
    status, lines, _ = run("check", *words)

    assert status == 0
    assert lines[0] == "0 scenarios and 1 fixture checked: 0 problems; 0 stubs"


@pytest.mark.parametrize(
    "words", [["fixtures"], ["fixtures/litter.csv"], ["--fixtures-dir", "fixtures"]]
)
def test_a_csv_file_is_rejected(run: Run, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "fixtures").mkdir()
    (tmp_path / "fixtures" / "litter.csv").write_text("id,name,categoryId\n3,Bo,1\n")
    status, lines, _ = run("check", *words)

    message = "fixtures/litter.csv: CSV is not supported; save the records as JSON or YAML"
    assert (status, lines[0]) == (1, message)


@pytest.mark.parametrize("words", [["."], ["a.yaml", "a.yml"]])
def test_two_files_with_the_same_name_in_a_folder_are_a_problem(
    run: Run, tmp_path: Path, words: list[str]
) -> None:
    for name in ("a.yaml", "a.yml"):
        (tmp_path / name).write_text("description: d\n")
    status, lines, _ = run("check", *words)

    assert status == 1
    [line] = [line for line in lines if "remove one" in line]
    assert line.endswith(" also has the name 'a'; rename or remove one of them")
    with pytest.raises(InputError, match="also has the name 'a'"):
        load_library([tmp_path], [])


def test_the_report_as_json(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("descriptoin: x\n")
    status, lines, _ = run("check", "bad.yaml", "--json")
    report = json.loads("\n".join(lines))

    assert status == 1
    assert report["scenarios"] == ["bad"]
    assert {
        (problem["file"], problem["line"], problem["column"], problem["what"][:25])
        for problem in report["problems"]
    } == {("bad.yaml", 1, 1, "unknown key 'descriptoin'")}
    assert "did you mean 'description'?" in report["problems"][0]["hint"]


def test_files_can_refer_to_each_other_and_to_shipped_files(run: Run, tmp_path: Path) -> None:
    (tmp_path / "litter.json").write_text('[{"id": 3, "name": "Bo", "categoryId": 1}]')
    (tmp_path / "base.yaml").write_text("description: d\ndata: {pets: litter}\n")
    (tmp_path / "top.yaml").write_text(
        "description: d\nextends: [base, slow]\ndata: {pets: showroom}\n"
    )

    assert run("check", ".")[0] == 0
    status, lines, _ = run("check", "top.yaml")
    assert status == 1
    assert lines[0].startswith("top.yaml:2:11: extends.1: unknown scenario 'base'")


# --- Stubs that are never reached -------------------------------------------------------------

ALL = "match: {operation: getPet}"
LATER = "match: {operation: getPet, params: {petId: 3}}, reply: {status: 503}"


def never_reached(run: Run, tmp_path: Path, *stubs: str) -> list[str]:
    """Check a file with these stubs, which is valid; return the warnings."""
    text = "".join(f"  - {{{stub}}}\n" for stub in stubs)
    (tmp_path / "own.yaml").write_text(f"description: d\nstubs:\n{text}")
    status, lines, _ = run("check", "own.yaml")

    assert status == 0, lines
    warnings = [line for line in lines if "warning: " in line]
    count = f" and {len(warnings)} warning{'s' * (len(warnings) > 1)}" if warnings else ""
    plural = "stub" if len(stubs) == 1 else "stubs"
    assert f"checked: 0 problems{count}; {len(stubs)} {plural}" in lines[len(warnings)]
    return warnings


@pytest.mark.parametrize(("first", "later"), [
    ("reply: {status: 500}", LATER),
    ("reply: pass", LATER),
    ("fault: connection_reset", LATER),
    ("fault: malformed_json, delay: 1s", LATER),
    ("reply: {status: 500}, hold: gate, throttle: 1 kB/s", LATER),
    ("sequence: [pass, {status: 500}]", LATER),
    ("sequence: [pass, {status: 500}], repeat: cycle", LATER),
    (f"{ALL}, reply: {{status: 500}}", LATER),
    (f"{ALL}, reply: {{status: 500}}", f"{LATER}, times: 2, after: 1, probability: 0.5"),
    (f"{ALL}, reply: {{status: 500}}", f"{ALL}, delay: 1s"),
    (f"{ALL}, reply: {{status: 500}}", "match: {params: {petId: 3}}, hold: gate"),
    ("match: {method: GET, path: '/v1/a/{b}'}, reply: {status: 500}",
     "match: {method: GET, path: /v1/a/b}, reply: {status: 503}"),
    ("match: {query: {status: sold}}, reply: {status: 500}",
     "match: {operation: listPets, query: {status: sold, a: b}}, reply: {status: 503}"),
])  # fmt: skip
def test_a_stub_behind_one_that_always_responds_is_never_reached(
    run: Run, tmp_path: Path, first: str, later: str
) -> None:
    warnings = never_reached(run, tmp_path, first, later)

    assert warnings == [
        "own.yaml:4:5: warning: stub own/2: is never reached, because own/1 (own.yaml:3:5) "
        "responds to all of its requests first; move it above own/1, or narrow the match of own/1"
    ]


@pytest.mark.parametrize("first", ["match: {operation: createPet}", ALL])
@pytest.mark.parametrize("probability", ["0", "0.0"])
def test_a_stub_with_probability_0_is_never_reached(
    run: Run, tmp_path: Path, first: str, probability: str
) -> None:
    warnings = never_reached(
        run, tmp_path, f"{first}, reply: {{status: 500}}", f"{LATER}, probability: {probability}"
    )

    assert warnings == [
        "own.yaml:4:5: warning: stub own/2: is never reached, because its probability is 0; "
        "raise the probability, or remove the stub"
    ]


@pytest.mark.parametrize(("first", "later"), [
    ("reply: {status: 500}, times: 1000000", LATER),
    ("reply: {status: 500}, after: 1", LATER),
    ("reply: {status: 500}, probability: 0.99", LATER),
    ("fault: connection_reset, times: 1", LATER),
    ("sequence: [{status: 500}], repeat: none", LATER),
    ("sequence: [{status: 500}, pass], repeat: none", LATER),
    ("delay: 1s", LATER),
    ("hold: gate", LATER),
    ("throttle: 1 kB/s", LATER),
    ("match: {operation: listPets}, reply: {status: 500}", LATER),
    ("match: {params: {petId: {one_of: [4, 7]}}}, reply: {status: 500}", LATER),
    (f"{ALL}, reply: {{status: 500}}", "match: {operation: [getPet, listPets]}, delay: 1s"),
    ("match: {query: {a: x}}, reply: {status: 500}", LATER),
    ("match: {headers: {a: {present: false}}}, reply: {status: 500}", LATER),
    # Every operation, but not the paths of another scenario.
    ("match: {operation: [listPets, createPet, getPet]}, reply: {status: 500}",
     "reply: {status: 503}"),
])  # fmt: skip
def test_a_stub_that_may_be_reached_has_no_warning(
    run: Run, tmp_path: Path, first: str, later: str
) -> None:
    assert never_reached(run, tmp_path, first, later) == []


def test_a_stub_that_the_first_of_several_blocks_can_be_removed(run: Run, tmp_path: Path) -> None:
    warnings = never_reached(
        run,
        tmp_path,
        "match: {operation: listPets}, reply: {status: 500}",
        "name: get, match: {operation: getPet}, reply: {status: 501}",
        "match: {operation: [listPets, getPet]}, reply: {status: 502}",
        "match: {operation: [getPet, listPets]}, reply: {status: 503}",
    )

    assert warnings == [
        "own.yaml:6:5: warning: stub own/4: is never reached, because own/3 (own.yaml:5:5) "
        "responds to all of its requests first; remove it, or narrow the match of own/3"
    ]


@pytest.mark.parametrize(("first", "later", "hint"), [
    ("hold: a, times: 1", "hold: b, times: 1", "add after: 1, to hold the requests that follow"),
    ("hold: a, times: 2", "hold: b, times: 1, after: 1", "add after: 2, to hold the requests"),
    ("hold: a", f"{ALL}, hold: b", "remove one of them, or narrow the match of own/1"),
    ("hold: a", "hold: b, reply: {status: 500}", "remove one of them, or narrow"),
])  # fmt: skip
def test_a_hold_that_another_one_always_hides_is_a_warning(
    run: Run, tmp_path: Path, first: str, later: str, hint: str
) -> None:
    [warning] = never_reached(run, tmp_path, first, later)

    assert warning.startswith(
        "own.yaml:4:5: warning: stub own/2: its hold never applies, because own/1 "
        f"(own.yaml:3:5) holds all of its requests, and only the first hold applies; {hint}"
    )


@pytest.mark.parametrize(("first", "later"), [
    ("hold: a, after: 1", "hold: b, after: 2, probability: 0.5"),
    ("hold: a, times: 1", "hold: b, times: 1, after: 1"),
    ("hold: a, times: 1", "hold: b"),
    ("hold: a, times: 1", f"{ALL}, hold: b, times: 1"),
    ("hold: a, times: 1, reply: pass", "hold: b, times: 1"),
    ("hold: a, probability: 0.5", "hold: b"),
    (f"{ALL}, hold: a", "hold: b"),
    ("hold: a", "delay: 1s"),
])  # fmt: skip
def test_a_hold_that_may_apply_has_no_warning(
    run: Run, tmp_path: Path, first: str, later: str
) -> None:
    assert never_reached(run, tmp_path, first, later) == []


# --- Other likely mistakes ---------------------------------------------------------------------

NOT_VALID = "no valid request matches:"
UNCHANGED = "is sent unchanged, because replies have no templates; write {body.name} in a message"
LIKELY = {
    "query: {status: solld}": "30: query.status: must be one of available, pending, sold, got "
    "\"solld\"; did you mean 'sold'?",
    "query: {limit: '0'}": '29: query.limit: must be an integer from 1 to 100, got "0"; change it, '
    "or respond with 400 if it is for invalid requests",
    "body: {status: {one_of: [sold, Pending]}}": "45: body.status.one_of.2: must be one of "
    "available, pending, sold, got \"Pending\"; did you mean 'pending'?",
    "body: {categoryId: '2'}": '33: body.categoryId: must be an integer, got the text "2"; remove '
    "the quotes",
    "query: {statsu: sold}": "22: query.statsu: 'statsu' is not a query parameter of listPets; did "
    "you mean 'status'?",
    "body: {nmae: Miso}": "21: body.nmae: 'nmae' is not a property of NewPet; did you mean 'name'?",
    "operation: getPet, body: {name: Miso}": "39: body: no valid request matches, because only "
    "createPet has a body; use operation: createPet, or remove the condition",
    "headers: {a: {matches: '^x.*'}}": "37: headers.a.matches: '^x.*' looks like a regular "
    "expression, but is a glob; use * for any text, and ? for any one character",
}
"""A match to the column, place and text of its warning."""


@pytest.mark.parametrize("match", LIKELY)
def test_a_condition_that_no_valid_request_meets_is_a_warning(
    run: Run, tmp_path: Path, match: str
) -> None:
    (tmp_path / "own.yaml").write_text(
        f"description: d\nstubs:\n  - {{match: {{{match}}}, delay: 1s}}\n"
    )
    status, [warning, *_], _ = run("check", "own.yaml")

    column, place, what = LIKELY[match].split(": ", 2)
    if what.startswith("must be"):
        what = f"{NOT_VALID} {what}"
    where = f"own.yaml:3:{column}: warning: stubs.1.match.{place}: "
    assert (status, warning) == (0, f"{where}{what}")


@pytest.mark.parametrize("stub", [
    "match: {query: {status: sold, q: x}, body: {colour: red, status: {matches: 's*'}}}",
    "match: {query: {limit: {contains: '0'}}, headers: {a: {matches: 'v1.?*'}}}",
    "match: {query: {limit: '0'}}, reply: {error: invalid_request}",
    "match: {method: PUT, path: '/v1/pets/{id}', body: {nmae: x}}",
    "match: {operation: getPet, query: {statsu: x}}",
])  # fmt: skip
def test_a_condition_that_a_request_may_meet_has_no_warning(
    run: Run, tmp_path: Path, stub: str
) -> None:
    text = f"{stub}, hold: g, off_contract: true"
    (tmp_path / "own.yaml").write_text(f"description: d\nstubs:\n  - {{{text}}}\n")
    status, lines, _ = run("check", "own.yaml")

    assert (status, [line for line in lines if "warning" in line]) == (0, [])


@pytest.mark.parametrize(("reply", "place"), [
    ("reply: {status: 503, body: {a: [1, 'x {{b}}']}}", "4:40: warning: stubs.1.reply.body.a.2"),
    ("reply: {status: 503, headers: {X-A: '{{b}}'}}", "4:41: warning: stubs.1.reply.headers.X-A"),
    ("reply: {error: unauthorized, message: '{{b}}'}", "4:43: warning: stubs.1.reply.message"),
    ("reply: {status: 503, text: '{{b}}'}", "4:32: warning: stubs.1.reply.text"),
    ("sequence: [pass, {status: 503, text: '{{b}}'}]", "4:42: warning: stubs.1.sequence.2.text"),
])  # fmt: skip
def test_a_template_in_a_reply_is_a_warning(
    run: Run, tmp_path: Path, reply: str, place: str
) -> None:
    (tmp_path / "own.yaml").write_text(f"description: d\nstubs:\n  - times: 1\n    {reply}\n")
    status, [warning, *_], _ = run("check", "own.yaml")

    assert status == 0
    assert warning.startswith(f"own.yaml:{place}")
    assert f": '{{{{b}}}}' {UNCHANGED}, text or header" in warning


@pytest.mark.parametrize(("stub", "warning"), [
    ("reply: {status: 503, text: 'no {bdoy.name}'}",
     ".reply.text: '{bdoy.name}' is sent unchanged; did you mean 'body.name'?"),
    ("reply: {status: 503, headers: {X-A: '{path.id}'}}",
     ".reply.headers.X-A: '{path.id}' is sent unchanged: the path has "
         "no segment 'id'; named segments: petId"),
    ("match: {operation: createPet}, reply: {error: unauthorized, message: '{body.nmae}'}",
     ".reply.message: 'nmae' is not a property of NewPet; did you mean 'name'?"),
    ("match: {operation: listPets}, reply: {status: 503, body: {a: {from: body.name}}}",
     ".reply.body.a.from: listPets has no body; match createPet, or a path"),
    ("reply: {status: 503, body: {a: ['{body.name}']}}",
     ".reply.body.a.1: '{body.name}' is sent unchanged in a body; write "
         "{from: body.name} for the whole value"),
])  # fmt: skip
def test_a_reference_that_is_probably_a_mistake_is_a_warning(
    run: Run, tmp_path: Path, stub: str, warning: str
) -> None:
    (tmp_path / "own.yaml").write_text(f"description: d\nstubs:\n  - {{{stub}}}\n")
    status, [first, *_], _ = run("check", "own.yaml")

    assert status == 0
    assert first.endswith(f": warning: stubs.1{warning}")


@pytest.mark.parametrize(
    "text", ["{x}", "{ now }", "{name}", "{}", "\\\\{now}", "{now}", "{body.a}"]
)
def test_other_braces_have_no_warning(run: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "own.yaml").write_text(
        f"description: d\nstubs: [{{reply: {{status: 503, text: '{text}'}}}}]\n"
    )
    status, [first, *_], _ = run("check", "own.yaml")

    assert (status, first) == (0, "1 scenario and 0 fixtures checked: 0 problems; 1 stub")


def test_warnings_are_in_the_json_report(run: Run, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(
        "description: d\nstubs:\n  - reply: {status: 500}\n  - {delay: 1s}\n"
    )
    status, lines, _ = run("check", "own.yaml", "--json")
    [warning] = json.loads("\n".join(lines))["warnings"]

    assert status == 0
    assert (warning["file"], warning["line"], warning["column"]) == ("own.yaml", 4, 5)
    assert warning["where"] == "stub own/2"
    assert warning["hint"] == "move it above own/1, or narrow the match of own/1"


@pytest.mark.parametrize(("words", "message"), [
    (["check", "none.yaml"], "none.yaml: file not found; check the path"),
    (["check", "--scenarios-dir", "none"], "none"),
])  # fmt: skip
def test_missing_files_and_invalid_options_are_reported(
    run: Run, words: list[str], message: str
) -> None:
    status, lines, err = run(*words)

    assert status in (1, 2)
    assert message in "\n".join([*lines, *err])


# --- new and schema ---------------------------------------------------------------------------


def test_new_writes_a_valid_file_and_prints_the_next_steps(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    status, lines, err = run("new", "tired-cat", "--scenarios-dir", "mine")

    assert (status, err) == (0, [])
    assert lines == [
        "wrote mine/tired-cat.yaml",
        "check it  mockpets check mine/tired-cat.yaml",
        "use it    mockpets serve --scenarios-dir mine --scenario tired-cat",
    ]
    assert run("check", "mine/tired-cat.yaml")[0] == 0


# --- The examples in a new file ---------------------------------------------------------------


def examples(text: str) -> list[tuple[int, int]]:
    """Return the examples: the first and the last line, from 0, of each run of ``# `` lines."""
    lines = text.splitlines()
    inside = [bool(re.match(" *# ", line)) for line in lines]
    inside[0] = False  # for the editor
    starts = [n for n, is_in in enumerate(inside) if is_in and not inside[n - 1]]
    ends = [n for n, is_in in enumerate(inside) if is_in and inside[n + 1 : n + 2] != [True]]
    return list(zip(starts, ends, strict=True))


def with_example(text: str, first: int, last: int) -> str:
    """Return a file with one example uncommented."""
    lines = text.splitlines()
    for number in range(first, last + 1):
        lines[number] = lines[number].replace("# ", "", 1)
    return "\n".join(lines) + "\n"


def test_a_new_file_has_an_example_of_every_key_of_the_language() -> None:
    text = new_scenario("own", BUILT_IN)

    keys = keys_of(scenario_schema())

    assert [key for key in keys if f"{key}:" not in text and f'"{key}":' not in text] == []


def test_each_example_in_a_new_file_is_valid_alone_and_has_a_comment(
    run: Run, tmp_path: Path
) -> None:
    run("new", "own")
    text = (tmp_path / "own.yaml").read_text(encoding="utf-8")
    lines = text.splitlines()
    for number, (first, last) in enumerate(examples(text)):
        assert re.match(" *## [A-Z].*[.:]$", lines[first - 1]), lines[first]
        changed = with_example(text, first, last)
        assert yaml.safe_load(changed) != yaml.safe_load(text), lines[first]
        (tmp_path / f"own-{number}.yaml").write_text(changed, encoding="utf-8")
    status, out, err = run("check", ".")

    assert len(examples(text)) >= 28
    assert (status, err, [line for line in out if "own" in line and ":" in line]) == (0, [], [])
    assert f"{len(examples(text)) + 1} scenarios" in "\n".join(out)


def test_all_stubs_in_a_new_file_are_valid_together(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "all.yaml"
    run("new", "all")
    text = path.read_text(encoding="utf-8")
    for first, last in examples(text):
        if text.splitlines()[first].startswith("  "):
            text = with_example(text, first, last)
    path.write_text(text, encoding="utf-8")

    assert run("check", "all.yaml")[0] == 0


@pytest.mark.parametrize("name", ["slow", "retry", "own"])
def test_the_base_in_a_new_file_is_another_scenario(name: str) -> None:
    [base] = re.findall("^# extends: (.*)$", new_scenario(name, BUILT_IN), re.MULTILINE)

    assert base in load_library([], []).scenarios
    assert base != name


@pytest.mark.parametrize("name", ["empty", "default"])
def test_new_notes_that_a_file_replaces_a_shipped_scenario(run: Run, name: str) -> None:
    status, lines, err = run("new", name)

    assert (status, lines[0]) == (0, f"wrote {name}.yaml")
    assert err == [
        f"mockpets: note: in a server that loads it, {name}.yaml replaces scenarios/{name}.yaml "
        "(shipped); to keep both, rename the file"
    ]


def test_new_never_overwrites(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("mine")
    status, _, err = run("new", "mine")

    assert status == 2
    assert err == ["mockpets: mine.yaml already exists; choose another name, or delete it"]
    assert (tmp_path / "mine.yaml").read_text() == "mine"


@pytest.mark.parametrize("name", ["Tired", "../up", "a_b", "a--b", "", "a" * 65, "a/b", "a.b"])
def test_new_rejects_invalid_scenario_names(run: Run, tmp_path: Path, name: str) -> None:
    status, _, err = run("new", name)

    assert status == 2
    assert err[0].startswith("mockpets: NAME: must be in kebab-case")
    assert list(tmp_path.iterdir()) == []


def test_schema_prints_the_same_schema_as_the_server(run: Run, call: Client) -> None:
    status, lines, _ = run("schema")
    schema = json.loads("\n".join(lines))

    assert status == 0
    Draft202012Validator.check_schema(schema)
    assert call("GET", "/__mockpets/schema/scenario.json", key=None).json == schema


# --- Resources --------------------------------------------------------------------------------


def test_a_check_warns_about_hidden_resources(run: Run, tmp_path: Path) -> None:
    resource = "{path: /v1/orders, only: [list, create, delete]}"
    (tmp_path / "base.yaml").write_text(f"description: d\nresources: [{resource}]\n")
    stub = "{match: {method: POST, path: /v1/orders}, reply: {status: 503}}"
    (tmp_path / "shop.yaml").write_text(
        f"description: d\nextends: base\nstubs: [{stub}]\nresources:\n  - {resource}\n"
    )
    status, out, err = run("check", "base.yaml", "shop.yaml", "--scenarios-dir", ".")

    hidden = (
        "shop.yaml:5:5: warning: resources: resource base/orders is hidden: shop/orders comes "
        "first and has the same path, /v1/orders; change one of the paths, or remove one"
    )
    assert (status, err, out[0]) == (0, [], hidden)


def test_a_scenario_whose_base_is_invalid_is_checked_without_its_resources(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "base.yaml").write_text("description: d\nresources: 3\n")
    (tmp_path / "shop.yaml").write_text(
        "description: d\nextends: base\nresources: [{path: /v1/orders}]\n"
    )
    status, out, _ = run("check", "base.yaml", "shop.yaml")

    assert status == 1
    assert out[0] == "base.yaml:2:12: resources: must be a list, got 3"
