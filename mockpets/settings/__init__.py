"""What a user can set, and where it is read from."""

from mockpets.settings.model import Settings

__all__ = ["Settings"]
