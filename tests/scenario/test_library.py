"""Scenario files in folders: found, replaced, resolved, put together, read again."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

import pytest

from mockpets.errors import InputError, RequestError
from mockpets.packaged_data import shipped
from mockpets.scenario.library import load_library
from mockpets.scenario.reloader import Reloader

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

REFUSE = "description: {0}.\nstubs:\n  - reply: {{status: {1}}}\n"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a file into a folder of scenarios; each write is newer than the one before."""
    turn = iter(range(1, 1000))

    def write(name: str, text: str, folder: str = "mine") -> Path:
        path = tmp_path / folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        # Two writes within the clock's resolution would look alike.
        os.utime(path, (10**9 + next(turn), 10**9))
        os.utime(path, ns=(10**18, 10**18 + next(turn)))
        return path

    return write


def labels(folder: Path, *names: str) -> list[str]:
    return [stub.label for stub in load_library([folder], []).stack(names).stubs]


def test_the_shipped_ones_are_there_without_a_problem() -> None:
    library = load_library([], [])

    assert not library.problems
    assert set(library.scenarios) == {path.stem for path in shipped("scenarios").iterdir()}
    assert {"default", "empty", "unauthorized", "missing"} <= set(library.scenarios)


def test_a_later_folder_wins_and_the_source_says_so(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    write("empty.yaml", REFUSE.format("Mine", 500))
    write("empty.yml", REFUSE.format("Theirs", 503), "theirs")
    library = load_library([tmp_path / "mine", tmp_path / "theirs"], [])

    assert library.scenarios["empty"].description == "Theirs."
    assert library.sources["empty"].replaces == (
        "scenarios/empty.yaml (shipped)",
        str(tmp_path / "mine" / "empty.yaml"),
    )


def test_other_files_and_hidden_ones_are_left_alone(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    for name in ("README.md", ".hidden.yaml", "empty.yaml~", ".empty.yaml.swp"):
        write(name, ": no yaml [")

    assert load_library([tmp_path / "mine"], []).problems == {}


def test_two_files_for_one_name_in_a_folder_are_refused(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    write("a.json", "{}")
    write("a.yaml", "")

    with pytest.raises(InputError) as caught:
        load_library([tmp_path / "mine"], [])
    assert str(caught.value) == (
        f"{tmp_path / 'mine' / 'a.yaml'}: a.json has the name 'a' too; keep one of the two"
    )


def test_suffixes_count_in_any_case(write: Callable[..., Path], tmp_path: Path) -> None:
    write("a.YAML", "description: A\npets: d\n")
    write("b.Yml", "description: B\n")
    write("c.JSON", '{"description": "C"}')
    write("d.Json", "[]", "fixtures")
    library = load_library([tmp_path / "mine"], [tmp_path / "fixtures"])

    assert library.problems == {}
    assert [library.scenarios[name].description for name in "abc"] == ["A", "B", "C"]


def test_links_out_of_their_folder_are_refused_and_those_within_are_not(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    write("secret.yaml", "description: s3cret\n", "elsewhere")
    write("pets.json", "[]", "elsewhere")
    write("mine.yaml", "description: Mine\npets: litter\n")
    write("in.yaml", "description: In\n", "mine/..data")
    (tmp_path / "mine" / "out.yaml").symlink_to("../elsewhere/secret.yaml")
    (tmp_path / "mine" / "in.yaml").symlink_to("..data/in.yaml")
    (tmp_path / "fixtures").mkdir()
    (tmp_path / "fixtures" / "litter.json").symlink_to(tmp_path / "elsewhere" / "pets.json")
    library = load_library([tmp_path / "mine"], [tmp_path / "fixtures"])

    assert library.scenarios["in"].description == "In"
    said = "is a link that leads out of its folder; copy the file there"
    fixture = tmp_path / "fixtures" / "litter.json"
    assert {
        name: [str(problem) for problem in found] for name, found in library.problems.items()
    } == {
        "out": [f"{tmp_path / 'mine' / 'out.yaml'}: {said}"],
        "mine": [
            f"{tmp_path / 'mine' / 'mine.yaml'}:2:7: pets: the fixture 'litter' cannot be used: "
            f"{fixture}: {said}; mend it first"
        ],
    }


def test_a_bad_fixture_is_one_problem_of_each_place_that_names_it(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    write("litter.json", "[]]", "fixtures")
    page = "  - {match: {operation: listPets}, reply: {page: litter}}\n"
    path = write("mine.yaml", "description: d\npet: 3\npets: litter\nstubs:\n" + page * 2)
    problems = load_library([tmp_path / "mine"], [tmp_path / "fixtures"]).problems["mine"]

    assert [str(found).removeprefix(str(path)).partition(": ")[0] for found in problems] == [
        ":2:1",
        ":3:7",
        ":5:50",
        ":6:50",
    ]


def test_a_folder_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load_library([], [tmp_path / "none"])
    assert str(caught.value) == (
        f"{tmp_path / 'none'}: cannot be read as a folder of fixtures: "
        "No such file or directory; check --fixtures-dir"
    )


def test_extends_puts_the_others_after_the_own_ones_each_once(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    stub = "stubs:\n  - {name: own, reply: {status: 500}}\n"
    write("base.yaml", "description: d\npets: []\n" + stub)
    write("left.yaml", "description: d\nextends: base\n" + stub)
    write("right.yaml", "description: d\nextends: [base]\npets: 3\n" + stub)
    write("top.yaml", "description: d\nextends: [left, right]\n" + stub)
    mine = tmp_path / "mine"

    assert labels(mine, "top") == ["top/own", "left/own", "base/own", "right/own"]
    assert labels(mine, "right", "left") == ["right/own", "base/own", "left/own"]
    # Pets: the first in that order that brings any.
    library = load_library([mine], [])
    assert library.stack(["top"]).pets == ()
    assert library.stack(["right", "top"]).pets == library.scenarios["right"].pets


def test_a_circle_of_extends_names_the_chain(write: Callable[..., Path], tmp_path: Path) -> None:
    a = write("a.yaml", "description: d\nextends: b\n")
    write("b.yaml", "description: d\nextends: c\n")
    write("c.yaml", "description: d\nextends: [slow, a]\n")
    library = load_library([tmp_path / "mine"], [])

    assert set(library.problems) == {"a", "b", "c"}
    assert (
        str(library.problems["a"][0])
        == f"{a}:2:10: extends: it leads in a circle: a -> b -> c -> a"
    )


def test_a_chain_may_be_eight_long(write: Callable[..., Path], tmp_path: Path) -> None:
    for number in range(1, 9):
        write(f"s{number}.yaml", f"description: d\nextends: s{number + 1}\n")
    write("s9.yaml", "description: d\n")
    library = load_library([tmp_path / "mine"], [])

    assert set(library.problems) == {"s1"}
    assert "it leads over more than 8 scenarios: s1 -> s2" in str(library.problems["s1"][0])


def test_many_wide_layers_are_looked_at_once_each(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    """Followed path by path, this would be 8 to the power of 7 chains."""
    for layer in range(8):
        names = ", ".join(f"l{layer + 1}-{place}" for place in range(8))
        extends = f"extends: [{names}]\n" if layer < 7 else ""
        for place in range(8):
            write(f"l{layer}-{place}.yaml", "description: d\n" + extends)
    library = load_library([tmp_path / "mine"], [])

    assert not library.problems
    assert len(library.lineage("l0-0")) == 1 + 7 * 8


def test_an_unknown_name_is_answered_with_the_nearest_and_the_list() -> None:
    library = load_library([], [])

    with pytest.raises(RequestError) as caught:
        library.stack(["empty", "sold-uot"])
    assert caught.value.message.startswith(
        "there is no scenario 'sold-uot'; did you mean 'sold-out'? there are: after-removal, "
    )
    assert next(str(problem) for problem in library.unknown("scenario", ["nix"])).startswith(
        "scenario: there is no scenario 'nix'; there are: "
    )


# --- Read again -------------------------------------------------------------------------------


@pytest.fixture
def watch(write: Callable[..., Path], tmp_path: Path) -> Reloader:
    write("mine.yaml", REFUSE.format("First", 500))
    return Reloader([tmp_path / "mine"], [])


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    lines = [record.getMessage() for record in caplog.records]
    caplog.clear()
    return lines


@pytest.fixture(autouse=True)
def _warnings_only(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "mockpets")


def test_nothing_changed_is_the_same_library_and_no_word(
    watch: Reloader, caplog: pytest.LogCaptureFixture
) -> None:
    before = watch.library
    watch.look()

    assert watch.library is before
    assert said(caplog) == []


def test_a_changed_file_is_taken_up(
    watch: Reloader, write: Callable[..., Path], caplog: pytest.LogCaptureFixture
) -> None:
    before = watch.library
    path = write("mine.yaml", REFUSE.format("Second", 503))
    watch.look()

    assert watch.library.scenarios["mine"].description == "Second."
    assert watch.library.scenarios["empty"] is before.scenarios["empty"]
    assert said(caplog) == [f"scenario 'mine' was read again: {path}"]


def test_a_bad_save_keeps_the_last_good_one_and_says_so_once(
    watch: Reloader, write: Callable[..., Path], caplog: pytest.LogCaptureFixture
) -> None:
    path = write("mine.yaml", REFUSE.format("Second", 99))
    for _ in range(3):
        watch.look()

    assert watch.library.scenarios["mine"].description == "First."
    first, problem = said(caplog)
    assert first == "scenario 'mine' has problems, its last good version stays in force:"
    assert problem.startswith(f"{path}:3:21: stubs.1.reply.status: ")
    assert [str(found) for found in watch.library.problems["mine"]] == [problem]

    write("mine.yaml", REFUSE.format("Second", 98))
    watch.look()
    assert len(said(caplog)) == 2  # another mistake is told again

    write("mine.yaml", REFUSE.format("First", 500))
    watch.look()
    assert said(caplog) == ["scenario 'mine' is good again"]
    assert watch.library.problems == {}


def test_new_and_deleted_files(
    watch: Reloader, write: Callable[..., Path], caplog: pytest.LogCaptureFixture
) -> None:
    path = write("other.yaml", "description: d\n")
    broken = write("broken.yaml", "descriptoin: d\n")
    watch.look()
    assert "other" in watch.library.scenarios
    assert "broken" not in watch.library.scenarios
    lines = said(caplog)
    assert lines[0] == "scenario 'broken' has problems, it cannot be used:"
    assert lines[-1] == f"scenario 'other' is new: {path}"

    path.unlink()
    broken.unlink()
    watch.look()
    assert "other" not in watch.library.scenarios
    assert said(caplog) == [
        f"scenario 'broken' is gone, and refused with 422: {broken} was deleted",
        f"scenario 'other' is gone, and refused with 422: {path} was deleted",
    ]


def test_a_name_for_a_terminal_to_act_on_is_told_in_escapes(
    watch: Reloader, write: Callable[..., Path], caplog: pytest.LogCaptureFixture
) -> None:
    path = write("a\nb\x1b[31m\u202e.yaml", "description: d\n")
    watch.look()
    path.unlink()
    watch.look()
    lines = said(caplog)

    assert len(lines) == 3
    assert all(line.isprintable() for line in lines)
    assert "a\\nb\\x1b[31m\\u202e.yaml" in lines[1]


def test_a_file_that_closes_a_circle_falls_back_and_the_others_go_on(
    watch: Reloader, write: Callable[..., Path]
) -> None:
    write("upper.yaml", "description: d\nextends: mine\n")
    watch.look()
    write("mine.yaml", "description: d\nextends: upper\n")
    watch.look()

    assert watch.library.scenarios["mine"].description == "First."
    assert watch.library.stack(["upper"]).stubs
    assert "circle" in str(watch.library.problems["mine"][0])


def test_what_extends_a_deleted_file_cannot_be_used_until_it_is_back(
    watch: Reloader, write: Callable[..., Path], tmp_path: Path
) -> None:
    write("upper.yaml", "description: d\nextends: mine\n")
    watch.look()
    (tmp_path / "mine" / "mine.yaml").unlink()
    watch.look()
    assert "upper" not in watch.library.scenarios
    assert "upper" in watch.library.problems

    write("mine.yaml", REFUSE.format("Back", 500))
    watch.look()
    assert watch.library.problems == {}
    assert watch.library.stack(["upper"]).stubs


def test_a_changed_fixture_is_taken_up_by_the_scenarios_that_use_it(
    write: Callable[..., Path], tmp_path: Path
) -> None:
    pet = '[{"id": 1, "name": "%s", "categoryId": 1}]'
    write("litter.json", pet % "Ada", "fixtures")
    write("young.yaml", "description: d\npets: litter\n")
    watch = Reloader([tmp_path / "mine"], [tmp_path / "fixtures"])
    write("litter.json", pet % "Bo", "fixtures")
    watch.look()

    assert watch.library.stack(["young"]).pets == ({"id": 1, "name": "Bo", "categoryId": 1},)


def test_a_folder_that_vanishes_leaves_everything_as_it_was(
    watch: Reloader, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "mine").rename(tmp_path / "away")
    for _ in range(2):
        watch.look()

    assert "mine" in watch.library.scenarios
    [line] = said(caplog)
    assert line.endswith("(scenarios stay as they were)")


def test_the_thread_looks_by_itself_and_stops() -> None:
    class Looking(Reloader):
        looked = 0

        def look(self) -> None:
            super().look()
            type(self).looked += 1
            if self.looked == 2:
                self._stopped.set()

    looking = Looking([], [])
    looking.start()
    assert looking._thread is not None
    looking._thread.join(timeout=30)
    looking.stop()

    assert Looking.looked == 2
