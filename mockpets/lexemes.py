"""The words of YAML and the lexemes of JSON, for the readers of scenarios and of documents."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

YAML_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
"""The values of the words that are no strings, by the core schema of YAML 1.2."""
_JSON: Final = re.compile(r'"(?:[^"\\]+|\\.)*"|[\[\]{}]|[^\s,:\[\]{}"]+')


def json_lexemes(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the lexemes of a text that is JSON, but its commas and colons, with line and column."""
    line, line_start, counted = 1, 0, 0
    for match in _JSON.finditer(text):
        start = match.start()
        if newlines := text.count("\n", counted, start):
            line, line_start = line + newlines, text.rindex("\n", 0, start) + 1
        counted = start
        yield match[0], (line, start - line_start + 1)
