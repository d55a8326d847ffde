"""Settings that contradict each other: with those a server does not start."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings, create_app
from mockpets.errors import InputError
from mockpets.settings.combinations import contradictions, notices
from mockpets.settings.settings_table import VISITOR_RATE
from mockpets.settings.sources import load_settings

TOKEN = "secret-token"


@pytest.mark.parametrize(("settings", "problem"), [
    ({"control": "open", "public": True}, "--control: must not be open with --public"),
    ({"control": "open", "control_token": TOKEN}, "--control: must not be open with --control"),
    ({"sessions": "declared", "public": True}, "--sessions: must not be declared with --publ"),
    ({"sessions": "declared", "control": "off"}, "--sessions: must not be declared with --con"),
    ({"control_token": TOKEN, "control": "off"}, "--control-token: has no effect with --cont"),
    ({"control_origin": ("http://app.test",), "control": "off"},
     "--control-origin: has no effect with --control off; remove one of the two"),
    ({"visitor_rate": 5}, "--visitor-rate: has no effect without --public; add --public, or"),
    ({"data": ("pets=3", "orders=a.json", "pets=4")},
     "--data: gives pets the contents 3 and 4; remove one of the two"),
    ({"log_addresses": True}, "--log-addresses: has no effect without --public"),
    ({"max_records": 1001, "public": True}, "--max-records: must be at most 1000 with --public"),
    ({"delay": 10.5, "public": True}, "--delay: must be at most 10s with --public"),
])  # fmt: skip
def test_a_contradiction_is_rejected_and_each_setting_alone_is_fine(
    settings: Mapping[str, Any], problem: str
) -> None:
    [found] = contradictions(Settings(**settings))

    assert str(found).startswith(problem)
    for name, value in settings.items():
        if len(settings) > 1:
            assert contradictions(Settings(**{name: value})) == []


def test_values_at_the_limits_start() -> None:
    for settings in (
        Settings(public=True, max_records=1000, delay=10.0, visitor_rate=5, log_addresses=True),
        Settings(control_token=TOKEN, control_origin=("http://a",), sessions="declared"),
        Settings(control="off", public=True),
    ):
        assert contradictions(settings) == [] == notices(settings), settings


def test_a_contradiction_names_the_source_of_each_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mockpets.toml").write_text('control = "open"\n', encoding="utf-8")
    environ = {"MOCKPETS_VISITOR_RATE": str(VISITOR_RATE), "MOCKPETS_CONTROL_TOKEN": TOKEN}
    problems = contradictions(load_settings({}, environ, None))

    assert [str(problem) for problem in problems] == [
        "mockpets.toml:1:1: control: must not be open with --control-token: every caller would "
        "need the token; remove one of the two; run 'unset MOCKPETS_CONTROL_TOKEN' to remove the "
        "variable",
        "MOCKPETS_VISITOR_RATE: has no effect without --public; add --public, or remove it; "
        "run 'unset MOCKPETS_VISITOR_RATE' to remove the variable",
    ]
    Path("mockpets.toml").write_text('data = ["a=1", "pets=3", "pets=3", "a=2"]\n')
    assert list(map(str, contradictions(load_settings({}, {}, None)))) == [
        "mockpets.toml:1:1: data: gives a the contents 1 and 2; remove one of the two"
    ]
    [problem] = contradictions(load_settings({}, {"MOCKPETS_DATA": "pets=3,pets=4"}, None))
    assert str(problem) == (
        "MOCKPETS_DATA: gives pets the contents 3 and 4; remove one of the two; run 'unset "
        "MOCKPETS_DATA' to remove the variable"
    )
    Path("mockpets.toml").write_text('control = "off"\n', encoding="utf-8")
    [problem] = contradictions(load_settings({"sessions": "declared"}, {}, None))
    assert str(problem).endswith("; remove one of the two; mockpets.toml:1 sets control")


def test_a_token_in_the_shell_does_not_keep_a_server_without_control_from_starting() -> None:
    create_app(load_settings({"control": "off"}, {"MOCKPETS_CONTROL_TOKEN": TOKEN}, None))


def test_a_server_with_a_contradiction_does_not_start_and_lists_each() -> None:
    settings = Settings(port=0, control="off", control_token=TOKEN, visitor_rate=5)
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

    text = "--state does not save the sessions of visitors; it saves all others"
    assert text in caplog.messages


SHOP = """\
description: A shop.
resources:
  - {path: /v1/store/orders, required: [petId]}
  - {path: /codes}
"""


@pytest.mark.parametrize(("data", "problems"), [
    (["pet=3"], ["pet: unknown collection 'pet'; did you mean 'pets'?"]),
    (["orders=3"],
     ["orders: records can be generated only for the contract's collections; name a file"]),
    (["orders=orders.json"], ["orders: record 2: petId is required"]),
    (["shop.codes=codes.yaml"], ["shop.codes: record 2: codes already has a record with the id 0"]),
    (["codes=none.json", "shop.codes=one.json"],
     ["shop.codes is shop/codes, which has contents already; name each collection once"]),
    (["pets=nameless.json"], ["nameless.json:1:2: 1.name: is required"]),
    (["codes=no.json"], ["no.json: file not found; check the path"]),
])  # fmt: skip
def test_data_that_a_collection_cannot_have_is_rejected_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: list[str], problems: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.yaml").write_text(SHOP)
    Path("orders.json").write_text('[{"id": 1, "petId": 2}, {"id": 2}]')
    Path("codes.yaml").write_text("- {id: '-0'}\n- {id: 0}\n")
    Path("none.json").write_text("[]")
    Path("nameless.json").write_text('[{"id": 1, "categoryId": 2}]')
    Path("one.json").write_text("[{}]")
    with pytest.raises(InputError) as caught:
        create_app(load_settings({"scenarios_dir": (".",), "data": tuple(data)}, {}, None))

    assert [str(each).removeprefix("--data: ") for each in caught.value.problems] == problems
