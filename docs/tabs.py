"""Show alternatives of a page in tabs, without a script.

In Markdown, and on a code host, they follow one another, each below its label::

    <!-- tabs -->

    **Pet store**

    …

    **Any document**

    …

    <!-- end tabs -->
"""

from __future__ import annotations

import re
from html import escape
from itertools import count
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from sphinx.application import Sphinx

TABS: Final = re.compile(
    r"^<!-- tabs -->\n(?P<text>.*?)^<!-- end tabs -->$", re.MULTILINE | re.DOTALL
)
_LABEL: Final = re.compile(r"^\*\*(.+)\*\*\n", re.MULTILINE)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension."""
    app.connect("source-read", _show)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def alternatives(text: str) -> dict[str, str]:
    """Return the text of each tab by its label."""
    _, *parts = _LABEL.split(text)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _show(_app: Sphinx, _page: str, source: list[str]) -> None:
    numbers = count(1)
    source[0] = TABS.sub(lambda tabs: _html(next(numbers), tabs["text"]), source[0])


def _html(number: int, text: str) -> str:
    """Return radio buttons, each with a label and a part, which CSS shows if it is chosen."""
    html = '<div class="tabs">\n'
    for position, (label, part) in enumerate(alternatives(text).items()):
        name, checked = f"tabs-{number}", "" if position else " checked"
        html += (
            f'<input type="radio" name="{name}" id="{name}-{position}"{checked}>'
            f'<label for="{name}-{position}">{escape(label)}</label>\n'
            f"<div>\n\n{part.strip()}\n\n</div>\n"
        )
    return f"{html}</div>\n"
