"""Record how to start with an API of your own: `python -m generate.clinic_story`.

From an OpenAPI document, through documented errors in an app, to a mistake that the audit finds in
another app of the same API: `ignores` of the tests, which handles no failure. All output is that of
the commands. They use the default port, which must be free.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PIL import Image
from playwright.sync_api import expect, sync_playwright

from generate.recorder import (
    APP,
    HEIGHT,
    PANEL,
    WIDTH,
    Recorder,
    app_of,
    log_in,
    newest_request,
    open_page,
    save,
    save_still,
    why,
)
from mockpets import Settings
from mockpets.client import ControlClient
from tests.audit.vite import build, served
from tests.browsers import chromium
from tests.examples.project import COMMANDS, install
from tests.programs import need, run, run_within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Locator

URL: Final = f"http://localhost:{Settings().port}"
DOCUMENT: Final = "clinic.yaml"
SHOW: Final = ("grep", "-A", "16", "operationId: listPatients", DOCUMENT)
SERVE: Final = ("mockpets", "serve", "--contract", DOCUMENT)
ZOOM: Final = 0.7
"""At which the app is as wide as on the smallest phones."""
LAST_LINE: Final = "Press Ctrl-C to stop."
MINUTES: Final = 10
CROP: Final = (228, 0, 748, 600)
"""The part with the text of a page that the audit has taken a picture of."""


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Run `mockpets serve` in a folder; yield what it prints, without its log."""
    with subprocess.Popen(
        [COMMANDS / SERVE[0], *SERVE[1:]],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            lines = []
            for line in server.stdout:
                lines.append(line)
                if line.strip() == LAST_LINE:
                    break
            else:
                sys.exit(f"cannot record: {' '.join(SERVE)} stopped; is {URL} free?")
            yield "".join(lines)
        finally:
            server.terminate()


def state(recorder: Recorder, expression: str) -> Locator:
    """Show the states of an operation in the panel; return the button of an expression."""
    operation, _, name = expression.partition(":")
    recorder.panel.mouse.move(0, 0)
    recorder.panel.goto(f"{URL}/__mockpets/#states")
    group = recorder.panel.get_by_role("group", name=operation, exact=True)
    button = group.get_by_role("button", name=name, exact=True)
    button.evaluate("node => node.scrollIntoView({block: 'center'})")
    return button


def choose(button: Locator) -> None:
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")


def record_app(recorder: Recorder, app_url: str) -> Image.Image:
    """Record two documented errors in the app: one of a list, and one of a form.

    Return the frame in which the first is chosen.
    """
    app, panel = recorder.app, recorder.panel
    control = ControlClient(URL)
    app.clock.install(time="2030-01-01T09:00")
    app.goto(app_url)
    log_in(app)
    app.clock.pause_at("2030-01-01T10:00")  # so that the app waits until the picture is taken
    unavailable = state(recorder, "listPatients:503")
    recorder.show("Your app runs against it", 6000)
    recorder.point(unavailable, 3000)
    choose(unavailable)
    recorder.show("Choose a documented error: 503", 6000)
    chosen, _ = recorder.frames[-1]

    control.clear_requests()
    app.reload()
    expect(app.get_by_text("Trying again in 5 seconds.")).to_be_visible()
    newest_request(panel, control)
    row = panel.locator(".row.request", has_text="503").first  # the app sends others, too
    app.get_by_text("Trying again").scroll_into_view_if_needed()
    recorder.show("Your app waits, as Retry-After says", 8000)
    recorder.show("The panel says why", 9000, why(panel, row, "responds with 503"))

    control.use("default")
    app.goto(f"{app_url}/#/patients/1")
    app.reload()
    button = app.get_by_role("button", name="Book the appointment")
    app.get_by_label("Start").fill("2031-05-06T09:30")
    app.get_by_label("Reason").fill("Check-up")
    button.evaluate("node => node.scrollIntoView({block: 'center'})")
    taken = state(recorder, "createAppointment:409")
    recorder.show("Forms fail, too: choose a 409", 4000)
    recorder.point(taken, 3000)
    choose(taken)
    control.clear_requests()
    button.click()
    alert = app.get_by_role("alert")
    expect(alert).to_be_visible()
    alert.evaluate("node => node.scrollIntoView({block: 'center'})")
    newest_request(panel, control)
    recorder.show("The form says it, and keeps its input", 7000)
    return chosen


def record_audit(recorder: Recorder, browser: Browser, folder: Path, app: str) -> None:
    """Record the audit of an app, and its report."""
    command = ("mockpets", "audit", app, "--contract", DOCUMENT, "--pages", "1")
    shown = " ".join(command)
    recorder.terminal("Audit another app of this API", shown, "", 3000)
    done = run_within(60 * MINUTES, folder, *command, "--browser", need("chromium-headless-shell"))
    if done.returncode:
        sys.exit(done.stderr)
    recorder.terminal("The audit finds a mistake", shown, done.stdout, 12000)

    report = open_page(browser, (WIDTH - 30, HEIGHT))
    report.goto((folder / "audit/index.html").as_uri())
    cause = report.get_by_role("article").first
    last = cause.get_by_text("Missing", exact=True).first
    top, end = cause.bounding_box(), last.bounding_box()
    assert top is not None
    assert end is not None
    clip = {**top, "height": end["y"] - top["y"]}
    facts = report.screenshot(clip=clip, full_page=True)  # type: ignore[arg-type]  # a FloatRect
    recorder.pictures("It loads forever", {"audit/index.html": facts}, 8000)
    sources = (image.get_attribute("src") for image in cause.get_by_role("img").all()[:2])
    healthy, failing = (crop(folder / "audit" / (source or "")) for source in sources)
    recorder.pictures("Its users see this", {"Healthy": healthy, "Failing": failing}, 5000)


def crop(path: Path) -> bytes:
    """Return the part of a picture that has the text, as PNG."""
    file = BytesIO()
    Image.open(path).crop(CROP).save(file, "PNG")
    return file.getvalue()


def main() -> None:
    """Write the animation, and one of its frames as a picture."""
    with ExitStack() as stack:
        enter = stack.enter_context
        clinic = install("clinic", Path(enter(tempfile.TemporaryDirectory())))
        careless = build("ignores", Path(enter(tempfile.TemporaryDirectory())))
        folder = clinic / "api"
        browser = chromium(enter(sync_playwright()))
        recorder = Recorder(
            stage=open_page(browser, (WIDTH, HEIGHT)),
            app=open_page(browser, APP, ZOOM),
            panel=open_page(browser, PANEL),
        )
        document = run(folder, *SHOW).stdout
        recorder.terminal("You have an OpenAPI document", shlex.join(SHOW), document, 8000)
        with serving(folder) as printed:
            recorder.terminal("Serve it", " ".join(SERVE), printed, 8000)
            chosen = record_app(recorder, enter(app_of(clinic, f"{URL}/api")))
        record_audit(recorder, browser, folder, enter(served(careless)))
        browser.close()
    save(recorder.frames, "clinic-story")
    save_still(chosen, "clinic-story")


if __name__ == "__main__":
    main()
