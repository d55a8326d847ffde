"""Connexion's mock server for uvicorn, like `connexion run --mock all`, with a check of the key."""

from __future__ import annotations

from connexion import AsyncApp  # type: ignore[import-not-found]  # only the peer's own Python has it
from connexion.mock import MockResolver  # type: ignore[import-not-found]


def key(token: str) -> dict[str, str] | None:
    """Return the user of a key, or None if the key is unknown."""
    return {"sub": "mock"} if token == "mockpets" else None  # noqa: S105 - a public key


app = AsyncApp(__name__)
app.add_api("openapi.json", resolver=MockResolver(mock_all=True), strict_validation=True)
