"""List the pages for language models: `llms.txt` in the repository and in the site.

`llms.txt` has the pages by section, each with its first sentence and a link to its Markdown. The
site also gets `llms-full.txt`, with the text of all pages in this order. `python -m generate`
writes the file of the repository. Format: https://llmstxt.org.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT: Final = Path(__file__).parents[1]
OUTSIDE_NAVIGATION: Final = [
    *("CONTRIBUTING", "SECURITY", "CHANGELOG", "benchmarks/RESULTS"),
    *(f"docs/contributors/{name}" for name in ("architecture", "decisions", "performance")),
    *("examples/react/README", "examples/clinic/README", "examples/next/README"),
]
"""Pages that other pages link to, without an entry in the navigation."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write both files into the site of this repository."""
    if exception or app.builder.format != "html" or Path(app.srcdir) != ROOT:
        return
    folder = Path(app.outdir)
    linked = re.sub(r"\]\((.*?\.md)\)", r"](_sources/\1.txt)", listing())
    (folder / "llms.txt").write_text(linked, encoding="utf-8")
    texts = [
        f"<!-- {page}.md -->\n\n{_without_comments(_read(page))}\n"
        for pages in navigation().values()
        for page in pages
    ]
    (folder / "llms-full.txt").write_text("\n".join(texts), encoding="utf-8")


def navigation() -> dict[str, list[str]]:
    """Return the pages of each group, by their paths without `.md`; the last one is not shown."""
    toctree = r"^```\{toctree\}\n:caption: ([^\n]+)\n:hidden:\n\n(.*?)```"
    groups = re.findall(toctree, _read("docs/index"), re.MULTILINE | re.DOTALL)
    shown = {group: [f"docs/{page}" for page in pages.split()] for group, pages in groups}
    return {**shown, "Project": OUTSIDE_NAVIGATION}


def listing() -> str:
    """Return `llms.txt`, with links from the root of the repository."""
    text = f"# mockpets\n\n> {_first_paragraph(_read('README'))}\n"
    for group, pages in navigation().items():
        text += f"\n## {group}\n\n"
        for page in pages:
            title = re.findall("^# (.+)", markdown := _read(page), re.MULTILINE)[0]
            first = re.split(r"(?<=[.!?]) ", _first_paragraph(markdown))[0].removesuffix(":")
            text += f"- [{title}]({page}.md): {first}\n"
    return text


def _read(page: str) -> str:
    return (ROOT / f"{page}.md").read_text(encoding="utf-8")


def _first_paragraph(text: str) -> str:
    """Return the first paragraph of prose in one line, without the addresses of links."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    paragraphs = (" ".join(each.split()) for each in text.split("\n\n"))
    prose = next(each for each in paragraphs if each and each[0] not in "#<!|-")
    return re.sub(r"\[(.*?)\]\(.*?\)", r"\1", prose)


def _without_comments(text: str) -> str:
    """Return a page without the comments that say what a test does with it."""
    return re.sub(r"^<!-- .*? -->\n+", "", text, flags=re.MULTILINE).strip() + "\n"
