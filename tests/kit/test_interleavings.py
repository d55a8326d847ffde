"""`interleavings()` finds planted races, accuses no sound component, and explains every mistake."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mockpets import MockpetsServer, Settings
from tests.docs.page import SHOP
from tests.kit.project import CONFIG, Outcomes, run_playwright, run_specs
from tests.kit.test_playwright import front_end
from tests.pages import serving
from tests.programs import need, run_within

pytestmark = [pytest.mark.browser, pytest.mark.node, pytest.mark.long]

RACES = Path(__file__).with_name("races")
ORDERS = {
    "stale-filter": "deliver:GET:/v1/pets?status=available",
    "debounced-filter": "deliver:GET:/v1/pets?status=available",
    "double-submit": "deliver:POST:/v1/pets",
    "list-before-create": "deliver:GET:/v1/pets",
    "stale-list": "later:GET:/v1/pets",
    "update-after-unmount": "deliver:GET:/v1/pets",
    "retry-after-success": "lose:POST:/v1/pets",
    "optimistic-update": "deliver:POST:/v1/pets#2",
    "pages-out-of-order": (
        "deliver:GET:/v1/pets?status=pending deliver:GET:/v1/pets?status=available"
    ),
    "expiring-login": "later:GET:/v1/pets",
}
"""The first order in which each race shows."""
EVERYDAY = {"stale-filter", "stale-list", "retry-after-success", "expiring-login"}
FOUND = {
    "stale-filter": "1 of 2",
    "debounced-filter": "1 of 2",
    "double-submit": "3 of 3",
    "list-before-create": "2 of 4",
    "stale-list": "1 of 4",
    "update-after-unmount": "1 of 2",
    "retry-after-success": "1 of 2",
    "optimistic-update": "2 of 4",
    "pages-out-of-order": "3 of 4",
    "expiring-login": "2 of 4",
}
MISTAKES = {
    "no race": "the body never called race(); write `await race(async () => { ... })`",
    "two races": "race() was called twice; call it once in the body",
    "no await": "the body ended before race() did; write `await race(...)`",
    "no actions": "race() expects a function with the actions",
    "nothing branched": "nothing branched: no two requests to /v1 were held at the same time",
    "too few": "only 2 orders exist; atLeast is 3",
    "too few, with a cancelled request": (
        "only 1 order exists, and the page cancelled 1 of the held requests; atLeast is 3"
    ),
    "too late": "ms after race() ended; raise `quiet` above the page's delay",
    "a poll after the race": (
        'ms after race() ended; if the page polls, pass { ignore: ["GET /v1/pets?late"] }; if not, '
    ),
    "polls": 'if the page polls, pass { ignore: ["GET /v1/pets?poll"] }',
    "polls with another query each time": ('if the page polls, pass { ignore: ["GET /v1/pets"] }'),
    "the actions fail": "no button",
    "soft": "1 of 2 orders fail; order 2:",
    "differs": "the order cannot be repeated: 'deliver:GET:/v1/pets?random=",
    "hangs": "1 of 2 orders fail; order 2:",
    "replays an order with another request": "'deliver:GET:/v1/pets/3' did not come up",
    "replays an order with a choice too many": "before 'deliver:GET:/v1/pets/1' came up",
    "replays a misspelt order": "did you mean 'deliver'?",
}
"""What the messages of the tests have that fail."""


TOO_LONG = "race() took longer than 20 s: "
BOUNDS = {
    "the page polls": (f"{TOO_LONG}the page was never quiet; GET /v1/pets?poll was sent"),
    "the actions never end": f"{TOO_LONG}its actions did not end",
    "the server never responds": "the server did not respond to GET /v1/pets while race() lasted",
}


@contextmanager
def served() -> Iterator[dict[str, str]]:
    """Serve the components, and mockpets; yield the variables of a run."""
    options = ("components.jsx", "--format=iife", "--minify")
    bundle = run_within(120, RACES, need("rolldown"), *options, NODE_ENV="production")
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
    [code] = re.findall(r"races.spec.ts -->\n```ts\n(.*?)```", page, re.DOTALL)
    [failure] = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    impatient = code.replace('("Available")', '("Available", { timeout: 3_000 })')
    return impatient.replace('"/"', '"/?stale-filter"'), failure


def run_races(folder: Path, *names: str, config: str = CONFIG) -> dict[str, Outcomes]:
    folder.mkdir(exist_ok=True)
    files = {f"tests/{name}.spec.ts": (RACES / f"{name}.spec.ts").read_text() for name in names}
    files["tests/shown.spec.ts"] = shown()[0]
    with served() as variables:
        return run_specs(folder, files, config, **variables)


def assert_found(outcomes: Outcomes) -> None:
    """Every race that was looked for was found, and no sound component accused."""
    looked = [name for name in ORDERS if name in outcomes]
    assert len(looked) * 2 == len(outcomes)
    for name in looked:
        raced, sound = outcomes[name], outcomes[f"{name}&sound"]
        assert sound.status == "passed", (name, sound.errors)
        assert raced.status == "failed", name
        [error] = raced.errors
        assert f"{FOUND[name]} orders fail" in error
        assert re.findall("MOCKPETS_ORDER='(.*)'", error)[0] == ORDERS[name]
        assert (raced.location or "").endswith("races.spec.ts")


def test_it_finds_races_and_explains_mistakes(tmp_path: Path) -> None:
    """In one run, because a start takes seconds; the long test has all races."""
    skipped = "|".join(ORDERS.keys() - EVERYDAY)
    config = CONFIG.replace("workers:", f"grepInvert: /{skipped}/,\n  workers:")
    outcomes = run_races(tmp_path, "races", "orders", config=config)

    assert_found(outcomes["races"])
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


ORDERS_PAGE = """<!doctype html><link rel="icon" href="data:,">
<button>Sold</button><button>Available</button><h2></h2>
<script>
  for (const button of document.querySelectorAll("button"))
    button.onclick = async () => {
      await fetch(`MOCK/api/orders?status=${button.textContent.toLowerCase()}`);
      document.querySelector("h2").textContent = button.textContent;
    };
</script>"""
"""Shows the filter whose response arrives last."""


def test_the_test_of_the_documentation_finds_a_race_with_another_api(tmp_path: Path) -> None:
    document, folder = tmp_path / SHOP.argument, tmp_path / "project"
    document.write_text(SHOP.text, encoding="utf-8")
    folder.mkdir()
    files = {"tests/shown.spec.ts": shown()[0]}
    settings = Settings(port=0, sessions="declared", contract=(str(document),))
    with MockpetsServer(settings) as server, serving(front_end(server.url, ORDERS_PAGE)) as app:
        outcomes = run_playwright(folder, files, MOCKPETS_URL=server.url, APP_URL=app)

    [error] = outcomes["the last filter wins"].errors
    assert "1 of 2 orders fail" in error
    assert "MOCKPETS_ORDER='deliver:GET:/api/orders?status=available'" in error


def test_a_race_that_takes_too_long_names_its_reason(tmp_path: Path) -> None:
    outcomes = run_races(tmp_path, "bounds")["bounds"]

    assert outcomes.keys() == BOUNDS.keys()
    for name, message in BOUNDS.items():
        [error] = outcomes[name].errors
        assert message in error


def test_twenty_runs_on_a_busy_machine_agree(tmp_path: Path) -> None:
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
    try:
        for number in range(20):
            outcomes = run_races(tmp_path / str(number), "races")["races"]
            assert len(outcomes) == 2 * len(ORDERS)
            assert_found(outcomes)
    finally:
        for process in busy:
            with process:
                process.kill()
