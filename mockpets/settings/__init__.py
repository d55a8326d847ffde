"""The settings of the server, and where they are read from."""

from mockpets.settings.model import Settings

__all__ = ["Settings"]
