"""Read the settings from where a user writes them: flags, environment, ``mockpets.toml``.

The first of the three that has a setting wins. `load_settings` checks all that was written, what a
stronger source hides too, and reports every problem at once.

Imports nothing heavy: ``mockpets --help`` and ``health`` read this module.
"""

from __future__ import annotations

import os
import re
import tomllib
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import FILE_BYTES
from mockpets.errors import InputError, Problem, did_you_mean
from mockpets.scenario.language.text import place as place_in
from mockpets.scenario.language.text import read_text
from mockpets.settings.model import VARIABLE_PREFIX, Settings, rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mockpets.settings.model import Row

    Table = Mapping[str, Row]
    # From a key to what a Problem begins with: file, line, column, where.
    Place = Callable[[str], tuple[str, int, int, str]]
    # What a source has, by the rows' keys or the words that stand in their place.
    Source = tuple[Mapping[str, object], Place]

CONFIG_VARIABLE: Final = VARIABLE_PREFIX + "CONFIG"
URL_VARIABLE: Final = VARIABLE_PREFIX + "URL"
"""Where a running server is, for the commands that talk to one."""

_FILE: Final = "mockpets.toml"


def load_settings(
    flags: Mapping[str, object], environ: Mapping[str, str], config: Path | None
) -> Settings:
    """Return the settings of flags, environment and file; what none of them has is the default.

    :param flags: values by field name; None and () stand for flags left out.
    :param environ: of which empty variables count as not set, as compose files leave them.
    :param config: the file; without it that of `CONFIG_VARIABLE`, else ``mockpets.toml`` in the
        working directory if there is one. Folders in it, too, are relative to that directory.
    :raise InputError: everything that is wrong in all three.
    """
    table = {row.key: row for row in rows()}
    problems: list[Problem] = []
    read: dict[str, Any] = {}
    for values, place in (
        _from_flags(flags, table),
        _from_environ(environ, flags, table),
        _from_file(config, environ.get(CONFIG_VARIABLE), problems),
    ):
        for key, given in values.items():
            if key not in table:
                problems.append(_unknown(key, given, table, place))
                continue
            value, faults = table[key].read(given)
            read.setdefault(table[key].name, value)
            at = place(key)
            hint = _LINK_HINT if faults and _is_link(at[0], given) else ""
            problems += [Problem(*at, fault, hint) for fault in faults]
    if problems:
        raise InputError(problems)
    return Settings(**read)


def _unknown(key: str, given: object, table: Table, place: Place) -> Problem:
    """Return the problem that a word is no setting, with the nearest as its source spells it."""
    if isinstance(given, dict) or (isinstance(given, list) and given and type(given[0]) is dict):
        hint = "settings stand at the top of the file, without a table"
        return Problem(*place(key), "no such setting", hint)

    def spell(near: re.Match[str]) -> str:
        file, _, _, where = place(near[1])
        return f"'{where or file}'"

    hint = re.sub("'(.*)'", spell, did_you_mean(key, table))
    return Problem(*place(key), "no such setting", hint or "'mockpets serve --help' lists them")


# --- Flags ------------------------------------------------------------------------------------


def _from_flags(flags: Mapping[str, object], table: Table) -> Source:
    values = {}
    for name, value in flags.items():
        key = name.replace("_", "-")
        if isinstance(value, tuple) and key in table and table[key].repeats == "comma":
            value = ",".join(map(str, value)) if value else None
        if value is not None and value != ():
            values[key] = value
    return values, lambda key: (f"--{key}", 0, 0, "")


# --- Environment ------------------------------------------------------------------------------

_LINK: Final = re.compile(
    rf"""{VARIABLE_PREFIX}(?:[A-Z0-9_]+_)?(?:
        SERVICE_HOST=[0-9a-f.:]+
      | SERVICE_PORT(?:_[A-Z0-9_]+)?=[0-9]+
      | PORT(?:_[0-9]+_(?:TCP|UDP|SCTP))?=(?:tcp|udp|sctp)://\S+
      | PORT_[0-9]+_(?:TCP|UDP|SCTP)_(?:
            ADDR=[0-9a-f.:]+ | PORT=[0-9]+ | PROTO=(?:tcp|udp|sctp)
        )
    )
    | {VARIABLE_PREFIX}NAME=/\S+/\S+""",
    re.VERBOSE,
)
"""What others put into the environment for a Service named mockpets, or ``mockpets-`` and more
(Kubernetes, "Accessing the Service"), or for a container linked by that name (docker's legacy
links, which have NAME too)."""
_LINK_HINT: Final = (
    "Kubernetes sets this for a Service named mockpets, as docker does for a link: "
    "say enableServiceLinks: false in the pod's spec, or give --port"
)


def _is_link(name: str, value: object) -> bool:
    return isinstance(value, str) and _LINK.fullmatch(f"{name}={value}") is not None


def _from_environ(environ: Mapping[str, str], flags: Mapping[str, object], table: Table) -> Source:
    """Return the settings among the variables, and the words that are none.

    A link's MOCKPETS_PORT, which no user wrote, is left out where a flag says which port, and
    where a command has no such flag and so listens on none.
    """
    values = {}
    for name, value in environ.items():
        key = name.removeprefix(VARIABLE_PREFIX).lower().replace("_", "-")
        is_ours = name.startswith(VARIABLE_PREFIX) and name not in (CONFIG_VARIABLE, URL_VARIABLE)
        wanted = key in table and flags.get(table[key].name, "no such flag") is None
        if is_ours and value and (wanted or not _is_link(name, value)):
            values[key] = value
    return values, lambda key: (VARIABLE_PREFIX + key.upper().replace("-", "_"), 0, 0, "")


# --- File -------------------------------------------------------------------------------------

_EXPECTED: Final = {
    "Invalid value": "text in quotes, an integer, true, false, or an array of these",
    "Invalid statement": "a line like port = 7387",
    "Expected newline or end of document after a statement": "text in quotes, one setting a line",
    "Cannot overwrite a value": "each setting once",
}
"""What tomllib leaves unsaid, by what it says."""


def _from_file(config: Path | None, variable: str | None, problems: list[Problem]) -> Source:
    path = config or Path(variable or _FILE)
    text, values = "", {}
    try:
        if config or variable or _is_there(path):
            by = "--config " if config else f"{CONFIG_VARIABLE}=" if variable else ""
            text = _read(path, f"{by}{path}")
            values = _parse(text, path)
    except InputError as error:
        problems += error.problems
    return values, lambda key: (str(path), *_position(text, key), key)


def _is_there(path: Path) -> bool:
    """Return whether there is a file of this name, be it a link to nothing."""
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    except OSError:  # reading it says what is wrong
        return True
    return True


def _read(path: Path, shown: str) -> str:
    """Return the text of a settings file.

    :param shown: the path and who named it.
    :raise InputError: it cannot be read, or is no text.
    """
    try:
        # Resolved, since a user may well link to settings that lie elsewhere.
        return read_text(Path(os.path.realpath(path)), shown, FILE_BYTES)
    except InputError as error:
        [problem] = error.problems
        if problem.line:
            problem = replace(problem, file=str(path))
        else:
            with suppress(OSError):  # which says that it is no link
                problem = replace(problem, hint=f"it is a link to '{path.readlink()}'")
        raise InputError([problem]) from error


def _parse(text: str, path: Path) -> dict[str, Any]:
    """Return what a settings file says.

    :raise InputError: it is no TOML; with what was expected, where tomllib leaves that out.
    """
    line, column, hint = 0, 0, ""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|.*)\)", str(error), re.DOTALL)
        what = said[1] if said else str(error)
        if said:
            line = int(said[2] or text.count("\n") + 1)  # none at the end
            column = int(said[3] or 0)
        hint = f"expected {_EXPECTED[what]}" if what in _EXPECTED else ""
    except ValueError:  # Python reads no integer of over 4,300 digits
        what = "an integer has too many digits"
        long = re.search("[0-9](?:_?[0-9]){4300}", text)
        line, column = place_in(text, long.start()) if long else (0, 0)
    except RecursionError:
        what = "arrays or tables are nested too deeply"
    raise InputError([Problem(str(path), line, column, "", what, hint)])


def _position(text: str, key: str) -> tuple[int, int]:
    """Return line and column of a key: tomllib has none, but a key begins its line."""
    name = rf"""(?P<quote>["']?){re.escape(key)}(?P=quote)"""
    found = re.search(rf"^[ \t]*(?:\[\[?[ \t]*)?(?P<name>{name})[ \t]*[=.\]]", text, re.MULTILINE)
    return place_in(text, found.start("name")) if found else (0, 0)
