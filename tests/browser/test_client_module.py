"""A page on another origin imports the JavaScript client from the server and uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.foreign_page import foreign_page
from tests.http_client import Client, OverSocket

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

    from mockpets import MockpetsServer

USE = """
async (url) => {
  const { Mockpets, MockpetsError } = await import(`${url}/__mockpets/client.js`);
  const mock = new Mockpets({ url, session: "in-a-page" });
  await mock.make({ scenario: "default" });
  await mock.use("sold-out");
  const headers = { Authorization: `Bearer ${mock.key}` };
  const pets = await (await fetch(`${mock.baseUrl}/pets`, { headers })).json();
  const verified = await mock.verify({ operation: "listPets" }, 1);
  const error = await mock.use("emtpy").catch((error) => error);
  const saved = await mock.pets("sold");
  await mock.drop();
  return {
    statuses: [...new Set(pets.map(({ status }) => status))],
    same: saved.length === pets.length,
    verified: verified.map(({ target }) => target),
    error: error instanceof MockpetsError && [error.code, error.status, error.message],
  };
}
"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context() as context:
        yield context.new_page()


def test_a_page_on_another_local_origin_controls_a_session(
    server: MockpetsServer, page: Page
) -> None:
    with foreign_page() as port:
        page.goto(f"http://127.0.0.1:{port}/")
        result = page.evaluate(USE, server.url)

    code, status, message = result.pop("error")
    assert result == {
        "statuses": ["sold"],
        "same": True,
        "verified": ["/~in-a-page/v1/pets"],
    }
    assert (code, status) == ("unknown_scenario", 422)
    assert "did you mean 'empty'?" in message
    names = Client(OverSocket(server.url))("GET", "/__mockpets/sessions").json["sessions"]
    assert "in-a-page" not in {each["name"] for each in names}


def test_a_page_on_a_foreign_origin_cannot_import_the_client(
    server: MockpetsServer, page: Page
) -> None:
    load = "(url) => import(`${url}/__mockpets/client.js`).then(() => 'loaded', (e) => e.name)"
    with foreign_page() as port:
        page.goto(f"http://evil.test:{port}/")

        assert page.evaluate(load, server.url) == "TypeError"
