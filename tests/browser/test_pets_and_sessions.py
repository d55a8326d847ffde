"""Pets, snapshots, sessions and gates, with the mouse and with the keyboard only."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.panel import Panel, both_ways

if TYPE_CHECKING:
    from mockpets import MockpetsServer


@both_ways
def test_add_change_and_delete_pets(panel: Panel) -> None:
    panel.view("Pets")
    rows = panel.page.locator("#pet-rows tr")
    expect(rows).to_have_count(16)
    form = panel.page.get_by_role("form", name="Add a pet")
    panel.write(form.get_by_label("Name"), "Nala")
    panel.choose(form.get_by_label("Status"), "pending")
    panel.use(form.get_by_role("button"))
    expect(form.get_by_role("status")).to_have_text("201: Added Nala with id 17.")
    expect(rows).to_have_count(17)

    panel.choose(panel.page.get_by_label("Status of pet 17, Nala"), "sold")
    expect(panel.page.locator("#news")).to_contain_text("Pet 17 is now sold")
    assert panel.call("GET", "/v1/pets/17").json["status"] == "sold"
    panel.use(panel.button("Delete pet 16, Bear"))
    expect(rows).to_have_count(16)
    assert panel.call("GET", "/v1/pets/16").status == 404
    if panel.way == "keyboard":  # the focus moves to the next pet
        assert panel.button("Delete pet 17, Nala").evaluate("n => n === document.activeElement")

    panel.use(panel.button("Reset session"))
    expect(panel.button("Delete pet 16, Bear")).to_be_visible()
    expect(panel.button("Delete pet 17, Nala")).to_have_count(0)


@both_ways
def test_the_form_shows_the_error_message(panel: Panel) -> None:
    panel.view("Pets")
    form = panel.page.get_by_role("form", name="Add a pet")
    panel.write(form.get_by_label("Category id"), "two")
    panel.use(form.get_by_role("button"))

    expect(form.get_by_role("status")).to_contain_text("400: categoryId must be an integer")
    expect(form.get_by_role("status")).to_contain_text('got "two"')


def test_ids_beyond_safe_integers_stay_exact(panel: Panel) -> None:
    panel.pick("big-ids").click()
    panel.view("Pets")
    first = panel.call("GET", "/v1/pets?limit=1").body.decode()
    number = re.findall(r'"id":(\d+)', first)[0]
    assert int(number) > 2**53
    row = panel.page.locator("#pet-rows tr").first
    expect(row.locator("td").first).to_have_text(number)
    row.get_by_role("button").click()

    expect(panel.page.locator(f"#pet-rows tr[data-key='{number}']")).to_have_count(0)
    assert panel.call("GET", f"/v1/pets/{number}").status == 404


@both_ways
def test_save_restore_and_delete_a_snapshot(panel: Panel) -> None:
    panel.view("Pets")
    panel.write(panel.page.get_by_role("textbox", name="Name").last, "before")
    panel.use(panel.button("Save"))
    expect(panel.page.locator("#snapshot-rows")).to_contain_text("before 16 pets")
    panel.use(panel.button("Delete pet 1, Buster"))
    expect(panel.page.locator("#pet-rows tr")).to_have_count(15)

    panel.use(panel.button("Restore snapshot before"))
    expect(panel.page.locator("#pet-rows tr")).to_have_count(16)
    panel.use(panel.button("Delete snapshot before"))
    expect(panel.page.locator("#snapshot-rows li")).to_have_count(0)


def test_show_more_pets(panel: Panel) -> None:
    panel.pick("crowded").click()
    panel.view("Pets")
    rows = panel.page.locator("#pet-rows tr")
    expect(rows).to_have_count(100)
    summary = "5,000 pets (crowded), showing the first 100."
    expect(panel.page.get_by_text(summary)).to_be_visible()
    panel.button("Show more").click()

    expect(rows).to_have_count(200)


# --- Sessions, gates --------------------------------------------------------------------------


@both_ways
def test_create_open_and_delete_a_session(panel: Panel, server: MockpetsServer) -> None:
    panel.allow_paste()
    name = f"created-by-{panel.way}"
    panel.view("Sessions")
    panel.write(panel.page.get_by_role("textbox", name="Name"), name)
    panel.choose(panel.page.get_by_role("combobox", name="Scenario"), "empty")
    panel.use(panel.button("Create session"))
    card = panel.page.locator(f"li[data-key='{name}']")
    expect(card).to_contain_text("empty; 0 pets")
    for label, text in (
        ("base URL", f"{server.url}/~{name}/v1"),
        ("header", f"Mockpets-Session: {name}"),
        ("key", f"mockpets~{name}"),
    ):
        copy = panel.button(f"Copy {label} of {name}")
        panel.use(copy)
        expect(copy).to_have_text("Copied")
        assert panel.paste() == text

    panel.use(card.get_by_role("link", name=f"Open panel of {name}"))
    expect(panel.page.get_by_role("link", name=name, exact=True)).to_be_visible()
    expect(panel.active).to_have_text(["empty"])
    panel.page.go_back()
    panel.view("Sessions")
    panel.use(panel.button(f"Delete session {name}"))
    expect(card).to_have_count(0)


def test_an_invalid_session_name_shows_the_error(panel: Panel) -> None:
    panel.view("Sessions")
    panel.write(panel.page.get_by_role("textbox", name="Name"), "no spaces, please")
    panel.button("Create session").click()

    expect(panel.page.get_by_role("alert").locator(".notice")).to_contain_text("session")


@both_ways
def test_release_held_responses(panel: Panel) -> None:
    panel.view("Gates")
    expect(panel.page.get_by_text("No held responses.")).to_be_visible()
    panel.use(panel.pick("held"))
    expect(panel.active).to_have_text(["held"])
    panel.page.evaluate(
        """() => {
            const headers = {Authorization: "Bearer mockpets", "Content-Type": "application/json"};
            const body = '{"name": "Miso", "categoryId": 2}';
            window.pending = fetch("../v1/pets", {method: "POST", headers, body})
                .then((response) => response.status);
        }"""
    )
    release = panel.button("Release 1 held response at checkout")
    expect(release).to_have_text("Release 1 held response")
    panel.use(release)

    assert panel.page.evaluate("window.pending") == 201
    expect(panel.page.get_by_text("No held responses.")).to_be_visible()
