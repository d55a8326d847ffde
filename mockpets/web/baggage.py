"""Read the members of the header `baggage` that name a session and scenarios.

OpenTelemetry propagates this header through the servers behind a front end, so a session that the
page names reaches mockpets without code in between. Source: W3C Baggage, 3.2; members of other
programs are ignored, and so are malformed ones (3.3).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from mockpets.constants import BAGGAGE_KEYS, NAME_LENGTH, PROBLEMS_SHOWN
from mockpets.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

_PREFIX: Final = "mockpets."
"""Starts the keys that are meant for mockpets; such a key must be known."""
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""A key (RFC 9110, 5.6.2)."""


@lru_cache(maxsize=256)  # a client sends the same value with each request
def read(header: str) -> tuple[Mapping[str, str], str]:
    """Return the values of our keys, decoded, and what is wrong with keys meant for mockpets.

    A later member with the same key replaces an earlier one, as in OpenTelemetry. The message is
    empty if there is no problem.

    :param header: the values of all fields, separated by commas.
    """
    values = {}
    problems = []
    for member in header.split(","):
        key, _, value = member.partition(";")[0].partition("=")
        key = key.strip(" \t")
        if not key.lower().startswith(_PREFIX) or not _TOKEN.fullmatch(key):
            continue
        if key in BAGGAGE_KEYS:
            values[key] = unquote(value.strip(" \t"), errors="replace")
        else:
            # A high cutoff, because all the keys start with the same word.
            near = did_you_mean(key.lower()[:NAME_LENGTH], BAGGAGE_KEYS, 0.87)
            hint = near or f"known: {', '.join(BAGGAGE_KEYS)}"
            problems.append(f"unknown key {key[:NAME_LENGTH]!r} in baggage; {hint}")
    return values, "; ".join(problems[:PROBLEMS_SHOWN])
