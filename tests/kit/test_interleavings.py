"""`interleavings()` finds planted races, accuses no sound component, and explains every mistake."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mockpets import MockpetsServer, Settings
from tests.kit.project import CONFIG, run_specs
from tests.kit.test_playwright import front_end
from tests.pages import serving
from tests.programs import need, run

if TYPE_CHECKING:
    from collections.abc import Iterator


pytestmark = [pytest.mark.browser, pytest.mark.node, pytest.mark.slow]

RACES = Path(__file__).with_name("races")
RACES_FOUND = {
    "stale-filter": ("1 of 2", "deliver:GET:/v1/pets?status=available"),
    "stale-list": ("1 of 4", "later:GET:/v1/pets"),
    "retry-after-success": ("1 of 2", "lose:POST:/v1/pets"),
    "pages-out-of-order": (
        "3 of 4",
        "deliver:GET:/v1/pets?status=pending deliver:GET:/v1/pets?status=available",
    ),
    "expiring-login": ("2 of 4", "later:GET:/v1/pets"),
}
"""How many orders of each race fail, and the first of them."""
MISTAKES = {
    "no race": "the body never called race(); write `await race(async () => { ... })`",
    "no await": "the body ended before race() did; write `await race(...)`",
    "no actions": "race() expects a function with the actions",
    "nothing branched": "nothing branched: no two requests to /v1 were held at the same time",
    "too few": "only 2 orders exist, and atLeast is 3",
    "too late": "GET /v1/pets?late was sent",
    "the actions fail": "no button",
    "soft": "1 of 2 orders fail; order 2:",
    "differs": "the order cannot be repeated: 'deliver:GET:/v1/pets?random=",
    "replays an order with another request": "'deliver:GET:/v1/pets/3' did not come up",
    "replays an order with a choice too many": "before 'deliver:GET:/v1/pets/1' came up",
    "replays a misspelt order": "did you mean 'deliver'?",
}
"""What the messages of the tests have that fail."""


@contextmanager
def served() -> Iterator[dict[str, str]]:
    """Serve the components, and mockpets; yield the variables of a run."""
    options = ("components.jsx", "--format=iife", "--minify")
    bundle = run(RACES, need("rolldown"), *options, NODE_ENV="production")
    assert bundle.returncode == 0, bundle.stderr
    script = bundle.stdout
    with MockpetsServer(Settings(port=0, sessions="declared")) as server:
        page = (
            '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><main></main>'
            f'<script>window.API = "{server.url}/v1"</script><script>{script}</script>'
        )
        with serving(front_end("", page)) as app:
            yield {"MOCKPETS_URL": server.url, "APP_URL": app}


def shown() -> tuple[str, str]:
    """Return the test and the failure that the documentation shows."""
    page = Path(__file__).parents[2].joinpath("docs/bugs/races.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```ts\n(.*?)```", page, re.DOTALL)
    [failure] = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    impatient = code.replace('("Available")', '("Available", { timeout: 3_000 })')
    return impatient.replace('"/"', '"/?stale-filter"'), failure


def test_it_finds_races_and_explains_mistakes(tmp_path: Path) -> None:
    """In one run, because a start takes seconds."""
    files = {f"tests/{path.name}": path.read_text() for path in RACES.glob("*.spec.ts")}
    files["tests/shown.spec.ts"] = shown()[0]
    with served() as variables:
        outcomes = run_specs(tmp_path, files, CONFIG, **variables)

    # Every race is found, and no sound component is accused.
    assert len(outcomes["races"]) == 2 * len(RACES_FOUND)
    for name, (count, order) in RACES_FOUND.items():
        raced, sound = outcomes["races"][name], outcomes["races"][f"{name}&sound"]
        assert sound.status == "passed", (name, sound.errors)
        [error] = raced.errors
        assert f"{count} orders fail" in error
        assert re.findall("MOCKPETS_ORDER='(.*)'", error)[0] == order
        assert (raced.location or "").endswith("races.spec.ts")
    orders = outcomes["orders"]
    failed = {name: each for name, each in orders.items() if each.status != "passed"}
    assert failed.keys() == {*MISTAKES, "skipped"}, {n: each.errors for n, each in failed.items()}
    for name, message in MISTAKES.items():
        [error] = failed[name].errors
        assert message in error
    assert failed["skipped"].status == "skipped"
    more = r"3 passed; at least \d+ more were not tried"
    assert re.fullmatch(more, dict(orders["more orders than are tried"].annotations)["orders"])

    [error] = outcomes["shown"]["the last filter wins"].errors
    assert error.startswith(shown()[1])

    # The report has what is needed to understand an order.
    [error] = outcomes["races"]["stale-list"].errors
    assert error.startswith(
        "Error: 1 of 4 orders fail; order 3:\n"
        "  1. the server responds to GET /v1/pets, but the response arrives later\n"
        "  2. the server responds to POST /v1/pets, and the response arrives\n"
        "  3. the response to GET /v1/pets arrives\n"
        "MOCKPETS_ORDER='later:GET:/v1/pets'\n\n"
        "expect(locator).toBeVisible() failed\n"
    )
    attached = outcomes["races"]["stale-list"].attachments
    assert attached["mockpets order 3"].endswith("deliver:GET:/v1/pets")
    assert "PNG" in attached["mockpets order 3 screenshot"]
    assert "POST   /v1/pets" in attached["mockpets requests"]
    lines = {line.strip() for line in (RACES / "races.spec.ts").read_text().splitlines()}
    [marked] = re.findall(r"^> *\d+ \| *(.*)$", error, re.MULTILINE)
    assert marked in lines
