"""How Sphinx makes the documentation site: `python -m sphinx -c docs . build/site`.

The source directory is the repository, so that links between pages work on a code host too. The
site needs no server and makes no request to another host.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent))  # for `llms`, `search_words` and `tabs`
from llms import OUTSIDE_NAVIGATION

project = "mockpets"
version = release = installed_version("mockpets")
copyright = "the maintainers of mockpets"  # noqa: A001 - Sphinx gives it this name
extensions = ["myst_parser", "sphinx_copybutton", "llms", "search_words", "tabs"]
include_patterns = [
    "docs/**",
    "SECURITY.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "benchmarks/RESULTS.md",
    "examples/*/README.md",
]
# Not searched for pages.
exclude_patterns = [".*", "build", "tests", "node_modules", "examples/*/node_modules"]
source_suffix = {".md": "markdown"}
root_doc = "docs/index"
nitpicky = True
suppress_warnings = ["misc.highlighting_failure"]  # the tests run the blocks; Pygments misses TSX
myst_heading_anchors = 4

html_theme = "furo"
html_title = "mockpets"
html_favicon = "../mockpets/web/panel/icon.svg"
html_logo = html_favicon
html_static_path = [
    "theme/static",
    *(f"screenshots/{name}" for name in ("story.png", "story-phone.png", "story.webp")),
    *(f"screenshots/{name}" for name in ("clinic-story.png", "clinic-story.webp")),
]
html_css_files = ["mockpets.css"]
html_extra_path = ["theme/root"]  # index.html, which leads to docs/index.html
html_use_index = False
html_search_scorer = str(Path(__file__).with_name("search_scorer.js"))
html_show_search_summary = False  # a page opened as a file may not read other files


def setup(app: Sphinx) -> None:
    """Register the functions below."""
    app.connect("doctree-read", _allow_outside_navigation)
    app.connect("include-read", _adapt_links)
    app.connect("source-read", _adapt_pictures)


def _allow_outside_navigation(app: Sphinx, _doctree: object) -> None:
    if app.env.docname in OUTSIDE_NAVIGATION:
        app.env.metadata[app.env.docname]["orphan"] = True


def _adapt_links(_app: Sphinx, _path: Path, _page: str, content: list[str]) -> None:
    """Let the README's links and pictures work on the first page, which includes it."""
    text = content[0].replace("[llms.txt](llms.txt)", '<a href="../llms.txt">llms.txt</a>')
    text = text.replace('"docs/screenshots/', '"../_static/')  # Sphinx copies no pictures of HTML
    content[0] = re.sub(r"\]\((?!https?:)", "](../", text)


def _adapt_pictures(_app: Sphinx, _page: str, content: list[str]) -> None:
    """Let HTML in the folders of `docs/` show and link pictures.

    Sphinx turns a link of Markdown to a picture into a download.
    """
    content[0] = content[0].replace('"../screenshots/', '"../../_static/')
