"""Write `llms.txt` and `llms-full.txt`, the site's pages for language models, as Sphinx builds it.

`llms.txt` lists the pages by section, each with its first sentence and a link to its Markdown;
`llms-full.txt` has the text of all pages in this order. Format: https://llmstxt.org.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx import addnodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write both files into the site."""
    if exception or app.builder.format != "html":
        return
    root = app.env.get_doctree(app.config.root_doc)
    [summary] = [node.astext() for node in root.findall(nodes.paragraph)][:1] or [""]
    listing = [f"# {app.config.project}\n\n> {_one_line(summary)}\n"]
    texts = []
    groups = {
        toctree["caption"]: [page for _, page in toctree["entries"]]
        for toctree in root.findall(addnodes.toctree)
    }
    groups["Project"] = sorted(app.config.outside_navigation)
    for caption, pages in groups.items():
        listing.append(f"\n## {caption}\n\n")
        for page in pages:
            if page not in app.env.all_docs:
                continue  # Sphinx warns about it
            title = app.env.titles[page].astext()
            link = f"_sources/{page}.md.txt"
            listing.append(f"- [{title}]({link}){_first_sentence(app, page)}\n")
            text = Path(app.env.doc2path(page)).read_text(encoding="utf-8")
            texts.append(f"<!-- {page}.md -->\n\n{_without_comments(text)}\n")
    folder = Path(app.outdir)
    (folder / "llms.txt").write_text("".join(listing), encoding="utf-8")
    (folder / "llms-full.txt").write_text("\n".join(texts), encoding="utf-8")


def _first_sentence(app: Sphinx, page: str) -> str:
    """Return the first sentence of a page after a colon, or nothing."""
    for paragraph in app.env.get_doctree(page).findall(nodes.paragraph):
        return f": {re.split(r'(?<=[.!?]) ', _one_line(paragraph.astext()))[0].removesuffix(':')}"
    return ""


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _without_comments(text: str) -> str:
    """Return a page without the comments that say what a test does with it."""
    return re.sub(r"^<!-- .*? -->\n+", "", text, flags=re.MULTILINE).strip() + "\n"
