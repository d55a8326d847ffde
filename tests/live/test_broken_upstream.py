"""Browsers behind a balancer: a broken connection is a 502 for the page, and is not sent again."""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from mockpets.client import ControlClient
from tests.browsers import chromium, firefox
from tests.live import balancers
from tests.live.test_restarts import TOKEN, running, wait_until_saved
from tests.pages import foreign_page

pytestmark = [pytest.mark.tool, pytest.mark.browser]

SEND = """async ([url, method, scenario, delay]) => {
  const headers = {Authorization: "Bearer mockpets"};
  if (scenario) headers["Mockpets-Scenario"] = scenario;
  if (delay) headers["Mockpets-Delay"] = delay;
  const body = method === "POST" ? '{"name": "Miso", "categoryId": 2}' : undefined;
  if (body) headers["Content-Type"] = "application/json";
  const response = await fetch(url, {method, headers, body});
  return [response.status, (await response.json()).code ?? null];
}"""
BROKEN = [502, "bad_gateway"]


@contextmanager
def opened(name: str) -> Iterator[Page]:
    """Open an empty page on another origin in a browser."""
    with foreign_page() as port, sync_playwright() as playwright:
        browser = (firefox if name == "Firefox" else chromium)(playwright)
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{port}")
        yield page
        browser.close()


@pytest.mark.parametrize(
    "balancer", [balancers.haproxy, pytest.param(balancers.nginx, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("name", ["Chromium", pytest.param("Firefox", marks=pytest.mark.long)])
def test_a_page_gets_each_broken_request_as_an_error_once(
    name: str, balancer: Callable[[Sequence[int]], AbstractContextManager[str]], tmp_path: Path
) -> None:
    options = ("--state", str(tmp_path / "state"), "--data", "pets=0")
    with running(options) as [process], balancer([process.port]) as url, opened(name) as page:
        pets = f"{url}/v1/pets"
        control = ControlClient(f"http://127.0.0.1:{process.port}", token=TOKEN)
        sent = [("GET", ""), *[("GET", "offline"), ("POST", "offline")] * 2, ("GET", "")]
        results = [page.evaluate(SEND, [pets, method, name, ""]) for method, name in sent]
        logged = [
            (row["method"], "offline" * (row["status"] is None)) for row in control.requests()
        ]

        page.evaluate(f"(given) => {{ window.sent = ({SEND})(given); }}", [pets, "POST", "", "30s"])
        control.verify({"operation": "createPet", "outcome": "pending"}, times=1, within="10s")
        wait_until_saved(control)
        process.stop(signal.SIGKILL)
        process.start()
        killed = page.evaluate("() => window.sent")
        restarted = ControlClient(control.url, token=TOKEN)  # after a kill, sessions have new IDs
        stored = [pet["name"] for pet in restarted.records("pets")]

    assert results == [[200, None], *[BROKEN] * 4, [200, None]]
    assert logged == sent
    assert (killed, stored) == (BROKEN, ["Miso"])
