"""The files of the TypeScript kit, as `mockpets kit` writes them and a server serves them."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Final

from mockpets.constants import SCENARIO_NAME, VERSION
from mockpets.contract.pet_store import BUILT_IN
from mockpets.packaged_data import shipped
from mockpets.strict_json import dump_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mockpets.contract.contract_model import Contracts
    from mockpets.scenario.library import Library


@dataclass(frozen=True)
class Integration:
    """The part of the kit for one tool.

    :param purpose: what its files are, for the help of ``mockpets kit``.
    :param needs: other files of the kit that it needs, besides the client's.
    """

    purpose: str
    needs: tuple[str, ...] = ()
    needs_client: bool = True


CONTRACT_FILE: Final = "contract.d.ts"
SCENARIOS_FILE: Final = "scenarios.d.ts"
STATES_FILE: Final = "scenarios.js"
"""The names and descriptions that scripts read; only types need `SCENARIOS_FILE`."""
PACKAGE_FILE: Final = "package.json"
TYPES_FILE: Final = "mockpets.d.ts"
"""The only file that a repository with the npm package needs."""
FILES: Final = (
    *(PACKAGE_FILE, "client.js", "client.d.ts", "connection.js", "connection.d.ts"),
    *("control.js", "control.d.ts", "types.js", "types.d.ts"),
    *(CONTRACT_FILE, SCENARIOS_FILE),
)
_SERVER: Final = ("server.js", "server.d.ts")
_SHARED: Final = ("shared.js", STATES_FILE)
_STATES: Final = ("states.js", "states.d.ts")
INTEGRATIONS: Final[Mapping[str, Integration]] = {
    "playwright": Integration(
        "Playwright fixtures",
        (
            *(*_SHARED, *_SERVER, *_STATES),
            *("states-reporter.js", "states-reporter.d.ts", "states-sheet.js"),
            *("interleavings.js", "orders.js"),
        ),
    ),
    "vitest": Integration(
        "function useMockpets for Vitest",
        (*_SHARED, "requests.js", *_SERVER, *_STATES),
    ),
    "storybook": Integration(
        "Storybook loader", (*_SHARED, "requests.js", "storybook-parameters.d.ts")
    ),
    "cypress": Integration("Cypress command", (*_SHARED, "cypress-command.d.ts")),
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
{members}  }}
}}
{contract}"""
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


@dataclass(frozen=True)
class Known:
    """What the kit knows of a server: the names of its scenarios, and the types of its contracts.

    :param scenarios: the names of all scenarios, and their descriptions.
    :param resources: the collections that scenarios define.
    :param paths: the module with openapi-typescript's types of a contract, by its label.
    """

    scenarios: Mapping[str, str]
    gates: Sequence[str] = ()
    resources: Sequence[str] = ()
    contracts: Contracts = BUILT_IN
    paths: Mapping[str, str] = field(default_factory=dict)


def known_of(library: Library) -> Known:
    """Return what the kit knows of a server with these scenarios."""
    own = [each for each in library.collection_names() if each not in library.contracts.collections]
    return Known(library.descriptions(), library.gates(), own, library.contracts)


def render(name: str, known: Known, options: Iterable[str] = ()) -> str:
    """Return a file of the kit with its header.

    :param name: one of `files_of()`, or `TYPES_FILE`.
    :param options: what `stored_options` returns for `PACKAGE_FILE` and `TYPES_FILE`.
    """
    if name == TYPES_FILE:
        return _declare_own(known, options)
    if name == PACKAGE_FILE:
        package = {"description": _PACKAGE.format(version=VERSION), "type": "module"}
        stored = {"mockpets": {"options": options}} if (options := [*options]) else {}
        return json.dumps({**package, **stored}, indent=2, ensure_ascii=False) + "\n"
    written = {
        SCENARIOS_FILE: declare_scenarios,
        STATES_FILE: list_scenarios,
        CONTRACT_FILE: declare_contract,
    }
    text = written[name](known) if name in written else _source(name)
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


def declare_scenarios(known: Known) -> str:
    """Return the declarations of the names of scenarios, gates and their own collections.

    They are also those of `STATES_FILE`.
    """
    union = "".join(f"\n  | {name}" for name in _quoted(_valid(known.scenarios)))
    held, kept = (" | ".join(_quoted(each)) or "never" for each in (known.gates, known.resources))
    return (
        f"/** The name of a scenario file. */\nexport type ScenarioName ={union};\n\n"
        "/** A gate at which a scenario file holds responses. */\n"
        f"export type GateName = {held};\n\n"
        "/** A collection that a scenario file defines. */\n"
        f"export type ResourceName = {kept};\n\n"
        "/** All scenarios that can be activated. */\n"
        "export const scenarios: { name: ScenarioName; description: string }[];\n"
    )


def declare_contract(known: Known) -> str:
    """Return the declarations of the operations and the collections of the contracts."""
    from mockpets.contract import typescript
    from mockpets.scenario.language.reply import error_codes

    codes = error_codes(known.contracts)
    return typescript.declare_contract(known.contracts, codes, known.paths)


def _declare_own(known: Known, options: Iterable[str]) -> str:
    """Return the declarations that replace those of the npm package."""
    names = {"scenarios": _valid(known.scenarios), "gates": known.gates}
    names["resources"] = known.resources
    members = {kind: _union(kind, _quoted(each)) for kind, each in names.items()}
    contract = ""
    if known.contracts is not BUILT_IN:  # the package has its types
        members["contract"] = " Contract"
        contract = "\n" + declare_contract(known).removeprefix("export ")
    return _TYPES.format(
        version=VERSION,
        options="".join(f" {shlex.quote(option)}" for option in options),
        members="".join(f"    {kind}:{text};\n" for kind, text in members.items()),
        contract=contract,
    )


def _quoted(names: Iterable[str]) -> list[str]:
    return [dump_json(name).decode() for name in names]


def _union(key: str, names: Iterable[str]) -> str:
    line = f" {' | '.join(names) or 'never'}"
    is_short = len(f"    {key}:{line};") <= _LINE
    return line if is_short else "".join(f"\n      | {name}" for name in names)


def list_scenarios(known: Known) -> str:
    """Return the module with the names that can be activated, and their descriptions."""
    lines = "".join(
        f'  {{ name: "{name}", description: {dump_json(known.scenarios[name]).decode()} }},\n'
        for name in _valid(known.scenarios)
    )
    return f"export const scenarios = [\n{lines}];\n"


def _valid(names: Iterable[str]) -> list[str]:
    return [name for name in names if re.fullmatch(SCENARIO_NAME, name)]


@cache
def _source(name: str) -> str:
    """Return a shipped file, cached so that an upgrade of the package cannot mix versions."""
    return (shipped("kit") / name).read_text(encoding="utf-8")
