"""`mockpets report` reads what Playwright records, and what the option `mockHar` saves."""

from pathlib import Path

import pytest

from mockpets import MockpetsServer
from tests.kit.project import run_playwright
from tests.report.traffic import report

pytestmark = [pytest.mark.browser, pytest.mark.node, pytest.mark.long]

SAVED = """
import { expect, test } from "./mockpets/playwright";

const list = async ({ mock, request }) => {
  const headers = { Authorization: "Bearer mockpets" };
  expect((await request.get(`${mock.baseUrl}/pets?page=2`, { headers })).status()).toBe(200);
};

test("a list, not saved", list);

test.describe("with the option", () => {
  test.use({ mockHar: "always" });
  test("a list", list);
});

test.describe("with another value", () => {
  test.use({ mockHar: "never" as "always" });
  test("an unknown mode", ({ mock }) => void mock);
});
"""

RECORDED = """
import { chromium, test } from "@playwright/test";

test("a recording", async ({ browser }) => {
  const context = await browser.newContext({ recordHar: { path: process.env.HAR } });
  const page = await context.newPage();
  await page.goto(`${process.env.MOCKPETS_URL}/__mockpets/docs`);
  await page.evaluate(async (url) => {
    const headers = { Authorization: "Bearer s3cret-value" };
    const json = { Authorization: "Bearer mockpets", "Content-Type": "application/json" };
    for (const limit of [1, 2, 3]) {
      await fetch(`${url}/pets?limit=${limit}`, { headers });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const pet = JSON.stringify({ name: "Miso", categoryId: 2 });
    const create = () => fetch(`${url}/pets`, { method: "POST", headers: json, body: pet });
    const slow = { ...json, "Mockpets-Delay": "1s" };
    const first = fetch(`${url}/pets`, { method: "POST", headers: slow, body: pet });
    await new Promise((resolve) => setTimeout(resolve, 200));
    await Promise.all([first, create()]);
    for (const limit of [1, 2, 3, 4]) {
      const signal = AbortSignal.timeout(200);
      await fetch(`${url}/pets?limit=${limit}`, { headers: slow, signal }).catch(() => {});
    }
    for (let attempt = 0; attempt < 4; attempt++) {
      const offline = { ...json, "Mockpets-Scenario": "offline" };
      await fetch(`${url}/pets?limit=9`, { headers: offline }).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 700)); // a busy machine adds some
    }
  }, `${process.env.MOCKPETS_URL}/v1`);
  await context.close();
});
"""


def test_a_recording_of_playwright(
    server: MockpetsServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    har = tmp_path / "a.har"
    project = tmp_path / "project"
    project.mkdir()
    outcomes = run_playwright(
        project, {"tests/recorded.spec.ts": RECORDED}, MOCKPETS_URL=server.url, HAR=str(har)
    )
    assert {each.status for each in outcomes.values()} == {"passed"}, outcomes

    run = report(capsys)
    status, result, err = run("--har", str(har))
    assert (status, err) == (0, [])
    rules = [each["rule"] for each in result["findings"]]
    assert rules == ["duplicate-create", "request-after-401"]
    assert "s3cret-value" in har.read_text(encoding="utf-8")
    assert "s3cret-value" not in str(result)

    # A request without a response has no header of mockpets.
    result = run("--har", str(har), "--base-url", f"{server.url}/v1")[1]
    rules = [each["rule"] for each in result["findings"]]
    assert rules == [
        "duplicate-create",
        "retry-without-backoff",
        "request-after-401",
        "response-unread",
    ]


def test_the_option_mock_har_saves_the_requests_of_each_test(
    server: MockpetsServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"tests/saved.spec.ts": SAVED}
    outcomes = run_playwright(tmp_path, files, MOCKPETS_URL=server.url)
    assert {title: each.status for title, each in outcomes.items()} == {
        "a list": "passed",
        "a list, not saved": "passed",
        "an unknown mode": "failed",
    }
    assert "mockHar must be 'on-failure' or 'always', got 'never'" in str(outcomes)

    [saved] = tmp_path.glob("test-results/*/mockpets.har")
    result = report(capsys)("--har", str(saved))[1]
    assert [each["rule"] for each in result["findings"]] == ["unknown-parameter"]
