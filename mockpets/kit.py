"""The files of the TypeScript kit, as `mockpets kit` writes them and a server serves them."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Final

from mockpets.constants import SCENARIO_NAME, VERSION
from mockpets.packaged_data import shipped
from mockpets.strict_json import dump_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True)
class Integration:
    """The part of the kit for one tool.

    :param purpose: what its files are, for the help of ``mockpets kit``.
    :param needs: other files of the kit that it needs, besides the client's.
    """

    purpose: str
    needs: tuple[str, ...] = ()
    needs_client: bool = True


SCENARIOS_FILE: Final = "scenarios.d.ts"
STATES_FILE: Final = "scenarios.js"
"""The names and descriptions that scripts read; only types need `SCENARIOS_FILE`."""
PACKAGE_FILE: Final = "package.json"
TYPES_FILE: Final = "mockpets.d.ts"
"""The only file that a repository with the npm package needs."""
FILES: Final = (PACKAGE_FILE, "client.js", "client.d.ts", "control.d.ts", SCENARIOS_FILE)
_SERVER: Final = ("server.js", "server.d.ts")
_SHARED: Final = ("shared.js", STATES_FILE)
_STATES: Final = ("states.js", "states.d.ts")
INTEGRATIONS: Final[Mapping[str, Integration]] = {
    "playwright": Integration(
        "Playwright fixtures",
        (
            *(*_SHARED, *_SERVER, *_STATES),
            *("states-reporter.js", "states-reporter.d.ts", "states-sheet.js"),
            *("interleavings.js", "interleavings.d.ts", "orders.js"),
        ),
    ),
    "vitest": Integration(
        "function useMockpets for Vitest",
        (*_SHARED, "requests.js", *_SERVER, *_STATES),
    ),
    "storybook": Integration("Storybook loader", (*_SHARED, "requests.js")),
    "cypress": Integration("Cypress command", _SHARED),
    "ssr": Integration("function for server-side rendering", needs_client=False),
    "toolbar": Integration("toolbar for your app", needs_client=False),
}
"""By the names of their modules and of the options of ``mockpets kit``."""

_HEADER: Final = """\
// mockpets {version}: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
/* eslint-disable */
{more}
"""
_NO_CHECK: Final = "// @ts-nocheck: the declarations have the types\n"
# Without it, Node cannot import the files in a repository whose own package.json says "commonjs",
# as `npm init` writes it.
_TYPES: Final = """\
// mockpets {version}: written by "mockpets kit"; run it again, do not edit; agents: mockpets skill
// options:{options}
export {{}};

declare module "mockpets" {{
  interface Register {{
    scenarios:{scenarios};
    gates:{gates};
    collections:{collections};
  }}
}}
"""
_OPTIONS: Final = re.compile("// options:(.*)\n")
_LINE: Final = 80
"""The characters of a line that formatters leave as it is."""
_PACKAGE: Final = "mockpets {version}: written by 'mockpets kit'; the files here are ES modules"
_WRITTEN_BY: Final = re.compile(r"""(?:// |{\n  "description": ")mockpets (\S+): written by ["']""")


def files_of(
    integrations: Iterable[str] = tuple(INTEGRATIONS), *, with_client: bool = True
) -> tuple[str, ...]:
    """Return the files of some integrations, and of the client if it is wanted or needed."""
    parts = {name: INTEGRATIONS[name] for name in integrations}
    with_client |= any(part.needs_client for part in parts.values())
    own = ((*part.needs, *own_files(name)) for name, part in parts.items())
    return tuple(dict.fromkeys((*(FILES if with_client else FILES[:1]), *chain.from_iterable(own))))


def own_files(integration: str) -> tuple[str, str]:
    """Return the files that only one integration has."""
    return f"{integration}.js", f"{integration}.d.ts"


def render(
    name: str,
    scenarios: Mapping[str, str],
    gates: Iterable[str] = (),
    collections: Iterable[str] = (),
    options: Iterable[str] = (),
) -> str:
    """Return a file of the kit with its header.

    :param name: one of `files_of()`.
    :param scenarios: the names of all scenarios, and their descriptions.
    :param options: what `stored_options` returns for `PACKAGE_FILE` and `TYPES_FILE`.
    """
    if name == TYPES_FILE:
        return _declare_own(scenarios, gates, collections, options)
    if name == PACKAGE_FILE:
        package = {"description": _PACKAGE.format(version=VERSION), "type": "module"}
        stored = {"mockpets": {"options": options}} if (options := [*options]) else {}
        return json.dumps({**package, **stored}, indent=2, ensure_ascii=False) + "\n"
    if name == SCENARIOS_FILE:
        text = declare_scenarios(scenarios, gates, collections)
    else:
        text = list_scenarios(scenarios) if name == STATES_FILE else _source(name)
    more = _NO_CHECK if name.endswith(".js") else ""
    return _HEADER.format(version=VERSION, more=more) + text


def written_by(text: str) -> str | None:
    """Return the version of mockpets that rendered a file; None if it is not a file of the kit."""
    header = _WRITTEN_BY.match(text)
    return header and header[1]


def stored_options(text: str) -> list[str]:
    """Return the options in a `PACKAGE_FILE` or `TYPES_FILE`.

    Raises ValueError if they are not texts.
    """
    if listed := _OPTIONS.search(text):
        return shlex.split(listed[1])
    package = json.loads(text)
    options = package.get("mockpets", {"options": []})
    options = options.get("options") if isinstance(options, dict) else None
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        raise ValueError(text)
    return options


def declare_scenarios(
    names: Iterable[str], gates: Iterable[str], collections: Iterable[str]
) -> str:
    """Return the declarations of all names that can be activated, of the gates and collections."""
    union = "".join(f"\n  | {name}" for name in _quoted(_valid(names)))
    held, kept = (" | ".join(_quoted(each)) or "never" for each in (gates, collections))
    return (
        f"/** The name of a scenario file. */\nexport type ScenarioName ={union};\n\n"
        "/** A gate at which a scenario file holds responses. */\n"
        f"export type GateName = {held};\n\n"
        f"/** A collection of the contract, or of a scenario file. */\n"
        f"export type CollectionName = {kept};\n"
    )


def _declare_own(
    names: Iterable[str], gates: Iterable[str], collections: Iterable[str], options: Iterable[str]
) -> str:
    """Return the declarations that add names to those of the npm package."""
    kinds = {"scenarios": _valid(names), "gates": gates, "collections": collections}
    known = dict(zip(kinds, _source(SCENARIOS_FILE).split("export type ")[1:], strict=True))
    unions = {
        kind: _union(kind, [name for name in _quoted(each) if name not in known[kind]])
        for kind, each in kinds.items()
    }
    stored = "".join(f" {shlex.quote(option)}" for option in options)
    return _TYPES.format(version=VERSION, options=stored, **unions)


def _quoted(names: Iterable[str]) -> list[str]:
    return [dump_json(name).decode() for name in names]


def _union(key: str, names: Iterable[str]) -> str:
    line = f" {' | '.join(names) or 'never'}"
    is_short = len(f"    {key}:{line};") <= _LINE
    return line if is_short else "".join(f"\n      | {name}" for name in names)


def list_scenarios(descriptions: Mapping[str, str]) -> str:
    """Return the module with the names that can be activated, and their descriptions."""
    lines = "".join(
        f'  {{ name: "{name}", description: {dump_json(descriptions[name]).decode()} }},\n'
        for name in _valid(descriptions)
    )
    return f"export const scenarios = [\n{lines}];\n"


def _valid(names: Iterable[str]) -> list[str]:
    return [name for name in names if re.fullmatch(SCENARIO_NAME, name)]


@cache
def _source(name: str) -> str:
    """Return a shipped file, cached so that an upgrade of the package cannot mix versions."""
    return (shipped("kit") / name).read_text(encoding="utf-8")
