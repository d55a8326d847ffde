"""The list of requests: open, copy, resend, filter, clear, pause and save."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import expect

from mockpets.constants import REQUEST_OUTCOMES
from mockpets.journal.queries import NOTES
from tests.browser.panel import Panel, both_ways
from tests.browsers import FIREFOX
from tests.programs import need
from tests.server.raw_http import Wire, port_of

HELD = {
    "description": "Pages of pets are held.",
    "stubs": [{"match": {"operation": "listPets"}, "hold": "door"}],
}


@pytest.mark.tool  # curl
@both_ways
def test_open_copy_and_resend_a_request(panel: Panel) -> None:
    panel.allow_paste()
    panel.call("POST", "/v1/pets", json_body={"name": 'O\'Hara "日本"', "categoryId": 2})
    if panel.way == "mouse":
        panel.rows.first.click()
    else:
        panel.reach(panel.rows.first)
        panel.page.keyboard.press("Enter")
    entry = panel.page.get_by_role("article")
    expect(entry).to_contain_text("POST /")
    expect(entry).to_contain_text("[redacted]")
    expect(entry.get_by_label("Response", exact=True)).to_contain_text("Location: /~")

    panel.use(panel.button("Copy request 1 as curl"))
    expect(entry.get_by_text("Copied")).to_be_visible()
    command = panel.paste()
    need("curl")
    output = subprocess.run(
        [need("bash"), "-c", command],
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    ).stdout
    assert "201" in output.splitlines()[0]
    assert json.loads(output.splitlines()[-1])["name"] == 'O\'Hara "日本"'

    panel.use(panel.button("Resend"))
    expect(panel.page.locator(".notice")).to_contain_text("Resent as request 3: 201.")
    expect(panel.rows).to_have_count(3)
    panel.reach(entry.get_by_role("button", name="Close"))
    panel.page.keyboard.press("Escape")
    expect(entry).to_be_hidden()
    assert panel.rows.last.evaluate("node => node === document.activeElement")


@pytest.mark.tool  # curl
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_copied_request_keeps_brackets_and_braces(panel: Panel, method: str) -> None:
    """Without -g, curl sends one request for each alternative, or none."""
    query = "status=sold&ids[]=1&ids[]=2&filter={a,b}&range=[1-3]"
    session = panel.url.rpartition("/~")[2]
    head = (
        f"{method} /~{session}/v1/pets?{query} HTTP/1.1",
        "Host: a",
        "Authorization: Bearer mockpets",
    )
    with Wire(port_of(panel.url)) as wire:
        wire.send("\r\n".join([*head, "", ""]).encode())
        assert wire.read(has_body=method == "GET").status == 200
    panel.allow_paste()
    panel.rows.first.click()
    panel.use(panel.button("Copy request 1 as curl"))
    expect(panel.page.get_by_role("article").get_by_text("Copied")).to_be_visible()
    output = subprocess.run(
        [need("bash"), "-c", panel.paste()], capture_output=True, text=True, timeout=20, check=True
    ).stdout

    assert output.count("HTTP/1.1 ") == 1
    requests = panel.call("GET", "/__mockpets/requests").json["requests"]
    assert [each["target"].partition("?")[2] for each in requests] == [query, query]


@both_ways
def test_filter_and_clear_requests(panel: Panel) -> None:
    panel.call("GET", "/v1/pets")
    panel.call("GET", "/v1/pets", key=None)
    panel.call("GET", "/v1/nothing")
    expect(panel.rows).to_have_count(3)
    filters = panel.page.get_by_role("form", name="Filter")

    panel.choose(filters.get_by_label("Status"), "401")
    expect(panel.rows).to_have_count(1)
    panel.call("GET", "/v1/pets")
    panel.call("GET", "/v1/pets", key=None)
    expect(panel.rows).to_have_count(2)
    panel.use(panel.button("Reset filter"))
    expect(panel.rows).to_have_count(5)
    panel.choose(filters.get_by_label("Note"), "unmatched")
    expect(panel.rows).to_have_count(1)
    expect(panel.rows).to_have_class(re.compile("unmatched"))
    panel.use(panel.button("Reset filter"))
    panel.write(filters.get_by_label("Path"), "*nowhere*")
    expect(panel.page.get_by_text("No requests match the filter.")).to_be_visible()
    panel.use(panel.button("Reset filter"))
    panel.use(panel.button("Clear"))

    expect(panel.page.get_by_text("No requests yet.")).to_be_visible()
    assert panel.call("GET", "/__mockpets/requests").json["total"] == 0


def test_the_filter_has_every_note(panel: Panel) -> None:
    values = "options => options.map(option => option.value)"

    assert set(panel.page.locator("#filter-note option").evaluate_all(values)) == {"", *NOTES}


@both_ways
def test_pause_and_resume_the_list(panel: Panel) -> None:
    panel.call("GET", "/v1/pets")
    expect(panel.rows).to_have_count(1)
    panel.use(panel.button("Pause"))
    panel.call("GET", "/v1/pets")
    panel.call("GET", "/v1/pets")

    expect(panel.button("Show 2 new requests")).to_be_visible()
    expect(panel.rows).to_have_count(1)
    panel.use(panel.button("Show 2 new requests"))
    expect(panel.rows).to_have_count(3)
    panel.call("GET", "/v1/pets")
    expect(panel.button("Show 1 new request")).to_be_visible()
    panel.use(panel.button("Resume"))
    expect(panel.rows).to_have_count(4)


@pytest.mark.skipif(FIREFOX, reason="over BiDi, Playwright has no download events")
@both_ways
def test_save_the_request_log_as_har(panel: Panel) -> None:
    panel.call("GET", "/v1/pets?limit=1")
    expect(panel.rows).to_have_count(1)
    with panel.page.expect_download() as download:
        panel.use(panel.button("Save as HAR"))
    har = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))

    assert har["log"]["version"] == "1.2"
    assert [entry["response"]["status"] for entry in har["log"]["entries"]] == [200]


def test_arrow_keys_move_between_rows(panel: Panel) -> None:
    for _ in range(3):
        panel.call("GET", "/v1/pets")
    expect(panel.rows).to_have_count(3)
    panel.way = "keyboard"
    panel.reach(panel.rows.first)
    for key, index in (("ArrowDown", 1), ("End", 2), ("ArrowDown", 2), ("ArrowUp", 1), ("Home", 0)):
        panel.page.keyboard.press(key)
        assert panel.rows.nth(index).evaluate("node => node === document.activeElement"), key


@both_ways
def test_a_row_and_the_open_request_show_their_outcome_when_it_changes(panel: Panel) -> None:
    panel.call("PUT", "/__mockpets/scenario", json_body={"scenario": HELD})
    with Wire(port_of(panel.url)) as wire:
        session = panel.url.rpartition("/~")[2]
        wire.get(f"/~{session}/v1/pets", "Authorization: Bearer mockpets")
        expect(panel.rows.first.locator(".notes")).to_contain_text("pending")
        expect(panel.rows.first.locator(".status")).to_have_text("held")
        panel.use(panel.rows.first)
        entry = panel.page.get_by_role("article")
        expect(entry).to_contain_text(re.compile(r"door, [0-9.]+ m?s so far"))
        expect(entry.get_by_text("pending", exact=True)).to_be_visible()
        wire.reset()
        expect(panel.rows.first.locator(".notes")).to_contain_text("client left")
        expect(panel.rows.first.locator(".notes")).not_to_contain_text("pending")
        expect(entry.get_by_text("client left", exact=True)).to_be_visible()


def test_the_filter_by_outcome_follows_the_outcome(panel: Panel) -> None:
    panel.call("PUT", "/__mockpets/scenario", json_body={"scenario": HELD})
    filters = panel.page.get_by_role("form", name="Filter")
    panel.choose(filters.get_by_label("Outcome"), "sent")
    with Wire(port_of(panel.url)) as wire:
        session = panel.url.rpartition("/~")[2]
        wire.get(f"/~{session}/v1/pets?limit=7", "Authorization: Bearer mockpets")
        panel.call("POST", "/v1/pets", json_body={"name": "Miso", "categoryId": 1})
        expect(panel.rows).to_have_count(1)
        expect(panel.rows.first).to_contain_text("POST")
        panel.choose(filters.get_by_label("Outcome"), "pending")
        expect(panel.rows).to_have_count(1)
        expect(panel.rows.first).to_contain_text("limit=7")
        panel.call("POST", "/__mockpets/gates/door/open")
        assert wire.read().status == 200
        expect(panel.page.get_by_text("No requests match the filter.")).to_be_visible()
        panel.choose(filters.get_by_label("Outcome"), "sent")
        expect(panel.rows).to_have_count(2)


def test_the_filter_has_every_outcome(panel: Panel) -> None:
    values = "options => options.map(option => option.value)"

    assert set(panel.page.locator("#filter-outcome option").evaluate_all(values)) == {
        "",
        *REQUEST_OUTCOMES,
    }
