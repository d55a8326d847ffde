"""The Error body (contract, parts 2 and 7). Keep imports light: the server loads this module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockpets.strict_json import dump_json

if TYPE_CHECKING:
    from collections.abc import Mapping


def error_body(
    code: str, message: str, status: int, details: Mapping[str, object] | None = None
) -> bytes:
    """Return code, message, status, and `details` in errors of the control API."""
    body: dict[str, object] = {"code": code, "message": message, "status": status}
    if details is not None:
        body["details"] = details
    return dump_json(body) + b"\n"
