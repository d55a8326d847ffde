"""Let the site's search find numbers, such as the status 401, and the words that users type.

Sphinx leaves numbers out of its index and out of queries. In both, this gives each number a prefix
that makes it a word. A page lists words that its text lacks in a comment, such as
`<!-- search: spinner, skeleton -->`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from docutils import nodes
from markupsafe import Markup
from sphinx import addnodes
from sphinx.search.en import SearchEnglish

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class SearchWithNumbers(SearchEnglish):
    """English, with numbers as words such as `_401`."""

    # The default of Sphinx' searchtools.js, and the prefix.
    js_splitter_code = Markup(r"""
var splitQuery = (query) => query
  .split(/[^\p{Letter}\p{Number}_\p{Emoji_Presentation}]+/gu)
  .filter((term) => term)
  .map((term) => term.replace(/^[0-9]+$/, "_$&"));
""")

    def split(self, input: str) -> list[str]:  # noqa: A002 - Sphinx gives it this name
        """Return the words of a text."""
        return [re.sub(r"^[0-9]+$", r"_\g<0>", word) for word in super().split(input)]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the language and the comments."""
    app.add_search_language(SearchWithNumbers)
    app.connect("doctree-read", _add_words)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _add_words(_app: Sphinx, page: nodes.document) -> None:
    """Add the phrases of a comment to the index, and their words to those of the text."""
    for comment in list(page.findall(nodes.raw)):
        if match := re.fullmatch(r"<!-- search: (.*) -->\s*", comment.astext(), re.DOTALL):
            phrases = " ".join(match[1].split()).split(", ")
            entries = [("single", phrase, "", "main", None) for phrase in phrases]
            words = ", ".join(" ".join(phrases).split())
            page += [addnodes.index(entries=entries), nodes.meta(name="keywords", content=words)]
