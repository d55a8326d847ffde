"""What a document and its corrections say of deprecated operations."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING

from mockpets.contract.contract_model import Removal

if TYPE_CHECKING:
    from mockpets.contract.corrections import OperationCorrection
    from mockpets.contract.openapi_loader import Described


def removal_of(described: Described, correction: OperationCorrection | None) -> Removal | None:
    """Return what a deprecated operation sends; None for another one."""
    since, until = (correction.deprecation, correction.sunset) if correction else ("", "")
    if described.node.get("deprecated") is not True and not since and not until:
        return None
    note = f"{described.name} is deprecated"
    return Removal(
        f"@{_day(since).timestamp():.0f}" if since else "",
        format_datetime(_day(until), usegmt=True) if until else "",
        "",
        f"{note} and will be removed on {until}" if until else note,
        "",
    )


def _day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
