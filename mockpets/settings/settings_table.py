"""The table of settings: each field of `Settings` is a row.

A row defines a flag (``--max-records``), an environment variable (``MOCKPETS_MAX_RECORDS``) and a
key of ``mockpets.toml`` (``max-records = 100``); `sources` reads all three. To add a setting, add a
field: the options, the help, ``mockpets settings`` and the reference page are made of the rows.

Keep imports light: ``--help`` and ``health`` load this module.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final, Literal

from mockpets.constants import (
    DEFAULT_SCENARIO,
    DELAY_SECONDS,
    DRAIN_SECONDS,
    INT64_MAX,
    INTERVAL_SECONDS,
    PORT_MAX,
    STACK_DEPTH,
)
from mockpets.errors import InputError, Problem
from mockpets.limits import USUAL, Limits
from mockpets.public.public_limits import PUBLIC
from mockpets.settings import validators as check
from mockpets.units import got, switch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Check = Callable[[Any], object]
    # The first fields of a Problem: file, line, column, where.
    Place = tuple[str, int, int, str]

VISITOR_RATE: Final = 20
"""Requests per second of one visitor, unless `--visitor-rate` is set."""
ANY_KEY: Final = "*"
"""The value of `--api-key` that stands for any key."""

VARIABLE_PREFIX: Final = "MOCKPETS_"

_HTTP_PORT: Final = 80
"""The port that a URL can omit."""
_LOOPBACK: Final = ("127.0.0.1", "::1")  # `localhost` may mean either

Group = Literal["listening", "data and scenarios", "control API", "sessions and limits", "log"]
"""The tables of the reference page."""


# --- The table --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Row:
    """One setting.

    :param check: converts text to the value, or raises ValueError; accepts numbers for seconds and
        bytes too.
    :param metavar: the placeholder for a value in the help; empty for a switch.
    :param help: one sentence, with the unit if the name does not contain it.
    :param max_values: the longest tuple, None for no limit.
    :param unset: what applies if the default is None, because it depends on other settings.
    :param is_secret: whether the value is never shown, and its variable with ``_FILE`` names a file
        that has it.
    :param seen_by_sessions: whether it decides what sessions start with, or how their requests are
        treated.
    """

    name: str
    default: Any
    check: Check
    metavar: str
    group: Group
    help: str
    max_values: int | None = None
    unset: str = ""
    is_secret: bool = False
    seen_by_sessions: bool = False

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
        """Whether the setting is either on or off."""
        return isinstance(self.default, bool)

    @property
    def is_seconds(self) -> bool:
        """Whether the setting is a time in seconds, which users write with a unit."""
        return isinstance(self.default, float)

    @property
    def separator(self) -> str:
        """What separates the values of a tuple in one text; empty for a single value.

        A flag is not split at the separator of PATH, but it can be repeated.
        """
        if not isinstance(self.default, tuple):
            return ""
        return os.pathsep if self.check is check.folder else ","

    def shown(self, value: Any) -> str:
        """Return a value as users write it: ``on``, ``30s``, ``256MiB``."""
        if self.is_switch:
            return "on" if value else "off"
        if isinstance(value, (tuple, list)):
            return ", ".join(map(str, value)) or "none"
        if self.is_seconds:
            return f"{value:g}s"
        if self.check is check.memory and value is not None:
            from mockpets.units import size_text  # rarely needed

            return size_text(value)
        return "none" if value in (None, "") else str(value)

    def read(self, value: object) -> tuple[Any, list[str]]:
        """Parse a value; return the result and all problems with it.

        Repeated words are dropped, but repeated folders stay, because the last one wins.
        """
        parts: list[object] = [value]
        if self.separator and isinstance(value, str):
            parts = [part.strip() for part in value.split(self.separator)]
        elif self.separator and isinstance(value, (list, tuple)):
            parts = list(value)
        values, problems = [], []
        for part in parts:
            try:
                values.append(self.check(self._text(part)))
            except ValueError as error:
                problems.append(str(error))
        if not parts and self.default:
            problems.append("must have at least one value, got none")
        if self.separator == ",":
            values = list(dict.fromkeys(values))
        if self.max_values is not None and len(values) > self.max_values:
            problems.append(f"must have at most {self.max_values} values, got {len(values)}")
        return (tuple(values) if self.separator else values and values[0]), problems

    def from_python(self, value: object) -> tuple[Any, list[str]]:
        """Convert a value set in Python code; return the result and all problems with it.

        It can also be text as users write it; seconds and bytes can be numbers.
        """
        is_number = self.is_seconds or self.check is check.memory
        if not is_number or not isinstance(value, (int, float)) or isinstance(value, bool):
            return self.read(value)
        try:
            return self.check(value), []
        except ValueError as error:
            return value, [str(error)]

    def _text(self, value: object) -> str:
        """Return a value from Python or TOML as text for the check."""
        if isinstance(value, (str, PurePath)) or (
            isinstance(value, int) and isinstance(value, bool) == self.is_switch
        ):
            return str(value)
        expected = "true or false" if self.is_switch else "text or an integer"
        raise ValueError(f"must be {expected}, {got(value)}")


def _row(default: object, check: Check, metavar: str, group: Group, text: str, **more: Any) -> Any:
    """Return a dataclass field with a row; typed Any, because the field has the value's type."""
    row = {"check": check, "metavar": metavar, "group": group, "help": text, **more}
    return field(default=default, metadata=row)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings, validated. Without arguments, the defaults.

    :param sources: where `load_settings` has read each setting that is set, by name.
    :raise InputError: a value is invalid or has the wrong type.
    """

    # Ruff would give each argument a line.
    # fmt: off
    host: tuple[str, ...] = _row(_LOOPBACK, check.host, "ADDRESS", "listening",
        "Address or host name to listen on.")
    port: int = _row(7387, check.integer(0, PORT_MAX), "PORT", "listening",
        "TCP port; 0 picks a free one.")
    contract: tuple[str, ...] = _row((), check.contract, "FILE", "data and scenarios",
        "OpenAPI document to serve, as FILE or /PATH=FILE; pet-store is built in.",
        unset="pet-store", seen_by_sessions=True)
    corrections: str = _row("", check.file, "FILE", "data and scenarios",
        "File that corrects what is inferred from the document; by default, the one beside it, "
        "such as blog.mockpets.yaml.")
    scenario: tuple[str, ...] = _row((DEFAULT_SCENARIO,), check.scenario_name, "NAME",
        "data and scenarios",
        "Scenario to activate, or an expression such as getPet:404; the first of several takes "
        "precedence.",
        max_values=STACK_DEPTH)
    scenarios_dir: tuple[Path, ...] = _row((), check.folder, "DIR", "data and scenarios",
        "Folder with your scenario files; if two files have the same name, the last folder wins.")
    fixtures_dir: tuple[Path, ...] = _row((), check.folder, "DIR", "data and scenarios",
        "Folder with your fixture files; if two files have the same name, the last folder wins.")
    seed: int = _row(1, check.integer(0, INT64_MAX), "NUMBER", "data and scenarios",
        "Seed for the generated records.", seen_by_sessions=True)
    data: tuple[str, ...] = _row((), check.data, "NAME=FILE|NUMBER", "data and scenarios",
        "Initial records of a collection, such as pets=40 or orders=orders.json: the number to "
        "generate, or a JSON or YAML file.", unset="pets=16", seen_by_sessions=True)
    locale: str = _row("en_US", check.locale, "LOCALE", "data and scenarios",
        "Locale of the generated names.", seen_by_sessions=True)
    now: str = _row("", check.moment, "TIME", "data and scenarios",
        "Fixed time of the clock in every session, such as 2030-12-06T09:00:00Z.",
        seen_by_sessions=True)
    api_key: tuple[str, ...] = _row(("mockpets",), check.api_key, "KEY", "data and scenarios",
        "API key that clients send as a bearer token; '*' accepts any bearer token.",
        is_secret=True)
    delay: float = _row(0.0, check.duration(DELAY_SECONDS), "DURATION", "data and scenarios",
        "Delay added to every response, such as 300ms.", seen_by_sessions=True)
    control: str = _row("auto", check.OneOf("auto", "open", "off"), "MODE", "control API",
        "Control API: auto (from this machine, or with the token), open (for everyone), off.")
    control_token: str = _row("", check.control_token, "TOKEN", "control API",
        "Token for the control API. Unless the server listens only on loopback, a random one is "
        "generated.", is_secret=True)
    control_origin: tuple[str, ...] = _row((), check.origin, "ORIGIN", "control API",
        "Origin of a web page that may call the control API; http:// origins also allow that Host "
        "header.")
    behind_proxy: tuple[str, ...] = _row((), check.network, "ADDRESS", "listening",
        "Address or network of a reverse proxy whose X-Forwarded-* headers are trusted.")
    prefix: str = _row("", check.prefix, "PATH", "listening",
        "Path prefix of every URL, such as /mock.")
    max_records: int | None = _row(None, check.integer(1), "NUMBER", "sessions and limits",
        "Maximum number of records that requests can add to a collection of a session.",
        unset=f"{USUAL.records}, or {PUBLIC.records} with --public")
    max_sessions: int | None = _row(None, check.integer(1, 10_000), "NUMBER", "sessions and limits",
        "Maximum number of sessions.",
        unset=f"{USUAL.sessions}, or {PUBLIC.sessions} with --public, in proportion to --memory")
    sessions: str = _row("implicit", check.OneOf("implicit", "declared"), "MODE",
        "sessions and limits",
        "What creates sessions: any request (implicit), or only PUT sessions/NAME (declared).",
        seen_by_sessions=True)
    memory: int | None = _row(None, check.memory, "SIZE", "sessions and limits",
        "Maximum memory for the request logs and records of all sessions.",
        unset="80MiB, or 72MiB with --public")
    state: str = _row("", check.new_file, "FILE", "sessions and limits",
        "File in which sessions are saved across restarts.")
    reset_every: float = _row(0.0, check.duration(INTERVAL_SECONDS), "TIME", "sessions and limits",
        "Reset all sessions at this interval, such as 30m; 0s means never, or hourly with "
        "--public.")
    drain: float = _row(0.0, check.duration(DRAIN_SECONDS), "TIME", "listening",
        "Time to keep serving after SIGTERM while GET ready responds with 503, such as 30s; "
        "at most 10m.")
    public: bool = _row(False, switch, "", "sessions and limits",
        "Public demo mode: stricter limits and one session per visitor.")
    visitor_rate: int = _row(VISITOR_RATE, check.integer(1, 100_000), "NUMBER",
        "sessions and limits",
        "With --public, requests per second for each visitor (burst: 2x).")
    log_addresses: bool = _row(False, switch, "", "log",
        "With --public, also log the addresses of clients.")
    name: str = _row("", check.node_name, "NAME", "log",
        "Name of this server in the header Mockpets-Node and in the log.")
    log: str = _row("text", check.OneOf("text", "json", "quiet", "json-quiet"), "FORMAT", "log",
        "Log format: text or json; quiet and json-quiet omit requests, but not warnings.")
    # fmt: on
    sources: Mapping[str, Place] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Validate values set in Python code, and convert times to seconds."""
        problems = []
        for row in rows():
            given = getattr(self, row.name)
            if given is not row.default:
                value, messages = row.from_python(given)
                object.__setattr__(self, row.name, value)
                problems += [Problem(row.name, 0, 0, "", message) for message in messages]
        if problems:
            raise InputError(problems)

    @property
    def starts(self) -> dict[str, str]:
        """The initial records of collections, by name: a file, or the number to generate."""
        return dict(part.split("=", 1) for part in self.data)

    @property
    def any_key(self) -> bool:
        """Whether every API key is valid."""
        return ANY_KEY in self.api_key

    @property
    def key(self) -> str:
        """A valid API key, for clients."""
        return next((key for key in self.api_key if key != ANY_KEY), "mockpets")

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        from ipaddress import ip_address  # rarely needed

        def local(host: str) -> bool:
            try:
                return ip_address(host.partition("%")[0]).is_loopback
            except ValueError:
                return host.lower() == "localhost"

        return self.host == _LOOPBACK or all(map(local, self.host))

    @property
    def limits(self) -> Limits:
        """The limits of clients and sessions: those of the mode, and those that are set."""
        mode = PUBLIC if self.public else USUAL
        memory = self.memory or mode.memory
        return mode._replace(
            memory=memory,
            sessions=self.max_sessions or mode.sessions_in(memory),
            records=self.max_records or mode.records,
            reset_seconds=self.reset_every or mode.reset_seconds,
            logs_addresses=self.log_addresses or mode.logs_addresses,
        )

    def options(self) -> list[str]:
        """Return the options that decide what sessions see, if they differ from the defaults."""
        own = [(row, getattr(self, row.name)) for row in rows() if row.seen_by_sessions]
        options = [
            f"{row.flag} {each}{'s' if row.is_seconds else ''}"
            for row, value in own
            if value != row.default
            for each in (value if isinstance(value, tuple) else (value,))
        ]
        return [*options, f"--api-key {ANY_KEY}"] if self.any_key else options

    def url(self, port: int | None = None) -> str:
        """Return the root URL for clients on this machine, without a trailing slash.

        :param port: the actual port, if the setting is 0.
        """
        host = self.host[0]
        if self.host == _LOOPBACK or host == "0.0.0.0":  # noqa: S104 - compared, not bound
            host = "localhost"
        elif ":" in host:
            host = "[::1]" if host == "::" else f"[{host}]"
        port = self.port if port is None else port
        return f"http://{host}" if port == _HTTP_PORT else f"http://{host}:{port}"


def rows() -> tuple[Row, ...]:
    """Return all rows, in the order of the help."""
    return tuple(
        Row(item.name, item.default, **item.metadata) for item in fields(Settings) if item.metadata
    )
