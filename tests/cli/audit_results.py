"""What the JavaScript part of `mockpets audit` writes, for tests of the command."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from mockpets.constants import VERSION

Run = Callable[..., tuple[int, list[str], list[str]]]

APP = "http://localhost:5173/"
RESULT = Path("audit/audit.json")


def finding(**changes: object) -> dict[str, Any]:
    return {
        "rule": "silent",
        "level": "error",
        "page": "/article/{}",
        "url": "/article/how-to",
        "signed_in": True,
        "action": None,
        "steps": [],
        "operation": "GetArticle",
        "state": "500",
        "expression": "GetArticle:500",
        "message": "The text is missing, and nothing new is visible.",
        "lost": ["How to train your dragon"],
        "shown": [],
        "requests": [{"method": "GET", "path": "/api/articles/x", "status": 500, "count": 1}],
        "healthy": "shots/page-1.png",
        "failing": "shots/12.png",
        **changes,
    }


def cause(name: str = "silent/reads", level: str = "error", **changes: object) -> dict[str, Any]:
    return {
        "id": name,
        "rule": name.partition("/")[0],
        "level": level,
        "title": "No message for any failing read (6 of 6 operations)",
        "advice": "Show a message when a request fails.",
        "operations": ["GetArticle"],
        "pages": ["/article/{}"],
        "findings": [0],
        "accepted": None,
        "known": False,
        **changes,
    }


def result(*causes: dict[str, Any], **changes: object) -> dict[str, Any]:
    return {
        "format": 1,
        "version": VERSION,
        "app": APP,
        "contracts": ["Blog"],
        "started": "2026-11-28T21:00:00.000Z",
        "seconds": 278.1,
        "complete": True,
        "signed_in": None,
        "sign_in": None,
        "notes": [],
        "pages": [
            {
                "page": "/article/{}",
                "url": "/article/how-to",
                "signed_in": True,
                "title": "How to",
                "operations": ["GetArticle"],
                "screenshot": "shots/page-1.png",
            }
        ],
        "actions": [{"page": "/article/{}", "name": "Post", "operations": ["Comment"]}],
        "not_reached": [],
        "probes": {"run": 167, "planned": 167},
        "matrix": [],
        "causes": [*causes],
        "findings": [finding()],
        **changes,
    }


WRITE = """\
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
const config = JSON.parse(readFileSync(process.argv[2], "utf8"));
const print = (value) => console.log(JSON.stringify(value));
writeFileSync("config.json", JSON.stringify(config));
const write = (text) => writeFileSync(`${config.output}/audit.json`, text);
"""


PLAYWRIGHT = """\
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
const config = (await import(`${process.cwd()}/playwright.config.mjs`)).default;
const state = await fetch(`${config.use.mockUrl}/__mockpets/state`);
writeFileSync(import.meta.dirname + "/seen.json", JSON.stringify([config.use, state.status]));
const outcome = (text) =>
  text.includes("NoTest") ? { status: "passed" } : {
    status: "failed",
    errors: [{ message: `Error: ${/"(the page (?:shows|only)[^"]*)"/.exec(text)?.[1]}\n` }],
  };
const files = readdirSync("tests").filter((name) => name.endsWith(".spec.ts"));
const specs = files.map((file) => ({
  file,
  tests: [{ results: [outcome(readFileSync(`tests/${file}`, "utf8"))] }],
}));
writeFileSync("report.json", JSON.stringify({ errors: [], suites: [{ specs }] }));
"""
"""In place of Playwright: each test fails rightly, but one of the operation NoTest passes."""
PACKAGE = Path("node_modules/@playwright/test")
FINDINGS = [
    finding(signed_in=False),
    finding(signed_in=False, operation="NoTest", expression="NoTest:500"),
    finding(),
]
"""With a test that fails, with one that passes, and with none."""
