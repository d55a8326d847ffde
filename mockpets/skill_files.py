"""The skill for coding agents: a page, and the pages of the documentation that it refers to.

The format is that of https://agentskills.io: a folder with `SKILL.md` and the files it links to.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mockpets.constants import VERSION
from mockpets.packaged_data import shipped

if TYPE_CHECKING:
    from collections.abc import Mapping

SKILL: Final = "SKILL.md"
_LINK: Final = re.compile(r"\[([^\]]+)\]\(([^)\s#]*\.md)?(#[^)\s]*)?\)")
"""A link to a page or to a heading: the text, the page and the heading."""
_COMMENT: Final = re.compile(r"^<!--.*?-->\n+", re.MULTILINE | re.DOTALL)
"""What tests and the generator of the pages read."""


@cache
def skill_files() -> Mapping[str, str]:
    """Return the files of the skill by name; do not modify the result."""
    page = shipped("skill") / SKILL
    text = page.read_text(encoding="utf-8")
    links = filter(None, (link for _, link, _ in _LINK.findall(text)))
    pages = {Path(link).name: page.parent.joinpath(link).resolve() for link in links}
    head, body = text.split("\n---\n", 1)
    plain = _plain(body, pages, "references/")
    files = {SKILL: f"{head}\n---\n\nFor mockpets {VERSION}.\n{plain}"}
    for name, path in pages.items():
        files[f"references/{name}"] = _plain(path.read_text(encoding="utf-8"), pages, "")
    return files


def _plain(text: str, pages: Mapping[str, Path], folder: str) -> str:
    """Return a page without comments, whose links lead to the files of the skill or are text."""

    def linked(found: re.Match[str]) -> str:
        shown, link, heading = found.groups("")
        if not link and heading:
            return found[0]
        name = Path(link).name
        return f"[{shown}]({folder}{name}{heading})" if name in pages else shown

    return _LINK.sub(linked, _COMMENT.sub("", text))
