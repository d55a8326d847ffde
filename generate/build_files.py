"""Make the modules that only a wheel or an sdist has, for a faster start: see `hatch_build.py`.

In a checkout, mockpets reads the scenarios from YAML and generates the default pets with Faker, so
that nothing is out of date while you change them. ``python -m generate.build_files FOLDER`` writes
the modules into a copy of the package, which then starts as an installed one does.
"""

from __future__ import annotations

import sys
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mockpets.scenario.folders import find
from mockpets.scenario.library import digest, read_shipped
from mockpets.seed.generated_records import DEFAULT_SEED
from mockpets.seed.generator import generate
from mockpets.seed.names import DEFAULT_LOCALE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PETS: Final = 64
_SCENARIOS: Final = '''\
"""The shipped scenarios, so that a start neither reads YAML nor checks them.

A scenario is used only while its file has the digest beside it.
"""

from mockpets.scenario.scenario_model import (
    Canned,
    Delay,
    Described,
    Generated,
    Match,
    Scenario,
    Stub,
)

SCENARIOS: dict[str, Scenario] = {
'''


def files() -> Mapping[str, str]:
    """Return the modules, by path."""
    pets = "".join(f"    {pet!r},\n" for pet in generate(_PETS, DEFAULT_SEED, DEFAULT_LOCALE))
    scenarios = "".join(
        f"    {digest(each)!r}: {_expression(read_shipped(each))},\n"
        for each in find("scenarios", ()).values()
    )
    return {
        "mockpets/scenario/shipped.py": f"{_SCENARIOS}{scenarios}}}\n",
        "mockpets/seed/default_pets.py": f'"""The first default pets."""\n\nPETS = (\n{pets})\n',
    }


def _expression(value: object) -> str:
    """Return a Python expression for a value, without the defaults of dataclasses."""
    if isinstance(value, tuple):
        items = ", ".join(map(_expression, value))
        return f"({items}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        pairs = (f"{_expression(name)}: {_expression(each)}" for name, each in value.items())
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
            yield f"{item.name}={_expression(own)}"


if __name__ == "__main__":
    for name, text in files().items():
        Path(sys.argv[1], name).write_text(text, encoding="utf-8")
