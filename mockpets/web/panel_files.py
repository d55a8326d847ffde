"""The files of the panel, as browsers get them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mockpets.packaged_data import shipped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_FOLDER: Final = Path(__file__).with_name("panel")
_OF_THE_KIT: Final = (
    "connection.js",
    *("toolbar/active.js", "toolbar/operation-states.js", "toolbar/shown.js"),
)
"""The modules of the kit that the panel imports."""
_SERVED: Final = (".css", ".html", ".js", ".svg")
_JOINED: Final = {
    "core.js": (
        *("connection.js", "active.js", "shown.js", "store.js", "values.js", "loading.js"),
        *("ui.js", "filter.js", "overlays.js", "log.js"),
    ),
    "main.js": (
        *("log-filter.js", "rows.js", "table.js", "requests.js", "pages.js", "actions.js"),
        *("top-bar.js", "rail.js", "palette.js", "main.js"),
    ),
}
"""Modules that are served as one script, each after those that it imports, so that a browser needs
few requests. Their top-level names differ. The reference page needs only the first."""
_DOCUMENTATION: Final = re.compile(r"^ */\*\*(?:(?!\*/).)*\*/\n+", re.MULTILINE | re.DOTALL)
"""A comment with types, which is for readers of the source: a third of the bytes."""
_IMPORT: Final = re.compile(r'^import ([^;"]+?) from "(?:[^"]*/)?([^"/]+)";\n', re.MULTILINE)


@cache
def panel_files() -> dict[str, bytes]:
    """Return the served files, read at once so that an upgrade of the package cannot mix them."""
    own = (path for path in _FOLDER.iterdir() if path.suffix in _SERVED)
    paths = sorted([*own, *(shipped("kit") / name for name in _OF_THE_KIT)])
    files = {path.name: path.read_bytes() for path in paths}
    scripts = {name: files.pop(name).decode() for name in [*files] if name.endswith(".js")}
    joined = {name for names in _JOINED.values() for name in names}
    served = {**{name: (name,) for name in scripts if name not in joined}, **_JOINED}
    homes = {module: script for script, modules in served.items() for module in modules}
    return files | {
        script: _script([scripts[name] for name in modules], script, homes).encode()
        for script, modules in served.items()
    }


def _script(modules: Sequence[str], script: str, homes: Mapping[str, str]) -> str:
    """Return modules as one script, which imports what others have from their scripts.

    :param homes: the script of each module.
    """
    needed: dict[str, set[str]] = {}
    for clause, module in _IMPORT.findall("".join(modules)):
        if homes[module] != script:
            names = filter(None, map(str.strip, clause.strip("{}\n ").split(",")))
            needed.setdefault(homes[module], set()).update(names)
    imports = (
        f'import {{ {", ".join(sorted(names))} }} from "./{each}";\n'
        for each, names in needed.items()
    )
    bodies = (_DOCUMENTATION.sub("", _IMPORT.sub("", each)) for each in modules)
    text = "".join([*imports, *bodies])
    return text.replace("export default ", "") if len(modules) > 1 else text
