"""The request log: open, copy, resend, filter, clear, pause, release and save."""

import json
import re
import subprocess
from collections.abc import Callable
from typing import get_args
from urllib.parse import quote

import pytest
import yaml
from playwright.sync_api import Locator, expect

from mockpets.constants import REQUEST_OUTCOMES, NoteCode
from tests.browser.panel import Panel, by_keyboard
from tests.browsers import FIREFOX
from tests.programs import need
from tests.server.raw_http import Wire, port_of

HELD = {
    "description": "Pages of pets are held.",
    "stubs": [{"name": "wait", "match": {"operation": "listPets"}, "hold": "door"}],
}
FOCUSED = "node => node === document.activeElement"


def filter_field(panel: Panel) -> Locator:
    return panel.page.get_by_role("combobox", name="Filter")


def open_row(panel: Panel, number: int) -> None:
    """Open a request with the arrow keys and Enter; the first is number 1."""
    panel.reach(panel.page.locator(".row.request[tabindex='0']"))
    panel.page.keyboard.press("Home")
    for before in range(1, number):
        expect(panel.row(before)).to_be_focused()
        panel.page.keyboard.press("ArrowDown")
    expect(panel.row(number)).to_be_focused()
    panel.page.keyboard.press("Enter")
    expect(panel.entry).to_have_attribute("aria-label", f"Request {number}")


def hold(panel: Panel, wires: list[Wire], count: int) -> None:
    """Send requests whose responses are held."""
    panel.call("PUT", "/__mockpets/scenario", json_body={"scenario": HELD})
    session = panel.url.rpartition("/~")[2]
    for number in range(count):
        wires.append(Wire(port_of(panel.url)))
        key = "Authorization: Bearer mockpets"
        wires[-1].get(f"/~{session}/v1/pets?limit={number + 1}", key)
        expect(panel.rows).to_have_count(number + 1)  # so that the numbers are in this order


@pytest.mark.tool  # curl
@by_keyboard
def test_open_copy_and_resend_a_request(panel: Panel) -> None:
    panel.allow_paste()
    query = "ids[]=1&ids[]=2&filter={a,b}&range=[1-3]"  # without -g, curl would send each of them
    body = {"name": 'O\'Hara "日本"', "categoryId": 2}
    panel.call("POST", f"/v1/pets?{query}", json_body=body)
    open_row(panel, 1)
    expect(panel.entry.get_by_role("region", name="response", exact=True)).to_contain_text(
        "location"
    )
    panel.use(panel.page.get_by_role("tab", name="Response"))
    panel.page.keyboard.press("ArrowRight")
    expect(panel.entry.get_by_role("region", name="request", exact=True)).to_contain_text(
        "[redacted]"
    )

    panel.menu("Copy", "curl")
    expect(panel.page.locator("#news")).to_contain_text("Copied")
    command = panel.paste()
    need("curl")
    output = subprocess.run(
        [need("bash"), "-c", command], capture_output=True, text=True, timeout=20, check=True
    ).stdout
    assert "201" in output.splitlines()[0]
    assert panel.call("GET", "/__mockpets/requests/2").json["target"].endswith(f"?{query}")
    assert json.loads(output.splitlines()[-1])["name"] == 'O\'Hara "日本"'

    panel.use(panel.button("Resend"))
    expect(panel.page.locator(".toast")).to_contain_text("Resent as request 3: 201.")
    expect(panel.rows).to_have_count(3)
    panel.page.keyboard.press("Escape")
    expect(panel.entry).to_be_hidden()
    assert panel.row(1).evaluate(FOCUSED)


def test_a_request_is_copied_as_fetch_test_verify_and_stub(panel: Panel) -> None:
    panel.allow_paste()
    panel.call("POST", "/v1/pets", json_body={"name": "Miso", "categoryId": 2})
    panel.rows.first.click()
    copied = {}
    for name in ("fetch", "Playwright test", "mockpets verify", "Stub as YAML"):
        panel.wait_for_copy(lambda: panel.menu("Copy", name))  # noqa: B023  # called at once
        copied[name] = panel.paste()

    status = panel.page.evaluate(f"(async () => ({copied['fetch'][6:-1]}))()".replace("await ", ""))
    assert status is not None
    assert panel.call("GET", "/__mockpets/requests").json["total"] == 2
    assert 'await mock.verify({"operation":"createPet"});' in copied["Playwright test"]
    assert "--operation createPet --status 201" in copied["mockpets verify"]
    [stub] = yaml.safe_load(copied["Stub as YAML"])["stubs"]
    assert (stub["match"], stub["reply"]["status"]) == ({"operation": "createPet"}, 201)
    panel.call("PUT", "/__mockpets/sessions/default", json_body={})


@by_keyboard
def test_respond_like_a_request_and_undo_it(panel: Panel) -> None:
    panel.call("GET", "/v1/pets/2")
    panel.rows.first.click()
    panel.menu("Respond like this", "404")
    toast = panel.page.get_by_text(
        "Added a stub that responds to requests like 1. It matches 1 request in the log."
    )
    expect(toast).to_be_visible()

    assert panel.call("GET", "/v1/pets/2").status == 404
    assert panel.call("GET", "/v1/pets/3").status == 200
    panel.page.get_by_role("button", name="Undo").click()
    expect(toast).to_be_hidden()
    assert panel.call("GET", "/v1/pets/2").status == 200


@by_keyboard
def test_filter_by_token_and_find_it_again_after_a_reload(panel: Panel) -> None:
    panel.call("GET", "/v1/pets")
    panel.call("GET", "/v1/pets", key=None)
    panel.call("GET", "/v1/nothing")
    expect(panel.rows).to_have_count(3)
    panel.page.keyboard.press("/")
    assert filter_field(panel).evaluate(FOCUSED)
    assert filter_field(panel).get_attribute("spellcheck") == "false"
    panel.page.keyboard.type("status:401 ")

    expect(panel.rows).to_have_count(1)
    panel.call("GET", "/v1/pets")
    panel.call("GET", "/v1/pets", key=None)
    expect(panel.rows).to_have_count(2)
    panel.page.reload()
    expect(panel.rows).to_have_count(2)
    expect(panel.page.locator(".chip.token")).to_have_text("status:401")
    panel.use(filter_field(panel))
    panel.page.keyboard.press("Backspace")
    panel.write(filter_field(panel), "")
    expect(panel.rows).to_have_count(5)
    panel.write(filter_field(panel), "nothing")
    expect(panel.rows).to_have_count(1)
    panel.write(filter_field(panel), "no such text")
    expect(panel.page.get_by_text("No requests match the filter.")).to_be_visible()
    panel.use(panel.button("Clear the filter"))
    expect(panel.rows).to_have_count(5)
    panel.reach(panel.page.locator("[role=toolbar] [tabindex='0']"))
    for _ in range(3):
        panel.page.keyboard.press("ArrowRight")
    panel.page.keyboard.press("Enter")
    expect(panel.rows).to_have_count(1)
    expect(panel.rows).to_contain_text("unmatched")


def test_every_token_filters_and_is_suggested(panel: Panel) -> None:
    panel.call("GET", "/v1/pets?limit=7")
    panel.call("POST", "/v1/pets", json_body={"name": "Miso", "categoryId": 2})
    panel.call("GET", "/v1/pets/3")
    panel.call("GET", "/v1/pets?limit=x", key=None)
    expect(panel.rows).to_have_count(4)
    for text, numbers in (
        ("method:post", [2]),
        ("path:/v1/pets/*", [3]),
        ("note:key_missing", [4]),
        ("body:miso", [2]),
        ("operation:getPet", [3]),
        ('"limit=7"', [1]),
        ("status:2xx method:GET", [1, 3]),
        ("session:no-such-session", []),
        ("nokey:x", []),
        ("body:(*+[", []),
    ):
        hash_ = f"#requests?filter={quote(text)}"
        panel.page.evaluate("hash => { location.hash = hash; }", hash_)
        expect(panel.rows).to_have_count(len(numbers))
        keys = panel.rows.evaluate_all("rows => rows.map(row => Number(row.dataset.key)).sort()")
        assert keys == numbers, text
    panel.page.evaluate("location.hash = '#requests'")
    for key, values in (("note", get_args(NoteCode)), ("outcome", REQUEST_OUTCOMES)):
        panel.write(filter_field(panel), f"{key}:")
        names = panel.page.locator("#filter-options .name")
        expect(names).to_have_count(len(values))
        assert set(names.all_text_contents()) == {f"{key}:{value}" for value in values}


def test_requests_of_all_sessions(panel: Panel, visit: Callable[..., Panel]) -> None:
    name = panel.url.rpartition("/~")[2] + "-other"
    other = visit(panel.url + "-other")
    other.call("GET", "/v1/pets?limit=3")
    panel.call("GET", "/v1/pets?limit=4")
    panel.write(filter_field(panel), f"session:{panel.url.rpartition('/~')[2]}* ")

    expect(panel.rows).to_have_count(2)
    expect(panel.rows.locator(".c-session").first).to_be_visible()
    panel.row(f"1@{name}").click()
    expect(panel.entry).to_contain_text("limit=3")
    other.call("GET", "/v1/pets?limit=5")
    expect(panel.rows).to_have_count(3)


@by_keyboard
def test_save_clear_and_undo(panel: Panel) -> None:
    panel.call("GET", "/v1/pets")
    expect(panel.rows).to_have_count(1)
    if not FIREFOX:  # over BiDi, Playwright has no download events
        with panel.page.expect_download() as download:
            panel.menu("Menu", "Save requests as HAR")
        har = json.loads(download.value.path().read_text(encoding="utf-8"))
        assert [entry["response"]["status"] for entry in har["log"]["entries"]] == [200]
    panel.page.keyboard.press("x")
    expect(panel.page.get_by_text("No requests yet.")).to_be_visible()
    assert panel.call("GET", "/__mockpets/requests").json["total"] == 0
    panel.use(panel.page.get_by_role("button", name="Undo"))
    expect(panel.rows).to_have_count(1)


@by_keyboard
def test_pause_and_resume_the_list(panel: Panel) -> None:
    panel.call("GET", "/v1/pets")
    expect(panel.rows).to_have_count(1)
    panel.button("Pause").click()
    panel.call("GET", "/v1/pets")
    panel.call("GET", "/v1/pets")

    expect(panel.button("2 new requests")).to_be_visible()
    expect(panel.rows).to_have_count(1)
    panel.use(panel.button("2 new requests"))
    expect(panel.rows).to_have_count(3)
    panel.call("GET", "/v1/pets")
    expect(panel.button("1 new request")).to_be_visible()
    panel.button("Resume").click()
    expect(panel.rows).to_have_count(4)


def test_keys_move_between_rows_and_keep_the_sheet(panel: Panel) -> None:
    for _ in range(3):
        panel.call("GET", "/v1/pets")
    expect(panel.rows).to_have_count(3)
    for key, number in (("k", 3), ("k", 2), ("k", 1), ("j", 2)):
        panel.page.keyboard.press(key)
        expect(panel.row(number)).to_be_focused()
    for key, number in (("Home", 1), ("ArrowDown", 2), ("End", 3), ("ArrowDown", 3)):
        panel.page.keyboard.press(key)
        expect(panel.row(number)).to_be_focused()
    panel.page.keyboard.press("Enter")
    expect(panel.entry).to_have_attribute("aria-label", "Request 3")
    panel.button("Resend").focus()
    panel.page.keyboard.press("k")
    expect(panel.entry).to_have_attribute("aria-label", "Request 2")
    expect(panel.button("Resend")).to_be_focused()
    panel.use(panel.button("Next request"))
    expect(panel.entry).to_have_attribute("aria-label", "Request 3")
    assert panel.page.url.endswith("#requests/3")


# --- Held responses ---------------------------------------------------------------------------


@by_keyboard
def test_release_one_of_three_held_responses(panel: Panel) -> None:
    wires: list[Wire] = []
    try:
        hold(panel, wires, 3)
        expect(panel.row(2).locator(".status")).to_have_text("held 200")
        expect(panel.row(2).locator(".sent-after")).to_have_text(re.compile(r"^\d+\.\d s$"))
        expect(panel.page.get_by_role("button", name="Held")).to_contain_text("3")
        expect(panel.button("Release 3")).to_be_visible()
        open_row(panel, 2)
        panel.use(panel.button("Release"))
        assert wires[1].read().status == 200
        expect(panel.row(2).locator(".status")).to_have_text("200")
        expect(panel.row(1).locator(".status")).to_have_text("held 200")
        expect(panel.button("Release 2")).to_be_visible()
        panel.page.keyboard.press("Control+k")
        panel.page.keyboard.type("release all")
        panel.page.keyboard.press("Enter")
        for wire in (wires[0], wires[2]):
            assert wire.read().status == 200
        expect(panel.button("Release request 1")).to_have_count(0)
    finally:
        for wire in wires:
            wire.close()


@by_keyboard
def test_release_with_another_response(panel: Panel) -> None:
    wires: list[Wire] = []
    try:
        hold(panel, wires, 2)
        open_row(panel, 1)
        expect(panel.entry).to_contain_text("Will be sent 200")
        expect(panel.entry).to_contain_text(re.compile(r"Held at door \d+\.\d s"))
        expect(panel.button("Release 2 at door")).to_be_visible()
        panel.menu("Release with", "401")
        assert wires[0].read().status == 401
        expect(panel.row(1).locator(".status")).to_have_text("401")
        expect(panel.entry.locator(".notes")).to_contain_text("released with status 401")
        expect(panel.entry).not_to_contain_text("Will be sent")
        panel.use(panel.button("Next request"))
        panel.menu("Release with", "Broken connection")
        expect(panel.row(2).locator(".status")).to_contain_text("cut")
    finally:
        for wire in wires:
            wire.close()


def test_a_client_that_leaves_a_held_response_changes_its_outcome(panel: Panel) -> None:
    wires: list[Wire] = []
    hold(panel, wires, 1)
    panel.write(filter_field(panel), "outcome:pending ")
    panel.rows.first.click()
    expect(panel.entry).to_contain_text("Held at door")
    wires[0].reset()
    expect(panel.entry).to_contain_text("The client left after")
    expect(panel.entry).to_contain_text("while the response was held at door")
    expect(panel.page.get_by_text("No requests match the filter.")).to_be_visible()


def test_a_sheet_over_the_list_leads_back_to_its_row(panel: Panel) -> None:
    panel.page.set_viewport_size({"width": 768, "height": 844})
    for _ in range(3):
        panel.call("GET", "/v1/pets")
    panel.row(2).locator(".c-status").click()
    expect(panel.entry).to_be_visible()
    assert panel.entry.bounding_box() == panel.page.locator("main").bounding_box()
    panel.page.keyboard.press("j")
    expect(panel.entry).to_have_attribute("aria-label", "Request 3")
    panel.button("Back").click()
    expect(panel.entry).to_have_count(0)
    expect(panel.row(3)).to_be_focused()
