"""The formats of a report, each with the function that writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mockpets.report.formats import github, json, junit, markdown, text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mockpets.report.findings import Report

WRITERS: Final[Mapping[str, Callable[[Report], str]]] = {
    "text": text.write,
    "markdown": markdown.write,
    "github": github.write,
    "json": json.write,
    "junit": junit.write,
}
"""Format to the function that returns a report in it, without a line end."""
