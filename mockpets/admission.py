"""What the app asks about the client of a request, by its address."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from mockpets.errors import RequestError
    from mockpets.interface import OnEnd


class Owner(NamedTuple):
    """A client to whom a session counts.

    :param sessions: the maximum number of its sessions.
    :param memory: the maximum size of their records, in bytes.
    """

    key: str
    sessions: int
    memory: int


class Admission:
    """Admits every request: the clients trust each other. A subclass limits them."""

    has_sessions = False
    """Whether each client has a session, which exists whenever it is used."""

    def admit(self, address: str, method: str, path: str) -> None:
        """Count a request; raise `RequestError` ``rate_limited`` to reject it."""

    def session(self, address: str, named: str | None) -> str | None:  # noqa: ARG002 - a subclass does
        """Return the session that a request may use; None for the default one.

        :param named: the one that it names.
        :raise RequestError: ``invalid_session`` if it may not use that.
        """
        return named

    def owner(self, address: str, session: str) -> Owner | None:
        """Count the creation of a session, and return its owner, or raise ``rate_limited``."""

    def check_parked(self, address: str) -> None:
        """Check that one more response may be delayed, throttled or held, or raise the same."""

    def track(self, address: str, on_end: OnEnd | None) -> OnEnd | None:  # noqa: ARG002 - as above
        """Count a response as in progress; return what to call at its end.

        :param on_end: what to call besides.
        """
        return on_end

    def check_token(self, address: str, *, is_valid: bool | None) -> None:
        """Count a call of the control API, or raise the same.

        :param is_valid: whether its token is valid; None without one.
        """

    def reword(self, error: RequestError) -> RequestError:
        """Return an error with its message for clients."""
        return error
