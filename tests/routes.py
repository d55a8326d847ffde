"""The app with all its routes, also those that it adds at the first request for them."""

from __future__ import annotations

from mockpets import Settings, create_app
from mockpets.web.flask_app import App


def complete_app() -> App:
    """Return an app with the default settings."""
    app = create_app(Settings())
    assert isinstance(app, App)
    app.add_late_routes()
    return app
