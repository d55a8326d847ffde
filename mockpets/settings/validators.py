"""Checks of the settings: a text becomes a value, or ValueError says what was expected.

`settings` names one of these in each row of its table. A message shows what came as Python
writes it, so that no control character reaches a terminal.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mockpets.constants import DELAY_SECONDS, INT64_MAX, MOUNT, NAME_LENGTH, SCENARIO_NAME
from mockpets.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable


def got(value: object) -> str:
    """Return ``got`` and the value, cut short."""
    try:
        shown = str(value).lower() if isinstance(value, bool) else repr(value)
    except ValueError:  # Python writes no integer of over 4,300 digits
        return "got one too long to show"
    return f"got {shown if len(shown) <= 60 else shown[:57] + '...'}"


def integer(low: int, high: int | None = None) -> Callable[[str], int]:
    """Return the check of an integer from `low` to `high`, or of at least `low`."""
    bounds = f"from {low} to {high}" if high is not None else f"of at least {low}"

    def check(text: str) -> int:
        # ASCII digits alone, since int() takes `٣` and `1_0`.
        number = int(text) if re.fullmatch(r"-?[0-9]{1,19}", text) else low - 1
        if low <= number <= (INT64_MAX if high is None else high):
            return number
        raise ValueError(f"must be an integer {bounds}, {got(text)}")

    return check


def host(text: str) -> str:
    """Return an address, without brackets if it had them, or a host name.

    :raise ValueError: it is neither; a scheme or a port is in it, say.
    """
    bare = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    if re.fullmatch(r"[0-9A-Za-z_-]{1,63}(\.[0-9A-Za-z_-]{1,63})*", bare):
        return bare
    try:
        import ipaddress  # takes as long as all of this module, and few need it

        ipaddress.IPv6Address(bare)
    except ValueError:
        expected = "must be an address or a host name, without scheme and port"
        raise ValueError(f"{expected}, {got(text)}") from None
    return bare


def network(text: str) -> str:
    """Return an address or a network.

    :raise ValueError: it is neither, or has bits set beyond its mask, or holds every address.
    """
    import ipaddress  # takes as long as all of this module, and few need it

    try:
        found = ipaddress.ip_network(text)
    except ValueError:
        expected = "must be an address or a network such as 10.0.0.0/8"
        raise ValueError(f"{expected}, {got(text)}") from None
    if not found.prefixlen:
        raise ValueError(f"must not hold every address, {got(text)}")
    return text


def prefix(text: str) -> str:
    """Return a path without a slash at the end; empty for none.

    :raise ValueError: it is no path, or one that stands for something else.
    """
    path = text.rstrip("/")
    if not path or re.fullmatch(MOUNT, path):
        return path
    raise ValueError(f"must be a path such as /mock (A-Z, a-z, 0-9, '.', '_', '-'), {got(text)}")


def scenario_name(text: str) -> str:
    """Return the name in lower case; whether there is such a scenario, the library knows.

    :raise ValueError: it is not in kebab-case, or too long.
    """
    name = text.lower()
    if re.fullmatch(SCENARIO_NAME, name) and len(name) <= NAME_LENGTH:
        return name
    expected = f"must be a scenario's name (a-z, 0-9, single dashes; at most {NAME_LENGTH})"
    raise ValueError(f"{expected}, {got(text)}")


def folder(text: str) -> Path:
    """Return the folder.

    :raise ValueError: it is not there, no folder, or closed to this user.
    """
    try:
        with os.scandir(text):  # to list it needs one permission, to enter it another
            os.stat(os.path.join(text, "."))  # noqa: PTH116, PTH118 - Path drops the dot
    except (FileNotFoundError, NotADirectoryError, ValueError):  # a NUL is a ValueError
        raise ValueError(f"must be a folder that exists, {got(text)}") from None
    except OSError as error:
        expected = f"must be a folder that can be read ({error.strerror})"
        raise ValueError(f"{expected}, {got(text)}") from None
    return Path(text)


def locale(text: str) -> str:
    """Return a locale that there are pets' names for.

    :raise ValueError: there are none.
    """
    from mockpets.pets.names import LOCALES  # long lists, and the default is not checked

    if text in LOCALES:
        return text
    hint = did_you_mean(text.replace("-", "_"), LOCALES, cutoff=0.5)
    known = f"must be one of {', '.join(sorted(LOCALES))}, {got(text)}"
    raise ValueError(f"{known}; {hint}" if hint else known)


def api_key(text: str) -> str:
    """Return a key that fits a header.

    :raise ValueError: it does not; the message leaves the key out, since logs keep messages.
    """
    wrong = re.search("[^!-~]|,", text)
    if text and not wrong:
        return text
    came = f"character {wrong.start() + 1} is not" if wrong else "it is empty"
    raise ValueError(f"must be visible ASCII characters without spaces and commas; {came}")


def control_token(text: str) -> str:
    """Return a token that fits a header and is too long to be guessed; empty for none.

    :raise ValueError: it is not; the message leaves the token out, since logs keep messages.
    """
    if not text or re.fullmatch("[!-~]{8,}", text):
        return text
    raise ValueError("must be at least 8 visible ASCII characters without spaces")


def origin(text: str) -> str:
    """Return a web origin, ``scheme://host`` with or without a port, in lower case (RFC 6454).

    :raise ValueError: it is none; it has a path, say.
    """
    low = text.lower()
    if re.fullmatch(r"https?://(\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*)(:[0-9]{1,5})?", low):
        return low
    raise ValueError(f"must be an origin such as https://app.example, without a path, {got(text)}")


def host_name(text: str) -> str:
    """Return a host name or address as a Host header has it, less the port, in lower case.

    :raise ValueError: it is neither.
    """
    bare = host(text).lower()
    return f"[{bare}]" if ":" in bare else bare


def duration(value: str | float) -> float:
    """Return a duration in seconds, given as text such as ``300ms`` or ``2s``, or in seconds.

    :raise ValueError: it is not a duration, or too long.
    """
    from mockpets.units import parse_duration  # few need it

    return parse_duration(value) if isinstance(value, str) else _seconds(value, DELAY_SECONDS)


def interval(value: str | float) -> float:
    """Return the time between two events in seconds, given as text such as ``1h``, or in seconds.

    :raise ValueError: it is not such a time, or too long.
    """
    from mockpets.units import INTERVAL_SECONDS, parse_interval

    return parse_interval(value) if isinstance(value, str) else _seconds(value, INTERVAL_SECONDS)


def _seconds(value: float, longest: float) -> float:
    """Return a number of seconds from 0 to `longest`."""
    if 0 <= value <= longest:
        return float(value)
    raise ValueError(f"must be from 0 to {longest:g} seconds, {got(value)}")


def new_file(text: str) -> str:
    """Return the path of a file that is there or can be made; empty for none.

    :raise ValueError: it is a folder, or its folder is not there.
    """
    path = Path(text)
    try:
        if not text or (path.parent.is_dir() and not path.is_dir()):
            return text
    except (OSError, ValueError):  # a NUL is a ValueError
        pass
    raise ValueError(f"must be a file in a folder that exists, {got(text)}")


def one_of(*words: str) -> Callable[[str], str]:
    """Return the check of one of some words."""

    def check(text: str) -> str:
        if text.lower() in words:
            return text.lower()
        hint = did_you_mean(text, words, cutoff=0.5)
        known = f"must be one of {', '.join(words)}, {got(text)}"
        raise ValueError(f"{known}; {hint}" if hint else known)

    return check


def switch(text: str) -> bool:
    """Return true or false.

    :raise ValueError: it is none of their common spellings.
    """
    word = text.lower()
    if word in ("true", "yes", "on", "1", "false", "no", "off", "0"):
        return word in ("true", "yes", "on", "1")
    raise ValueError(f"must be true or false, {got(text)}")
