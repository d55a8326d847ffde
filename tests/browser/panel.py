"""Page object of the panel, used with the mouse or with the keyboard only."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browsers import FIREFOX
from tests.http_client import Client, OverSocket, Response

by_keyboard = pytest.mark.parametrize("panel", ["keyboard"], indirect=True)
"""Use the panel with the keyboard only; without this mark, a test uses the mouse."""

STEPS = """
(target) => {
  const kinds = "a[href], button, input, select, textarea, summary, [tabindex]";
  const stops = [...document.querySelectorAll(kinds)]
    .filter((node) => node.tabIndex >= 0 && !node.disabled
      && node.checkVisibility() && (node.type !== "radio" || node.checked));
  const here = document.activeElement;
  const before = (node) => here.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_PRECEDING;
  return stops.indexOf(target) - stops.findLastIndex((node) => node === here || before(node));
}
"""
"""The approximate number of tab stops from the focus to a control; negative means backwards."""

RING = """
(node) => [node, node.closest(".field, .picker-field")]
  .some((each) => each && getComputedStyle(each).outlineStyle !== "none")
"""
"""Whether a control has a focus ring, or the field around it."""

REPORTS = """
for (const kind of ["error", "unhandledrejection"])
  addEventListener(kind, ({message, reason}) =>
    console.error(`script report: ${message ?? reason}`));
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy report: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""


class Panel:
    """An open page.

    :param url: URL of its session, without a path.
    :param way: ``mouse`` or ``keyboard``.
    """

    def __init__(self, page: Page, url: str, way: str) -> None:
        self.page, self.url, self.way = page, url, way
        self.problems: list[str] = []
        """Script errors, violations of the content security policy, and dialogs."""
        # Not by `pageerror`: in Firefox it also reports messages of the browser itself.
        page.on(
            "console",
            lambda message: (
                self.problems.append(message.text) if " report: " in message.text else None
            ),
        )
        page.on("dialog", lambda dialog: self.problems.append(f"dialog: {dialog.message}"))
        page.add_init_script(REPORTS)

    # --- Actions ---

    def use(self, target: Locator, key: str = "Enter") -> None:
        """Activate a control with a click or a key."""
        if self.way == "mouse":
            target.click()
        else:
            self.reach(target)
            self.page.keyboard.press(key)

    def reach(self, target: Locator) -> None:
        """Focus a control with the Tab key and check that the focus is visible."""
        expect(target).to_be_visible()
        if self.page.evaluate("document.activeElement === document.body"):
            self.page.keyboard.press("Tab")  # from where a removed control had the focus
        for _ in range(5):  # rows that arrive in between add tab stops on the way
            steps = target.evaluate(STEPS)
            key = "Tab" if steps >= 0 else "Shift+Tab"
            for _ in range(abs(steps) - 3):
                self.page.keyboard.press(key)
            for _ in range(7):
                if target.evaluate("node => node === document.activeElement"):
                    assert target.evaluate(RING), target
                    return
                self.page.keyboard.press(key)
        raise AssertionError(f"{key} does not reach {target}")

    def write(self, target: Locator, text: str) -> None:
        """Replace the text of a field."""
        if self.way == "mouse":
            target.click()
        else:
            self.reach(target)
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(text) if text else self.page.keyboard.press("Delete")

    def write_nested(self, folded: Locator, text: str) -> None:
        """Replace a nested value, which opens as JSON."""
        self.use(folded)
        dialog = self.page.get_by_role("dialog")
        self.write(dialog.get_by_role("textbox", name="JSON"), text)
        self.use(dialog.get_by_role("button", name="Save"))

    def choose(self, target: Locator, label: str) -> None:
        """Choose an option of a select; its pop-up belongs to the browser, not to the page."""
        if self.way == "mouse":
            target.select_option(label=label)
        else:
            self.reach(target)
            self.page.keyboard.type(label)
        expect(target.locator("option:checked")).to_have_text(label)

    def view(self, name: str) -> None:
        """Open one of the views."""
        views = self.page.get_by_role("navigation", name="Views")
        self.use(views.get_by_role("link", name=name))
        expect(self.page.get_by_role("heading", name=name, exact=True, level=1)).to_be_attached()

    def activate(self, name: str, *, stack: bool = False) -> None:
        """Activate a scenario with the palette: only this one, or on top of the active ones."""
        self.page.keyboard.press("Control+k")
        self.page.get_by_role("combobox", name="Search scenarios").fill(name)
        option = self.page.get_by_role("option", name=name).first
        expect(option).to_have_attribute("aria-selected", "true")
        if self.way == "mouse" and not stack:
            option.click()
        else:
            self.page.keyboard.press("Control+Enter" if stack else "Enter")
        expect(self.active.filter(has_text=name)).to_be_visible()

    def menu(self, menu: str, item: str) -> None:
        """Choose an item of a menu."""
        self.use(self.button(menu))
        entry = self.page.get_by_role("menu").get_by_text(item, exact=True)
        if self.way == "mouse":
            entry.click()
            return
        items = self.page.locator("[role^=menuitem]")
        names = [name.strip() for name in items.locator(".name").all_text_contents()]
        for _ in range(names.index(item)):
            self.page.keyboard.press("ArrowDown")
        self.page.keyboard.press("Enter")

    def wait_for_copy(self, action: Callable[[], object]) -> None:
        """Do something and wait until the page announces that it has copied a text."""
        before = self.page.locator("#news").text_content()
        action()
        changed = "before => { const now = document.querySelector('#news').textContent; "
        changed += "return now !== before && now.startsWith('Copied'); }"
        self.page.wait_for_function(changed, arg=before)

    def allow_paste(self) -> None:
        """Let the page use the clipboard; Firefox needs no permission."""
        if not FIREFOX:
            self.page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    def paste(self) -> str:
        """Return the text on the clipboard."""
        self.page.evaluate(
            """() => {
                const area = document.createElement("textarea");
                area.id = "paste";
                document.body.append(area);
                area.focus();
            }"""
        )
        self.page.keyboard.press("Control+v")
        pasted = self.page.locator("#paste").input_value()
        self.page.evaluate("document.getElementById('paste').remove()")
        return pasted

    # --- Locators ---

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    @property
    def active(self) -> Locator:
        """The names of the active scenarios."""
        return self.page.locator("#active .chip-name .name")

    @property
    def rows(self) -> Locator:
        """The requests in view, and those just outside it."""
        return self.page.locator(".row.request")

    def row(self, number: int | str) -> Locator:
        """Return the row of a request."""
        return self.page.locator(f".row.request[data-key='{number}']")

    @property
    def entry(self) -> Locator:
        """The sheet of the open request."""
        return self.page.locator("#entry")

    # --- Requests to the server ---

    def call(self, method: str, path: str, **more: object) -> Response:
        """Send a request in the panel's session, not through the page."""
        root, _, session = self.url.rpartition("/~")
        caller = Client(OverSocket(root or self.url))
        prefix = f"/~{session}" if root else ""
        return caller(method, prefix + path, **more)  # type: ignore[arg-type]  # passed through
