"""The app with all its routes, also those that it adds at the first request for them."""

from __future__ import annotations

from mockpets import Settings, create_app
from mockpets.web.flask_app import App


def complete_app(settings: Settings | None = None) -> App:
    """Return an app with all its routes, by default one with the default settings."""
    app = create_app(settings or Settings())
    assert isinstance(app, App)
    app.add_late_routes()
    return app
