"""The sessions: create, open, copy, select, delete and undo, with mouse and keyboard."""

from uuid import uuid4

from playwright.sync_api import Locator, Route, expect

from tests.browser.panel import Panel, by_keyboard


def row(panel: Panel, name: str) -> Locator:
    return panel.page.locator("table tbody tr").filter(
        has=panel.page.get_by_role("link", name=name, exact=True)
    )


def create(panel: Panel, *, requests: int = 0) -> str:
    """Create a session without the panel, and return its name."""
    name = f"made-{uuid4().hex[:12]}"
    panel.call("PUT", f"/__mockpets/sessions/{name}")
    root = panel.url.rpartition("/~")[0]
    for _ in range(requests):
        Panel(panel.page, f"{root}/~{name}", "mouse").call("GET", "/v1/pets?limit=1")
    return name


@by_keyboard
def test_create_copy_open_and_delete_a_session(panel: Panel) -> None:
    panel.allow_paste()
    name = f"created-by-{panel.way}"
    panel.view("Sessions")
    panel.use(panel.button("New session"))
    form = panel.page.get_by_role("form", name="New session")
    expect(form.get_by_role("textbox", name="Name")).to_be_focused()
    panel.write(form.get_by_role("textbox", name="Name"), name)
    panel.choose(form.get_by_role("combobox", name="Scenario"), "empty")
    panel.use(form.get_by_role("button", name="Create session"))
    expect(row(panel, name)).to_contain_text("empty")
    expect(form).to_have_count(0)
    row(panel, name).hover()
    panel.use(panel.button(f"Copy URL, header, key or link of {name}"))
    panel.wait_for_copy(panel.page.get_by_role("menuitem", name="Copy link").click)
    assert panel.paste() == f"?mockpets={name}%2Bempty"

    panel.use(row(panel, name).get_by_role("link"))
    expect(panel.page.locator("#session")).to_have_text(name)
    expect(panel.active).to_have_text(["empty"])
    expect(row(panel, name)).to_contain_text("current")
    panel.page.go_back()
    row(panel, name).hover()
    panel.use(panel.button(f"Delete session {name}"))
    expect(row(panel, name)).to_have_count(0)


@by_keyboard
def test_delete_the_selected_sessions_and_undo(panel: Panel) -> None:
    names = [create(panel, requests=1), create(panel)]
    panel.call("GET", "/v1/pets?limit=0")  # creates the session
    panel.view("Sessions")
    current = panel.url.rpartition("/~")[2]
    for name in ("default", current):
        expect(panel.page.get_by_role("checkbox", name=f"Select {name}")).to_be_disabled()
    counts = row(panel, current).locator("td.number")
    expect(counts).to_have_text(["16", "1", "1", "0"])  # pets, requests, failed, held
    search = panel.page.get_by_role("searchbox", name="Filter sessions")
    expect(row(panel, names[0])).to_contain_text("GET /v1/pets?limit=1")
    panel.write(search, names[0])
    expect(panel.page.locator("table tbody tr")).to_have_count(1)
    panel.write(search, "")
    for name in names:
        panel.use(panel.page.get_by_role("checkbox", name=f"Select {name}"), "Space")
    expect(panel.page.get_by_text("2 selected")).to_be_visible()
    panel.use(panel.button("Delete"))
    for name in names:
        expect(row(panel, name)).to_have_count(0)

    toast = panel.page.locator(".toast").filter(has_text="Deleted 2 sessions and 1 request.")
    panel.use(toast.get_by_role("button", name="Undo"))
    expect(row(panel, names[0]).locator("td").nth(3)).to_have_text("1")
    expect(row(panel, names[1])).to_be_visible()


def test_idle_sessions_are_dropped_but_not_those_that_hold_a_response(panel: Panel) -> None:
    idle, busy, held = (create(panel) for _ in range(3))
    seconds = {idle: 601.0, held: 3600.0}

    def old(route: Route) -> None:
        document = route.fetch().json()
        for each in document["sessions"]:
            each["idle_seconds"] = seconds.get(each["name"], 1.0)
            each["held"] = int(each["name"] == held)
        route.fulfill(json=document)

    panel.page.route("**/__mockpets/sessions", old)
    panel.view("Sessions")
    expect(row(panel, idle)).to_contain_text("10 min")
    panel.button("Delete 1 idle").click()
    expect(row(panel, idle)).to_have_count(0)
    expect(row(panel, busy)).to_be_visible()
    expect(row(panel, held)).to_be_visible()
