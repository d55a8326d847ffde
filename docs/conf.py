"""How Sphinx makes the documentation site: `python -m sphinx -c docs . build/site`.

The source directory is the repository, so that links between pages work on a code host too. The
site needs no server and makes no request to another host.
"""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

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
