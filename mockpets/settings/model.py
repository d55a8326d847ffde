"""What a user can set: one table, whose rows are the fields of `Settings`.

A row serves the flag (``--max-pets``), the environment (``MOCKPETS_MAX_PETS``) and the file
(``max-pets = 100`` in ``mockpets.toml``); `setting_sources` reads those. A new setting is one more
field.

Imports nothing heavy: ``mockpets --help`` and ``health`` read this module.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final, Literal

from mockpets.constants import (
    DEFAULT_SCENARIO,
    INT64_MAX,
    JOURNAL_ENTRIES,
    PETS_BY_REQUEST,
    PETS_GENERATED,
    SESSIONS,
    STACK_DEPTH,
)
from mockpets.errors import InputError, Problem
from mockpets.settings import validators

if TYPE_CHECKING:
    from collections.abc import Callable

    Check = Callable[[Any], object]

    class Seconds:
        """For type checkers: a field that is a number of seconds, and may be given as text."""

        def __get__(self, settings: Settings | None, owner: type | None = None) -> float:
            """Return seconds."""

        def __set__(self, settings: Settings, value: float | str) -> None:
            """Take seconds, or text with a unit such as ``300ms``."""

else:
    Seconds = float

VARIABLE_PREFIX: Final = "MOCKPETS_"

_HTTP_PORT: Final = 80
"""The port that a URL need not name."""
_LOOPBACK: Final = ("127.0.0.1", "::1")  # `localhost` may mean either

Repeats = Literal["no", "comma", "path"]
_SEPARATORS: Final = {"comma": ",", "path": os.pathsep}


# --- The table --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Row:
    """One setting as the table has it.

    :param name: the field of `Settings`.
    :param check: makes the value of a text, or raises ValueError; of seconds, also of a number.
    :param metavar: what stands for a value in the help; empty for a switch.
    :param help: one sentence, with the unit where the name has none.
    :param repeats: ``no``; or the value is a tuple, given by repeating the flag, as an array in
        the file, or as one text parted by commas (``comma``) or, flags aside, as PATH is
        (``path``).
    :param most: how many values a tuple may have, None for any number.
    """

    name: str
    default: Any
    check: Check
    metavar: str
    help: str
    repeats: Repeats
    most: int | None = None

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
        return VARIABLE_PREFIX + self.name.upper()

    @property
    def is_switch(self) -> bool:
        """Whether it is either on or off."""
        return isinstance(self.default, bool)

    @property
    def is_seconds(self) -> bool:
        """Whether it is a time in seconds, which users write with a unit."""
        return isinstance(self.default, float)

    def read(self, value: object) -> tuple[Any, list[str]]:
        """Return a written value as the program uses it, and all that is wrong with it.

        Of words that repeat, the first counts; of folders the last does, so they stay.
        """
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
        if self.repeats == "comma":
            read = list(dict.fromkeys(read))
        if self.most is not None and len(read) > self.most:
            faults.append(f"must have at most {self.most} values, got {len(read)}")
        return (tuple(read) if self.repeats != "no" else read and read[0]), faults

    def from_python(self, value: object) -> tuple[Any, list[str]]:
        """Return a value that Python code gave as the program uses it, and all problems with it.

        It must have the type and spelling that `read` returns; only repeated words are dropped,
        and seconds may also be text with a unit.
        """
        if self.is_seconds and isinstance(value, (int, float)) and not isinstance(value, bool):
            try:
                return self.check(value), []
            except ValueError as error:
                return value, [str(error)]
        read, problems = self.read(value)
        is_same = read == value and type(read) is type(value)
        is_shorter = isinstance(value, tuple) and read == tuple(dict.fromkeys(value))
        is_time = self.is_seconds and isinstance(value, str)
        if not (problems or is_same or is_shorter or is_time):
            problems = [f"must be {read!r}, {validators.got(value)}"]
        return read, problems

    def _text(self, value: object) -> str:
        """Return a value of Python or TOML as the text that the check takes."""
        if isinstance(value, (str, PurePath)) or (
            isinstance(value, int) and isinstance(value, bool) == self.is_switch
        ):
            try:
                return str(value)
            except ValueError:  # Python writes no integer of over 4,300 digits
                raise ValueError(f"must be a shorter integer, {validators.got(value)}") from None
        expected = "true or false" if self.is_switch else "text or an integer"
        raise ValueError(f"must be {expected}, {validators.got(value)}")


def _row(
    default: object,
    check: Check,
    metavar: str,
    text: str,
    repeats: Repeats = "no",
    most: int | None = None,
) -> Any:
    """Return the dataclass field that is a row; Any, since the field has the value's type."""
    metadata = {"check": check, "metavar": metavar, "help": text, "repeats": repeats, "most": most}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings, checked. Without arguments, the defaults.

    :raise InputError: a value that its row refuses, or that is not of the field's type.
    """

    host: tuple[str, ...] = _row(
        _LOOPBACK, validators.host, "ADDRESS", "Address or host name to listen on.", "comma"
    )
    port: int = _row(7387, validators.integer(0, 65535), "PORT", "TCP port; 0 takes any free one.")
    scenario: tuple[str, ...] = _row(
        (DEFAULT_SCENARIO,),
        validators.scenario_name,
        "NAME",
        "Active scenario; of several, the first has precedence.",
        "comma",
        STACK_DEPTH,
    )
    scenarios_dir: tuple[Path, ...] = _row(
        (), validators.folder, "DIR", "Folder of more scenario files; a later one wins.", "path"
    )
    fixtures_dir: tuple[Path, ...] = _row(
        (), validators.folder, "DIR", "Folder of more fixture files; a later one wins.", "path"
    )
    seed: int = _row(
        1, validators.integer(0, INT64_MAX), "NUMBER", "What generated pets grow from."
    )
    count: int = _row(
        16, validators.integer(0, PETS_GENERATED), "NUMBER", "How many pets to generate."
    )
    locale: str = _row("en_US", validators.locale, "LOCALE", "Where the pets' names come from.")
    api_key: tuple[str, ...] = _row(
        ("mockpets",), validators.api_key, "KEY", "Key that clients send as bearer token.", "comma"
    )
    any_key: bool = _row(False, validators.switch, "", "Accept whatever key a client sends.")
    delay: Seconds = _row(  # noqa: RUF009 - returns a field(), as all rows do
        0.0, validators.duration, "DURATION", "How late every answer is, such as 300ms."
    )
    control: str = _row(
        "auto",
        validators.one_of("auto", "open", "off"),
        "WHO",
        "Control API: auto (this machine, or with a token), open (a trusted network), off.",
    )
    control_token: str = _row(
        "",
        validators.control_token,
        "TOKEN",
        "What callers of the control API send; elsewhere than on loopback, else a random one.",
    )
    control_origin: tuple[str, ...] = _row(
        (), validators.origin, "ORIGIN", "Web page that may call the control API.", "comma"
    )
    allow_host: tuple[str, ...] = _row(
        (), validators.host_name, "NAME", "Name that the control API may be called by.", "comma"
    )
    behind_proxy: tuple[str, ...] = _row(
        (),
        validators.network,
        "ADDRESS",
        "Address or network of a reverse proxy whose X-Forwarded-* headers are believed.",
        "comma",
    )
    prefix: str = _row(
        "", validators.prefix, "PATH", "Path that all others are under, such as /mock."
    )
    max_pets: int = _row(
        PETS_BY_REQUEST, validators.integer(1), "NUMBER", "Pets a session takes from requests."
    )
    max_sessions: int = _row(
        SESSIONS, validators.integer(1, 10_000), "NUMBER", "Sessions there may be at once."
    )
    journal_size: int = _row(
        JOURNAL_ENTRIES,
        validators.integer(0, 100_000),
        "NUMBER",
        "Requests a session's journal keeps.",
    )
    state: str = _row(
        "",
        validators.new_file,
        "FILE",
        "File that keeps the sessions, no stranger's, over restarts.",
    )
    reset_every: Seconds = _row(  # noqa: RUF009 - returns a field(), as all rows do
        0.0,
        validators.interval,
        "TIME",
        "How often every session goes back to the start; 0s: never.",
    )
    public: bool = _row(
        False,
        validators.switch,
        "",
        "Be open to strangers: lower limits, a session for each visitor.",
    )
    log_format: str = _row(
        "text", validators.one_of("text", "json"), "FORMAT", "Lines of the log: text or json."
    )
    quiet: bool = _row(
        False, validators.switch, "", "Leave out the log's line for each request; warnings stay."
    )
    open: bool = _row(False, validators.switch, "", "Open the control panel in a browser.")

    def __post_init__(self) -> None:
        """Check the values that Python code gave, and convert times to seconds."""
        problems = []
        for row in rows():
            given = getattr(self, row.name)
            if given is not row.default:
                value, found = row.from_python(given)
                object.__setattr__(self, row.name, value)
                problems += [Problem(row.name, 0, 0, "", what) for what in found]
        if problems:
            raise InputError(problems)

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach what listens."""
        from ipaddress import ip_address  # few need it

        def local(host: str) -> bool:
            try:
                return ip_address(host.partition("%")[0]).is_loopback
            except ValueError:
                return host.lower() == "localhost"

        return self.host == _LOOPBACK or all(map(local, self.host))

    def url(self, port: int | None = None) -> str:
        """Return the server's root as a client on this machine writes it, without a last slash.

        :param port: the one that listens, where the setting is 0.
        """
        host = self.host[0]
        if self.host == _LOOPBACK or host == "0.0.0.0":  # noqa: S104 - compared, not bound
            host = "localhost"
        elif ":" in host:
            host = "[::1]" if host == "::" else f"[{host}]"
        port = self.port if port is None else port
        return f"http://{host}" if port == _HTTP_PORT else f"http://{host}:{port}"


def rows() -> tuple[Row, ...]:
    """Return the table, in the order of the help."""
    return tuple(Row(item.name, item.default, **item.metadata) for item in fields(Settings))
