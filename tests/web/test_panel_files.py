"""What a browser loads before it shows the panel."""

import re
from collections.abc import Iterator
from pathlib import Path

import mockpets.web

PANEL = Path(mockpets.web.__file__).with_name("panel")


def imported(path: Path) -> Iterator[str]:
    """Yield the names of a module and of those that it imports, some more than once."""
    yield path.name
    text = path.read_text("utf-8")
    for each in re.findall(r'^(?:import|export)\b[^;]*?from "(\.[^"]+)";', text, re.MULTILINE):
        yield from imported(path.parent / each)


def test_the_page_announces_each_module_of_the_first_load() -> None:
    """Otherwise a browser finds it only after it has read the ones that import it."""
    page = (PANEL / "index.html").read_text("utf-8")
    linked = re.findall(r'(?:href|src)="panel/\{digest\}/(.+?\.js)"', page)
    modules = {*imported(PANEL / "main.js")}

    assert {"preact.js", "store.js", "connection.js"} < modules
    assert {*linked} == {*modules, "theme.js"}
