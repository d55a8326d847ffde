"""Load the settings from flags, environment variables and ``mockpets.toml``, in this precedence.

Keep imports light: ``--help`` and ``health`` load this module.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import FILE_BYTES
from mockpets.errors import InputError, Problem, did_you_mean, problem_with
from mockpets.settings.settings_table import VARIABLE_PREFIX, Settings, rows
from mockpets.text_files import place as place_in
from mockpets.text_files import read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mockpets.settings.settings_table import Place, Row

    Table = Mapping[str, Row]
    PlaceOf = Callable[[str], Place]
    # The values of a source by key, including unknown keys.
    Source = tuple[Mapping[str, object], PlaceOf]

CONFIG_VARIABLE: Final = VARIABLE_PREFIX + "CONFIG"
URL_VARIABLE: Final = VARIABLE_PREFIX + "URL"
"""The URL of a running server, for the commands that call it."""

SECRETS: Final = tuple(row.key for row in rows() if row.is_secret)
"""The settings whose variable with `FILE_SUFFIX` names a file that has the value."""
FILE_SUFFIX: Final = "_FILE"

_FILE: Final = "mockpets.toml"


def load_settings(
    flags: Mapping[str, object], environ: Mapping[str, str], config: Path | None
) -> Settings:
    """Return the settings from flags, environment and file, or their defaults.

    Every value is validated, even if a stronger source overrides it.

    :param flags: values by field name; None and () mean that the flag is absent.
    :param environ: empty variables count as unset, because compose files set them so.
    :param config: the file; by default the one that `CONFIG_VARIABLE` names, or else
        ``mockpets.toml`` in the working directory, if it exists. Folders in the file are relative
        to the working directory.
    :raise InputError: with all problems from all three sources.
    """
    table = {row.key: row for row in rows()}
    problems: list[Problem] = []
    settings: dict[str, Any] = {}
    sources: dict[str, Place] = {}
    for values, place in (
        _from_flags(flags, table),
        _from_environ(environ, problems),
        _from_file(config, environ.get(CONFIG_VARIABLE), problems),
    ):
        for key, given in values.items():
            if key not in table:
                problems.append(_unknown(key, given, table, place))
                continue
            value, messages = table[key].read(given)
            position = place(key)
            settings.setdefault(table[key].name, value)
            sources.setdefault(table[key].name, position)
            problems += [Problem(*position, message) for message in messages]
    if problems:
        raise InputError(problems)
    return Settings(**settings, sources=sources)


def _unknown(key: str, given: object, table: Table, place: PlaceOf) -> Problem:
    """Return the problem for an unknown setting, with the nearest name as its source spells it."""
    if isinstance(given, dict) or (isinstance(given, list) and given and type(given[0]) is dict):
        hint = "write settings at the top level of the file, not in a table"
        return Problem(*place(key), "unknown setting", hint)

    def spell(name: str) -> str:
        file, _, _, where = place(name)
        return where or file

    hint = re.sub("'(.*)'", lambda near: f"'{spell(near[1])}'", did_you_mean(key, table))
    return Problem(*place(key), "unknown setting", hint or "'mockpets serve --help' lists them")


# --- Flags ------------------------------------------------------------------------------------


def _from_flags(flags: Mapping[str, object], table: Table) -> Source:
    values = {}
    for name, value in flags.items():
        key = name.replace("_", "-")
        if isinstance(value, tuple) and key in table and table[key].separator == ",":
            value = ",".join(map(str, value)) if value else None
        if value is not None and value != ():
            values[key] = value
    return values, lambda key: (f"--{key}", 0, 0, "")


# --- Environment ------------------------------------------------------------------------------


def _with_secrets(environ: Mapping[str, str], problems: list[Problem]) -> dict[str, str]:
    """Return the environment with the contents of the files that variables name; add problems."""
    result = dict(environ)
    for key in SECRETS:
        name = VARIABLE_PREFIX + key.upper().replace("-", "_")
        path = result.pop(name + FILE_SUFFIX, "")
        if path and result.get(name):
            hint = "remove one of the two variables"
            problems.append(problem_with(name, f"is set together with {name}{FILE_SUFFIX}", hint))
        elif path:
            try:
                shown = f"{name}{FILE_SUFFIX}={path}"
                result[name] = read_text(Path(os.path.realpath(path)), shown, FILE_BYTES).strip()
                if not result[name]:
                    problems.append(
                        problem_with(shown, "is empty", "write the value into the file")
                    )
            except InputError as error:
                problems += error.problems
    return result


def readable_secrets(settings: Settings) -> list[str]:
    """Return a warning if a settings file with secrets can be read by every user."""
    places = {key: settings.sources.get(key.replace("-", "_")) for key in SECRETS}
    files = {key: place[0] for key, place in places.items() if place and place[3]}
    if not files or os.name == "nt":
        return []
    [file] = set(files.values())
    if not Path(file).stat().st_mode & stat.S_IROTH:
        return []
    return [f"every user can read {file}, which has {' and '.join(files)}; run: chmod 600 {file}"]


_LINK: Final = (
    rf"{VARIABLE_PREFIX}(?:(?:[A-Z0-9_]+_)?"
    r"(?:SERVICE_HOST=.*|SERVICE_PORT\w*=.*|PORT_[0-9]+_\w+=.*|PORT=\w+://.*)|NAME=/.*/.*)"
)
"""Variables to ignore: those that Kubernetes sets for a Service named ``mockpets`` or
``mockpets-...`` ("Accessing the Service"), and Docker for a legacy link, which has NAME too.

Compiled for the first variable with our prefix, because it takes as long as a module."""


def _from_environ(environ: Mapping[str, str], problems: list[Problem]) -> Source:
    """Return the settings in the environment, including unknown names."""
    values = {
        name.removeprefix(VARIABLE_PREFIX).lower().replace("_", "-"): value
        for name, value in _with_secrets(environ, problems).items()
        if name.startswith(VARIABLE_PREFIX)
        and name not in (CONFIG_VARIABLE, URL_VARIABLE)
        and value
        and not re.fullmatch(_LINK, f"{name}={value}")
    }

    def place(key: str) -> Place:
        name = VARIABLE_PREFIX + key.upper().replace("-", "_")
        is_file = key in SECRETS and bool(environ.get(name + FILE_SUFFIX))
        return name + FILE_SUFFIX * is_file, 0, 0, ""

    return values, place


# --- File -------------------------------------------------------------------------------------

_EXAMPLE: Final = "write lines like port = 7387, with texts in quotes, each setting once"


def _from_file(config: Path | None, variable: str | None, problems: list[Problem]) -> Source:
    path = config or Path(variable or _FILE)
    text, values = "", {}
    try:
        if config or variable or os.path.lexists(path):  # even a broken link
            label = "--config " if config else f"{CONFIG_VARIABLE}=" if variable else ""
            # Resolved, because users link to settings in other folders.
            text = read_text(Path(os.path.realpath(path)), f"{label}{path}", FILE_BYTES)
            values = _parse(text, path)
    except InputError as error:
        problems += error.problems
    return values, lambda key: (str(path), *_position(text, key), key)


def _parse(text: str, path: Path) -> dict[str, Any]:
    import tomllib  # slow to import, and most people have no such file

    line, column, message = 0, 0, "arrays or tables are nested too deeply"
    try:
        return tomllib.loads(text)
    except RecursionError:
        pass
    except ValueError as error:
        message = str(error)
        if parts := re.fullmatch(
            r"(.*) \(at (?:line (\d+), column (\d+)|.*)\)", message, re.DOTALL
        ):
            message = parts[1]
            line = int(parts[2] or text.count("\n") + 1)  # "at end of document"
            column = int(parts[3] or 0)
    raise InputError([Problem(str(path), line, column, "", message, _EXAMPLE)])


def _position(text: str, key: str) -> tuple[int, int]:
    """Return the line and column of a key, which tomllib does not report."""
    name = rf"""(?P<quote>["']?){re.escape(key)}(?P=quote)"""
    match = re.search(rf"^[ \t]*(?:\[\[?[ \t]*)?(?P<name>{name})[ \t]*[=.\]]", text, re.MULTILINE)
    return place_in(text, match.start("name")) if match else (0, 0)
