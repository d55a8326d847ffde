"""The tools of `mcp`: what each takes and returns, and the calls of the control API it makes."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlencode

from mockpets.constants import FILE_NODES, INT64_MAX
from mockpets.contract import control_calls as control
from mockpets.errors import InputError, RequestError, printable
from mockpets.request_log import queries
from mockpets.scenario.language.diagnostics import Diagnostics
from mockpets.scenario.language.mappings import Object
from mockpets.scenario.language.parser import read
from mockpets.scenario.language.shapes import ANY_KIND, Choice, Definitions, Number, Text, Value
from mockpets.strict_json import dump_json
from mockpets.units import counted
from mockpets.web.control import requests
from mockpets.web.control.call import invalid_body, json_response
from mockpets.web.messages import Request
from mockpets.web.session_selector import SESSION_KEY

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from mockpets.contract.contract_model import Contracts
    from mockpets.contract.control_calls import Call
    from mockpets.scenario.language.shapes import Schema, Shape
    from mockpets.web.control.call import ControlRequest, JsonResponse
    from mockpets.web.messages import Response, View

    Run = Callable[[Call[Any], Request, View | None], Awaitable[Response]]
    """Makes a call; None for its own view."""

T = TypeVar("T")

_SHOWN: Final = 5
_TEXT: Final = 300
"""Characters of a body in a result."""
_STUBS: Final = 3
_BRIEF: Final = 130
"""Stubs, and characters of a text, in an explanation: its result is sent twice in 600 tokens."""


class Calls:
    """Calls the control API in this process for a tool, in one session.

    :param session: None for the one that the agent's URL names.
    """

    def __init__(self, outer: ControlRequest, run: Run, session: str | None) -> None:
        self._outer, self._run = outer, run
        self._named = {} if session is None else {SESSION_KEY: session}
        self._base = outer.request.base if session is None else None
        self.session = session or outer.request.session_name

    async def __call__(
        self,
        call: Call[T],
        body: object = None,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
        view: View | None = None,
        **path: str,
    ) -> T:
        """Return the JSON of a response.

        :param body: a text is a scenario file; anything else is sent as JSON.
        :param view: responds in place of the call's own.
        :param path: the parameters in the path.
        :raise RequestError: the call fails.
        """
        raw = body.encode() if isinstance(body, str) else dump_json(body) if body else b""
        environ = {
            **self._outer.request.environ,
            **self._named,
            **(headers or {}),
            "QUERY_STRING": urlencode(query or {}),
            "CONTENT_LENGTH": str(len(raw)),
            "wsgi.input": BytesIO(raw),
        }
        arrived = self._outer.request.incoming
        request = Request.of(replace(arrived, environ=environ, names=()))
        request.base, request.baggage = self._base, self._outer.request.baggage
        request.max_content_length = None
        request.view_args = path
        response = await self._run(call, request, view)
        value: T = json.loads(response.body)
        return value


@dataclass(frozen=True)
class Tool:
    """A tool.

    :param takes: the shapes of its arguments by name, besides ``session``.
    :param returns: the schemas of the properties of its result by name.
    :param optional: those that a result may lack.
    :param changes: whether it can change or replace something.
    """

    description: str
    takes: Mapping[str, Shape]
    returns: Mapping[str, Schema]
    run: Callable[[Calls, dict[str, Any]], Awaitable[dict[str, Any]]]
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    changes: bool = False

    @property
    def arguments(self) -> Object:
        """The shape of its arguments."""
        session = Text("Session name. Without it: the one in this server's URL, or `default`.")
        fields = {"session": session, **self.takes}
        return Object("", fields, self.required)


async def call_tool(
    tool: Tool, outer: ControlRequest, run: Run, arguments: object
) -> dict[str, Any]:
    """Return the result of a call, or its error."""
    try:
        diagnostics = Diagnostics("arguments", outer.contracts)
        text = dump_json(arguments).decode("utf-8")
        values = read(text, tool.arguments, diagnostics, is_json=True, nodes=FILE_NODES)
        content = await tool.run(Calls(outer, run, values.pop("session", None)), values)
    except (InputError, RequestError) as error:
        known = invalid_body(error) if isinstance(error, InputError) else error
        return {"content": [{"type": "text", "text": _explained(known)}], "isError": True}
    # As text too, for clients that show nothing else to the model.
    text = dump_json(content).decode("utf-8")
    return {"content": [{"type": "text", "text": text}], "structuredContent": content}


def _explained(error: RequestError) -> str:
    """Return an error with every problem, one on each line."""
    problems: Any = (error.details or {}).get("problems", ())
    return "\n".join(map(_problem, problems)) if problems else error.message


def _problem(problem: Mapping[str, Any]) -> str:
    """Return a problem without its position in JSON that the agent does not see."""
    line = f"line {problem['line']}" if problem["file"].endswith(".yaml") else ""
    text = ": ".join(filter(None, (line, problem["where"], problem["what"])))
    return printable(f"{text}; {problem['hint']}" if problem["hint"] else text)


def listed(contracts: Contracts) -> list[dict[str, Any]]:
    """Return the tools as ``tools/list`` has them."""
    return [
        {
            "name": name,
            "description": tool.description,
            "inputSchema": _input(tool.arguments, contracts),
            "outputSchema": {
                "type": "object",
                "properties": tool.returns,
                "required": [each for each in tool.returns if each not in tool.optional],
            },
            "annotations": {
                "readOnlyHint": not tool.changes,
                **({"destructiveHint": True, "idempotentHint": True} if tool.changes else {}),
                "openWorldHint": False,
            },
        }
        for name, tool in TOOLS.items()
    ]


def _input(arguments: Object, contracts: Contracts) -> Schema:
    schema = arguments.schema(Definitions("#/$defs/", contracts))
    del schema["description"]
    return schema


# --- The tools ----------------------------------------------------------------------------------


async def _state(calls: Calls, values: dict[str, Any]) -> dict[str, Any]:
    state = await calls(control.STATE)
    log = await calls(control.REQUESTS, query={"limit": _SHOWN})
    content = {
        "session": state["session"],
        "active": state["active"],
        "scenarios": [each["name"] for each in state["scenarios"]],
        "problems": [line for each in state["scenarios"] for line in each["problems"]],
        "data": await _totals(calls),
        "seed": state["seed"],
        "requests": [_line(row) for row in log["requests"]],
        "gates": state["gates"],
        "base_path": state["settings"]["base_path"],
        "key": state["settings"]["key"],
    }
    if values.get("findings"):
        found = (await calls(control.FINDINGS))["report"]["findings"]
        content["findings"] = [f"{each['rule']}: {each['message']}" for each in found]
    return content


def _line(row: Mapping[str, Any]) -> str:
    """Return a request of the log as one line."""
    status = row["status"] or row["fault"]
    by = f" ({', '.join(row['stubs'])})" if row["stubs"] else ""
    outcome = "" if row["outcome"] == "sent" else f" {row['outcome']}"
    return f"{row['number']} {row['method']} {row['target'][:80]} {status}{outcome}{by}"


async def _use(calls: Calls, values: dict[str, Any]) -> dict[str, Any]:
    is_reset = values.pop("reset", False)
    session = await calls(control.MAKE_SESSION, values, name=calls.session)
    if is_reset:
        await calls(control.RESET)
        session = await calls(control.FIND_SESSION, name=calls.session)
    return {
        "active": session["active"],
        "data": await _totals(calls),
        "seed": session["seed"],
        "base_path": session["base_path"],
    }


async def _totals(calls: Calls) -> dict[str, int]:
    """Return how many records each collection has; not of those that others hide."""
    rows = (await calls(control.COLLECTIONS))["data"]
    return {row["name"]: row["total"] for row in rows if row["hidden_by"] is None}


async def _tried(call: ControlRequest) -> JsonResponse[Any]:
    """Explain a request that was not sent, and return its response."""
    from mockpets.request_log.explanation import explanation

    entry, seed = await requests.tried(call)
    response = queries.full(entry)["response"]
    return json_response({**explanation(entry, seed, sent=False), "response": response})


async def _try_request(calls: Calls, values: dict[str, Any]) -> dict[str, Any]:
    states = [values.pop("scenarios", None), values.pop("compare", None)]
    values["key"] = (await calls(control.STATE))["settings"]["key"]
    first = await _attempt(calls, values, states[0])
    content = dict(first)
    if states[1] is not None:
        content["compared"] = other = await _attempt(calls, values, states[1])
        pairs = {
            "status": (first["status"], other["status"]),
            "body": (_outline(first["body"]), _outline(other["body"])),
        }
        content["difference"] = [f"{name}: {a} -> {b}" for name, (a, b) in pairs.items() if a != b]
    return content


def _outline(body: str) -> str:
    """Return what a body is, without its values."""
    try:
        value = json.loads(body)
    except ValueError:
        return f"{len(body)} characters"
    if isinstance(value, list):
        return counted(len(value), "item")
    return f"object with {', '.join(value)}" if isinstance(value, dict) else body


async def _attempt(calls: Calls, request: dict[str, Any], state: str | None) -> dict[str, Any]:
    named = {} if state is None else {"Mockpets-Scenario": state}
    sent = {**request, "headers": {**request.get("headers", {}), **named}}
    tried: Any = await calls(control.EXPLAIN_REQUEST, sent, view=_tried)
    return {
        "status": tried["request"]["status"] or tried["request"]["fault"],
        "by": tried["by"],
        "summary": tried["summary"],
        "body": _cut(tried["response"]["body"]["text"]),
    }


def _cut(text: str, length: int = _TEXT) -> str:
    return text if len(text) <= length else f"{text[:length]}... ({len(text)} characters)"


async def _explain(calls: Calls, values: dict[str, Any]) -> dict[str, Any]:
    number = values.get("number") or await _wrong(calls)
    full = await calls(control.REQUEST, number=str(number))
    why = await calls(control.EXPLAIN, number=str(number))
    stubs = [each for each in why["stubs"] if each["result"] != "not_reached"]
    stubs.sort(key=lambda each: each["label"] not in (why["stub"], why["nearest"]))
    return {
        "request": _line(full),
        "summary": why["summary"],
        "scenarios": full["scenarios"],
        "stubs": [_stub(each, _BRIEF * 2) for each in stubs[:1]]
        + [_stub(each, _BRIEF // 2) for each in stubs[1:_STUBS]],
        "notes": [note["text"][:_BRIEF] for note in full["notes"][:_STUBS]],
        "sent": _cut(full["request"]["body"]["text"], _BRIEF),
        "received": _cut(full["response"]["body"]["text"], _BRIEF),
    }


async def _wrong(calls: Calls) -> int:
    """Return the number of the newest request with an error, or else of the newest."""
    rows = (await calls(control.REQUESTS))["requests"]
    if not rows:
        # A request without a valid key does not create a session.
        advice = "create it with `use`, then send the app's requests to its base path"
        message = f"session '{calls.session}' has no requests; {advice}"
        raise RequestError("not_found", message)
    wrong = [row for row in rows if row["status"] is None or row["status"] >= 400]
    number: int = (wrong or rows)[-1]["number"]
    return number


def _stub(stub: Mapping[str, Any], length: int) -> str:
    """Return what a stub did with a request, and the conditions that did not hold."""
    differences = [
        f"{each['where']}: expected {each['expected']}, got {each['got']}"
        for each in stub["conditions"]
        if each["holds"] is False
    ]
    return "; ".join([f"{stub['label']}: {stub['reason']}", *differences])[:length]


async def _verify(calls: Calls, values: dict[str, Any]) -> dict[str, Any]:
    try:
        verified = await calls(control.VERIFY, values)
    except RequestError as error:
        if error.code != "verification_failed":
            raise
        details: Any = error.details
        return {"passed": False, "matched": details["matched"], "message": error.message[:900]}
    numbers = [row["number"] for row in verified["requests"]][-20:]
    return {"passed": True, "matched": verified["matched"], "requests": numbers}


async def _check_scenario(calls: Calls, values: dict[str, Any]) -> dict[str, Any]:
    name, text, save = values["name"], values["text"], values.get("save")
    checked = await calls(control.CHECK_SCENARIO, text, {"name": name})
    problems = [*map(_problem, checked["problems"])]
    content = {
        "ok": not problems,
        "problems": problems,
        "warnings": [*map(_problem, checked["warnings"])],
        "saved": None,
    }
    if save == "session" and not problems:
        await calls(control.OVERRIDE_SCENARIO, text, name=name)
        content["saved"] = f"session {calls.session}"
    elif save == "file" and not problems:
        digest = values.get("replaces")
        condition = {"HTTP_IF_MATCH": f'"{digest}"'} if digest else {"HTTP_IF_NONE_MATCH": "*"}
        try:
            saved = await calls(control.SAVE_SCENARIO, text, headers=condition, name=name)
        except RequestError as error:
            if error.code != "conflict":
                raise
            fix = f"GET scenarios/{name} has its 'digest', which you send as 'replaces'"
            raise RequestError("conflict", f"{error.message}: {fix}") from error
        content["saved"] = saved["path"]
    return content


_STRING: Final[Schema] = {"type": "string"}
_STRINGS: Final[Schema] = {"type": "array", "items": _STRING}
_INTEGER: Final[Schema] = {"type": "integer"}
_TOTALS: Final[Schema] = {
    "type": "object",
    "description": "The number of records by collection.",
    "additionalProperties": {"type": "integer"},
}
_FLAG: Final[Schema] = {"type": "boolean"}
_NAMES: Final = ("text", "list", "mapping")
_TRIED: Final[Mapping[str, Schema]] = {
    "status": {"type": ["integer", "string"], "description": "Or the connection fault."},
    **dict.fromkeys(("by", "summary", "body"), _STRING),
}
TOOLS: Final[Mapping[str, Tool]] = {
    "state": Tool(
        "Show a session: active and available scenarios, numbers of records, newest requests, "
        "base path, key.",
        {"findings": Value("Also list bugs that the app's requests show.", ("boolean",))},
        {
            **dict.fromkeys(("session", "base_path", "key"), _STRING),
            **dict.fromkeys(("active", "scenarios", "problems", "findings"), _STRINGS),
            "requests": {**_STRINGS, "description": "Number, method, target, status (stubs)."},
            "data": _TOTALS,
            "seed": _INTEGER,
            "gates": {"type": "object"},
        },
        _state,
        optional=("findings",),
    ),
    "use": Tool(
        "Put a session into a state; creates it if needed. Omitted parts stay as they are.",
        {
            "scenario": Value("A scenario name or document, or a list; the first wins.", _NAMES),
            "data": Value(
                "Records by the name of their collection: a list, a fixture name, or {count}.",
                ("mapping",),
            ),
            "seed": Number("Seed for generated records and random decisions.", 0, INT64_MAX),
            "reset": Value("Also restore the records, and clear counters and log.", ("boolean",)),
        },
        {"active": _STRINGS, "data": _TOTALS, "seed": _INTEGER, "base_path": _STRING},
        _use,
        changes=True,
    ),
    "try_request": Tool(
        "Show the response that a request would get, and why. Sends and changes nothing. With "
        "`compare`, also in other scenarios, with the difference.",
        {
            "method": Text("Such as GET."),
            "path": Text("Such as /v1/items?limit=5."),
            "headers": Value("By name. Needs no key: the server's is sent.", ("mapping",)),
            "body": Value("Sent as JSON.", ANY_KIND),
            "scenarios": Text("Names, separated by commas, instead of the active ones."),
            "compare": Text("Names of the scenarios to compare with."),
        },
        {
            **_TRIED,
            "compared": {"type": "object", "properties": _TRIED},
            "difference": _STRINGS,
        },
        _try_request,
        ("method", "path"),
        ("compared", "difference"),
    ),
    "explain": Tool(
        "Explain why a request in the log got its response, with the nearest stubs.",
        {"number": Number("Default: the newest with an error, else the newest.", 1, INT64_MAX)},
        {
            **dict.fromkeys(("request", "summary", "sent", "received"), _STRING),
            **dict.fromkeys(("scenarios", "stubs", "notes"), _STRINGS),
        },
        _explain,
    ),
    "verify": Tool(
        "Check that the app sent the expected requests.",
        {
            "match": Value(
                "As in a stub: operation, role, params, method, path, query, headers, body; also "
                "status (503, 5xx or a list), outcome (pending, sent, client_left, broken). {} for "
                "all.",
                ("mapping",),
            ),
            "times": Value(
                "A number, or {at_least, at_most}. Default: at least 1.", ("integer", "mapping")
            ),
            "within": Text("How long to wait for them, such as 5s."),
        },
        {
            "passed": _FLAG,
            "matched": _INTEGER,
            "requests": {"type": "array", "items": _INTEGER},
            "message": _STRING,
        },
        _verify,
        ("match",),
        ("requests", "message"),
    ),
    "check_scenario": Tool(
        "Check a scenario file, and optionally save it if it is valid.",
        {
            "name": Text("Scenario name, in kebab-case."),
            "text": Text("The YAML file."),
            "save": Choice(
                "Where to save it: for this session only, or as a file of the server.",
                ("session", "file"),
            ),
            "replaces": Text("With save=file: the digest of the file to replace."),
        },
        {
            "ok": _FLAG,
            "problems": _STRINGS,
            "warnings": _STRINGS,
            "saved": {"type": ["string", "null"]},
        },
        _check_scenario,
        ("name", "text"),
        changes=True,
    ),
}
