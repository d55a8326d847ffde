"""The app that handles every failure does so, by its own tests: what the audit finds is wrong."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from tests.audit.vite import CONTRACT, DATA, build, served

pytestmark = [getattr(pytest.mark, name) for name in ("browser", "node", "long")]

READS: Final = {
    ("/", "listPatients"): ("Miso", "no patients"),
    ("/#/booking", "listPatients"): ("Miso", "no patients"),
    ("/patients/1", "getPatient"): ("Miso", ""),
    ("/patients/1", "getOwner"): ("Fatima Yilmaz", ""),
    ("/patients/1/appointments", "getPatient"): ("appointments of Miso", ""),
    ("/patients/1/appointments", "listAppointments"): ("Removal of stitches", "No appointments"),
    ("/owners", "listOwners"): ("Fatima Yilmaz", "no owners"),
    ("/new-patient", "listOwners"): ("Name of the patient", "no owners"),
    ("/owners/1", "getOwner"): ("Phone", ""),
    ("/account", "getMe"): ("Your address", ""),
}
"""The pages and reads of both apps, with a text of healthy and of empty pages."""
FAILURES: Final = ("500", "503", "offline", "malformed_json", "truncated_body", "proxy")
OTHERS: Final = {
    "logIn": ("401", "422", "429"),
    "register": ("409", "422", "429"),
    "getPatient": ("401", "404"),
    "getOwner": ("401", "404"),
    "listAppointments": ("401", "404"),
    "createPatient": ("401", "422"),
    "createAppointment": ("401", "404", "409", "422"),
    "cancelAppointment": ("401", "404", "409"),
}
"""The states of each operation, and more states of some; those of the others have a 401."""
LOADING: Final = "[role=status]:text('Loading'), [aria-busy=true]"
MESSAGES: Final = "[role=alert], [role=status]:has-text('failed')"
SUCCESSFUL: Final = {"malformed_json", "truncated_body"}
"""The states in which the server does what it is asked, and the app cannot know."""
PATIENCE_MS: Final = 20_000


def log_in(page: Page) -> None:
    page.get_by_label("Email").fill("kim@clinic.example")
    page.get_by_label("Password").fill("let-me-in")
    page.get_by_role("button", name="Log in").click()


def register(page: Page) -> None:
    page.get_by_label("Your name").fill("Robin")
    page.get_by_label("Email").fill("robin@clinic.example")
    page.get_by_label("Password").fill("let-me-in")
    page.get_by_role("button", name="Register").click()


def add_patient(page: Page) -> None:
    page.get_by_label("Name of the patient").fill("Robin")
    page.get_by_label("Species").select_option("cat")
    page.get_by_label("Born").fill("2024-01-15")
    page.get_by_label("Owner").select_option("Rosa Rossi")
    page.get_by_role("button", name="Add the patient").click()


def book(page: Page) -> None:
    page.get_by_role("button", name="Book").first.click()
    page.get_by_label("Start").fill("2030-01-15T10:30")
    page.get_by_label("Reason").fill("A cough")
    page.get_by_role("button", name="Book the appointment").click()


def cancel(page: Page) -> None:
    page.get_by_role("button", name="Cancel").first.click()


ACTIONS: Final[dict[tuple[str, str], tuple[Callable[[Page], None], str, str]]] = {
    ("/login", "logIn"): (log_in, "logged in as Kim", "input"),
    ("/register", "register"): (register, "logged in as Robin", "input"),
    ("/new-patient", "createPatient"): (add_patient, "Robin was added", "form >> nth=0 >> input"),
    ("/#/booking", "createAppointment"): (book, "is booked", "dialog >> nth=0 >> input"),
    ("/patients/1/appointments", "cancelAppointment"): (cancel, "Removal", "main input"),
}
"""How to do each action, a text after it, and where the fields are."""


PATHS: Final = {
    "listPatients": r"GET /patients\?",
    "getPatient": r"GET /patients/\d+$",
    "getOwner": r"GET /owners/\d+$",
    "listAppointments": r"GET /patients/\d+/appointments$",
    "listOwners": r"GET /owners$",
    "getMe": r"GET /me$",
    "logIn": r"POST /login$",
    "register": r"POST /register$",
    "createPatient": r"POST /patients$",
    "createAppointment": r"POST /patients/\d+/appointments$",
    "cancelAppointment": r"POST /appointments/\d+/cancel$",
}


@dataclass
class Opened:
    page: Page
    errors: list[str] = field(default_factory=list)
    requests: Counter[str] = field(default_factory=Counter)


Opener = Callable[[str, str, str], Opened]


@pytest.fixture(scope="module")
def mock() -> Iterator[ControlClient]:
    settings = Settings(port=0, host=("127.0.0.1",), contract=(str(CONTRACT),), data=DATA)
    with MockpetsServer(settings) as server:
        yield ControlClient(server.url)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(build("handles", tmp_path_factory.mktemp("handles"))) as url:
        yield url


@pytest.fixture
def open_page(app: str, browser: Browser, mock: ControlClient) -> Iterator[Opener]:
    """Return a function that opens a page of the app while an operation is in a state."""
    token = mock.log_in()["token"]
    with ExitStack() as stack:

        def open_it(path: str, operation: str, state: str) -> Opened:
            stack.close()  # the previous page
            mock.reset()
            mock.use(f"{operation}:{state}" if state not in {"", "proxy"} else "default")
            opened = Opened(stack.enter_context(browser.new_context()).new_page())

            def forward(route: Route) -> None:
                rest = "/" + route.request.url.partition("/api/")[2]
                called = f"{route.request.method} {rest}"
                for name, pattern in PATHS.items():
                    opened.requests[name] += bool(re.search(pattern, called))
                if state == "proxy" and re.search(PATHS[operation], called):
                    route.fulfill(status=502, content_type="text/html", body="<h1>Bad</h1>")
                else:
                    route.continue_(url=f"{mock.url}/api{rest}")

            opened.page.on("pageerror", lambda error: opened.errors.append(str(error)))
            opened.page.route(re.compile(r"^http://api\.clinic\.example/api/"), forward)
            is_visitor = path in {"/login", "/register"}
            session = None if is_visitor else {"token": token, "name": "Kim Vogel"}
            script = f"localStorage.setItem('clinic.session', '{json.dumps(session)}')"
            opened.page.add_init_script(f"localStorage.length || {script}")
            opened.page.goto(app + path)
            return opened

        yield open_it


def release(opened: Opened, operation: str, mock: ControlClient) -> None:
    """Wait for the request of an operation that is held, and let it pass."""
    while not opened.requests[operation]:
        opened.page.wait_for_timeout(50)  # in which requests are routed
    mock.gate(operation).held()
    mock.gate(operation).open()


def expect_text(page: Page, text: str) -> None:
    expect(page.locator("body")).to_contain_text(text, timeout=PATIENCE_MS)


@pytest.mark.parametrize(("path", "operation"), READS)
def test_each_read_shows_its_data_that_it_loads_that_it_is_empty_and_its_failures(
    path: str, operation: str, open_page: Opener, mock: ControlClient
) -> None:
    text, empty = READS[path, operation]
    opened = open_page(path, operation, "")
    expect_text(opened.page, text)
    assert opened.requests[operation] == 1

    opened = open_page(path, operation, "hold")
    expect(opened.page.locator(LOADING).first).to_be_visible()
    release(opened, operation, mock)
    expect_text(opened.page, text)

    if empty:
        expect_text(open_page(path, operation, "empty").page, empty)

    for state in (*FAILURES, *OTHERS.get(operation, ("401",))):
        opened = open_page(path, operation, state)
        page = opened.page
        expect(page.locator("[role=alert]")).to_be_visible(timeout=PATIENCE_MS)
        expect(page.locator("main")).not_to_contain_text("Loading")
        assert (page.url == app_of(page) + "/login") == (state == "401")
        way_on = page.get_by_role("button", name="Log in" if state == "401" else "Try again")
        if state == "404":
            way_on = page.get_by_role("link", name="Go to the patients")
        expect(way_on).to_be_visible()
        assert opened.errors == []
        assert opened.requests[operation] <= 4
        shown = page.inner_text("[role=alert]")
        assert not re.search(r"Error|undefined|fetch|JSON|Bad|object", shown), shown
    if (path, operation) == ("/patients/1", "getOwner"):
        expect_text(opened.page, "born on")  # the failure took nothing else away


@pytest.mark.parametrize(("path", "operation"), ACTIONS)
def test_each_action_succeeds_and_reports_its_failures_and_keeps_what_was_typed(
    path: str, operation: str, open_page: Opener, mock: ControlClient
) -> None:
    act, after, fields = ACTIONS[path, operation]
    opened = open_page(path, operation, "")
    act(opened.page)
    expect_text(opened.page, after)
    assert opened.requests[operation] == 1

    opened = open_page(path, operation, "hold")
    act(opened.page)
    opened.page.wait_for_timeout(100)
    for button in opened.page.locator("button:disabled").all():
        button.dispatch_event("click")
    release(opened, operation, mock)
    expect_text(opened.page, after)
    assert opened.requests[operation] == 1

    for state in (*FAILURES, *OTHERS.get(operation, ("401",))):
        opened = open_page(path, operation, state)
        page = opened.page
        act(page)
        expect(page.locator(MESSAGES).first).to_be_visible(timeout=PATIENCE_MS)
        assert opened.errors == []
        assert opened.requests[operation] == 1
        assert page.url == app_of(page) + path
        values = [each.input_value() for each in page.locator(fields).all()]
        assert all(values), (state, values)
        shown = page.locator(MESSAGES).first.inner_text()
        assert not re.search(r"Error|undefined|fetch|JSON|Bad|object", shown), shown
        if operation == "cancelAppointment" and state not in SUCCESSFUL:
            expect_text(page, "Vaccination against rabies")  # the update was undone


def app_of(page: Page) -> str:
    return "/".join(page.url.split("/")[:3])
