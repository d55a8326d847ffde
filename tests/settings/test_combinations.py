"""Pairs of settings: those that a server rejects, those that it logs at its start, all others."""

from __future__ import annotations

import json
import re
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from mockpets import MockpetsServer, Settings, create_app
from mockpets.errors import InputError
from mockpets.settings.combinations import RULES, contradictions, notices
from mockpets.settings.model import VISITOR_RATE, rows
from mockpets.settings.sources import load_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

VALUES: Mapping[str, tuple[Any, ...]] = {
    "host": (("192.0.2.1",),),
    "port": (7400,),
    "metrics_port": (0, 9100),
    "scenario": (("empty",),),
    "scenarios_dir": ((Path(),),),
    "fixtures_dir": ((Path(),),),
    "seed": (2,),
    "pets": ("7",),
    "count": (0, 3),
    "locale": ("de_DE",),
    "now": ("2030-12-06",),
    "api_key": (("key",), ("*",)),
    "delay": (0.5, 10.0, 10.5),
    "control": ("open", "off"),
    "control_token": ("secret-token",),
    "control_origin": (("http://app.test",),),
    "behind_proxy": (("127.0.0.1/32",),),
    "prefix": ("/mock",),
    "max_pets": (5, 1000, 1001, 10_000),
    "max_sessions": (5,),
    "sessions": ("declared",),
    "memory": (2**20,),
    "state": ("x.state",),
    "reset_every": (60.0,),
    "drain": (5.0,),
    "public": (True,),
    "visitor_rate": (5,),
    "name": ("a",),
    "log": ("json",),
    "log_addresses": (True,),
}
"""Values other than the default, on both sides of each limit."""

REJECTED = {
    (("control", "off"), ("control_origin", ("http://app.test",))): "--control-origin: has no",
    (("count", 3), ("pets", "7")): "--count: has no effect with --pets; remove one of the two",
    (("control", "off"), ("control_token", "secret-token")): "--control-token: has no effect",
    (("control", "open"), ("control_token", "secret-token")): "--control: must not be open with",
    (("control", "off"), ("sessions", "declared")): "--sessions: must not be declared with --con",
    (("public", True), ("control", "open")): "--control: must not be open with --public",
    (("public", True), ("delay", 10.5)): "--delay: must be at most 10s with --public",
    (("public", True), ("max_pets", 1001)): "--max-pets: must be at most 1000 with --public",
    (("public", True), ("max_pets", 10_000)): "--max-pets: must be at most 1000 with --public",
    (("public", True), ("sessions", "declared")): "--sessions: must not be declared with --public",
}
COMMENTED = {
    (("public", True), ("state", "x.state")): "--state does not save the sessions of visitors",
}
ONLY_PUBLIC = ("visitor_rate", "log_addresses")
"""Rejected with every other setting than `public`."""
CHOICES = [(name, value) for name, values in VALUES.items() for value in values]


def expected(table: Mapping[Any, str], *choices: tuple[str, Any]) -> list[str]:
    """Return the message for two choices, in any order."""
    return [text for pair, text in table.items() if set(pair) == set(choices)]


def test_every_pair_of_settings_is_rejected_commented_on_or_fine() -> None:
    assert VALUES.keys() == {row.name for row in rows()}
    for one, two in combinations(CHOICES, 2):
        if one[0] == two[0]:
            continue
        settings = Settings(**dict((one, two)))
        messages = [str(problem) for problem in contradictions(settings)]
        starts = expected(REJECTED, one, two)
        names = {one[0], two[0]}
        if "public" not in names:
            starts += [
                f"--{name.replace('_', '-')}: has no effect without --public; add --public, or"
                for name in ONLY_PUBLIC
                if name in names
            ]

        assert len(messages) == len(starts), (one, two, messages)
        assert all(map(str.startswith, messages, starts)), (one, two, messages)
        comments = expected(COMMENTED, one, two)
        assert len(notices(settings)) == len(comments), (one, two)
        assert all(map(str.startswith, notices(settings), comments)), (one, two)


def test_the_tables_list_every_rule() -> None:
    values = 1  # `max_pets` has two that are too high
    assert len(RULES) + values == len(REJECTED) + len(COMMENTED) + len(ONLY_PUBLIC)


def text_of(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(value)
    if value == 2**20:
        return "1MiB"
    return f"{value}s" if isinstance(value, float) else str(value)


class Sources(NamedTuple):
    """The settings of one server, from options, variables and a file."""

    flags: dict[str, object]
    environ: dict[str, str]
    lines: list[str]

    def set(self, source: str, name: str, value: Any) -> tuple[str, str]:
        """Set a setting; return how messages name it, first and after another one."""
        key, variable = name.replace("_", "-"), f"MOCKPETS_{name.upper()}"
        text, has_value = text_of(value), value in ("off", 0) and value is not False
        if source == "option":
            self.flags[name] = text
            return f"--{key}", f"--{key} {text}" if has_value else f"--{key}"
        if source == "variable":
            self.environ[variable] = text
            return variable, f"{variable}={text}" if has_value else variable
        self.lines.append(f"{key} = {json.dumps(text)}\n")
        value = f" = {text}" if has_value else ""
        return f"mockpets.toml:{len(self.lines)}:1: {key}", f"{key}{value} in mockpets.toml"

    def load(self) -> Settings:
        Path("mockpets.toml").write_text("".join(self.lines), encoding="utf-8")
        return load_settings(self.flags, self.environ, None)


EQUAL_TO_DEFAULT = {
    (("public", False), ("visitor_rate", VISITOR_RATE)): "--visitor-rate: has no effect without",
}
SOURCES = "option", "variable", "file"


def test_each_pair_that_is_rejected_or_commented_on_names_its_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for (one, two), text in (REJECTED | COMMENTED | EQUAL_TO_DEFAULT).items():
        for source, other_source in product(SOURCES, SOURCES):
            sources = Sources({}, {}, [])
            labels = {
                one[0]: sources.set(source, *one),
                two[0]: sources.set(other_source, *two),
            }
            settings = sources.load()
            name = text[2:].partition(" ")[0].rstrip(":").replace("-", "_")
            label = labels.pop(name)[0]
            [(_, other)] = labels.values()
            is_stated = (one, two) in COMMENTED or (
                label == "MOCKPETS_CONTROL_TOKEN" and ("control", "off") in (one, two)
            )
            case = (one, source, two, other_source)

            problems, comments = contradictions(settings), notices(settings)
            assert (len(problems), len(comments)) == ((0, 1) if is_stated else (1, 0)), case
            if is_stated:
                if label.startswith("mockpets.toml"):
                    label = f"{label.rpartition(' ')[2]} in mockpets.toml"
                message = comments[0]
                assert message.startswith(f"{label} "), case
            else:
                message = str(problems[0])
                assert message.startswith(f"{label}: "), case
                variables = [each for each in (label, other) if each.startswith("MOCKPETS_")]
                for variable in variables:
                    assert re.search(rf"'unset .*\b{variable.partition('=')[0]}\b", message), case
                assert ("unset" in message) == bool(variables), case
            if "without" not in message:
                assert re.search(rf" {re.escape(other)}\b", message), (case, message)


def test_values_without_effect_on_each_other_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for flags in (
        {"public": "true", "max_pets": "1000", "visitor_rate": str(VISITOR_RATE)},
        {"control": "auto", "control_token": "secret-token"},
    ):
        settings = load_settings(flags, {}, None)
        assert contradictions(settings) == [] == notices(settings), flags


def test_a_token_in_the_shell_does_not_keep_a_server_without_control_from_starting() -> None:
    settings = load_settings({"control": "off"}, {"MOCKPETS_CONTROL_TOKEN": "topsecret"}, None)

    create_app(settings)
    assert notices(settings) == ["MOCKPETS_CONTROL_TOKEN has no effect with --control off"]
    with pytest.raises(InputError) as caught:
        create_app(
            load_settings({"control": "open"}, {"MOCKPETS_CONTROL_TOKEN": "topsecret"}, None)
        )
    assert str(caught.value) == (
        "--control: must not be open with MOCKPETS_CONTROL_TOKEN: every caller would need the "
        "token; remove one of the two; run 'unset MOCKPETS_CONTROL_TOKEN' to remove the variable"
    )


def test_equal_ports_are_rejected() -> None:
    for port, rejected in ((9100, 1), (0, 0)):
        settings = Settings(port=port, metrics_port=port)
        assert len(contradictions(settings)) == rejected


def test_a_server_with_a_contradiction_does_not_start_and_lists_each() -> None:
    settings = Settings(port=0, control="off", control_token="secret-token", visitor_rate=5)
    for start in (create_app, lambda each: MockpetsServer(each).start()):
        with pytest.raises(InputError) as caught:
            start(settings)
        assert [str(problem) for problem in caught.value.problems] == [
            "--control-token: has no effect with --control off; remove one of the two",
            "--visitor-rate: has no effect without --public; add --public, or remove it",
        ]


def test_a_server_logs_at_its_start_what_has_no_effect(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    state = str(tmp_path / "x.state")
    with MockpetsServer(Settings(port=0, public=True, state=state)):
        pass

    text = "--state does not save the sessions of visitors, which --public creates; it saves all"
    assert any(each.startswith(text) for each in caplog.messages)
