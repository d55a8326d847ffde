"""The model of a scenario: frozen values that the loader creates and the engine uses.

The loader checks and normalises everything: names are resolved, durations are in seconds, rates in
bytes per second, and responses are ready to be sent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.constants import Role, ScenarioGroup
    from mockpets.contract.contract_model import Collection
    from mockpets.errors import Problem

Operator = Literal["equals", "contains", "matches", "present", "one_of"]
Repeat = Literal["last", "cycle", "none"]
OPERATORS: tuple[Operator, ...] = get_args(Operator)


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition on a parameter, a header in lower case, or a property of a JSON body.

    :param value: of `equals` a string, or any JSON value for a body; of `contains` a string or
        single value, of `matches` a glob, of `present` a boolean, of `one_of` a tuple.
    :param below: in a body, the path from the property down to another one.
    """

    name: str
    operator: Operator
    value: object
    below: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The path as text, such as ``article.title``."""
        return ".".join((self.name, *self.below))


@dataclass(frozen=True, slots=True)
class Match:
    """The conditions of a stub; a request must meet all of them.

    :param operations: any of these; empty for all.
    :param roles: of the operation: any of these; empty for all.
    :param method: in upper case, with `path`, for requests that are not in the contract; else None.
    :param path: starts with ``/v1``; a segment ``*`` or ``{name}`` matches any one segment.
    """

    operations: tuple[str, ...] = ()
    roles: tuple[Role, ...] = ()
    method: str | None = None
    path: str | None = None
    params: tuple[Condition, ...] = ()
    query: tuple[Condition, ...] = ()
    headers: tuple[Condition, ...] = ()
    body: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to one value.

    :param source: as written, such as ``body.items.0.price``.
    :param steps: its kind, and where the value is: names, positions, or the segment of a path.
    :param default: JSON in place of a missing value; None for none.
    """

    source: str
    steps: tuple[str, ...]
    default: bytes | None = None


Text = tuple[str | Reference, ...]
"""A text with references."""


@dataclass(frozen=True, slots=True)
class Template:
    """A response with references.

    :param body: pieces of JSON, references, and JSON strings with references.
    :param text: of a body that is not JSON; None for `body`.
    :param headers: each value is fixed, or a text with references.
    """

    body: tuple[bytes | Reference | Text, ...]
    text: Text | None
    headers: tuple[tuple[str, str | Text], ...]


@dataclass(frozen=True, slots=True)
class Described:
    """The response of an operation of a document, of which a stub only names the status.

    :param statuses: of which the first that the operation documents is sent.
    :param example: the name of one in the document; empty for the first, or a generated body.
    :param message: for the body of an error; empty for that of the document.
    """

    statuses: tuple[int, ...]
    example: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Canned:
    """A response ready to be sent.

    :param headers: as written in the file, with a ``Content-Type`` if there is a body.
    :param off_contract: how the response deviates from the contract, or None.
    :param names_key: the error for a key that no record has, with the default message: the server
        sends the message of the operation instead, which names the key of the request.
    :param is_page: a page of records, of which the server sends those that the query selects.
    :param described: what operations of documents send in place of `body`; None for `body`.
    :param template: of a reply with references, from which body and headers are made for each
        response; `body` then has null or nothing in their places.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    off_contract: str | None = None
    names_key: bool = False
    template: Template | None = None
    is_page: bool = False
    described: Described | None = None


PASS: Final = "pass"  # noqa: S105 - a keyword of scenario files, not a password
Reply = Canned | str
"""A stub's response: a canned one, `PASS` for the operation's, or, in a sequence, the name of a
fault that breaks this one response."""


@dataclass(frozen=True, slots=True)
class Delay:
    """The delay of a response in seconds: fixed, evenly distributed, or log-normal.

    :param shape: ``fixed`` is `low`; ``range`` is evenly distributed from `low` to `high`;
        ``percentiles`` is log-normal with the median `low` and the 95th percentile `high`.
    """

    shape: Literal["fixed", "range", "percentiles"]
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Generated:
    """Records to generate; None means the server's seed or locale."""

    count: int
    seed: int | None = None
    locale: str | None = None


Content = tuple[bytes, ...] | Generated
"""What a collection contains: records as JSON, checked, or records to generate."""
EVERYTHING: Final = "*"
"""In place of the name of a collection: all collections."""


@dataclass(frozen=True, slots=True)
class Stub:
    """One stub of a scenario: the requests it applies to, and its effect.

    :param label: ``scenario/stub``, for the `Mockpets-Stub` header; the scenario is always the one
        whose file defines the stub, even if another scenario extends it.
    :param after: the number of matching requests to skip; `times` limits those after them.
    :param repeat: what follows the last of `replies`; ``last`` for a single reply.
    :param throttle: bytes per second; `hold` is a gate.
    """

    label: str
    match: Match = Match()
    after: int = 0
    times: int | None = None
    probability: float = 1.0
    replies: tuple[Reply, ...] = ()
    repeat: Repeat = "last"
    delay: Delay | None = None
    throttle: int | None = None
    fault: str | None = None
    hold: str | None = None
    position: tuple[int, int] = field(default=(0, 0), compare=False)
    """Line and column in the file; not compared, so that a comment above resets no counter."""

    @property
    def always_answers(self) -> bool:
        """Return whether the stub responds to every matching request that reaches it."""
        is_limited = self.after > 0 or self.times is not None or self.probability < 1
        ends = self.repeat == "none" and bool(self.replies)
        return self.answers and not is_limited and not ends

    @property
    def answers(self) -> bool:
        """Return whether the stub responds, which ends the search for stubs."""
        return bool(self.replies) or self.fault is not None

    @property
    def by_chance(self) -> bool:
        """Return whether the stub draws random numbers, so that the seed explains a response."""
        return self.probability < 1 or (self.delay is not None and self.delay.shape != "fixed")


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario file.

    :param extends: scenarios whose stubs follow this scenario's, in this order.
    :param data: the contents of collections by name, or of `EVERYTHING`.
    :param resources: the collections that it defines.
    :param source: the file's name in messages.
    :param group: the heading in lists.
    """

    name: str
    description: str
    extends: tuple[str, ...]
    stubs: tuple[Stub, ...]
    source: str
    data: Mapping[str, Content] = field(default_factory=dict)
    resources: tuple[Collection, ...] = ()
    group: ScenarioGroup = "Your own"
    extends_at: tuple[int, int] = field(default=(0, 0), compare=False)
    """Line and column of `extends`, for problems across several files; `data_at` of contents."""
    data_at: Mapping[str, tuple[int, int]] = field(default_factory=dict, compare=False)
    own_fixtures: tuple[str, ...] = field(default=(), compare=False)
    """The fixtures that it uses for collections which are not the contract's."""
    warnings: tuple[Problem, ...] = field(default=(), compare=False)
    """What is valid in the file, but probably a mistake; `check` reports it."""
