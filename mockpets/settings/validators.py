"""Validators of the settings: convert text to a value, or raise ValueError with the expectation.

Messages quote values with repr(), so that no control character reaches a terminal.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mockpets.constants import (
    BUILT_IN_CONTRACT,
    EXPRESSION_RULE,
    FILE_SUFFIXES,
    INT64_MAX,
    MOUNT_PATH,
    NAME_LENGTH,
    PORT_MAX,
    RECORDS_GENERATED,
    SCENARIO_NAME,
)
from mockpets.errors import did_you_mean
from mockpets.units import got, is_expression, is_valid_expression, parse_integer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MEMORY_BYTES: Final = (1024 * 1024, 64 * 1024 * 1024 * 1024)
"""Smallest and largest value of a setting for memory."""


def _got_url(text: str) -> str:
    """Return ``got`` and a text that may be a URL, without its secrets."""
    from mockpets.urls import shown_url  # only for errors

    return got(shown_url(text))


def integer(low: int, high: int | None = None) -> Callable[[str], int]:
    """Return a check for an integer from `low` to `high`, or of at least `low`."""
    bounds = f"from {low} to {high}" if high is not None else f"of {low} or more"

    def check(text: str) -> int:
        number = parse_integer(text, low, INT64_MAX if high is None else high)
        if number is None:
            raise ValueError(f"must be an integer {bounds}, {got(text)}")
        return number

    return check


def host(text: str) -> str:
    """Return an IP address, without brackets, or a host name; neither has a scheme or a port."""
    bare = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    if re.fullmatch(r"[0-9A-Za-z_-]{1,63}(\.[0-9A-Za-z_-]{1,63})*", bare):
        return bare
    try:
        import ipaddress  # slow to import, and rarely needed

        ipaddress.IPv6Address(bare)
    except ValueError:
        expected = "must be an IP address or a host name, without a scheme or port"
        raise ValueError(f"{expected}, {_got_url(text)}") from None
    return bare


def network(text: str) -> str:
    """Return an IP address or network without bits beyond its mask, but not every address."""
    import ipaddress  # slow to import, and rarely needed

    try:
        parsed = ipaddress.ip_network(text)
    except ValueError:
        message = f"must be an IP address or network such as 10.0.0.0/8, {got(text)}"
        raise ValueError(message) from None
    if not parsed.prefixlen:
        raise ValueError(f"must not include every address, {got(text)}")
    return text


def prefix(text: str) -> str:
    """Return a plain path without a trailing slash; empty for no prefix."""
    path = text.rstrip("/")
    if not path or re.fullmatch(MOUNT_PATH, path):
        return path
    raise ValueError(f"must be a path such as /mock (A-Z, a-z, 0-9, '.', '_', '-'), {got(text)}")


def scenario_name(text: str) -> str:
    """Return a name in kebab-case, in lower case, or an expression; it may be unknown."""
    if is_expression(text):
        if is_valid_expression(text):
            return text
        raise ValueError(f"must be a scenario or an expression ({EXPRESSION_RULE}), {got(text)}")
    name = text.lower()
    if re.fullmatch(SCENARIO_NAME, name) and len(name) <= NAME_LENGTH:
        return name
    rule = f"a-z, 0-9, single hyphens; at most {NAME_LENGTH} characters"
    raise ValueError(f"must be a scenario name ({rule}), {got(text)}")


def folder(text: str) -> Path:
    """Return an existing, readable folder."""
    try:
        with os.scandir(text):  # listing a folder needs one permission, entering it another
            os.stat(os.path.join(text, "."))  # noqa: PTH116, PTH118 - Path drops the dot
    except (FileNotFoundError, NotADirectoryError, ValueError):  # a NUL is a ValueError
        raise ValueError(f"must be an existing folder, {got(text)}") from None
    except OSError as error:
        raise ValueError(f"must be a readable folder ({error.strerror}), {got(text)}") from None
    return Path(text)


def contract(text: str) -> str:
    """Return ``FILE``, ``/PATH=FILE`` or ``pet-store``, where the file exists."""
    path, separator, file = text.rpartition("=")
    if separator and not re.fullmatch(rf"/|{MOUNT_PATH}/?", path):
        raise ValueError(f"must be FILE or /PATH=FILE, {got(text)}")
    is_file = os.path.exists(file) and not os.path.isdir(file)  # noqa: PTH110, PTH112 - or a pipe
    if file != BUILT_IN_CONTRACT and not is_file:
        raise ValueError(f"must be an existing OpenAPI document, {got(file)}")
    return text


def file(text: str) -> str:
    """Return the path of a file that exists; empty for none."""
    if text and not os.path.isfile(text):  # noqa: PTH113 - a NUL is False
        raise ValueError(f"must be an existing file, {got(text)}")
    return text


def locale(text: str) -> str:
    """Return a locale with names."""
    from mockpets.seed.names import LOCALES  # long lists, not needed for the default

    if text in LOCALES:
        return text
    raise _unknown(text, text.replace("-", "_"), sorted(LOCALES))


def moment(text: str) -> str:
    """Return a date and time, or a date; empty for the real time."""
    from mockpets.clock import parse_moment  # rarely needed

    if text:
        parse_moment(text)
    return text


def data(text: str) -> str:
    """Return the name of a collection, ``=``, and the path of a file or a number of records."""
    name, separator, source = text.partition("=")
    if not separator or not re.fullmatch(rf"(?:{SCENARIO_NAME}\.)?{SCENARIO_NAME}", name):
        example = "pets=40" if separator else f"pets={text}"
        what = f"must be the name of a collection and its contents, such as {example}"
        raise ValueError(f"{what}, {got(text)}")
    if not source.lower().endswith(FILE_SUFFIXES):
        number = int(source) if re.fullmatch("[0-9]{1,9}", source) else -1
        if not 0 <= number <= RECORDS_GENERATED:
            files = f"a {', '.join(FILE_SUFFIXES)} file"
            limits = f"from 0 to {RECORDS_GENERATED}"
            raise ValueError(f"of {name} must be {files} or an integer {limits}, {got(source)}")
    return text


def api_key(text: str) -> str:
    """Return an API key that fits a header. Messages omit it, because logs keep messages."""
    invalid = re.search("[^!-~]|,", text)
    if text and not invalid:
        return text
    reason = f"character {invalid.start() + 1} is invalid" if invalid else "it is empty"
    raise ValueError(f"must be visible ASCII characters without spaces or commas; {reason}")


def control_token(text: str) -> str:
    """Return a token that fits a header and is too long to guess; empty for no token."""
    if not text or re.fullmatch("[!-~]{8,}", text):
        return text
    raise ValueError("must be at least 8 visible ASCII characters without spaces")


def origin(text: str) -> str:
    """Return a web origin, ``scheme://host`` with or without a port, in lower case (RFC 6454)."""
    lower = text.lower()
    name = r"\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*"
    if match := re.fullmatch(rf"https?://(?:{name})(?::([0-9]{{1,5}}))?", lower):
        if match[1] is None or 1 <= int(match[1]) <= PORT_MAX:
            return lower
        raise ValueError(f"must have a port from 1 to {PORT_MAX}, or none, {got(text)}")
    expected = "must be an origin such as https://app.example, without a path"
    raise ValueError(f"{expected}, {_got_url(text)}")


def node_name(text: str) -> str:
    """Return a name of a server that fits a header and a line of the log; empty for none."""
    if not text or re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", text):
        return text
    rule = "a-z, A-Z, 0-9, '.', '_' and '-', first a letter or digit, at most 64 characters"
    raise ValueError(f"must be a name ({rule}), {got(text)}")


def duration(longest: float) -> Callable[[str | float], float]:
    """Return a check for a time in seconds, from text such as ``300ms`` or ``1h``, or a number."""

    def check(value: str | float) -> float:
        from mockpets.units import parse_duration  # rarely needed

        if isinstance(value, str):
            return parse_duration(value, longest)
        if 0 <= value <= longest:
            return float(value)
        raise ValueError(f"must be from 0 to {longest:g} seconds, {got(value)}")

    return check


def memory(value: str | int) -> int:
    """Return a size of memory in bytes, from text such as ``64MiB``, or from bytes."""
    from mockpets.units import parse_size, size_text  # rarely needed

    low, high = MEMORY_BYTES
    size = parse_size(value) if isinstance(value, str) else value
    if low <= size <= high:
        return size
    raise ValueError(f"must be from {size_text(low)} to {size_text(high)}, {got(value)}")


def new_file(text: str) -> str:
    """Return the path of a file that exists or can be created; empty for no file."""
    path = Path(text)
    try:
        if not text or (path.parent.is_dir() and not path.is_dir()):
            return text
    except (OSError, ValueError):  # a NUL is a ValueError
        pass
    raise ValueError(f"must be a file in an existing folder, {got(text)}")


def _unknown(text: str, spelled: str, words: Sequence[str]) -> ValueError:
    """Return the error for an unknown word, with the one nearest to how users mostly spell it."""
    hint = did_you_mean(spelled, words, cutoff=0.5)
    known = f"must be one of {', '.join(words)}, {got(text)}"
    return ValueError(f"{known}; {hint}" if hint else known)


class OneOf:
    """A check for one of some words, in any case."""

    def __init__(self, *words: str) -> None:
        self.words = words

    def __call__(self, text: str) -> str:
        """Return the word in lower case."""
        if text.lower() in self.words:
            return text.lower()
        raise _unknown(text, text, self.words)
