"""How Sphinx makes the documentation site: `python -m sphinx -c docs . build/site`.

The source directory is the repository, so that links between pages work on a code host too. The
site needs no server and makes no request to another host.
"""

from __future__ import annotations

import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent))  # for `llms` and `search_numbers`

project = "mockpets"
version = release = installed_version("mockpets")
copyright = "the maintainers of mockpets"  # noqa: A001 - Sphinx gives it this name
extensions = ["myst_parser", "sphinx_copybutton", "llms", "search_numbers"]
include_patterns = [
    "docs/**",
    "README.md",
    "SECURITY.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "benchmarks/RESULTS.md",
    "examples/*/README.md",
]
exclude_patterns = [".*", "build", "tests", "examples/*/node_modules"]  # not searched for pages
source_suffix = {".md": "markdown"}
root_doc = "docs/index"
nitpicky = True
suppress_warnings = ["misc.highlighting_failure"]  # the tests run the blocks; Pygments misses TSX
myst_heading_anchors = 4

html_theme = "furo"
html_title = "mockpets"
html_favicon = "../mockpets/web/panel/icon.svg"
html_logo = html_favicon
html_static_path = ["theme/static"]
html_css_files = ["mockpets.css"]
html_extra_path = ["theme/root"]  # index.html, which leads to docs/index.html
html_use_index = False
html_show_search_summary = False  # a page opened as a file may not read other files

outside_navigation = {
    *("README", "CONTRIBUTING", "SECURITY", "CHANGELOG", "benchmarks/RESULTS"),
    *("examples/react/README", "examples/next/README"),
    *(f"docs/contributors/{name}" for name in ("architecture", "decisions", "performance")),
}
"""Pages that other pages link to. Sphinx reports any other page that no table of contents has."""


def setup(app: Sphinx) -> None:
    """Register the setting and its effect."""
    app.add_config_value("outside_navigation", set(), "env")
    app.connect("doctree-read", _allow_outside_navigation)


def _allow_outside_navigation(app: Sphinx, _doctree: object) -> None:
    if app.env.docname in outside_navigation:
        app.env.metadata[app.env.docname]["orphan"] = True
