"""What a user can set: one table, whose rows are the fields of `Settings`.

A row serves the flag (``--max-pets``), the environment (``MOCKPETS_MAX_PETS``) and the file
(``max-pets = 100`` in ``mockpets.toml``); the first of them that has it wins. `load_settings`
checks all that was written, what a stronger source hides too, and reports every problem at once.
A new setting is one more field.

Imports nothing heavy: ``mockpets --help`` and ``health`` read this module.
"""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final, Literal

from mockpets import setting_checks as checks
from mockpets.constants import DEFAULT_SCENARIO, INT64_MAX, PETS_BY_REQUEST, PETS_GENERATED
from mockpets.errors import InputError, Problem, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Check = Callable[[str], object]
    # From a key to what a Problem begins with: file, line, column, where.
    Place = Callable[[str], tuple[str, int, int, str]]
    # What a source has, by the rows' keys or the words that stand in their place.
    Source = tuple[Mapping[str, object], Place]

__all__ = ["CONFIG_VARIABLE", "URL_VARIABLE", "Row", "Settings", "load_settings", "rows"]

CONFIG_VARIABLE: Final = "MOCKPETS_CONFIG"
URL_VARIABLE: Final = "MOCKPETS_URL"
"""Where a running server is, for the commands that talk to one."""

_PREFIX: Final = "MOCKPETS_"
_FILE: Final = "mockpets.toml"
_LOOPBACK: Final = ("127.0.0.1", "::1")  # `localhost` may mean either

Repeats = Literal["no", "comma", "path"]
_SEPARATORS: Final = {"comma": ",", "path": os.pathsep}


# --- The table --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Row:
    """One setting as the table has it.

    :param name: the field of `Settings`.
    :param check: makes the value of a text, or raises ValueError.
    :param metavar: what stands for a value in the help; empty for a switch.
    :param help: one sentence, with the unit where the name has none.
    :param repeats: ``no``; or the value is a tuple, given by repeating the flag, as an array in
        the file, or as one text parted by commas (``comma``) or, flags aside, as PATH is
        (``path``).
    """

    name: str
    default: Any
    check: Check
    metavar: str
    help: str
    repeats: Repeats

    @property
    def key(self) -> str:
        """The name in ``mockpets.toml``."""
        return self.name.replace("_", "-")

    @property
    def flag(self) -> str:
        """The option of the command line."""
        return f"--{self.key}"

    @property
    def variable(self) -> str:
        """The environment variable."""
        return _PREFIX + self.name.upper()

    @property
    def is_switch(self) -> bool:
        """Whether it is either on or off."""
        return isinstance(self.default, bool)

    def read(self, value: object) -> tuple[Any, list[str]]:
        """Return a written value as the program uses it, and all that is wrong with it."""
        parts: list[object] = [value]
        if self.repeats != "no" and isinstance(value, str):
            parts = [part.strip() for part in value.split(_SEPARATORS[self.repeats])]
        elif self.repeats != "no" and isinstance(value, (list, tuple)):
            parts = list(value)
        read, faults = [], []
        for part in parts:
            try:
                read.append(self.check(self._text(part)))
            except ValueError as error:
                faults.append(str(error))
        if not parts and self.default:
            faults.append("must have at least one value, got none")
        return (tuple(read) if self.repeats != "no" else read and read[0]), faults

    def _text(self, value: object) -> str:
        """Return a value of Python or TOML as the text that the check takes."""
        if isinstance(value, (str, PurePath)) or (
            isinstance(value, int) and isinstance(value, bool) == self.is_switch
        ):
            return str(value)
        expected = "true or false" if self.is_switch else "text or an integer"
        raise ValueError(f"must be {expected}, {checks.got(value)}")


def _row(default: object, check: Check, metavar: str, text: str, repeats: Repeats = "no") -> Any:
    """Return the dataclass field that is a row; Any, since the field has the value's type."""
    metadata = {"check": check, "metavar": metavar, "help": text, "repeats": repeats}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings, checked. Without arguments, the defaults.

    :raise InputError: a value that its row refuses, or that is not of the field's type.
    """

    host: tuple[str, ...] = _row(
        _LOOPBACK, checks.host, "ADDRESS", "Address or host name to listen on.", "comma"
    )
    port: int = _row(7387, checks.integer(0, 65535), "PORT", "TCP port; 0 takes any free one.")
    scenario: tuple[str, ...] = _row(
        (DEFAULT_SCENARIO,),
        checks.scenario_name,
        "NAME",
        "Active scenario; of several, the first has precedence.",
        "comma",
    )
    scenarios_dir: tuple[Path, ...] = _row(
        (), checks.folder, "DIR", "Folder of more scenario files; a later one wins.", "path"
    )
    fixtures_dir: tuple[Path, ...] = _row(
        (), checks.folder, "DIR", "Folder of more fixture files; a later one wins.", "path"
    )
    seed: int = _row(1, checks.integer(0, INT64_MAX), "NUMBER", "What generated pets grow from.")
    count: int = _row(16, checks.integer(0, PETS_GENERATED), "NUMBER", "How many pets to generate.")
    locale: str = _row("en_US", checks.locale, "LOCALE", "Where the pets' names come from.")
    api_key: tuple[str, ...] = _row(
        ("mockpets",), checks.api_key, "KEY", "Key that clients send as bearer token.", "comma"
    )
    any_key: bool = _row(False, checks.switch, "", "Accept whatever key a client sends.")
    max_pets: int = _row(
        PETS_BY_REQUEST, checks.integer(1), "NUMBER", "Pets a session takes from requests."
    )

    def __post_init__(self) -> None:
        """Hold what Python code gave against the table, as what a user wrote is."""
        problems = []
        for row in rows():
            given = getattr(self, row.name)
            if given is not row.default:
                value, faults = row.read(given)
                if not faults and (value != given or type(value) is not type(given)):
                    faults = [f"must be {value!r}, {checks.got(given)}"]
                problems += [Problem(row.name, 0, 0, "", fault) for fault in faults]
        if problems:
            raise InputError(problems)

    def url(self, port: int | None = None) -> str:
        """Return the server's root as a client on this machine writes it, without a last slash.

        :param port: the one that listens, where the setting is 0.
        """
        host = self.host[0]
        if self.host == _LOOPBACK or host == "0.0.0.0":  # noqa: S104 - compared, not bound
            host = "localhost"
        elif ":" in host:
            host = "[::1]" if host == "::" else f"[{host}]"
        return f"http://{host}:{self.port if port is None else port}"


def rows() -> tuple[Row, ...]:
    """Return the table, in the order of the help."""
    return tuple(Row(item.name, item.default, **item.metadata) for item in fields(Settings))


# --- The three sources ------------------------------------------------------------------------


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
        _from_environ(environ),
        _from_file(config, environ.get(CONFIG_VARIABLE), problems),
    ):
        for key, given in values.items():
            if key not in table:
                problems.append(_unknown(key, table, place))
                continue
            value, faults = table[key].read(given)
            read.setdefault(table[key].name, value)
            problems += [Problem(*place(key), fault) for fault in faults]
    if problems:
        raise InputError(problems)
    return Settings(**read)


def _unknown(key: str, table: Mapping[str, Row], place: Place) -> Problem:
    """Return the problem that a word is no setting, with the nearest as its source spells it."""

    def spell(near: re.Match[str]) -> str:
        file, _, _, where = place(near[1])
        return f"'{where or file}'"

    hint = re.sub("'(.*)'", spell, did_you_mean(key, table))
    return Problem(*place(key), "no such setting", hint or "'mockpets serve --help' lists them")


def _from_flags(flags: Mapping[str, object], table: Mapping[str, Row]) -> Source:
    values = {}
    for name, value in flags.items():
        key = name.replace("_", "-")
        if isinstance(value, tuple) and key in table and table[key].repeats == "comma":
            value = ",".join(map(str, value)) if value else None
        if value is not None and value != ():
            values[key] = value
    return values, lambda key: (f"--{key}", 0, 0, "")


def _from_environ(environ: Mapping[str, str]) -> Source:
    values = {
        name.removeprefix(_PREFIX).lower().replace("_", "-"): value
        for name, value in environ.items()
        if name.startswith(_PREFIX) and value and name not in (CONFIG_VARIABLE, URL_VARIABLE)
    }
    return values, lambda key: (_PREFIX + key.upper().replace("-", "_"), 0, 0, "")


def _from_file(config: Path | None, variable: str | None, problems: list[Problem]) -> Source:
    path = config or Path(variable or _FILE)
    text, values = "", {}
    try:
        if config or variable or path.exists():
            text = path.read_bytes().decode("utf-8-sig")
            values = tomllib.loads(text)
    except OSError as error:
        by = "--config" if config else CONFIG_VARIABLE if variable else _FILE
        problems.append(Problem(by, 0, 0, "", f"cannot read '{path}': {error.strerror}"))
    except (ValueError, RecursionError) as error:  # bad TOML, bad UTF-8, absurd nesting
        said = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|.*)\)", str(error))
        what, line, column = said.groups() if said else (str(error), 0, 0)
        line = text.count("\n") + 1 if line is None else line  # at the end
        problems.append(Problem(str(path), int(line), int(column or 0), "", what))
    return values, lambda key: (str(path), *_position(text, key), key)


def _position(text: str, key: str) -> tuple[int, int]:
    """Return line and column of a key: tomllib has none, but a key begins its line."""
    name = rf"""(?P<quote>["']?){re.escape(key)}(?P=quote)"""
    found = re.search(rf"^[ \t]*(?:\[\[?[ \t]*)?(?P<name>{name})[ \t]*[=.\]]", text, re.MULTILINE)
    if found is None:
        return 0, 0
    begin = found.start("name")
    return text.count("\n", 0, begin) + 1, begin - text.rfind("\n", 0, begin)
