"""Validators of the settings: convert text to a value, or raise ValueError with the expectation.

Each row of `model` names one. Messages quote values with repr(), so that no control character
reaches a terminal.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mockpets.constants import (
    DELAY_SECONDS,
    INT64_MAX,
    MEMORY_BYTES,
    MOUNT,
    NAME_LENGTH,
    PORT_MAX,
    SCENARIO_NAME,
)
from mockpets.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable


def got(value: object) -> str:
    """Return ``got`` and the value, shortened."""
    try:
        shown = str(value).lower() if isinstance(value, bool) else repr(value)
    except ValueError:  # Python cannot print integers of over 4,300 digits
        return "got one too long to show"
    return f"got {shown if len(shown) <= 60 else shown[:57] + '...'}"


def integer(low: int, high: int | None = None) -> Callable[[str], int]:
    """Return a check for an integer from `low` to `high`, or of at least `low`."""
    bounds = f"from {low} to {high}" if high is not None else f"of at least {low}"

    def check(text: str) -> int:
        # Only ASCII digits, because int() also accepts `٣` and `1_0`.
        number = int(text) if re.fullmatch(r"-?[0-9]{1,19}", text) else low - 1
        if low <= number <= (INT64_MAX if high is None else high):
            return number
        raise ValueError(f"must be an integer {bounds}, {got(text)}")

    return check


def host(text: str) -> str:
    """Return an IP address, without brackets, or a host name.

    :raise ValueError: the text is neither; for example, it has a scheme or a port.
    """
    bare = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    if re.fullmatch(r"[0-9A-Za-z_-]{1,63}(\.[0-9A-Za-z_-]{1,63})*", bare):
        return bare
    try:
        import ipaddress  # slow to import, and rarely needed

        ipaddress.IPv6Address(bare)
    except ValueError:
        expected = "must be an IP address or a host name, without a scheme or port"
        raise ValueError(f"{expected}, {got(text)}") from None
    return bare


def network(text: str) -> str:
    """Return an IP address or network.

    :raise ValueError: the text is neither, has bits set beyond its mask, or includes every address.
    """
    import ipaddress  # slow to import, and rarely needed

    try:
        parsed = ipaddress.ip_network(text)
    except ValueError:
        expected = "must be an IP address or network such as 10.0.0.0/8"
        raise ValueError(f"{expected}, {got(text)}") from None
    if not parsed.prefixlen:
        raise ValueError(f"must not include every address, {got(text)}")
    return text


def prefix(text: str) -> str:
    """Return a path without a trailing slash; empty for no prefix.

    :raise ValueError: the text is not a path, or not a plain one.
    """
    path = text.rstrip("/")
    if not path or re.fullmatch(MOUNT, path):
        return path
    raise ValueError(f"must be a path such as /mock (A-Z, a-z, 0-9, '.', '_', '-'), {got(text)}")


def scenario_name(text: str) -> str:
    """Return the name in lower case, without checking that the scenario exists.

    :raise ValueError: the name is not in kebab-case, or too long.
    """
    name = text.lower()
    if re.fullmatch(SCENARIO_NAME, name) and len(name) <= NAME_LENGTH:
        return name
    expected = (
        f"must be a scenario name (a-z, 0-9, single hyphens; at most {NAME_LENGTH} characters)"
    )
    raise ValueError(f"{expected}, {got(text)}")


def folder(text: str) -> Path:
    """Return the folder.

    :raise ValueError: the folder does not exist, is not a folder, or is not readable.
    """
    try:
        with os.scandir(text):  # listing a folder needs one permission, entering it another
            os.stat(os.path.join(text, "."))  # noqa: PTH116, PTH118 - Path drops the dot
    except (FileNotFoundError, NotADirectoryError, ValueError):  # a NUL is a ValueError
        raise ValueError(f"must be an existing folder, {got(text)}") from None
    except OSError as error:
        expected = f"must be a readable folder ({error.strerror})"
        raise ValueError(f"{expected}, {got(text)}") from None
    return Path(text)


def locale(text: str) -> str:
    """Return a locale with pet names.

    :raise ValueError: the locale is unknown.
    """
    from mockpets.pets.names import LOCALES  # long lists, not needed for the default

    if text in LOCALES:
        return text
    hint = did_you_mean(text.replace("-", "_"), LOCALES, cutoff=0.5)
    known = f"must be one of {', '.join(sorted(LOCALES))}, {got(text)}"
    raise ValueError(f"{known}; {hint}" if hint else known)


def api_key(text: str) -> str:
    """Return an API key that fits a header.

    :raise ValueError: the key does not fit. The message omits the key, because logs keep messages.
    """
    invalid = re.search("[^!-~]|,", text)
    if text and not invalid:
        return text
    reason = f"character {invalid.start() + 1} is invalid" if invalid else "it is empty"
    raise ValueError(f"must be visible ASCII characters without spaces or commas; {reason}")


def control_token(text: str) -> str:
    """Return a token that fits a header and is too long to guess; empty for no token.

    :raise ValueError: the token is neither. The message omits it, because logs keep messages.
    """
    if not text or re.fullmatch("[!-~]{8,}", text):
        return text
    raise ValueError("must be at least 8 visible ASCII characters without spaces")


def origin(text: str) -> str:
    """Return a web origin, ``scheme://host`` with or without a port, in lower case (RFC 6454).

    :raise ValueError: the text is not an origin; for example, it has a path, or an invalid port.
    """
    lower = text.lower()
    name = r"\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*"
    if match := re.fullmatch(rf"https?://(?:{name})(?::([0-9]{{1,5}}))?", lower):
        if match[1] is None or 1 <= int(match[1]) <= PORT_MAX:
            return lower
        raise ValueError(f"must have a port from 1 to {PORT_MAX}, or none, {got(text)}")
    raise ValueError(f"must be an origin such as https://app.example, without a path, {got(text)}")


def node_name(text: str) -> str:
    """Return a name of a server that fits a header and a line of the log; empty for none.

    :raise ValueError: the text is not such a name.
    """
    if not text or re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", text):
        return text
    rule = "a-z, A-Z, 0-9, '.', '_' and '-', first a letter or digit, at most 64 characters"
    raise ValueError(f"must be a name ({rule}), {got(text)}")


def host_name(text: str) -> str:
    """Return a host name or address as in a Host header, without the port, in lower case.

    :raise ValueError: the text is neither.
    """
    bare = host(text).lower()
    return f"[{bare}]" if ":" in bare else bare


def duration(value: str | float) -> float:
    """Return a duration in seconds, from text such as ``300ms`` or ``2s``, or from seconds.

    :raise ValueError: the value is not a duration, or too long.
    """
    from mockpets.units import parse_duration  # rarely needed

    return parse_duration(value) if isinstance(value, str) else _seconds(value, DELAY_SECONDS)


def interval(value: str | float) -> float:
    """Return the time between two events in seconds, from text such as ``1h``, or from seconds.

    :raise ValueError: the value is not such a time, or too long.
    """
    from mockpets.units import INTERVAL_SECONDS, parse_interval

    return parse_interval(value) if isinstance(value, str) else _seconds(value, INTERVAL_SECONDS)


def memory(value: str | int) -> int:
    """Return a size of memory in bytes, from text such as ``64MiB``, or from bytes.

    :raise ValueError: the value is not a size, or out of range.
    """
    from mockpets.units import parse_size, size_text  # rarely needed

    low, high = MEMORY_BYTES
    size = parse_size(value) if isinstance(value, str) else value
    if low <= size <= high:
        return size
    raise ValueError(f"must be from {size_text(low)} to {size_text(high)}, {got(value)}")


def _seconds(value: float, longest: float) -> float:
    """Return a number of seconds from 0 to `longest`."""
    if 0 <= value <= longest:
        return float(value)
    raise ValueError(f"must be from 0 to {longest:g} seconds, {got(value)}")


def new_file(text: str) -> str:
    """Return the path of a file that exists or can be created; empty for no file.

    :raise ValueError: the path is a folder, or its folder does not exist.
    """
    path = Path(text)
    try:
        if not text or (path.parent.is_dir() and not path.is_dir()):
            return text
    except (OSError, ValueError):  # a NUL is a ValueError
        pass
    raise ValueError(f"must be a file in an existing folder, {got(text)}")


class OneOf:
    """A check for one of some words, in any case."""

    def __init__(self, *words: str) -> None:
        self.words = words

    def __call__(self, text: str) -> str:
        """Return the word in lower case.

        :raise ValueError: the text is none of the words.
        """
        if text.lower() in self.words:
            return text.lower()
        hint = did_you_mean(text, self.words, cutoff=0.5)
        known = f"must be one of {', '.join(self.words)}, {got(text)}"
        raise ValueError(f"{known}; {hint}" if hint else known)


def switch(text: str) -> bool:
    """Return true or false.

    :raise ValueError: the text is not a common spelling of either.
    """
    word = text.lower()
    if word in ("true", "yes", "on", "1", "false", "no", "off", "0"):
        return word in ("true", "yes", "on", "1")
    raise ValueError(f"must be true or false, {got(text)}")
