"""A small app for the clinic in ten states, each by expression and without a file."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from tests.pages import foreign_page
from tests.web.documents import CLINIC

APP = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Clinic</title>
<main><p id="status" role="status"></p><p id="problem" role="alert"></p><ul></ul><h2></h2>
<button id="reload">Reload</button><button id="add">Add</button></main>
<script type="module">
const list = document.querySelector("ul"), title = document.querySelector("h2");
const call = async (method, path, body) => {{
  const headers = {{ Authorization: "Bearer a", "Content-Type": "application/json" }};
  let response, value;
  try {{
    response = await fetch(`{api}${{path}}`, {{ method, headers, body }});
  }} catch {{
    throw Error("The clinic cannot be reached");
  }}
  try {{
    value = await response.json();
  }} catch {{
    throw Error("The clinic sent nonsense");
  }}
  if (!response.ok) throw Error(`${{response.status}}: ${{value.message ?? value.detail}}`);
  return value.data;
}};
const run = async (task) => {{
  problem.textContent = "";
  document.querySelector("#status").textContent = "Loading";
  await task().catch((error) => (problem.textContent = error.message));
  document.querySelector("#status").textContent = "";
}};
const open = (owner) => run(async () => {{
  title.textContent = (await call("GET", `/owners/${{owner.id}}`)).name;
}});
const load = () => run(async () => {{
  const owners = await call("GET", "/owners");
  if (!owners.length) problem.textContent = "No owners yet";
  list.replaceChildren(...owners.map((owner) => {{
    const item = document.createElement("li");
    item.textContent = owner.name;
    item.onclick = () => open(owner);
    return item;
  }}));
}});
reload.onclick = load;
const ada = JSON.stringify({{ name: "Ada", email: "ada@example.org" }});
add.onclick = () => run(async () => {{
  title.textContent = (await call("POST", "/owners", ada)).name;
}});
load();
</script>"""


@pytest.fixture(scope="module")
def server() -> Iterator[MockpetsServer]:
    with MockpetsServer(Settings(port=0, contract=(str(CLINIC),))) as running:
        yield running


@pytest.fixture
def mock(server: MockpetsServer, request: pytest.FixtureRequest) -> ControlClient:
    name = "".join(each if each.isalnum() else "-" for each in request.node.name.lower())
    return ControlClient(server.url).session(name[:60])


@pytest.fixture
def app(server: MockpetsServer, mock: ControlClient, browser: Browser) -> Iterator[Page]:
    text = APP.format(api=f"{server.url}/~{mock.name}/api")
    with foreign_page(text) as port, browser.new_context() as context:
        page = context.new_page()
        page.goto(f"http://localhost:{port}/")
        expect(page.get_by_role("listitem")).not_to_have_count(0)
        yield page


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("listOwners:empty", "No owners yet"),
        ("listOwners:422", "422: "),
        ("listOwners:500", "500: Internal Server Error"),
        ("listOwners:429", "429: Too Many Requests"),
        ("listOwners:offline", "The clinic cannot be reached"),
        ("listOwners:malformed_json", "The clinic sent nonsense"),
        ("all:401", "401: Unauthorized"),
    ],
)
def test_a_list_fails(app: Page, mock: ControlClient, expression: str, text: str) -> None:
    mock.use(expression)
    app.get_by_role("button", name="Reload").click()
    expect(app.get_by_role("alert")).to_contain_text(text)
    mock.use("default")
    app.get_by_role("button", name="Reload").click()
    expect(app.get_by_role("alert")).to_be_empty()


def test_a_list_is_loading(app: Page, mock: ControlClient) -> None:
    mock.use("listOwners:hold")
    app.get_by_role("button", name="Reload").click()
    mock.wait_for_gate("listOwners")
    expect(app.get_by_role("status")).to_have_text("Loading")
    mock.open_gate("listOwners")
    expect(app.get_by_role("status")).to_be_empty()


def test_an_owner_has_left(app: Page, mock: ControlClient) -> None:
    mock.use("getOwner:404")
    app.get_by_role("listitem").nth(2).click()
    expect(app.get_by_role("alert")).to_have_text("404: owner 3 not found")


def test_an_owner_is_known_already_and_the_response_is_held(app: Page, mock: ControlClient) -> None:
    mock.use("createOwner:409", "createOwner:hold")
    app.get_by_role("button", name="Add").click()
    mock.wait_for_gate("createOwner")
    expect(app.get_by_role("status")).to_have_text("Loading")
    mock.open_gate("createOwner")
    expect(app.get_by_role("alert")).to_contain_text("409: ")
