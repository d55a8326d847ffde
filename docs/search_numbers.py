"""Let the site's search find numbers, such as the status 401.

Sphinx leaves numbers out of its index and out of queries. In both, this gives each number a prefix
that makes it a word.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
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
    """Register the language."""
    app.add_search_language(SearchWithNumbers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
