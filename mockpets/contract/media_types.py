"""Media types in a document or a header: which are JSON or XML, and which mockpets sends."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.contract.document_references import Node

_MADE: Final = re.compile("text/(?!event-stream)|image/")
"""Media types, besides JSON, whose bodies mockpets generates."""
_IN_RANGES: Final[Mapping[str, str]] = {"image/*": "image/png", "text/*": "text/plain"}
"""What to send for a range of media types; for others, JSON."""


def without_parameters(media_type: str) -> str:
    """Return ``text/html`` for ``Text/HTML; charset=utf-8``."""
    return media_type.partition(";")[0].strip().lower()


def is_json(media_type: str) -> bool:
    """Return whether bodies of a media type are JSON; documents also have just ``json``."""
    plain = without_parameters(media_type)
    return plain.endswith(("/json", "+json")) or plain == "json"


def is_xml(media_type: str) -> bool:
    """Return whether bodies of a media type are XML; an SVG is an image."""
    plain = without_parameters(media_type)
    return plain.endswith(("/xml", "+xml")) and not plain.startswith("image/")


def may_be_json(media_type: str) -> bool:
    """Return whether a media type is JSON, or a range that includes ``application/json``."""
    return is_json(media_type) or media_type.strip().lower() in ("application/*", "*/*", "*")


def concrete(media_type: str) -> str:
    """Return the media type to send for one of a document, which may be a range."""
    plain = without_parameters(media_type)
    return _IN_RANGES.get(plain, "application/json") if "*" in plain else media_type


def is_sent(media_type: str, media: Node) -> bool:
    """Return whether mockpets sends responses of a media type; of some, only examples."""
    if is_xml(media_type):
        return False
    is_made = may_be_json(media_type) or _MADE.match(without_parameters(media_type)) is not None
    return is_made or "example" in media or bool(media.get("examples"))


def json_media(content: Node) -> tuple[str, Node] | None:
    """Return media type and media object of a content's JSON, or None.

    That is ``application/json``, else the first other type of JSON, else ``*/*``.
    """
    known = [each for each in content if may_be_json(each)]
    known.sort(key=lambda each: (each.strip().lower() != "application/json", not is_json(each)))
    return (known[0], content[known[0]]) if known else None
