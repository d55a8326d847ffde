"""The types of audit.json."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

Level = Literal["error", "warning", "note"]


class Page(TypedDict):
    """A page of the app; `page` is the shape of its address, such as ``/article/{}``."""

    page: str
    url: str
    signed_in: bool
    title: str
    operations: list[str]
    screenshot: str


class Action(TypedDict):
    """A form or button that calls operations which write."""

    page: str
    name: str
    operations: list[str]


class Step(TypedDict):
    """What is done before a request fails.

    :param locator: an expression on Playwright's page, such as ``getByLabel("Name")``.
    """

    do: Literal["fill", "select", "check", "click"]
    locator: str
    value: NotRequired[str]


class SignIn(TypedDict):
    """How the audit signed in by the app's own form."""

    url: str
    steps: list[Step]


class Request(TypedDict):
    """A request that failed; `status` is null if it has had no response."""

    method: str
    path: str
    status: int | None
    count: int


class Probe(TypedDict):
    """A probe that ran: a page, or an action on it, in a state of an operation."""

    page: str
    action: str | None
    operation: str
    state: str
    level: Literal["error", "warning", "note", "ok"]


class Finding(TypedDict):
    """What one probe has shown.

    :param expression: what reproduces it; null if no expression can.
    :param lost: texts of the healthy page that are missing.
    :param shown: what is visible instead, or what is wrong on the page.
    :param healthy: path of a screenshot, relative to audit.json; so is `failing`.
    """

    rule: str
    level: Level
    page: str
    url: str
    signed_in: bool
    action: str | None
    steps: list[Step]
    operation: str
    state: str
    expression: str | None
    message: str
    lost: list[str]
    shown: list[str]
    requests: list[Request]
    healthy: str
    failing: str


class Cause(TypedDict):
    """Findings with one cause.

    :param findings: indexes of findings, of which the first is the example.
    :param accepted: the reason for which it is accepted; else null.
    :param known: whether the baseline has it.
    """

    id: str
    rule: str
    level: Level
    title: str
    advice: str
    operations: list[str]
    pages: list[str]
    findings: list[int]
    accepted: str | None
    known: bool


class Probes(TypedDict):
    """How many probes ran, of how many."""

    run: int
    planned: int


class Result(TypedDict):
    """The contents of audit.json."""

    format: int
    version: str
    app: str
    contracts: list[str]
    started: str
    seconds: float
    complete: bool
    signed_in: str | None
    sign_in: NotRequired[SignIn | None]
    notes: list[str]
    pages: list[Page]
    actions: list[Action]
    not_reached: list[str]
    probes: Probes
    matrix: list[Probe]
    causes: list[Cause]
    findings: list[Finding]
