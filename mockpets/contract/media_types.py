"""Media types in a document or a header: which are JSON, and which are XML."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mockpets.contract.references import Node


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


def json_media(content: Node) -> tuple[str, Node] | None:
    """Return media type and media object of a content's JSON, or None.

    That is ``application/json``, else the first other type of JSON, else ``*/*``.
    """
    json = [each for each in content if is_json(each)]
    exact = [each for each in json if each.strip().lower() == "application/json"]
    ranges = [each for each in content if each.strip().lower() in ("*/*", "application/*")]
    media_type = next(iter(exact or json or ranges), None)
    return None if media_type is None else (media_type, content[media_type])
