"""What a scenario file says, as frozen values: the loader makes them, the engine plays them.

Everything is checked and normalised by the loader, so nothing here can be half right: names are
resolved, durations are seconds, rates are bytes a second, every reply is ready to be sent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, get_args

if TYPE_CHECKING:
    from mockpets.constants import Operation
    from mockpets.contract.schemas import Pet

Operator = Literal["equals", "contains", "matches", "present", "one_of"]
Repeat = Literal["last", "cycle", "none"]
OPERATORS: tuple[Operator, ...] = get_args(Operator)


@dataclass(frozen=True, slots=True)
class Condition:
    """One test of one value: of a query parameter, a header, or a member of a JSON body.

    :param name: the parameter, the header in lower case, or the member.
    :param value: what `equals` compares with (text for query and headers, any JSON value for a
        body), the text of `contains`, the glob of `matches`, the truth of `present`, or the
        tuple of `one_of`.
    """

    name: str
    operator: Operator
    value: object


@dataclass(frozen=True, slots=True)
class Match:
    """What a request must be like for a stub to be asked; all of it must hold.

    :param operations: any of these; empty when the stub names none.
    :param method: upper case, with `path`, for what the contract lacks; else None.
    :param path: begins with ``/v1``; a segment ``*`` stands for any one segment.
    :param pet_ids: any of these; empty when the stub names none.
    """

    operations: tuple[Operation, ...] = ()
    method: str | None = None
    path: str | None = None
    pet_ids: tuple[int, ...] = ()
    query: tuple[Condition, ...] = ()
    headers: tuple[Condition, ...] = ()
    body: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Canned:
    """An answer ready to be sent.

    :param headers: as written in the file, ``Content-Type`` among them when there is a body.
    :param body: the bytes; empty for none.
    :param off_contract: why the contract does not know this answer, or None when it does.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    off_contract: str | None = None


PASS: Final = "pass"  # noqa: S105 - the word of a scenario file, no password
Reply = Canned | str
"""What a stub responds with: a canned response, `PASS` for the operation's own, or, in a sequence,
the name of a fault, which breaks that one response as `Stub.fault` breaks them all."""


@dataclass(frozen=True, slots=True)
class Delay:
    """How late an answer is, in seconds: fixed, evenly spread, or log-normal.

    :param shape: ``fixed`` uses `low` alone; ``range`` draws evenly from `low` to `high`;
        ``percentiles`` draws from the log-normal distribution whose median is `low` and whose
        95th percentile is `high`.
    """

    shape: Literal["fixed", "range", "percentiles"]
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Generated:
    """Pets to be made from a seed; None means: as the server was started."""

    count: int
    seed: int | None = None
    locale: str | None = None


@dataclass(frozen=True, slots=True)
class Stub:
    """One entry of a scenario: what it matches and what it does.

    :param label: ``scenario/stub``, for the `Mockpets-Stub` header; the scenario is the one whose
        file holds the stub, also when another extends it.
    :param after: matching requests that pass first.
    :param times: requests it takes part in afterwards; None for no end.
    :param replies: none, one, or a sequence's.
    :param repeat: what happens after the last of `replies`; ``last`` for a single reply.
    :param throttle: bytes a second.
    :param fault: the name of a row of `FAULTS`.
    :param hold: the gate that keeps the answer back.
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

    @property
    def answers(self) -> bool:
        """Whether the search ends here; a stub that only shapes adds itself and it goes on."""
        return bool(self.replies) or self.fault is not None

    @property
    def by_chance(self) -> bool:
        """Whether it draws random numbers, so that the seed belongs to the explanation."""
        return self.probability < 1 or (self.delay is not None and self.delay.shape != "fixed")


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario file.

    :param name: the file's stem.
    :param extends: scenarios whose stubs come after the own ones, in the order written.
    :param pets: a list or a fixture's pets, pets to generate, or None to leave the session's be.
    :param source: the file, as the user would name it.
    """

    name: str
    description: str
    extends: tuple[str, ...]
    pets: tuple[Pet, ...] | Generated | None
    stubs: tuple[Stub, ...]
    source: str
    extends_at: tuple[int, int] = field(default=(0, 0), compare=False)
    """Line and column of `extends`, for problems that only the whole library shows."""
