"""Page object of the panel, used with the mouse or with the keyboard only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browsers import FIREFOX
from tests.http_client import Client, OverSocket

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.http_client import Response

both_ways = pytest.mark.parametrize("panel", ["mouse", "keyboard"], indirect=True)
"""Run a test of a user action with the mouse and with the keyboard."""

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
        for _ in range(5):  # rows that arrive in between add tab stops on the way
            steps = target.evaluate(STEPS)
            key = "Tab" if steps >= 0 else "Shift+Tab"
            for _ in range(abs(steps) - 3):
                self.page.keyboard.press(key)
            for _ in range(7):
                if target.evaluate("node => node === document.activeElement"):
                    assert target.evaluate("node => getComputedStyle(node).outlineStyle") != "none"
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
        self.use(self.page.get_by_role("navigation").get_by_role("link", name=name))
        expect(self.page.get_by_role("heading", name=name, exact=True)).to_be_visible()

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

    def scenario(self, name: str) -> Locator:
        """Return the row of a scenario."""
        return self.page.locator("#scenario-groups li[data-key]").filter(
            has=self.page.locator(f".name:text-is('{name}')")
        )

    def pick(self, name: str) -> Locator:
        """Return the button that activates a scenario."""
        return self.scenario(name).locator(".pick")

    @property
    def active(self) -> Locator:
        return self.page.locator("#active li b")

    @property
    def rows(self) -> Locator:
        return self.page.locator("#request-list button")

    # --- Requests to the server ---

    def call(self, method: str, path: str, **more: object) -> Response:
        """Send a request in the panel's session, not through the page."""
        root, _, session = self.url.rpartition("/~")
        caller = Client(OverSocket(root or self.url))
        prefix = f"/~{session}" if root else ""
        return caller(method, prefix + path, **more)  # type: ignore[arg-type]  # passed through
