"""The shape of a reply's headers: what may go out on the wire, and what the server alone decides.

Werkzeug and waitress let most of this through, change it or fail on it when it is sent, so it is
refused here. Source: RFC 9110, 5.1 (names are tokens), 5.5 (values), 7.6.1 (headers of one
connection) and 8.3.1 (media types), and RFC 3986 (URI references).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from mockpets.constants import HEADER_VALUE_BYTES
from mockpets.scenario.language.diagnostics import INVALID
from mockpets.scenario.language.mappings import MapOf
from mockpets.scenario.language.shapes import Value
from mockpets.units import quote

if TYPE_CHECKING:
    from mockpets.scenario.language.diagnostics import Diagnostics
    from mockpets.scenario.language.nodes import Node

TOKEN: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}"  # noqa: S105 - RFC 9110's word, no secret
"""What a header's name and a method look like."""

_VALUE: Final = re.compile(r"(?:[!-~](?:[\t -~]*[!-~])?)?")
_RESERVED: Final = re.compile(
    "connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade"  # of the connection
    "|content-length|date|server|mockpets-.*",  # the server's own
    re.IGNORECASE,
)
_OPT_IN: Final = re.compile("set-cookie|access-control-.*", re.IGNORECASE)
# Quantifiers that give nothing back (*+), so that a long value is looked at once.
_MEDIA_TYPE: Final = re.compile(
    r"{0}/{0}(?:[\t ]*+;[\t ]*+(?:{0}=(?:{0}|\"(?:[^\"\\]|\\.)*+\"))?+)*+".format(
        r"[!#$%&'*+.^_`|~0-9A-Za-z-]++"
    )
)
_URI_REFERENCE: Final = re.compile(
    r"(?:[A-Za-z][A-Za-z0-9+.-]*+:)?+(?://(?:{0}|[\[\]])*+)?+(?:{0}|/)*+"
    r"(?:\?(?:{0}|[/?])*+)?+(?:\#(?:{0}|[/?])*+)?+".format(
        r"[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}"
    )
)


def opted_in(name: str) -> bool:
    """Whether a header is sent only when the stub says that it is off contract."""
    return _OPT_IN.fullmatch(name) is not None


def _value(value: Any, node: Node, diagnostics: Diagnostics) -> Any:
    """Return a header's value as text, if it can be sent."""
    text = value if isinstance(value, str) else node.shown()
    if len(text) > HEADER_VALUE_BYTES:
        diagnostics.add(node, f"must have at most {HEADER_VALUE_BYTES} characters, has {len(text)}")
        return INVALID
    if _VALUE.fullmatch(text):
        return text
    wrong = re.search(r"[^\t -~]", text)
    came = f"{wrong[0]!a} at character {wrong.start() + 1}" if wrong else "a blank at an end"
    diagnostics.add(node, f"must be visible ASCII, with blanks only inside, got {came}")
    return INVALID


def _is_uri_reference(text: str) -> bool:
    """Whether a Location can be sent as it stands; Werkzeug takes it apart and joins it again."""
    if not _URI_REFERENCE.fullmatch(text):
        return False
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
        host.encode("idna")  # fails on what no host is called
    except ValueError:
        return False
    user, at, _ = parts.netloc.rpartition("@")
    if at and not re.fullmatch("[^:@]+(?::[^:@]+)?", user):
        return False
    host = f"[{host}]" if ":" in host else host
    whole = f"{user}{at}{host}{'' if port is None else f':{port}'}"
    # What is empty, a query or a port, say, would be lost.
    return (whole.lower(), parts.geturl().lower()) == (parts.netloc.lower(), text.lower())


_FORMS: Final = {
    **dict.fromkeys(
        ("location", "content-location"),
        (
            _is_uri_reference,
            "a URI reference (RFC 3986), such as /v1/pets/7",
            "percent-encode what it cannot hold: a blank is %20",
        ),
    ),
    "content-type": (
        lambda text: _MEDIA_TYPE.fullmatch(text) is not None,
        "a media type: type/subtype, such as application/json",
        "",
    ),
}
"""Headers whose values must be of a form: how to tell, what it is, and what to do."""


def named_once(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> dict[str, Any]:
    """Return what a mapping of headers holds; a name counts once, in whatever case it is."""
    first: dict[str, str] = {}
    for name, (key, _) in node.members.items():
        earlier = first.setdefault(name.lower(), name)
        if earlier != name:
            what = f"header {quote(name)} given twice, first as {quote(earlier)}"
            diagnostics.add(key, what, "keep one of the two")
    return values


def _sendable(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Any:
    """Return headers as pairs, if a scenario may set them all."""
    for name, (key, value) in node.members.items():
        if _RESERVED.fullmatch(name):
            diagnostics.add(
                key, f"the header {quote(name)} is the server's own to send", "leave it out"
            )
        fits, form, hint = _FORMS.get(name.lower(), (None, "", ""))
        if fits and name in values and not fits(values[name]):
            diagnostics.at(name).add(value, f"must be {form}, got {quote(values[name])}", hint)
    return tuple(named_once(values, node, diagnostics).items())


HEADERS: Final = MapOf(
    "Response headers: name to value. Content-Type is added where it is left out.",
    Value("The value: visible ASCII.", ("text", "integer", "number"), then=_value),
    "a header's name",
    TOKEN,
    then=_sendable,
)
