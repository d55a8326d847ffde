"""What a browser loads before it shows the panel."""

import re
from collections import Counter

from tests.http_client import Client

IMPORT = re.compile(r'^import \{ (.+) \} from "\./(.+)";$', re.MULTILINE)
DECLARED = re.compile(
    r"^(?:export )?(?:default )?(?:async )?(?:const|let|function|class) (\w+|\[.*?\])", re.MULTILINE
)


def linked(call: Client, page: str) -> dict[str, str]:
    """Return the paths of the scripts that a page names, by their names."""
    text = call("GET", f"/__mockpets/{page}", key=None).body.decode()
    paths: list[str] = re.findall(r'(?:href|src)="(panel/[^"]+\.js)"', text)
    return {path.rpartition("/")[2]: path for path in paths}


def loaded(call: Client, page: str) -> dict[str, str]:
    """Return the texts of the modules that a page loads, by their names."""
    paths = linked(call, page)
    folder = paths["theme.js"].removesuffix("theme.js")
    texts: dict[str, str] = {}
    waiting = {*paths} - {"theme.js"}
    while waiting:
        name = waiting.pop()
        response = call("GET", f"/__mockpets/{folder}{name}", key=None)
        assert response.status == 200, name
        texts[name] = response.body.decode()
        waiting |= {other for _, other in IMPORT.findall(texts[name])} - texts.keys()
    return texts


def test_the_page_announces_each_module_of_the_first_load(call: Client) -> None:
    """Otherwise a browser finds it only after it has read the ones that import it."""
    modules = loaded(call, "")

    assert modules.keys() == {"preact.js", "core.js", "main.js"}
    assert linked(call, "").keys() == {*modules, "theme.js"}


def test_the_reference_page_does_not_load_the_panel(call: Client) -> None:
    assert loaded(call, "docs").keys() == {"docs.js", "preact.js", "core.js"}


def test_joined_modules_have_different_names(call: Client) -> None:
    """A script with a name twice would not run."""
    for name, text in loaded(call, "").items():
        imported = [each for names, _ in IMPORT.findall(text) for each in names.split(", ")]
        names = Counter([*imported, *DECLARED.findall(text)])
        assert len(names) > 20 or name == "preact.js"
        assert [each for each, n in names.items() if n > 1] == [], name


def test_modules_are_served_without_the_documentation_of_their_types(call: Client) -> None:
    texts = loaded(call, "")

    assert not re.search(r"@(?:param|typedef|import|template)\b", "".join(texts.values()))
    assert "export class Connection {" in texts["core.js"]
    assert "function App() {" in texts["main.js"]
