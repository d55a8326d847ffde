"""Call the control API of a running server from Python, with one method for each call.

Only the server validates what is sent; `contract.control_types` has the types. Standard library
only.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar, Unpack, cast
from urllib.parse import quote, urlencode

from mockpets import constants
from mockpets.client.transport import (
    Connection,
    NoAnswer,
    SessionLostError,
    parse_exactly,
    parse_object,
    split_url,
)
from mockpets.contract import control_calls as calls
from mockpets.errors import invalid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime, timedelta

    _Check = Callable[[str, str | None, "ControlError | None"], None]

    from mockpets.client.transport import ControlError
    from mockpets.contract import control_types as types
    from mockpets.contract.control_calls import Call

T = TypeVar("T")
_OF_SESSIONS: Final = ("verification_failed", "not_held", "unknown_session")
"""The codes of errors that the loss of a session can cause, besides those with the status 404."""


class ControlClient:
    """Calls the control API for one session. Safe to use from several threads.

    All methods raise `ControlError` when the server rejects the call, and `NoAnswer` when it does
    not respond. Before the first call, they compare the protocol of the server with the client's,
    and raise `IncompatibleServerError` if it differs. If the session was lost since earlier calls,
    other than by `make_session` or `drop_session`, they raise `SessionLostError`.

    :param url: the URL of the server, with or without a base path such as ``/v1``, or a session.
    :param session: the session; by default the one that the URL names, or ``default``.
    :param token: the control token, if the server requires one.
    :param timeout: seconds to connect, and then for the whole response to a call, in addition to
        those that the call lets the server wait.
    :param any_session: whether to accept a new session of the same name, as after a restart of the
        server, instead of raising `SessionLostError`.
    :raise InputError: an argument is invalid.
    """

    def __init__(
        self,
        url: str,
        session: str | None = None,
        token: str | None = None,
        timeout: float = 10.0,
        *,
        any_session: bool = False,
    ) -> None:
        _, named, self._scenarios = split_url(url)
        self._any_session = any_session
        self._session_ids: dict[str, str] = {}
        """The IDs of the sessions in earlier responses, by name."""
        self._session = (session or named or constants.DEFAULT_SESSION).lower()
        self._token = token or ""
        if not re.fullmatch(constants.SESSION_NAME, self._session):
            what = f"invalid session name {self._session[: constants.NAME_LENGTH]!r}"
            raise invalid("session", what, constants.SESSION_NAME_RULE)
        if self._token:
            from mockpets.settings.validators import control_token  # loads all settings

            try:
                control_token(self._token)
            except ValueError as error:
                raise invalid("token", str(error)) from error
        self._connection = Connection(url, timeout)

    def session(self, name: str) -> Self:
        """Return a client for another session of the same server."""
        url = self.url + self._prefix(constants.DEFAULT_SESSION)
        other = type(self)(url, name, self._token, any_session=self._any_session)
        other._connection, other._session_ids = self._connection, self._session_ids
        return other

    @property
    def url(self) -> str:
        """The root URL of the server, without a trailing slash."""
        return self._connection.url

    @property
    def name(self) -> str:
        """The name of the session."""
        return self._session

    @property
    def base_url(self) -> str:
        """The base URL of the first contract, for a front end; its path names the session.

        Before the first call, it ends with ``/v1``: only the server knows another base path.
        """
        return self.root_url + self._connection.bases[0]

    @property
    def bases(self) -> tuple[str, ...]:
        """The base paths of the contracts; before the first call, only ``/v1``."""
        return self._connection.bases

    @property
    def root_url(self) -> str:
        """The URL of the session; add the base path of a contract to it."""
        return self.url + self._prefix(self._session)

    @property
    def headers(self) -> dict[str, str]:
        """The headers that name the session for a front end whose base URL cannot."""
        named = {constants.SCENARIO_HEADER: ", ".join(self._scenarios)} if self._scenarios else {}
        return {constants.SESSION_HEADER: self._session, **named}

    def close(self) -> None:
        """Close the idle connection; also happens when the client is garbage collected."""
        self._connection.close()

    # --- State, scenarios and gates ---

    def health(self) -> str:
        """Return the version of the server if it is alive."""
        return self._connection.health().version

    def contract(self) -> list[types.ContractDescription]:
        """Return what each operation of the contracts does, and which rule determined it."""
        return self._call(calls.CONTRACT)["contracts"]

    def state(self) -> types.State:
        """Return the state of the session and the server."""
        return self._call(calls.STATE)

    def scenarios(self) -> types.ScenarioList:
        """List the scenarios."""
        return self._call(calls.SCENARIOS)

    def active(self) -> list[str]:
        """Return the names of the active scenarios; the first takes precedence."""
        return self.scenarios()["active"]

    def scenario(self, name: str) -> types.ScenarioDetails:
        """Return a scenario in full."""
        return self._call(calls.SCENARIO, name)

    def use(self, *scenarios: str | types.Document) -> list[str]:
        """Activate scenarios; return their names. The first takes precedence.

        :param scenarios: names, expressions such as ``getPet:404``, or whole scenarios as a file
            has them, optionally with a `name`.
        """
        return self.activate(*scenarios)["active"]

    def activate(self, *scenarios: str | types.Document) -> types.Activated:
        """Do the same as `use`; also return notes about side effects."""
        return self._call(calls.USE, body={"scenario": scenarios})

    def reset(self) -> list[str]:
        """Reset records, counters, request log and random numbers; return the active scenarios."""
        return self._call(calls.RESET)["active"]

    def check_scenario(self, text: str, name: str = "scenario") -> types.CheckedScenario:
        """Return the problems in the text of a scenario file."""
        return self._call(calls.CHECK_SCENARIO, body=text.encode(), query={"name": name})

    def save_scenario(
        self, name: str, text: str, digest: str | None = None
    ) -> types.ScenarioDetails:
        """Save a scenario file in a ``--scenarios-dir`` of the server.

        :param digest: that of the file as it was read (`scenario`); None for a new file. If the
            file has changed since, the error's code is ``conflict``.
        """
        condition = {"If-None-Match": "*"} if digest is None else {"If-Match": f'"{digest}"'}
        return self._call(calls.SAVE_SCENARIO, name, body=text.encode(), condition=condition)

    def override_scenario(self, name: str, text: str) -> types.ScenarioDetails:
        """Override the text of a scenario in this session only."""
        return self._call(calls.OVERRIDE_SCENARIO, name, body=text.encode())

    def drop_override(self, name: str) -> list[types.ScenarioSummary]:
        """Stop overriding a scenario; return all scenarios."""
        return self._call(calls.DROP_OVERRIDE, name)["scenarios"]

    def stub(self, number: int, **instead: Unpack[types.StubOptions]) -> types.RecordedStub:
        """Return a stub that sends the response of a recorded request to similar requests.

        :param instead: another response, how often, and whether to match ids and dates.
        """
        return self._call(calls.STUB, number, query=_query(instead))

    def respond_like(self, number: int, **instead: Unpack[types.StubOptions]) -> types.StubInUse:
        """Activate such a stub, above the other scenarios, which keep their counters."""
        return self._call(calls.RESPOND_LIKE, number, query=_query(instead))

    def drop_stub(self, number: int) -> types.DroppedStub:
        """Remove the stub that `respond_like` activated."""
        return self._call(calls.DROP_STUB, number)

    def start_recording(self) -> types.RecordingStarted:
        """Start recording with the next request, and save the current records."""
        return self._call(calls.START_RECORDING)

    def recording(self) -> types.RecordedScenario:
        """Return a scenario that reproduces the responses since the recording started."""
        return self._call(calls.RECORDING)

    def held(self) -> list[types.WaitingResponse]:
        """Return the responses that are held, delayed or throttled now, oldest first."""
        return self._call(calls.HELD)["held"]

    def release(
        self,
        *requests: int,
        reply: str | types.Document | None = None,
        delay: str | None = None,
    ) -> list[int]:
        """Release the waiting responses to these requests; return the numbers.

        :param reply: what to send in their place, as in the `sequence` of a stub.
        :param delay: how long each waits before that, such as ``3s``.
        """
        given = {"reply": reply, "delay": delay}
        body = {name: value for name, value in given.items() if value is not None}
        return self._call(calls.RELEASE, body={"requests": requests, **body})["released"]

    def gates(self) -> dict[str, int]:
        """Return how many responses are held at each gate."""
        return self._call(calls.GATES)["gates"]

    def open_gate(self, name: str) -> int:
        """Release the responses held at a gate; return how many."""
        return self._call(calls.OPEN_GATE, name)["released"]

    def wait_for_gate(self, name: str, held: int = 1, within: str = "5s") -> int:
        """Wait until at least `held` responses are held at a gate; return how many are.

        :param within: how long to wait, such as ``5s``, at most ``30s``.
        :raise GateError: there are fewer when the time is over.
        """
        __tracebackhide__ = True  # pytest shows the line of the test instead
        body = {"held": held, "within": within}
        response = self._call(calls.WAIT_FOR_GATE, name, body=body, wait=constants.WAIT_SECONDS)
        return response["held"]

    def gate(self, name: str) -> Gate:
        """Return a gate, to wait until it holds responses and to open it."""
        return Gate(self, name)

    @property
    def clock(self) -> Clock:
        """The clock of the session, to set, freeze or advance it."""
        return Clock(self)

    # --- Data ---

    def collections(self) -> list[types.CollectionSummary]:
        """List the collections of the contract and of the active scenarios."""
        return self._call(calls.COLLECTIONS)["data"]

    def data(self, name: str) -> Records:
        """Return the records of a collection, such as ``orders``, to read and change them."""
        return Records(self, name)

    def records(self, name: str, /, **filters: object) -> list[types.Document]:
        """Return all records of a collection, or those with some values; it may take many calls.

        :param filters: values of properties, such as ``status="sold"``; of a list, any value.
        :raise InputError: a filter is named like a parameter of the call.
        """
        if taken := [each for each in ("after", "limit") if each in filters]:
            hint = "filter the records that this returns"
            raise invalid(taken[0], "cannot be a filter: the control API pages by it", hint)
        query: dict[str, object] = {
            each: [_text(value) for value in (values if isinstance(values, list) else [values])]
            for each, values in filters.items()
        }
        page = self._call(calls.RECORDS, name, query=query)
        records = page["records"]
        while page["next"] is not None:
            page = self._call(calls.RECORDS, name, query={**query, "after": page["next"]})
            records += page["records"]
        return records

    def set_records(self, name: str, records: types.Records) -> int:
        """Replace all records of a collection; return how many there are.

        :param records: the same as under ``data`` in a scenario file, any iterable of records, or
            the path of a JSON or YAML file.
        :raise InputError: the file is invalid.
        """
        body = self._loaded(records, name)
        return self._call(calls.SET_RECORDS, name, body=body)["total"]

    def add_record(self, name: str, record: Mapping[str, object] | None = None) -> dict[str, Any]:
        """Add a record, by default a generated one; return it with its ID.

        Stubs do not affect it.
        """
        return self._call(calls.ADD_RECORD, name, body=record)

    def record(self, name: str, record_id: int | str) -> dict[str, Any]:
        """Return a record."""
        return self._call(calls.RECORD, name, record_id)

    def change_record(
        self, name: str, record_id: int | str, changes: Mapping[str, object]
    ) -> dict[str, Any]:
        """Apply a JSON merge patch to a record: None removes a property."""
        return self._call(calls.CHANGE_RECORD, name, record_id, body=changes)

    def delete_record(self, name: str, record_id: int | str) -> int:
        """Delete a record; return how many are left."""
        return self._call(calls.DELETE_RECORD, name, record_id)["total"]

    def log_in(
        self, user: Mapping[str, object] | None = None, contract: str | None = None
    ) -> types.LoggedIn:
        """Log a user in without a password; return the token, and the headers or cookie to send.

        :param user: properties that the user has; by default the first user.
        :param contract: the label of one, if several have a log-in.
        """
        return self._call(calls.LOG_IN, body={"user": user or {}}, query={"contract": contract})

    # --- Request log ---

    def requests(self, **filters: Unpack[types.RequestFilters]) -> list[types.RequestSummary]:
        """Return the newest requests that match the filters, oldest first."""
        return self.request_log(**filters)["requests"]

    def request_log(self, **filters: Unpack[types.RequestFilters]) -> types.RequestList:
        """Return the same requests, with the total and other data of the request log."""
        return self._call(calls.REQUESTS, query=filters)

    def request(self, number: int) -> types.RequestDetails:
        """Return a request of the request log in full, with its response."""
        return self._call(calls.REQUEST, number)

    def explain(self, number: int | None = None) -> types.Explanation:
        """Explain why a request, by default the last one, got its response, with each stub."""
        if number is None:
            number = self.request_log(limit=1)["last"] or 1  # an error reports that there is none
        return self._call(calls.EXPLAIN, number)

    def explain_request(self, **request: Unpack[types.RequestToExplain]) -> types.Explanation:
        """Explain what would respond to a request now, without sending it. This changes nothing.

        :param request: ``method``, ``path`` with the query, and optionally ``headers``, a ``key``
            to send where the operation needs one, a JSON ``body``, and a ``draft`` with the
            ``name`` and ``text`` of a scenario file that is not saved.
        """
        return self._call(calls.EXPLAIN_REQUEST, body=request)

    def clear_requests(self) -> int:
        """Clear the request log; return how many requests it had. The numbering continues."""
        return self._call(calls.CLEAR_REQUESTS)["cleared"]

    def har(self, **filters: Unpack[types.RequestFilters]) -> types.Har:
        """Return requests of the request log as a HAR 1.2 document."""
        return self._call(calls.HAR, query=filters, wait=constants.WAIT_SECONDS)

    def verify(
        self,
        match: types.Document,
        times: int | types.Times | None = None,
        within: str | None = None,
    ) -> types.VerifiedRequests:
        """Check that the request log has matching requests, or wait for them.

        :param match: the same as the ``match`` of a stub, also with the `status` of the response,
            such as 503 or ``5xx``, and its `outcome`.
        :param times: the expected number of requests; by default at least one.
        :param within: how long to wait, such as ``5s``, at most ``30s``. Returns as soon as there
            are enough requests; with ``times=0`` or `at_most`, only when the time is over or there
            are too many.
        :raise VerificationError: the number differs; the message shows the nearest requests.
        """
        __tracebackhide__ = True  # pytest shows the line of the test instead
        body: dict[str, Any] = {"match": match}
        if times is not None:
            body["times"] = times
        wait = 0.0
        if within is not None:
            body["within"], wait = within, constants.WAIT_SECONDS
        return self._call(calls.VERIFY, body=body, wait=wait)

    def events(self, since: int | None = None, wait: int = 0) -> types.Events:
        """Return the changes since a number, after waiting up to `wait` seconds for one.

        :param since: the `change` of an earlier response; without it, returns the current number.
        """
        query = {"since": since, "wait": wait}
        return self._call(calls.EVENTS, query=query, wait=wait)

    def metrics(self) -> str:
        """Return the metrics of the server as Prometheus text."""
        return self._call(calls.METRICS, read=bytes.decode)

    def mcp(self, message: object, headers: Mapping[str, str]) -> Any:
        """Return the response to a message of the Model Context Protocol; None to a notification.

        :param headers: those that repeat parts of the message.
        """
        response = self._connection.send(
            "POST", constants.MCP_PATH, self._headers(headers), message, constants.WAIT_SECONDS
        )
        try:
            value = json.loads(response.body) if response.body else None
        except ValueError:
            value = {}
        if value is not None and (not isinstance(value, dict) or "jsonrpc" not in value):
            message = f"{self.url} does not serve MCP (status {response.status})"
            raise NoAnswer(f"{message}; is a current mockpets running there?")
        return value

    def findings(self) -> types.Findings:
        """Return what ``mockpets report`` finds in the request log."""
        return self._call(calls.FINDINGS, wait=constants.WAIT_SECONDS)

    # --- Sessions ---

    def sessions(self) -> list[types.SessionSummary]:
        """List the sessions."""
        return self._call(calls.SESSIONS)["sessions"]

    def find_session(self, name: str) -> types.SessionSummary:
        """Return a session without creating it."""
        return self._call(calls.FIND_SESSION, name)

    def _loaded(self, records: types.Records, name: str) -> object:
        """Return the records of a collection for the body of a call; read those of a file."""
        if isinstance(records, Path):
            from mockpets.contract.pet_store import BUILT_IN  # rarely needed, as is the loader
            from mockpets.scenario.language.loader import load_fixture

            kind = BUILT_IN.collections.get(name)
            contracts = self.contract() if kind else []
            if kind and not any(each["label"] == constants.BUILT_IN_CONTRACT for each in contracts):
                kind = None  # the server checks records of its documents
            rows = load_fixture(records, str(records), kind, is_named=False)
            return [json.loads(row) for row in rows]
        if isinstance(records, (str, int, dict)):
            return records
        return list(cast("Iterable[object]", records))

    def make_session(
        self, name: str, **contents: Unpack[types.SessionOptions]
    ) -> types.SessionSummary:
        """Create a session, or change one.

        :param contents: `scenario`, as for `use` or a list; `seed`; `data`, the records of
            collections by name, as for `set_records`; `clock`, with `now` and `frozen`.
        """
        if "data" in contents:
            loaded = {
                each: self._loaded(records, each) for each, records in contents["data"].items()
            }
            contents["data"] = loaded  # type: ignore[typeddict-item]
        return self._call(calls.MAKE_SESSION, name, body=contents, check=self._replace_id)

    def drop_session(self, name: str, closed: str = "60s", *, check_lost: bool = False) -> str:
        """Remove a session and everything in it; return its name.

        :param closed: how long requests that name it return 410, at most ``1h``, so a page that
            still polls does not create it again. A call that changes the session opens it earlier.
        :param check_lost: whether to raise `SessionLostError` if the removed session is another one
            than in earlier calls. Without it, anyone's session of this name is removed.
        """
        __tracebackhide__ = True
        known = self._session_ids.get(name.lower())
        query = {"closed": closed}
        response = self._call(calls.DROP_SESSION, name, query=query, check=self._replace_id)
        if check_lost and known is not None and response["id"] != known:
            raise SessionLostError(response["dropped"])
        return response["dropped"]

    def export_session(self, name: str | None = None, *, log: bool = False) -> types.SessionExport:
        """Export the data, scenarios, counters, seed and clock of a session.

        A number that no float has, such as 1e400, is a `Decimal`.

        :param name: by default, this client's session.
        :param log: whether to add the request log as HAR, with secrets redacted.
        """
        name = self.name if name is None else name
        query, wait = {"log": "true" if log else None}, constants.WAIT_SECONDS
        return self._call(calls.EXPORT_SESSION, name, query=query, wait=wait, read=parse_exactly)

    def import_session(
        self, exported: types.SessionExport, name: str | None = None
    ) -> types.SessionSummary:
        """Replace the contents of a session with those of an exported one.

        :param name: by default, this client's session. It is created if it does not exist.
        """
        name = self.name if name is None else name
        body = {key: value for key, value in exported.items() if key != "log"}
        wait = constants.WAIT_SECONDS
        check = self._replace_id
        return self._call(calls.IMPORT_SESSION, name, body=body, wait=wait, check=check)

    def undo(self, name: str | None = None) -> types.Undone:
        """Undo the last reset, clear or delete of a session, within 10 seconds.

        :param name: by default, this client's session.
        :raise ControlError: ``not_found`` if there is nothing to undo.
        """
        name = self.name if name is None else name
        return self._call(calls.UNDO, name, check=self._replace_id)

    def reset_sessions(self) -> int:
        """Reset every session as `reset` does; return how many there are."""
        return self._call(calls.RESET_SESSIONS, check=_accept)["reset"]

    def drop_sessions(self, closed: str = "60s") -> int:
        """Reset the default session and remove all others; return how many were removed."""
        response = self._call(calls.DROP_SESSIONS, query={"closed": closed}, check=_accept)
        self._session_ids.clear()
        return response["dropped"]

    # --- Calls ---

    def _call(
        self,
        call: Call[T],
        *names: object,
        body: object = None,
        query: Mapping[str, object] | None = None,
        wait: float = 0.0,
        read: Callable[[bytes], Any] = parse_object,
        check: _Check | None = None,
        condition: Mapping[str, str] | None = None,
    ) -> T:
        """Return the response to a call.

        :param names: the parameters in its path.
        :param query: None stands for a parameter that is not sent.
        :param wait: seconds that the server may take in addition to the timeout.
        :param check: called with the session's name, its ID in the response, and the error of the
            response, which is raised afterwards; by default `_check_id`.
        :param condition: more headers.
        """
        __tracebackhide__ = True
        path = constants.CONTROL_PREFIX + _fill(call.path, *names)
        parameters = {name: value for name, value in (query or {}).items() if value is not None}
        if parameters:
            path = f"{path}?{_encoded(parameters)}"
        headers = self._headers(condition or {})
        if names and call.path.startswith("/sessions/"):
            session = str(names[0]).lower()
            # The server rejects a path with any other name.
            if re.fullmatch(constants.SESSION_NAME, session):
                headers[constants.SESSION_HEADER] = session
        connection = self._connection
        connection.check_protocol()
        response = connection.send(call.method, path, headers, body, wait)
        value, error = connection.parse(response, read)
        session_id = response.headers.get(constants.SESSION_ID_HEADER.lower())
        (check or self._check_id)(headers[constants.SESSION_HEADER], session_id, error)
        if error is not None:
            raise error
        result: T = value
        return result

    def _headers(self, more: Mapping[str, str]) -> dict[str, str]:
        token = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        return {**self.headers, **more, **token}

    def _check_id(self, name: str, session_id: str | None, error: ControlError | None) -> None:
        """Remember the ID of a session; raise `SessionLostError` if it is another one or gone."""
        __tracebackhide__ = True
        known = self._session_ids
        if session_id is not None:
            is_lost = known.setdefault(name, session_id) != session_id
        else:  # errors such as `busy` come before the session is selected
            is_cause = error is None or error.status == 404 or error.code in _OF_SESSIONS
            is_lost = name in known and is_cause
        if is_lost and not self._any_session:
            raise SessionLostError(name)

    def _replace_id(self, name: str, session_id: str | None, error: ControlError | None) -> None:
        """Remember the ID of a session that the call has created or deleted."""
        if error is None:
            self._session_ids.pop(name, None)
            if session_id is not None:
                self._session_ids[name] = session_id

    def _prefix(self, session: str) -> str:
        named = "" if session == constants.DEFAULT_SESSION else session
        selection = quote("+".join([named, *self._scenarios]), safe="+")
        return f"/{constants.BASE_MARK}{selection}" if selection else ""


def _accept(*_: object) -> None:
    """Do nothing: the call is about the server."""


@dataclass(frozen=True)
class Gate:
    """A gate of one session, at which scenarios hold responses."""

    control: ControlClient
    name: str

    def held(self, count: int = 1, within: str = "5s") -> int:
        """Wait until it holds at least `count` responses; see `ControlClient.wait_for_gate`."""
        __tracebackhide__ = True
        return self.control.wait_for_gate(self.name, count, within)

    def open(self) -> int:
        """Release the responses that it holds; return how many."""
        return self.control.open_gate(self.name)


@dataclass(frozen=True)
class Clock:
    """The clock of one session; all methods return its state."""

    control: ControlClient

    def get(self) -> types.ClockState:
        """Return its time, and whether it stands still."""
        return self.control._call(calls.CLOCK)

    def set(self, now: datetime | str | None, *, frozen: bool | None = None) -> types.ClockState:
        """Set its time: an aware datetime, text such as ``2030-12-06T09:00:00Z``, or a date.

        :param now: None for the real time.
        :param frozen: whether it stands still; by default as before, and at first it runs.
        """
        return self._change({"now": _moment(now)}, frozen)

    def advance(self, by: timedelta | str) -> types.ClockState:
        """Move it, for example by ``30d``."""
        text = by if isinstance(by, str) else f"{by.total_seconds():f}s"
        return self._change({"advance": text})

    def freeze(self, now: datetime | str | None = None) -> types.ClockState:
        """Make it stand still, at its present time or another."""
        return self._change({} if now is None else {"now": _moment(now)}, frozen=True)

    def _change(self, change: types.ClockChange, frozen: bool | None = None) -> types.ClockState:
        if frozen is not None:
            change["frozen"] = frozen
        return self.control._call(calls.SET_CLOCK, body=change)


def _moment(now: datetime | str | None) -> str | None:
    return now if now is None or isinstance(now, str) else now.isoformat()


def _text(value: object) -> str:
    """Return a value as the query of a call has it: None is null, and True is true."""
    return value if isinstance(value, str) else json.dumps(value)


def _query(options: Mapping[str, object]) -> dict[str, object]:
    return {name: "true" if value is True else value or None for name, value in options.items()}


@dataclass(frozen=True)
class Records:
    """The records of a collection in one session; see the methods of `ControlClient`."""

    control: ControlClient
    name: str

    def all(self, /, **filters: object) -> list[types.Document]:
        """Return all records in order, or those with some values: ``all(status="sold")``."""
        return self.control.records(self.name, **filters)

    def set(self, records: types.Records) -> int:
        """Replace all records; return how many there are."""
        return self.control.set_records(self.name, records)

    def add(self, record: Mapping[str, object] | None = None) -> dict[str, Any]:
        """Add a record, by default a generated one; return it with its ID."""
        return self.control.add_record(self.name, record)

    def get(self, record_id: int | str) -> dict[str, Any]:
        """Return a record."""
        return self.control.record(self.name, record_id)

    def change(self, record_id: int | str, changes: Mapping[str, object]) -> dict[str, Any]:
        """Apply a JSON merge patch to a record: None removes a property."""
        return self.control.change_record(self.name, record_id, changes)

    def delete(self, record_id: int | str) -> int:
        """Delete a record; return how many are left."""
        return self.control.delete_record(self.name, record_id)


def _fill(path: str, *names: object) -> str:
    """Return a path with its parameters filled in; raise `InputError` if one is not a name."""
    for name in names:
        text, hint = str(name), ""
        if not text or "/" in text:
            hint = "the name must not be empty or contain '/'"
        elif not _is_utf8(text):
            hint = "the name must be UTF-8"
        if hint:
            kind = path.split("/")[1].removesuffix("s")
            raise invalid("", f"invalid {kind} name {text[: constants.NAME_LENGTH]!r}", hint)
        path = re.sub(r"\{\w+\}", quote(text, safe=""), path, count=1)
    return path


def _encoded(parameters: Mapping[str, object]) -> str:
    """Return the query of a call; raise `InputError` for a text that is not UTF-8."""
    for name, value in parameters.items():
        for text in (name, *(value if isinstance(value, list) else [value])):
            if not _is_utf8(str(text)):
                what = f"must be UTF-8, got {str(text)[: constants.NAME_LENGTH]!r}"
                raise invalid(name, what, "correct the characters after a backslash")
    return urlencode(parameters, doseq=True)


def _is_utf8(text: str) -> bool:
    """Return whether UTF-8 can encode a text: not a byte of another encoding in an argument."""
    return not re.search("[\ud800-\udfff]", text)
