"""The shape of a reply's headers: what may go out on the wire, and what the server alone decides.

Werkzeug and waitress let most of this through, so it is refused here. Source: RFC 9110, 5.1
(names are tokens), 5.5 (values) and 7.6.1 (headers of one connection).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import HEADER_VALUE_BYTES
from mockpets.scenario.objects import MapOf
from mockpets.scenario.report import INVALID
from mockpets.scenario.shapes import Value
from mockpets.scenario.units import quote

if TYPE_CHECKING:
    from mockpets.scenario.nodes import Node
    from mockpets.scenario.report import Report

__all__ = ["HEADERS", "TOKEN", "named_once", "opted_in"]

TOKEN: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}"  # noqa: S105 - RFC 9110's word, no secret
"""What a header's name and a method look like."""

_VALUE: Final = re.compile(r"(?:[!-~](?:[\t -~]*[!-~])?)?")
_RESERVED: Final = re.compile(
    "connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade"  # of the connection
    "|content-length|date|server|mockpets-.*",  # the server's own
    re.IGNORECASE,
)
_OPT_IN: Final = re.compile("set-cookie|access-control-.*", re.IGNORECASE)


def opted_in(name: str) -> bool:
    """Whether a header is sent only when the stub says that it is off contract."""
    return _OPT_IN.fullmatch(name) is not None


def _value(value: Any, node: Node, report: Report) -> Any:
    """Return a header's value as text, if it can be sent."""
    text = value if isinstance(value, str) else node.shown()
    if len(text) > HEADER_VALUE_BYTES:
        report.add(node, f"must have at most {HEADER_VALUE_BYTES} characters, has {len(text)}")
        return INVALID
    if _VALUE.fullmatch(text):
        return text
    wrong = re.search(r"[^\t -~]", text)
    came = f"{wrong[0]!a} at character {wrong.start() + 1}" if wrong else "a blank at an end"
    report.add(node, f"must be visible ASCII, with blanks only inside, got {came}")
    return INVALID


def named_once(values: dict[str, Any], node: Node, report: Report) -> dict[str, Any]:
    """Return what a mapping of headers holds; a name counts once, in whatever case it is."""
    first: dict[str, str] = {}
    for name, (key, _) in node.members.items():
        earlier = first.setdefault(name.lower(), name)
        if earlier != name:
            what = f"header {quote(name)} given twice, first as {quote(earlier)}"
            report.add(key, what, "keep one of the two")
    return values


def _sendable(values: dict[str, Any], node: Node, report: Report) -> Any:
    """Return headers as pairs, if a scenario may set them all."""
    for name, (key, _) in node.members.items():
        if _RESERVED.fullmatch(name):
            report.add(key, f"the header {quote(name)} is the server's own to send", "leave it out")
    return tuple(named_once(values, node, report).items())


HEADERS: Final = MapOf(
    "Response headers: name to value. Content-Type is added where it is left out.",
    Value("The value: visible ASCII.", ("text", "integer", "number"), then=_value),
    "a header's name",
    TOKEN,
    then=_sendable,
)
