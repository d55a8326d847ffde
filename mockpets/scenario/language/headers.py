"""The shape of response headers: valid names and values, and headers that only the server sets.

Source: RFC 9110, 5.1 (names are tokens), 5.5 (values) and 7.6.1 (headers of one connection). The
server sends them unchanged.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import HEADER_VALUE_BYTES
from mockpets.scenario.language.mappings import MapOf
from mockpets.scenario.language.shapes import Value
from mockpets.units import quote

if TYPE_CHECKING:
    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Node

TOKEN: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}"  # noqa: S105 - RFC 9110's word, no secret
"""The pattern of a header name and of a method."""
TOKEN_HINT: Final = "use letters, digits and hyphens, at most 100 characters"  # noqa: S105 - as above

_VALUE: Final = re.compile(r"(?:[!-~](?:[\t -~]*[!-~])?)?")
_RESERVED: Final = re.compile(
    "connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade"  # of the connection
    "|content-length|date|server|mockpets-.*",  # the server's own
    re.IGNORECASE,
)
OPT_IN: Final = re.compile("set-cookie|access-control-.*", re.IGNORECASE)
"""The headers that require ``off_contract: true`` on the stub."""


def _value(value: Any, node: Node, diagnostics: Diagnostics) -> Any:
    text = value if isinstance(value, str) else node.shown()
    if len(text) > HEADER_VALUE_BYTES:
        what = f"must have at most {HEADER_VALUE_BYTES} characters, got {len(text)}"
        return diagnostics.add(node, what)
    if _VALUE.fullmatch(text):
        return text
    wrong = re.search(r"[^\t -~]", text)
    got = f"{wrong[0]!a} at character {wrong.start() + 1}" if wrong else "a space at one end"
    what = f"must be printable ASCII without leading or trailing spaces, got {got}"
    return diagnostics.add(node, what)


def check_duplicates(node: Node, diagnostics: Diagnostics) -> None:
    """Report the headers of a mapping whose names differ only in case."""
    first: dict[str, str] = {}
    for name, (key, _) in node.members.items():
        earlier = first.setdefault(name.lower(), name)
        if earlier != name:
            what = f"duplicate header {quote(name)}, already given as {quote(earlier)}"
            diagnostics.add(key, what, "remove one of them")


def _header_pairs(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Any:
    for name, (key, _) in node.members.items():
        if _RESERVED.fullmatch(name):
            diagnostics.add(key, f"the server sets the header {quote(name)} itself", "remove it")
    check_duplicates(node, diagnostics)
    return tuple(values.items())


HEADERS: Final = MapOf(
    "Response headers: name to value. The server adds a Content-Type if it is missing.",
    Value("The value, in printable ASCII.", ("text", "integer", "number"), convert=_value),
    "header name",
    TOKEN,
    TOKEN_HINT,
    name="ReplyHeaders",
    convert=_header_pairs,
)
