"""The Python client for the control API."""

from mockpets.client.client import ControlClient
from mockpets.client.connection import ControlError, NoAnswer, VerificationError

__all__ = ["ControlClient", "ControlError", "NoAnswer", "VerificationError"]
