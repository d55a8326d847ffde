"""docs/operate/demo.md: the three lines of a demo's page, run with Node."""

from typing import Final

import pytest

from mockpets import MockpetsServer, Settings
from tests.docs.page import ROOT, blocks
from tests.programs import need, run_within

PAGE: Final = ROOT / "docs/operate/demo.md"
USE: Final = """
const headers = { Authorization: "Bearer mockpets", "Content-Type": "application/json" };
const pets = async (options) => {
  const response = await fetch(`${mock}/v1/pets?limit=100`, { headers, ...options });
  const session = response.headers.get("Mockpets-Session");
  return [response.status, (await response.json()).length, session];
};
const body = JSON.stringify({ name: "Miso", categoryId: 2 });
const added = await pets({ method: "POST", body });
const before = await pets();
const reset = await startAgain();
console.log(JSON.stringify([added[0], before[1], reset.status, (await pets())[1]]));
console.log(localStorage.mockpets === before[2] && /^v-[0-9a-f]{32}$/.test(before[2]));
"""


@pytest.mark.node
def test_the_lines_of_the_page_give_a_browser_its_own_session_and_reset_it() -> None:
    [block] = [each for each in blocks(PAGE) if each.language == "js"]
    assert len(block.text.splitlines()) == 3
    settings = Settings(port=0, public=True, control="off")
    with MockpetsServer(settings) as server:
        root = server.url.removesuffix("/v1")
        lines = block.text.replace("https://demo.example/mock", root)
        program = f"const page = async (localStorage) => {{\n{lines}{USE}\n}};\nawait page({{}});"
        command = (need("node"), "--input-type=module", "--eval", program)
        done = run_within(60, ROOT, *command)

    assert done.stdout.splitlines() == ["[201,17,200,16]", "true"]
