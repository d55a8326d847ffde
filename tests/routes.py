"""The app with all its routes, also those that it adds at the first request, and their paths."""

from mockpets import Settings, create_app
from mockpets.web.flask_app import App
from mockpets.web.pages import digest

PANEL_FILES = f"panel/{digest()}"
"""The folder of the panel's files, below the prefix of the control API."""


def complete_app(settings: Settings | None = None) -> App:
    """Return an app with all its routes, by default one with the default settings."""
    app = create_app(settings or Settings())
    assert isinstance(app, App)
    app.add_late_routes()
    return app
