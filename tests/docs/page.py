"""Read a page of the documentation as what it shows: files, commands, and a server.

A comment directly above a fenced block says what a test does with it:

| comment | the block |
|---|---|
| ``<!-- server: OPTIONS -->`` | no block: start `mockpets serve OPTIONS` before the first command |
| ``<!-- server -->`` | the same without options |
| ``<!-- file: PATH -->`` | is written to a file of the page's folder, in the order of the page |
| ``<!-- save: PATH -->`` | the same, and the next command waits until the server has loaded it |
| ``<!-- run -->`` | is run in that folder; a `json` or `text` block below is its output |
| ``<!-- run: fails -->`` | the same, with an exit status that is not 0 |
| ``<!-- run: long -->`` | the same as `run`, but only with the long tests |
| ``<!-- serve -->`` | keeps running to the end of the page; a `text` block below is its banner |
| ``<!-- kit file: PATH -->`` | is a Playwright test, run with the kit |
| ``<!-- test file -->`` | is a pytest test; with `: PATH`, also a file of the page |
| ``<!-- scenario: NAME -->`` | is a scenario file, checked with `mockpets check` |
| ``<!-- not run: REASON -->`` | is not run |

The commands of a page with ``<!-- long -->`` are run with the long tests, because they install
packages or wait. A page with tabs (``<!-- tabs -->``, see `docs/tabs.py`) is followed once for each
tab. In files and commands, `localhost:7387` stands for the page's server, `5173` for the port of
its app and `/path/to/mockpets` for this checkout. `playwright install chromium` uses the
Chromium of this machine; see `chromium`.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from runpy import run_path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
SKILL: Final = ROOT / "skill" / "SKILL.md"
PAGES: Final = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), SKILL]
_TABS: Final[dict[str, Any]] = run_path(str(ROOT / "docs" / "tabs.py"))
_BLOCK: Final = re.compile(
    r"^(?:<!-- (?P<mark>[^\n]*?) -->\n)?```(?P<language>\S*)\n(?P<text>.*?)^```$"
    r"(?:\n\n?```(?:json|text)\n(?P<output>.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)
_MUST_HAVE_MARKS: Final = {
    *("sh", "bash", "console", "powershell"),
    *("ts", "tsx", "js", "python", "yaml"),
}


@dataclass(frozen=True)
class Block:
    """A fenced block.

    :param mark: the comment above it, such as ``run`` or ``file``; empty without one.
    :param argument: what follows the colon of the comment.
    :param output: the output that the page shows for a command; empty if it shows none.
    """

    mark: str
    argument: str
    language: str
    text: str
    output: str


def name_of(page: Path) -> str:
    """Return the path of a page, for the names of tests."""
    return str(page.relative_to(ROOT))


def tabs(page: Path) -> int:
    """Return how many alternatives a page has: 1 without tabs."""
    groups = _TABS["TABS"].finditer(page.read_text(encoding="utf-8"))
    return max((len(_TABS["alternatives"](each["text"])) for each in groups), default=1)


def blocks(page: Path, tab: int | None = None) -> list[Block]:
    """Return the fenced blocks of a page that are not the output of another.

    :param tab: the number of the tab whose blocks a reader sees, from 0; by default those of all.
    """
    text = page.read_text(encoding="utf-8")
    if tab is not None:
        text = _TABS["TABS"].sub(
            lambda group: [*_TABS["alternatives"](group["text"]).values()][tab], text
        )
    result = []
    for match in _BLOCK.finditer(text):
        mark, _, argument = (match["mark"] or "").partition(": ")
        is_command = mark in ("run", "serve", "tour", "tour command", "not run")
        output = (match["output"] or "") if is_command else ""
        result.append(Block(mark, argument, match["language"], match["text"], output))
    return result


def needs_mark(block: Block) -> bool:
    """Return whether a block shows something that a reader would run or save."""
    return block.language in _MUST_HAVE_MARKS and not block.mark


def setting(page: Path, mark: str) -> str | None:
    """Return the argument of a comment about the whole page; None if the page lacks it."""
    match = re.search(rf"^<!-- {mark}(?:: (.*))? -->$", page.read_text("utf-8"), re.MULTILINE)
    return match and (match[1] or "")


SHOP: Final = next(
    block for block in blocks(ROOT / "docs/start/your-own-api.md") if block.argument == "shop.yaml"
)
"""The document that other pages use for your own API."""
