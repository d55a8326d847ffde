"""The counters of stubs: one for each stub of a session, whatever scenarios it is used with."""

import json
from pathlib import Path
from typing import Any

import pytest

from mockpets import Settings, create_app
from mockpets.constants import COUNTED_STUBS
from tests.http_client import Client, InProcess

BUSY = {"times": 2, "reply": {"status": 503}}
FILES: dict[str, Any] = {
    "base": {"description": "d", "stubs": [BUSY]},
    "child": {"description": "d", "extends": "base", "stubs": [{"delay": "0s", "times": 1}]},
    "other": {"description": "d", "extends": "base"},
}
DOCUMENT = {"name": "own", **FILES["base"]}


class Mock:
    """An app without a server, with the scenarios in `FILES`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, document in FILES.items():
            self.write(name, document)
        app = create_app(Settings(scenarios_dir=(folder,)))
        self.call, self.reloader = Client(InProcess(app)), app.extensions["mockpets"].reloader

    def write(self, name: str, document: Any) -> None:
        (self.folder / f"{name}.json").write_text(json.dumps(document))

    def use(self, *scenarios: str | dict[str, Any]) -> None:
        response = self.control("PUT", "scenario", {"scenario": scenarios})
        assert response.status == 200, response.body

    def control(self, method: str, path: str, body: Any = None) -> Any:
        return self.call(method, f"/__mockpets/{path}", json_body=body, key=None)

    def seen(self, scenario: str | None = None) -> int:
        """Return the status of a request, which can name scenarios."""
        return self.call("GET", "/v1/pets", scenario=scenario).status

    def counters(self) -> Any:
        return self.control("GET", "sessions/default/export").json["counters"]


@pytest.fixture
def mock(tmp_path: Path) -> Mock:
    return Mock(tmp_path)


# --- Stacks -------------------------------------------------------------------------------------


def test_all_stacks_that_contain_a_stub_share_its_counter(mock: Mock) -> None:
    assert mock.seen("base") == 503
    assert mock.seen("empty, base") == 503
    assert [mock.seen(each) for each in ("base", "base, empty", "other")] == [200, 200, 200]


def test_a_request_that_names_scenarios_counts_with_the_active_ones(mock: Mock) -> None:
    mock.use("base")
    assert mock.seen("base, empty") == 503
    assert mock.seen() == 503
    assert [mock.seen(), mock.seen("base"), mock.seen("other")] == [200, 200, 200]


def test_the_session_s_counters_are_its_own(mock: Mock) -> None:
    assert [mock.seen("base") for _ in range(3)] == [503, 503, 200]
    assert mock.call("GET", "/~w1+base/v1/pets").status == 503


# --- Activation ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "goes_on"),
    [
        (["base"], ["base", "empty"], True),
        (["base"], ["missing", "base"], True),
        (["base", "empty"], ["base"], True),
        (["base", "empty"], ["missing", "base"], True),
        (["base"], ["base"], False),
        (["base", "empty"], ["empty", "base"], False),
        (["empty"], ["empty", "base"], False),
        (["empty"], ["child"], False),
        # The stubs of a scenario are also those of what it extends.
        (["child"], ["child", "empty"], True),
        (["base"], ["child"], False),
        (["child"], ["base"], False),
        (["base"], ["base", "child"], True),
        (["child"], ["other", "child"], True),
    ],
    ids=str,
)
def test_what_becomes_active_starts_again_and_what_stays_active_goes_on(
    mock: Mock, before: list[str], after: list[str], goes_on: bool
) -> None:
    mock.use(*before)
    assert [mock.seen("base") for _ in range(3)] == [503, 503, 200]
    mock.use(*after)

    assert mock.seen() == (200 if goes_on else 503)


def test_a_scenario_that_was_left_starts_again_when_it_becomes_active(mock: Mock) -> None:
    mock.use("base")
    assert [mock.seen(), mock.seen()] == [503, 503]
    mock.use("empty")
    assert mock.seen("base") == 200, "it is not active again"
    mock.use("base")
    assert [mock.seen() for _ in range(3)] == [503, 503, 200]


def test_a_failed_activation_restarts_nothing(mock: Mock) -> None:
    mock.use("base")
    assert [mock.seen(), mock.seen()] == [503, 503]
    rejected = mock.control("PUT", "scenario", {"scenario": ["base", "bsae"]})

    assert (rejected.status, mock.seen()) == (422, 200)


def test_a_reset_starts_all_again_and_an_undo_puts_them_back(mock: Mock) -> None:
    assert [mock.seen("base"), mock.seen("empty, base")] == [503, 503]
    mock.control("POST", "reset")
    assert mock.seen("base") == 503
    mock.control("POST", "sessions/default/undo")

    assert mock.seen("base") == 200
    assert mock.counters() == {"base/1": {"passed": 0, "used": 2}}


# --- Documents ----------------------------------------------------------------------------------


def test_a_document_goes_on_while_it_is_sent_unchanged(mock: Mock) -> None:
    mock.use(DOCUMENT)
    assert [mock.seen(), mock.seen()] == [503, 503]
    mock.use("missing", DOCUMENT)
    assert mock.seen() == 200
    mock.use("missing", DOCUMENT)
    assert mock.seen() == 503


def test_a_document_that_changes_or_leaves_loses_its_counters(mock: Mock) -> None:
    mock.use(DOCUMENT)
    assert [mock.seen(), mock.seen()] == [503, 503]
    mock.use("missing", {**DOCUMENT, "description": "The same stub in other words."})
    assert mock.seen() == 503
    mock.use("missing")
    assert mock.counters() == {}
    mock.use("missing", DOCUMENT)
    assert [mock.seen() for _ in range(3)] == [503, 503, 200]


def test_an_override_that_changes_or_leaves_loses_its_counters(mock: Mock) -> None:
    mock.use("base")
    override = {"description": "d", "stubs": [{"times": 1, "reply": {"status": 502}}]}
    assert mock.control("PUT", "overrides/base", override).status == 201
    assert [mock.seen(), mock.seen()] == [502, 200]
    mock.control("PUT", "overrides/base", override)
    assert mock.seen() == 200, "it is unchanged"
    mock.control("PUT", "overrides/base", {**override, "description": "other"})
    assert [mock.seen(), mock.seen()] == [502, 200]
    mock.control("DELETE", "overrides/base")
    assert [mock.seen() for _ in range(3)] == [503, 503, 200]


def test_a_stub_on_top_restarts_only_itself(mock: Mock) -> None:
    mock.use("base", DOCUMENT)
    assert [mock.seen() for _ in range(5)] == [503, 503, 503, 503, 200]
    for _ in range(2):
        on_top = mock.control("POST", "requests/5/stub?status=418&times=1")
        assert on_top.json["active"] == ["like-request-5", "base", "own"]
        assert [mock.seen(), mock.seen()] == [418, 200]
    mock.control("DELETE", "requests/5/stub")

    assert mock.seen() == 200
    assert [*mock.counters()] == ["base/1", "own/1"]


# --- Files --------------------------------------------------------------------------------------


def test_only_a_stub_that_changes_starts_again(mock: Mock) -> None:
    first, second = ({**BUSY, "reply": {"status": status}} for status in (500, 503))
    mock.write("base", {"description": "d", "stubs": [first, second]})
    mock.reloader.look()
    assert [mock.seen("base") for _ in range(5)] == [500, 500, 503, 503, 200]
    mock.write("base", {"description": "changed", "data": {"pets": 2}, "stubs": [first, second]})
    mock.reloader.look()
    assert mock.seen("base") == 200
    mock.write("base", {"description": "d", "stubs": [first, {**second, "times": 3}]})
    mock.reloader.look()

    assert [mock.seen("base") for _ in range(4)] == [503, 503, 503, 200]


# --- Their number -------------------------------------------------------------------------------


def delays(number: int, **keys: Any) -> dict[str, Any]:
    """Return a scenario all of whose stubs apply to each request."""
    return {"description": "d", "stubs": [{"delay": "0s", **keys}] * number}


def test_the_number_of_counted_stubs_is_limited(mock: Mock) -> None:
    mock.use(delays(COUNTED_STUBS - 1))
    assert [mock.seen(), mock.seen("base")] == [200, 503]
    rejected = mock.call("GET", "/v1/pets", scenario="child")

    assert (rejected.status, rejected.json["code"]) == (503, "busy")
    assert "1000 stubs; reset the session" in rejected.json["message"]
    assert mock.counters()["base/1"] == {"passed": 0, "used": 1}, "it counts nothing"
    assert [mock.seen("base"), mock.seen("base"), mock.seen("empty")] == [503, 200, 200]
    mock.control("POST", "reset")
    assert mock.seen("child") == 503


@pytest.mark.slow
def test_documents_that_are_gone_and_stubs_that_never_applied_take_no_room(mock: Mock) -> None:
    for number in range(3):
        mock.use({"name": f"own-{number}", **delays(COUNTED_STUBS)})
        assert mock.seen() == 200
    mock.use(delays(COUNTED_STUBS, probability=0))
    assert mock.seen("inline-1, base") == 503


def test_a_request_without_a_key_counts_nothing(mock: Mock) -> None:
    assert mock.call("GET", "/v1/pets", scenario="base", key=None).status == 401
    assert mock.counters() == {}
