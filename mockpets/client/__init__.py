"""The Python client for the control API."""

from mockpets.client.client import Clock, ControlClient, Gate
from mockpets.client.transport import (
    ControlError,
    GateError,
    IncompatibleServerError,
    NoAnswer,
    SessionLostError,
    VerificationError,
)

__all__ = [
    "Clock",
    "ControlClient",
    "ControlError",
    "Gate",
    "GateError",
    "IncompatibleServerError",
    "NoAnswer",
    "SessionLostError",
    "VerificationError",
]
