"""Scenario files in folders: listing, replacing, extending, stacking and reloading."""

import gc
import logging
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict
from importlib.util import module_from_spec, spec_from_file_location
from itertools import permutations
from pathlib import Path
from weakref import ref

import pytest
import yaml

from mockpets import packaged_data
from mockpets.constants import NEEDS
from mockpets.errors import InputError, RequestError
from mockpets.packaged_data import shipped
from mockpets.scenario.language.loader import load_scenario
from mockpets.scenario.library import CACHED_STACKS, Library, digest, load_library
from mockpets.scenario.reloader import Reloader, pause
from mockpets.scenario.scenario_model import Content, Delay, Generated
from tests.pet_store import PETS

SCENARIO = "description: {0}.\nstubs:\n  - reply: {{status: {1}}}\n"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a file into a folder; each write has a later time."""
    turn = iter(range(1, 1000))

    def write(name: str, text: str, folder: str = "mine") -> Path:
        path = tmp_path / folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        # Two writes within the clock's resolution would have the same time.
        os.utime(path, (10**9 + next(turn), 10**9))
        os.utime(path, ns=(10**18, 10**18 + next(turn)))
        return path

    return write


def labels(folder: Path, *names: str) -> list[str]:
    return [stub.label for stub in load_library([folder], []).stack(names).stubs]


def content(library: Library, *names: str) -> tuple[str, Content | None]:
    """Return the scenario of a stack that gives pets, and what it gives."""
    binding = library.stack(names).binding(PETS)
    return binding.giver, binding.content


def test_shipped_scenarios_have_no_problems() -> None:
    library = load_library([], [])

    assert not library.problems
    assert set(library.scenarios) == {path.stem for path in shipped("scenarios").iterdir()}
    assert {"default", "empty", "unauthorized", "missing"} <= set(library.scenarios)


@pytest.mark.slow
def test_the_scenarios_of_a_build_are_those_of_the_files(built: Path) -> None:
    spec = spec_from_file_location("shipped", built / "mockpets" / "scenario" / "shipped.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    library = load_library([], [])

    # Also what does not count when two are compared.
    assert {key: asdict(each) for key, each in module.SCENARIOS.items()} == {
        digest(library.sources[name]): asdict(each) for name, each in library.scenarios.items()
    }


@pytest.fixture
def own_shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return copies of the shipped scenarios and fixtures, which are used instead of them."""
    for kind in ("scenarios", "fixtures"):
        shutil.copytree(shipped(kind), tmp_path / "package" / "_shipped" / kind)
    monkeypatch.setattr(packaged_data, "_PACKAGE", tmp_path / "package")
    return tmp_path / "package" / "_shipped"


def test_a_shipped_file_that_someone_edited_is_read(own_shipped: Path) -> None:
    path = own_shipped / "scenarios" / "slow.yaml"
    path.write_text(path.read_text().replace("2s", "3s"))
    scenarios = load_library([], []).scenarios

    (stub,) = scenarios["slow"].stubs
    assert stub.delay == Delay("fixed", 3.0, 3.0)
    assert scenarios["empty"].data == {"*": ()}


def test_a_shipped_file_that_someone_broke_is_a_problem(own_shipped: Path) -> None:
    (own_shipped / "scenarios" / "slow.yaml").write_text("stubs: no\n")
    library = load_library([], [])

    assert list(library.problems) == ["slow"]
    assert "slow" not in library.scenarios


def test_a_later_folder_wins_and_the_source_lists_what_it_replaces(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    write("empty.yaml", SCENARIO.format("Mine", 500))
    write("empty.yml", SCENARIO.format("Theirs", 503), "theirs")
    library = load_library([tmp_path / "mine", tmp_path / "theirs"], [])

    assert library.scenarios["empty"].description == "Theirs."
    assert library.sources["empty"].replaces == (
        "scenarios/empty.yaml (shipped)",
        str(tmp_path / "mine" / "empty.yaml"),
    )


def test_suffixes_match_in_any_case(write: Callable[..., Path], tmp_path: Path) -> None:
    write("a.YAML", "description: A\ndata: {pets: d}\n")
    write("b.Yml", "description: B\n")
    write("c.JSON", '{"description": "C"}')
    write("d.Json", "[]", "fixtures")
    library = load_library([tmp_path / "mine"], [tmp_path / "fixtures"])

    assert library.problems == {}
    assert [library.scenarios[name].description for name in "abc"] == ["A", "B", "C"]


def test_links_out_of_their_folder_are_rejected_and_links_within_are_not(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    write("secret.yaml", "description: s3cret\n", "elsewhere")
    write("pets.json", "[]", "elsewhere")
    write("mine.yaml", "description: Mine\ndata: {pets: litter}\n")
    write("in.yaml", "description: In\n", "mine/..data")
    (tmp_path / "mine" / "out.yaml").symlink_to("../elsewhere/secret.yaml")
    (tmp_path / "mine" / "in.yaml").symlink_to("..data/in.yaml")
    (tmp_path / "fixtures").mkdir()
    (tmp_path / "fixtures" / "litter.json").symlink_to(tmp_path / "elsewhere" / "pets.json")
    library = load_library([tmp_path / "mine"], [tmp_path / "fixtures"])

    assert library.scenarios["in"].description == "In"
    message = "is a link to a file outside its folder; copy the file there"
    fixture = tmp_path / "fixtures" / "litter.json"
    assert {name: list(map(str, problems)) for name, problems in library.problems.items()} == {
        "out": [f"{tmp_path / 'mine' / 'out.yaml'}: {message}"],
        "mine": [
            f"{tmp_path / 'mine' / 'mine.yaml'}:2:14: data.pets: fixture 'litter' is invalid: "
            f"{fixture}: {message}; fix the fixture"
        ],
    }


def test_a_bad_fixture_is_one_problem_for_each_reference(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    write("litter.json", "[]]", "fixtures")
    page = "  - {match: {operation: listPets}, reply: {page: litter}}\n"
    path = write("mine.yaml", "description: d\npet: 3\ndata: {pets: litter}\nstubs:\n" + page * 2)
    problems = load_library([tmp_path / "mine"], [tmp_path / "fixtures"]).problems["mine"]

    assert [str(each).removeprefix(str(path)).partition(": ")[0] for each in problems] == [
        ":2:1",
        ":3:14",
        ":5:50",
        ":6:50",
    ]


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load_library([], [tmp_path / "none"])
    assert str(caught.value) == (
        f"{tmp_path / 'none'}: cannot read this folder of fixtures: "
        "No such file or directory; check --fixtures-dir"
    )


def test_extended_stubs_follow_the_scenario_s_own_without_duplicates(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    stub = "stubs:\n  - {name: own, reply: {status: 500}}\n"
    write("base.yaml", "description: d\ndata: {pets: []}\n" + stub)
    write("left.yaml", "description: d\nextends: base\n" + stub)
    write("right.yaml", "description: d\nextends: [base]\ndata: {pets: 3}\n" + stub)
    write("top.yaml", "description: d\nextends: [left, right]\n" + stub)
    mine = tmp_path / "mine"

    assert labels(mine, "top") == ["top/own", "left/own", "base/own", "right/own"]
    assert labels(mine, "right", "left") == ["right/own", "base/own", "left/own"]
    # The first scenario in this order that gives pets provides them.
    library = load_library([mine], [])
    assert content(library, "top") == ("base", ())
    assert content(library, "right", "top") == ("right", Generated(3))


def test_a_circle_of_extends_names_the_chain(write: Callable[..., Path], tmp_path: Path) -> None:
    a = write("a.yaml", "description: d\nextends: b\n")
    write("b.yaml", "description: d\nextends: c\n")
    write("c.yaml", "description: d\nextends: [slow, a]\n")
    library = load_library([tmp_path / "mine"], [])

    assert set(library.problems) == {"a", "b", "c"}
    assert (
        str(library.problems["a"][0])
        == f"{a}:2:10: extends: must not form a cycle, got a -> b -> c -> a"
    )


def test_a_chain_has_at_most_eight_scenarios(write: Callable[..., Path], tmp_path: Path) -> None:
    for number in range(1, 9):
        write(f"s{number}.yaml", f"description: d\nextends: s{number + 1}\n")
    write("s9.yaml", "description: d\n")
    library = load_library([tmp_path / "mine"], [])

    assert set(library.problems) == {"s1"}
    assert "must not chain more than 8 scenarios, got s1 -> s2" in str(library.problems["s1"][0])


def test_many_wide_layers_are_checked_once_each(write: Callable[..., Path], tmp_path: Path) -> None:
    """Path by path, this would be 8 to the power of 7 chains."""
    for layer in range(8):
        names = ", ".join(f"l{layer + 1}-{position}" for position in range(8))
        extends = f"extends: [{names}]\n" if layer < 7 else ""
        for position in range(8):
            write(f"l{layer}-{position}.yaml", "description: d\n" + extends)
    library = load_library([tmp_path / "mine"], [])

    assert not library.problems
    assert len(library.lineage("l0-0")) == 1 + 7 * 8


def test_an_unknown_name_reports_the_nearest_or_all_names() -> None:
    library = load_library([], [])

    with pytest.raises(RequestError) as caught:
        library.stack(["empty", "sold-uot"])
    assert caught.value.message == "unknown scenario 'sold-uot'; did you mean 'sold-out'?"
    [unknown] = map(str, library.unknown("scenario", ["nix"]))
    assert unknown.startswith("scenario: unknown scenario 'nix'; known scenarios: after-removal, ")
    assert unknown.endswith("; load your own with --scenarios-dir")


def test_a_folder_that_is_loaded_is_not_recommended(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    write("mine.yaml", SCENARIO.format("First", 500))
    [unknown] = load_library([tmp_path / "mine"], []).unknown("scenario", ["nix"])

    assert str(unknown).endswith(", unauthorized")


# --- Reloading --------------------------------------------------------------------------------


@pytest.fixture
def watch(write: Callable[..., Path], tmp_path: Path) -> Reloader:
    write("mine.yaml", SCENARIO.format("First", 500))
    return Reloader([tmp_path / "mine"], [])


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    lines = [record.getMessage() for record in caplog.records]
    caplog.clear()
    return lines


@pytest.fixture(autouse=True)
def _as_in_serve(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "mockpets")


def test_unchanged_files_keep_the_library_and_log_nothing(
    watch: Reloader, caplog: pytest.LogCaptureFixture
) -> None:
    before = watch.library
    watch.look()

    assert watch.library is before
    assert logged(caplog) == []


def test_a_changed_file_is_reloaded(
    watch: Reloader, write: Callable[..., Path], caplog: pytest.LogCaptureFixture
) -> None:
    before = watch.library
    path = write("mine.yaml", SCENARIO.format("Second", 503))
    watch.look()

    assert watch.library.scenarios["mine"].description == "Second."
    assert watch.library.scenarios["empty"] is before.scenarios["empty"]
    assert logged(caplog) == [f"scenario 'mine' reloaded: {path}"]


def test_an_invalid_save_keeps_the_last_valid_version_and_logs_once(
    watch: Reloader, write: Callable[..., Path], caplog: pytest.LogCaptureFixture
) -> None:
    path = write("mine.yaml", SCENARIO.format("Second", 99))
    for _ in range(3):
        watch.look()

    assert watch.library.scenarios["mine"].description == "First."
    first, problem = logged(caplog)
    assert first == "scenario 'mine' is invalid; its last valid version stays active:"
    assert problem.startswith(f"{path}:3:21: stubs.1.reply.status: ")
    assert [str(each) for each in watch.library.problems["mine"]] == [problem]

    other = write("other.yaml", SCENARIO.format("Other", 500))
    watch.look()
    assert logged(caplog) == [f"scenario 'other' added: {other}"]

    write("mine.yaml", SCENARIO.format("Second", 98))
    watch.look()
    assert len(logged(caplog)) == 2  # a different problem is logged

    write("mine.yaml", SCENARIO.format("First", 500))
    watch.look()
    assert logged(caplog) == ["scenario 'mine' is valid again"]
    assert watch.library.problems == {}


def test_new_and_deleted_files(
    watch: Reloader, write: Callable[..., Path], caplog: pytest.LogCaptureFixture
) -> None:
    path = write("other.yaml", "description: d\n")
    broken = write("broken.yaml", "descriptoin: d\n")
    watch.look()
    assert "other" in watch.library.scenarios
    assert "broken" not in watch.library.scenarios
    lines = logged(caplog)
    assert lines[0] == "scenario 'broken' is invalid; requests that name it return 422:"
    assert lines[-1] == f"scenario 'other' added: {path}"

    path.unlink()
    broken.unlink()
    watch.look()
    assert "other" not in watch.library.scenarios
    assert logged(caplog) == [
        f"scenario 'broken' no longer exists, since {broken} was deleted; "
        "requests that name it return 422",
        f"scenario 'other' no longer exists, since {path} was deleted; "
        "requests that name it return 422",
    ]


def test_control_characters_in_a_name_are_logged_as_escapes(
    watch: Reloader, write: Callable[..., Path], caplog: pytest.LogCaptureFixture
) -> None:
    path = write("a\nb\x1b[31m\u202e.yaml", "description: d\n")
    watch.look()
    path.unlink()
    watch.look()
    lines = logged(caplog)

    assert len(lines) == 3
    assert all(line.isprintable() for line in lines)
    assert "a\\nb\\x1b[31m\\u202e.yaml" in lines[1]


def test_a_file_that_closes_a_cycle_falls_back_and_the_others_stay_active(
    watch: Reloader, write: Callable[..., Path]
) -> None:
    write("upper.yaml", "description: d\nextends: mine\n")
    watch.look()
    write("mine.yaml", "description: d\nextends: upper\n")
    watch.look()

    assert watch.library.scenarios["mine"].description == "First."
    assert watch.library.stack(["upper"]).stubs
    assert "cycle" in str(watch.library.problems["mine"][0])


def test_a_scenario_is_invalid_while_its_base_is_deleted(
    watch: Reloader, write: Callable[..., Path], tmp_path: Path
) -> None:
    write("upper.yaml", "description: d\nextends: mine\n")
    watch.look()
    (tmp_path / "mine" / "mine.yaml").unlink()
    watch.look()
    assert "upper" not in watch.library.scenarios
    assert "upper" in watch.library.problems

    write("mine.yaml", SCENARIO.format("Back", 500))
    watch.look()
    assert watch.library.problems == {}
    assert watch.library.stack(["upper"]).stubs


def test_a_changed_fixture_reloads_the_scenarios_that_use_it(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    pet = '[{"id": 1, "name": "%s", "categoryId": 1}]'
    write("litter.json", pet % "Ada", "fixtures")
    write("young.yaml", "description: d\ndata: {pets: litter}\n")
    watch = Reloader([tmp_path / "mine"], [tmp_path / "fixtures"])
    write("litter.json", pet % "Bo", "fixtures")
    watch.look()

    bo = b'{"id":1,"name":"Bo","categoryId":1}'
    assert content(watch.library, "young") == ("young", (bo,))


def test_a_removed_folder_keeps_the_loaded_scenarios(
    watch: Reloader, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "mine").rename(tmp_path / "away")
    for _ in range(2):
        watch.look()

    assert "mine" in watch.library.scenarios
    [line] = logged(caplog)
    assert line.endswith("(the loaded scenarios stay active)")


def test_a_replaced_shipped_scenario_is_logged_while_the_server_runs(
    watch: Reloader, write: Callable[..., Path], caplog: pytest.LogCaptureFixture
) -> None:
    path = write("empty.yaml", "description: My own.\n")
    watch.look()
    assert logged(caplog) == [
        f"scenario 'empty' reloaded: {path} in place of scenarios/empty.yaml (shipped)"
    ]

    path.unlink()
    watch.look()
    assert logged(caplog) == ["scenario 'empty' reloaded: scenarios/empty.yaml (shipped)"]


@pytest.mark.long
def test_the_thread_polls_until_it_is_stopped() -> None:
    class Counting(Reloader):
        polls = 0

        def look(self) -> None:
            super().look()
            type(self).polls += 1
            if self.polls == 2:
                self._stopped.set()

    counting = Counting([], [])
    counting.start()
    assert counting._thread is not None
    counting._thread.join(timeout=30)
    counting.stop()

    assert Counting.polls == 2


def test_scenarios_are_grouped_by_need_with_your_own_first(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    write("zebra.yaml", "description: Pets too.\nextends: empty\n")
    write("empty.yaml", SCENARIO.format("Replaces the shipped one", 503))
    write("broken.yaml", "descriptoin: x\n")
    write("wide.yaml", "description: In a group.\ngroup: Data\nextends: empty\n")
    groups = load_library([tmp_path / "mine"], []).grouped()

    assert list(groups)[:4] == ["Your own", "Files with problems", "Empty states", "Data"]
    assert groups["Your own"] == ["empty", "zebra"]
    assert groups["Files with problems"] == ["broken"]
    assert groups["Empty states"] == ["no-status", "sold-out"]
    assert groups["Data"][-1] == "wide"


def test_every_shipped_scenario_is_in_the_group_of_its_file() -> None:
    files = {path.stem: path.read_text(encoding="utf-8") for path in shipped("scenarios").iterdir()}
    expected = {name: yaml.safe_load(text)["group"] for name, text in files.items()}
    groups = load_library([], []).grouped()

    assert {name: group for group, names in groups.items() for name in names} == expected
    assert tuple(groups) == NEEDS


def test_an_unknown_group_is_rejected_with_the_nearest(write: Callable[..., Path]) -> None:
    file = write("x.yaml", "description: x\ngroup: Error\n")

    with pytest.raises(InputError, match="did you mean 'Errors'"):
        load_scenario(file, "x.yaml", known={}, fixtures={})


# --- Stacks -------------------------------------------------------------------------------------


def test_stacks_are_shared_until_a_file_changes(write: Callable[..., Path], tmp_path: Path) -> None:
    write("a.yaml", "description: a\nstubs: [{delay: 1s}]\n")
    write("b.yaml", "description: b\nstubs: [{delay: 2s}]\n")
    folder = tmp_path / "mine"
    library = load_library([folder], [])
    assert library.stack(("a", "b")) is library.stack(["a", "b"])
    assert library.stack(("b", "a")).stubs == tuple(reversed(library.stack(("a", "b")).stubs))
    assert load_library([folder], [], library).stack(("a", "b")) is library.stack(("a", "b"))
    write("b.yaml", "description: b\nstubs: [{delay: 30s}]\n")
    changed = load_library([folder], [], library)
    delays = [stub.delay for stub in changed.stack(("a", "b")).stubs]
    assert [delay and delay.low for delay in delays] == [1, 30]


def test_the_number_of_shared_stacks_is_bounded() -> None:
    library = load_library([], [])
    names = sorted(library.scenarios)[:20]
    stacks = [ref(library.stack(pair)) for pair in permutations(names, 2)]
    gc.collect()
    assert 0 < sum(stack() is not None for stack in stacks) <= CACHED_STACKS < len(stacks)


# --- Data of collections that other files define ----------------------------------------------

SHOP = """\
description: A shop.
resources:
  - {path: /v1/store/orders, id: code, required: [petId]}
  - {path: /shop/vets, filters: [city]}
data:
  vets: [{id: 1, city: Oslo}]
"""


@pytest.mark.parametrize(("data", "problems"), [
    ("{orders: [{code: x, petId: 1}], vets: []}", []),
    ("{orders: litter}", ["2:8: data.orders: record 1: missing property 'code'; add code: 1",
                          "2:8: data.orders: record 1: missing property 'petId'; add petId",
                          "2:8: data.orders: record 2: missing property 'code'; add code: 2",
                          "2:8: data.orders: record 2: missing property 'petId'; add petId"]),
    ("{orders: [{id: 1, petId: 2}]}",
     ["2:8: data.orders: record 1: missing property 'code'; add code: 1"]),
    ("{orders: [{code: '-0', petId: 1}, {code: 0, petId: 1}]}",
     ["2:8: data.orders: record 2: item 1 already has the code 0; use unique ids"]),
    ("{orders: [], order: []}",
     ["2:20: data.order: unknown collection 'order'; did you mean 'orders'?"]),
    ("{pet: 3, pets: 3}", ["2:13: data.pet: records can be generated only for a collection of "
                           "the contract; did you mean 'pets'?"]),
    ("{pet: litter}", ["2:8: data.pet: unknown collection 'pet'; did you mean 'pets'?"]),
    ("{xyzzy: []}", ["2:8: data.xyzzy: unknown collection 'xyzzy'; known collections: pets, "
                     "orders, vets; define others under resources, or extend the scenario "
                     "that does"]),
])  # fmt: skip
def test_data_of_an_extended_scenario_is_checked(
    write: Callable[..., Path], tmp_path: Path, data: str, problems: list[str]
) -> None:
    write("litter.json", '[{"id": 1, "name": "Ada"}, {"id": 2}]', "fixtures")
    write("shop.yaml", SHOP)
    path = write("busy.yaml", f"extends: shop\ndata: {data}\ndescription: d\n")
    library = load_library([tmp_path / "mine"], [tmp_path / "fixtures"])

    found = map(str, library.problems.get("busy", ()))
    assert [text.removeprefix(f"{path}:") for text in found] == problems


def test_data_needs_the_scenario_that_defines_the_collection(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    write("shop.yaml", SHOP)
    path = write("busy.yaml", "description: d\ndata: {vets: []}\n")

    assert list(map(str, load_library([tmp_path / "mine"], []).problems["busy"])) == [
        f"{path}:2:8: data.vets: unknown collection 'vets'; did you mean 'pets'?"
    ]


def test_a_fixture_can_have_pets_and_other_records(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    """What it needs depends on the collection that it is for."""
    write("litter.json", '[{"id": 1, "name": "Ada", "categoryId": 1}]', "fixtures")
    write("codes.json", '[{"code": "a", "size": 1e3}, {"code": 7}]', "fixtures")
    write("both.yaml", SHOP.replace("[{id: 1, city: Oslo}]", "litter\n  pets: litter"))
    path = write("wrong.yaml", "description: d\ndata: {pets: codes}\n")
    library = load_library([tmp_path / "mine"], [tmp_path / "fixtures"])

    ada = b'{"id":1,"name":"Ada","categoryId":1}'
    assert library.scenarios["both"].data == {"vets": (ada,), "pets": (ada,)}
    assert list(map(str, library.problems["wrong"])) == [
        f"{path}:2:14: data.pets: fixture 'codes' is invalid: {tmp_path}/fixtures/codes.json:1:2: "
        "1.categoryId: is required; fix the fixture"
    ]


def test_everything_is_empty_except_what_has_content_of_its_own(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    write("shop.yaml", SHOP)
    write("bare.yaml", "description: d\nextends: shop\ndata: {'*': [], pets: 2}\n")
    library = load_library([tmp_path / "mine"], [])
    stack = library.stack(["bare"])
    given = {one.name: stack.binding(one).content for one in stack.collections}

    assert given == {"pets": Generated(2), "orders": (), "vets": ()}


@pytest.mark.parametrize(("spent", "seconds"), [(0, 0.08), (0.001, 0.08), (0.016, 0.32), (9, 0.5)])
def test_many_files_are_checked_less_often(spent: float, seconds: float) -> None:
    assert pause(spent) == pytest.approx(seconds)
