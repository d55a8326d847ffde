"""Connexion's mock server, for uvicorn: what `connexion run --mock all` starts, and the key."""

from __future__ import annotations

from connexion import AsyncApp  # type: ignore[import-not-found]  # only the peer's own Python has it
from connexion.mock import MockResolver  # type: ignore[import-not-found]


def key(token: str) -> dict[str, str] | None:
    """Return who calls with a key; None for an unknown one."""
    return {"sub": "mock"} if token == "mockpets" else None  # noqa: S105 - known to all


app = AsyncApp(__name__)
app.add_api("openapi.json", resolver=MockResolver(mock_all=True), strict_validation=True)
