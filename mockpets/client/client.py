"""Call the control API of a running server from Python: one method a call.

The border: `client_connection` speaks HTTP, `client_shapes` has the types, and what is sent is
checked by the server alone. Standard library only.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Self, Unpack, cast
from urllib.parse import quote, urlencode

from mockpets import constants
from mockpets.client.connection import (
    Connection,
    split_url,
)
from mockpets.errors import InputError, Problem
from mockpets.settings.validators import control_token, got

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mockpets.client.types import (
        Contents,
        Document,
        Entry,
        Events,
        Filters,
        Journal,
        PetChange,
        Pets,
        Scenario,
        Scenarios,
        Session,
        Snapshot,
        State,
        Summary,
        Times,
        Verified,
    )
    from mockpets.contract.schemas import Pet


class ControlClient:
    """Calls the control API for one session. Safe to use from several threads.

    All methods raise `ControlError` when the server refuses, and `NoAnswer` when there is none.

    :param url: of the server, or a base URL: with ``/v1``, ``/~session/v1`` or both left out.
    :param session: in place of the one that the URL names, or of ``default``.
    :param token: the control token, where the server wants one.
    :param timeout: seconds for each step of a call.
    :raise InputError: one of these cannot be used.
    """

    def __init__(
        self, url: str, session: str | None = None, token: str | None = None, timeout: float = 10.0
    ) -> None:
        root, named, self._scenarios = split_url(url)
        self._session = (session or named or constants.DEFAULT_SESSION).lower()
        self._token = token or ""
        problems = []
        if not re.fullmatch(constants.SESSION_NAME, self._session):
            what = f"must be a-z, 0-9, '.', '_', '-', at most 64, {got(self._session)}"
            problems.append(Problem("session", 0, 0, "", what))
        try:
            control_token(self._token)
        except ValueError as error:
            problems.append(Problem("token", 0, 0, "", str(error)))
        try:
            self._connection = Connection(root, timeout)
        except InputError as error:
            problems += error.problems
        if problems:
            raise InputError(problems)

    def session(self, name: str) -> Self:
        """Return a client for another session of the same server."""
        other = type(self)(self.url + self._prefix(constants.DEFAULT_SESSION), name, self._token)
        other._connection = self._connection
        return other

    @property
    def url(self) -> str:
        """The server's root, without a last slash."""
        return self._connection.url

    @property
    def name(self) -> str:
        """The session's name."""
        return self._session

    @property
    def base_url(self) -> str:
        """What a front end calls, with ``/v1``; the path names the session."""
        return self.url + self._prefix(self._session) + constants.API_PREFIX

    @property
    def headers(self) -> dict[str, str]:
        """What a front end sends to name the session where its base URL cannot."""
        named = {constants.SCENARIO_HEADER: ", ".join(self._scenarios)} if self._scenarios else {}
        return {constants.SESSION_HEADER: self._session, **named}

    def close(self) -> None:
        """Close the connection that is kept; also done when the client is no longer used."""
        self._connection.close()

    # --- What is active, and the start ---

    def health(self) -> str:
        """Return the server's version, when it is alive."""
        return cast("str", self._call("GET", constants.HEALTH_PATH)["version"])

    def state(self) -> State:
        """Return the session and the server at a glance."""
        return cast("State", self._call("GET", constants.STATE_PATH))

    def scenarios(self) -> Scenarios:
        """List the scenarios."""
        return cast("Scenarios", self._call("GET", constants.SCENARIOS_PATH))

    def scenario(self, name: str) -> Scenario:
        """Return a scenario in full."""
        return cast("Scenario", self._call("GET", _fill(constants.ONE_SCENARIO_PATH, name)))

    def use(self, *scenarios: str | Document) -> list[str]:
        """Have these scenarios active, the first with precedence; return their names.

        :param scenarios: names, or whole scenarios as a file has them.
        """
        answer = self._call("PUT", constants.SCENARIO_PATH, {"scenario": scenarios})
        return cast("list[str]", answer["active"])

    def reset(self) -> list[str]:
        """Put pets, counters, journal and chance back to the start; return what stays active."""
        return cast("list[str]", self._call("POST", constants.RESET_PATH)["active"])

    def gates(self) -> dict[str, int]:
        """Return how many answers are held, by gate."""
        return cast("dict[str, int]", self._call("GET", constants.GATES_PATH)["gates"])

    def open_gate(self, name: str) -> int:
        """Release the answers held at a gate; return how many."""
        return cast("int", self._call("POST", _fill(constants.GATE_PATH, name))["released"])

    # --- Pets ---

    def pets(self, status: str | None = None) -> list[Pet]:
        """Return all pets by id, or those of one status, asking as often as it takes."""
        path = constants.CONTROL_PETS_PATH
        page = self._call("GET", path, query={"status": status})
        found: list[Pet] = page["pets"]
        while page["next"] is not None:
            page = self._call("GET", path, query={"status": status, "after": page["next"]})
            found += page["pets"]
        return found

    def set_pets(self, pets: Pets) -> int:
        """Replace all pets; return how many there are.

        :param pets: as a scenario file's ``pets:``, or any iterable of pets.
        """
        body = pets if isinstance(pets, (str, int, dict)) else list(cast("Iterable[object]", pets))
        return cast("int", self._call("PUT", constants.CONTROL_PETS_PATH, body)["total"])

    def change_pet(self, pet_id: int, **changes: Unpack[PetChange]) -> Pet:
        """Change a pet's name, categoryId or status; a status of None takes it away."""
        return cast("Pet", self._call("PATCH", _fill(constants.CONTROL_PET_PATH, pet_id), changes))

    def delete_pet(self, pet_id: int) -> int:
        """Take a pet away; return how many are left."""
        return cast("int", self._call("DELETE", _fill(constants.CONTROL_PET_PATH, pet_id))["total"])

    def snapshot(self, name: str) -> Snapshot:
        """Copy the pets under a name, in place of an earlier copy."""
        return cast("Snapshot", self._call("PUT", _fill(constants.SNAPSHOT_PATH, name)))

    def snapshots(self) -> list[Snapshot]:
        """List the snapshots."""
        return cast("list[Snapshot]", self._call("GET", constants.SNAPSHOTS_PATH)["snapshots"])

    def snapshot_pets(self, name: str) -> list[Pet]:
        """Return the pets of a snapshot."""
        return cast("list[Pet]", self._call("GET", _fill(constants.SNAPSHOT_PATH, name))["content"])

    def restore(self, name: str) -> int:
        """Put the pets of a snapshot in place of the present ones; return how many there are."""
        return cast("int", self._call("POST", _fill(constants.RESTORE_PATH, name))["total"])

    def drop_snapshot(self, name: str) -> list[Snapshot]:
        """Forget a snapshot; return those left."""
        path = _fill(constants.SNAPSHOT_PATH, name)
        return cast("list[Snapshot]", self._call("DELETE", path)["snapshots"])

    # --- Journal ---

    def requests(self, **filters: Unpack[Filters]) -> list[Summary]:
        """Return the journal's newest requests that pass the filters, oldest first."""
        return self.journal(**filters)["requests"]

    def journal(self, **filters: Unpack[Filters]) -> Journal:
        """Return the same requests, with how many there are and were."""
        return cast("Journal", self._call("GET", constants.REQUESTS_PATH, query=filters))

    def request(self, number: int) -> Entry:
        """Return a request of the journal in full."""
        return cast("Entry", self._call("GET", _fill(constants.REQUEST_PATH, number)))

    def clear_requests(self) -> int:
        """Empty the journal; return how many requests it held. Their numbers go on."""
        return cast("int", self._call("DELETE", constants.REQUESTS_PATH)["cleared"])

    def har(self, **filters: Unpack[Filters]) -> dict[str, Any]:
        """Return requests of the journal as a HAR 1.2 document."""
        return cast("dict[str, Any]", self._call("GET", constants.HAR_PATH, query=filters))

    def verify(self, match: Document, times: int | Times | None = None) -> Verified:
        """Make sure that the journal holds matching requests.

        :param match: as a stub's ``match:``.
        :param times: how often; at least once when left out.
        :raise VerificationError: it does not; the text tells the nearest requests.
        """
        __tracebackhide__ = True  # pytest then shows the test's own line
        body = {"match": match} if times is None else {"match": match, "times": times}
        return cast("Verified", self._call("POST", constants.VERIFY_PATH, body))

    def events(self, since: int | None = None, wait: int = 0) -> Events:
        """Return what has changed since a number, waiting so many seconds for a change.

        :param since: the `change` of an earlier answer; without it, the present number is told.
        """
        query = {"since": since, "wait": wait}
        return cast("Events", self._call("GET", constants.EVENTS_PATH, query=query, wait=wait))

    def metrics(self) -> str:
        """Return the server's metrics as Prometheus text."""
        return cast("str", self._call("GET", constants.METRICS_PATH, read=bytes.decode))

    # --- Sessions ---

    def sessions(self) -> list[Session]:
        """List the sessions."""
        return cast("list[Session]", self._call("GET", constants.SESSIONS_PATH)["sessions"])

    def find_session(self, name: str) -> Session:
        """Tell of a session without making one."""
        return cast("Session", self._call("GET", _fill(constants.SESSION_PATH, name)))

    def make_session(self, name: str, **contents: Unpack[Contents]) -> Session:
        """Make a session, or change one.

        :param contents: `scenario`, one as for `use` or a list; `seed`; `pets` as for `set_pets`.
        """
        return cast("Session", self._call("PUT", _fill(constants.SESSION_PATH, name), contents))

    def drop_session(self, name: str) -> None:
        """Forget a session with all it holds."""
        self._call("DELETE", _fill(constants.SESSION_PATH, name))

    # --- Calls ---

    def _call(
        self,
        method: str,
        path: str,
        body: object = None,
        query: Mapping[str, object] | None = None,
        wait: float = 0.0,
        read: Callable[[bytes], Any] = json.loads,
    ) -> Any:
        """Return what the server answers a call with, read as JSON unless told otherwise."""
        __tracebackhide__ = True
        if asked := {name: value for name, value in (query or {}).items() if value is not None}:
            path = f"{path}?{urlencode(asked)}"
        # Calls about sessions and the server make no session, and do not count as its use.
        about = constants.HEALTH_PATH, constants.METRICS_PATH, constants.SESSIONS_PATH
        prefix = "" if path.startswith(about) else self._prefix(self._session)
        return self._connection.call(method, prefix + path, self._token, body, wait, read)

    def _prefix(self, session: str) -> str:
        """Return the part of a base path that names session and scenarios."""
        named = "" if session == constants.DEFAULT_SESSION else session
        chosen = quote("+".join([named, *self._scenarios]), safe="+")
        return f"/{constants.BASE_MARK}{chosen}" if chosen else ""


def _fill(path: str, name: object) -> str:
    """Return a path with its one name filled in."""
    return re.sub(r"\{\w+\}", quote(str(name), safe=""), path)
