"""Pets, snapshots, sessions and gates, by mouse and by the keyboard alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.panel import Panel, both_ways

if TYPE_CHECKING:
    from mockpets import MockpetsServer


@both_ways
def test_pets_are_added_changed_and_deleted(panel: Panel) -> None:
    panel.view("Pets")
    rows = panel.page.locator("#pet-rows tr")
    expect(rows).to_have_count(16)
    form = panel.page.get_by_role("form", name="Add a pet")
    panel.write(form.get_by_label("Name"), "Nala")
    panel.choose(form.get_by_label("Status"), "pending")
    panel.use(form.get_by_role("button"))
    expect(form.get_by_role("status")).to_have_text("201: Nala has the id 17.")
    expect(rows).to_have_count(17)

    panel.choose(panel.page.get_by_label("Status of pet 17, Nala"), "sold")
    expect(panel.page.locator("#news")).to_contain_text("Pet 17 is sold now")
    assert panel.call("GET", "/v1/pets/17").json["status"] == "sold"
    panel.use(panel.button("Delete pet 16, Bear"))
    expect(rows).to_have_count(16)
    assert panel.call("GET", "/v1/pets/16").status == 404
    if panel.way == "keyboard":  # the focus is where one goes on
        assert panel.button("Delete pet 17, Nala").evaluate("n => n === document.activeElement")

    panel.use(panel.button("Reset session"))
    expect(panel.button("Delete pet 16, Bear")).to_be_visible()
    expect(panel.button("Delete pet 17, Nala")).to_have_count(0)


@both_ways
def test_the_form_shows_what_the_service_says(panel: Panel) -> None:
    panel.view("Pets")
    form = panel.page.get_by_role("form", name="Add a pet")
    panel.write(form.get_by_label("Category id"), "two")
    panel.use(form.get_by_role("button"))

    expect(form.get_by_role("status")).to_contain_text("400: categoryId must be an integer")
    expect(form.get_by_role("status")).to_contain_text('got "two"')


def test_ids_beyond_what_a_number_holds_stay_exact(panel: Panel) -> None:
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
def test_snapshots(panel: Panel) -> None:
    panel.view("Pets")
    panel.write(panel.page.get_by_role("textbox", name="Name").last, "before")
    panel.use(panel.button("Take"))
    expect(panel.page.locator("#snapshot-rows")).to_contain_text("before 16 pets")
    panel.use(panel.button("Delete pet 1, Buster"))
    expect(panel.page.locator("#pet-rows tr")).to_have_count(15)

    panel.use(panel.button("Restore before"))
    expect(panel.page.locator("#pet-rows tr")).to_have_count(16)
    panel.use(panel.button("Delete snapshot before"))
    expect(panel.page.locator("#snapshot-rows li")).to_have_count(0)


def test_more_pets_are_shown_when_asked_for(panel: Panel) -> None:
    panel.pick("crowded").click()
    panel.view("Pets")
    rows = panel.page.locator("#pet-rows tr")
    expect(rows).to_have_count(100)
    expect(
        panel.page.get_by_text("5,000 pets with crowded; the first 100 are shown.")
    ).to_be_visible()
    panel.button("Show more").click()

    expect(rows).to_have_count(200)


# --- Sessions, gates --------------------------------------------------------------------------


@both_ways
def test_sessions_are_made_picked_and_dropped(panel: Panel, server: MockpetsServer) -> None:
    panel.allow_paste()
    name = f"made-by-{panel.way}"
    panel.view("Sessions")
    panel.write(panel.page.get_by_role("textbox", name="Name"), name)
    panel.choose(panel.page.get_by_role("combobox", name="Scenario"), "empty")
    panel.use(panel.button("Make a session"))
    card = panel.page.locator(f"li[data-key='{name}']")
    expect(card).to_contain_text("empty; 0 pets")
    for label, text in (
        ("base url", f"{server.url}/~{name}/v1"),
        ("header", f"Mockpets-Session: {name}"),
        ("key", f"mockpets~{name}"),
    ):
        copy = panel.button(f"Copy the {label} of {name}")
        panel.use(copy)
        expect(copy).to_have_text("Copied")
        assert panel.paste() == text

    panel.use(card.get_by_role("link", name=f"Open the panel of {name}"))
    expect(panel.page.get_by_role("link", name=name, exact=True)).to_be_visible()
    expect(panel.active).to_have_text(["empty"])
    panel.page.go_back()
    panel.view("Sessions")
    panel.use(panel.button(f"Drop {name}"))
    expect(card).to_have_count(0)


def test_a_name_that_is_none_is_refused_in_words(panel: Panel) -> None:
    panel.view("Sessions")
    panel.write(panel.page.get_by_role("textbox", name="Name"), "no spaces, please")
    panel.button("Make a session").click()

    expect(panel.page.get_by_role("alert").locator(".notice")).to_contain_text("session")


@both_ways
def test_what_is_held_is_released(panel: Panel) -> None:
    panel.view("Gates")
    expect(panel.page.get_by_text("Nothing is held now.")).to_be_visible()
    panel.use(panel.pick("held"))
    expect(panel.active).to_have_text(["held"])
    panel.page.evaluate(
        """() => {
            const headers = {Authorization: "Bearer mockpets", "Content-Type": "application/json"};
            const body = '{"name": "Miso", "categoryId": 2}';
            window.came = fetch("../v1/pets", {method: "POST", headers, body})
                .then((answer) => answer.status);
        }"""
    )
    expect(panel.page.get_by_text("checkout holds 1 answer")).to_be_visible()
    panel.use(panel.button("Release checkout"))

    assert panel.page.evaluate("window.came") == 201
    expect(panel.page.get_by_text("Nothing is held now.")).to_be_visible()
