"""The command `why`: explain why a request gets its response."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import click

from mockpets.cli.commands import report
from mockpets.cli.layout import can_print, table, wrap
from mockpets.cli.options import option, read_json, with_json
from mockpets.cli.remote import missing_session, problems_of, show, with_client
from mockpets.constants import ERRORS
from mockpets.errors import InputError, Problem, invalid, printable
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockpets.client import ControlClient
    from mockpets.contract.control_types import ComparedCondition, Explanation, RequestToExplain

_LAST: Final = "last"
_MARKS: Final = {True: "✓", False: "✗", None: "?"}
_WORDS: Final = {True: "yes", False: "NO", None: "unknown"}
"""The marks, for an output whose encoding does not have them."""
_METHOD_AND_PATH: Final = 2
_BODY: Final = """'{"name": "Miso", "categoryId": 2}'"""


@click.command(
    epilog="Examples: mockpets why; mockpets why 12; mockpets why GET '/v1/pets?status=sold'; "
    f"mockpets why POST /v1/pets --body {_BODY}",
)
@click.argument("request", metavar="[NUMBER|last|METHOD PATH]", nargs=-1)
@click.option(
    "--header",
    "-H",
    "headers",
    multiple=True,
    metavar="'NAME: VALUE'",
    help="With METHOD PATH: a header of the request. Repeatable. If the operation needs a key, "
    "the request has the server's, unless you pass another.",
)
@option("--body JSON", "With METHOD PATH: the body of the request.")
@with_json
@with_client
def why(
    client: ControlClient,
    request: tuple[str, ...],
    headers: tuple[str, ...],
    body: str | None,
    as_json: bool,
) -> None:
    """Shows what responded, each stub in order with its conditions and counts, and the nearest
    stub. NUMBER is from the request log; the default is the last request. With METHOD PATH,
    explains a request without sending it, and changes nothing.
    """
    if len(request) == _METHOD_AND_PATH:
        explanation = _try_out(client, _unsent(client, *request, headers, body))
    else:
        for option, value in (("--header", headers), ("--body", body)):
            if value:
                what = "is only for a request that was not sent"
                raise invalid(option, what, "name its method and path")
        explanation = client.explain(_number(request))
    show(explanation, _lines(explanation), as_json=as_json)


def _number(request: tuple[str, ...]) -> int | None:
    """Return the number that the arguments name; None for the last request."""
    if request in ((), (_LAST,)):
        return None
    if len(request) == 1 and re.fullmatch("[0-9]{1,18}", request[0]):
        return int(request[0])
    got = quote(request[0]) if len(request) == 1 else f"{len(request)} arguments"
    expected = f"a request number, {_LAST!r}, or a method and a path such as GET /v1/pets"
    raise invalid("", f"expected {expected}; got {got}")


def _try_out(client: ControlClient, request: RequestToExplain) -> Explanation:
    """Return the explanation of a request that is not sent."""
    from mockpets.client import ControlError

    try:
        explanation = client.explain_request(**request)
    except ControlError as error:
        if error.status != ERRORS["invalid_request"]:
            raise
        raise InputError(problems_of(error) or [Problem("", 0, 0, "", error.message)]) from error
    if missing := missing_session(client):
        report([f"explained for session {client.name}{missing}"])
    return explanation


def _unsent(
    client: ControlClient, method: str, path: str, lines: tuple[str, ...], body: str | None
) -> RequestToExplain:
    """Return the request that the arguments describe."""
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            raise invalid("--header", f"must be 'NAME: VALUE', got '{line[:40]}'")
        headers[name.strip()] = value.strip()
    key = client.state()["settings"]["key"]
    unsent: RequestToExplain = {
        "method": method.upper(),
        "path": path,
        "headers": headers,
        "key": key,
    }
    if body is not None:
        unsent["body"] = read_json("--body", body, _BODY)
    return unsent


def _lines(explanation: Explanation) -> Iterator[str]:
    """Yield the lines of an explanation: the summary first, then each stub."""
    request = explanation["request"]
    name = f"request {request['number']}" if explanation["sent"] else "not sent"
    where = f"{name}, session {request['session']}"
    if request["scenarios"]:  # without them, a check rejected the request before
        where += f", scenarios {', '.join(request['scenarios'])}"
    yield f"{request['method']} {request['target']} ({where})"
    yield from _wrapped(explanation["summary"], "Why: ", "     ")
    for note in request["notes"]:
        if note["code"] in ("references", "reference_missing", "repeated"):
            yield from _wrapped(note["text"], "     ", "     ")
    for place, stub in enumerate(explanation["stubs"], 1):
        yield ""
        yield f"{place}. {stub['label']}: {stub['reason']}"
        details = f"{stub['when']}: {stub['does']}"
        yield from _wrapped(f"{details}; {stub['limits']}" if stub["limits"] else details)
        for line in _conditions(stub["conditions"]):
            yield f"   {line}"
    if explanation["omitted"]:
        yield ""
        yield f"stubs not shown: {explanation['omitted']}"


def _wrapped(text: str, first: str = "   ", rest: str = "   ") -> list[str]:
    return wrap(printable(text), first, rest).split("\n")


def _conditions(conditions: list[ComparedCondition]) -> list[str]:
    if not conditions:
        return []
    marks = _MARKS if can_print("".join(_MARKS.values())) else _WORDS
    rows = [(marks[row["holds"]], row["where"], row["expected"], row["got"]) for row in conditions]
    return table([("", "condition", "expected", "actual"), *rows])
