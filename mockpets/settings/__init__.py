"""The settings of the server, and where they are read from."""

from mockpets.settings.settings_table import Settings

__all__ = ["Settings"]
