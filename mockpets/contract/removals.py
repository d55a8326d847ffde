"""What a document and its corrections say of deprecated operations."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING

from mockpets.contract.model import Removal

if TYPE_CHECKING:
    from mockpets.contract.details import Api


def removals(api: Api) -> dict[str, Removal]:
    """Return what the deprecated operations of a document send, by name."""
    result = {}
    for each in api.described:
        correction = api.corrections.operations.get(each.name)
        since = correction.deprecation if correction else ""
        until = correction.sunset if correction else ""
        if each.node.get("deprecated") is True or since or until:
            note = f"{each.name} is deprecated"
            result[each.name] = Removal(
                f"@{_day(since).timestamp():.0f}" if since else "",
                format_datetime(_day(until), usegmt=True) if until else "",
                "",
                f"{note} and will be removed on {until}" if until else note,
                "",
            )
    return result


def _day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
