"""Make mockpets/scenario/shipped.py from `scenarios/`."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from typing import TYPE_CHECKING

from generate import ROOT
from mockpets.constants import NEEDS
from mockpets.errors import invalid
from mockpets.scenario.files import find
from mockpets.scenario.language.loader import load_scenario
from mockpets.scenario.library import Library, digest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATH = ROOT / "mockpets" / "scenario" / "shipped.py"

HEADER = '''\
"""The shipped scenarios, so that a start neither reads YAML nor checks them.

Made by ``python -m generate``, do not edit. A scenario counts only as long as
its file has the digest beside it.
"""

from __future__ import annotations

from typing import Final

from mockpets.scenario.model import Canned, Delay, Described, Generated, Match, Scenario, Stub

COMPILED: Final[dict[str, Scenario]] = {
'''


def files() -> dict[Path, str]:
    """Return the module.

    :raise InputError: a scenario is invalid, or has no group.
    """
    sources = find("scenarios", ())
    fixtures = Library({}, {}, {}, find("fixtures", ())).shelf()
    entries = []
    for each in sources.values():
        scenario = load_scenario(each.path, each.shown, known=sources, fixtures=fixtures)
        if scenario.group not in NEEDS:
            what, hint = "a shipped scenario requires a group", f"add one of {', '.join(NEEDS)}"
            raise invalid(each.shown, what, hint)
        entries.append(f"    {digest(each)!r}: {expression(scenario)},\n")
    return {PATH: HEADER + "".join(entries) + "}\n"}


def expression(value: object) -> str:
    """Return a Python expression for a value, without the defaults of dataclasses."""
    if isinstance(value, tuple):
        items = ", ".join(map(expression, value))
        return f"({items}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        pairs = (f"{expression(name)}: {expression(each)}" for name, each in value.items())
        return f"{{{', '.join(pairs)}}}"
    if is_dataclass(value):
        return f"{type(value).__name__}({', '.join(_arguments(value))})"
    return ascii(value)  # invisible characters and right-to-left text would hide in the file


def _arguments(value: object) -> Iterator[str]:
    for item in fields(value):  # type: ignore[arg-type]  # a dataclass
        own, default = getattr(value, item.name), item.default
        if item.default_factory is not MISSING:
            default = item.default_factory()
        if default is MISSING or own != default:
            yield f"{item.name}={expression(own)}"
