"""Tests of the kit in JavaScript, run by Node; `tests/examples` runs the loader in Storybook."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from mockpets import MockpetsServer, Settings
from tests.programs import need, run_within

DECLARED = Settings(port=0, sessions="declared")
NOTES = Settings(
    port=0,
    sessions="declared",
    contract=(f"/api/v2={Path(__file__).with_name('notes.yaml')}", "pet-store"),
)
CLINIC = Path(__file__).parents[1] / "contract/documents/clinic.yaml"
MEMBERS = Path(__file__).with_name("members.yaml")
PEOPLE = Settings(port=0, sessions="declared", contract=(str(CLINIC), str(MEMBERS)))
"""Two contracts with a log-in."""
WITH_TOKEN = Settings(port=0, sessions="declared", control_token="secret-token")


@pytest.mark.node
@pytest.mark.parametrize(("path", "servers"), [
    ("client.test.mjs",
     {"MOCKPETS_URL": Settings(port=0), "OTHER_URL": Settings(port=0), "DECLARED_URL": WITH_TOKEN}),
    ("login.test.mjs", {"MOCKPETS_URL": Settings(port=0), "PEOPLE_URL": PEOPLE}),
    ("bases.test.mjs", {}),
    ("storybook.test.mjs",
     {"MOCKPETS_URL": DECLARED, "OTHER_URL": Settings(port=0, seed=4), "NOTES_URL": NOTES}),
    ("cypress/cypress.test.mjs",
     {"DECLARED_URL": DECLARED, "TOKEN_URL": WITH_TOKEN, "OTHER_URL": Settings(port=0, seed=4),
      "NOTES_URL": NOTES}),
])  # fmt: skip
def test_a_module_with_real_servers(
    path: str, servers: Mapping[str, Settings], tmp_path: Path
) -> None:
    """`cypress/fake.mjs` stands in for Cypress."""
    files = Settings(port=0, scenarios_dir=(tmp_path,))
    with ExitStack() as stack:
        urls = {
            name: stack.enter_context(MockpetsServer(settings)).url
            for name, settings in {**servers, "FILES_URL": files}.items()
        }
        tests = run_within(
            120, tmp_path, need("node"), "--test", Path(__file__).parent / path, **urls
        )

    assert tests.returncode == 0, tests.stdout
    assert "# fail 0" in tests.stdout
