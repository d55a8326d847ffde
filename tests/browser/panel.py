"""A page of the panel as a person uses it: with the mouse, or with the keyboard alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.doors import Caller, Socket

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.doors import Answer

FIREFOX = os.environ.get("TEST_BROWSER") == "firefox"

both_ways = pytest.mark.parametrize("panel", ["mouse", "keyboard"], indirect=True)
"""For a test of something that a person does."""

STEPS = """
(target) => {
  const kinds = "a[href], button, input, select, textarea, summary, [tabindex]";
  const places = [...document.querySelectorAll(kinds)]
    .filter((node) => node.tabIndex >= 0 && !node.disabled
      && node.checkVisibility() && (node.type !== "radio" || node.checked));
  const here = document.activeElement;
  const before = (node) => here.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_PRECEDING;
  return places.indexOf(target) - places.findLastIndex((node) => node === here || before(node));
}
"""
"""About how many places for the focus lie between it and a control; negative is backwards."""

REPORTS = """
for (const kind of ["error", "unhandledrejection"])
  addEventListener(kind, ({message, reason}) =>
    console.error(`script report: ${message ?? reason}`));
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy report: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""


class Panel:
    """One page.

    :param url: of the session it is opened in, without a path.
    :param way: ``mouse`` or ``keyboard``.
    """

    def __init__(self, page: Page, url: str, way: str) -> None:
        self.page, self.url, self.way = page, url, way
        self.flaws: list[str] = []
        """What a script of the page did wrong, and what its policy had to stop."""
        # Not by `pageerror`, which in Firefox also tells what the browser itself has to say.
        page.on(
            "console",
            lambda said: self.flaws.append(said.text) if " report: " in said.text else None,
        )
        page.on("dialog", lambda dialog: self.flaws.append(f"dialog: {dialog.message}"))
        page.add_init_script(REPORTS)

    # --- Doing ---

    def use(self, target: Locator, key: str = "Enter") -> None:
        """Press a control."""
        if self.way == "mouse":
            target.click()
        else:
            self.reach(target)
            self.page.keyboard.press(key)

    def reach(self, target: Locator) -> None:
        """Go to a control with the Tab key alone; there, the focus must be seen."""
        expect(target).to_be_visible()
        steps = target.evaluate(STEPS)
        key = "Tab" if steps >= 0 else "Shift+Tab"
        for _ in range(abs(steps) - 3):
            self.page.keyboard.press(key)
        for _ in range(20):
            if target.evaluate("node => node === document.activeElement"):
                assert target.evaluate("node => getComputedStyle(node).outlineStyle") != "none"
                return
            self.page.keyboard.press(key)
        raise AssertionError(f"{key} does not lead to {target}")

    def write(self, target: Locator, text: str) -> None:
        """Put a text into a field."""
        if self.way == "mouse":
            target.click()
        else:
            self.reach(target)
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(text) if text else self.page.keyboard.press("Delete")

    def choose(self, target: Locator, word: str) -> None:
        """Choose an entry of a drop-down list, whose pop-up is the browser's own."""
        if self.way == "mouse":
            target.select_option(label=word)
        else:
            self.reach(target)
            self.page.keyboard.type(word)
        expect(target.locator("option:checked")).to_have_text(word)

    def view(self, name: str) -> None:
        """Open one of the views."""
        self.use(self.page.get_by_role("navigation").get_by_role("link", name=name))
        expect(self.page.get_by_role("heading", name=name, exact=True)).to_be_visible()

    def allow_paste(self) -> None:
        """Let the page read the clipboard; Firefox has no such permission, and asks nobody."""
        if not FIREFOX:
            self.page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    def paste(self) -> str:
        """Return what was copied."""
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

    # --- Finding ---

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def scenario(self, name: str) -> Locator:
        """The row of a scenario."""
        return self.page.locator("#scenario-groups li[data-key]").filter(
            has=self.page.locator(f".name:text-is('{name}')")
        )

    def pick(self, name: str) -> Locator:
        """What activates a scenario."""
        return self.scenario(name).locator(".pick")

    @property
    def active(self) -> Locator:
        return self.page.locator("#active li b")

    @property
    def rows(self) -> Locator:
        return self.page.locator("#request-list button")

    # --- The server behind it ---

    def call(self, method: str, path: str, **more: object) -> Answer:
        """Call the server in the panel's session, past the page."""
        root, _, session = self.url.rpartition("/~")
        caller = Caller(Socket(root or self.url))
        prefix = f"/~{session}" if root else ""
        return caller(method, prefix + path, **more)  # type: ignore[arg-type]  # handed on
