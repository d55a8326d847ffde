"""Sphinx builds the documentation site from the Markdown files: `python -m sphinx -W -c docs . site`.

The source directory is the repository, so that links between pages work on a code host too.
"""

from importlib.metadata import version as installed_version

project = "mockpets"
version = release = installed_version("mockpets")
extensions = ["myst_parser"]
include_patterns = ["docs/**", "README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/*/README.md"]
source_suffix = {".md": "markdown"}
root_doc = "docs/index"
nitpicky = True
myst_heading_anchors = 4
html_theme = "furo"
html_title = "mockpets"
