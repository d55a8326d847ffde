"""What can go wrong, as data.

A leaf: imports nothing of ours but the constants. Two families:

- `RequestError` is an answer to a client. It has one of the fixed codes of `constants.ERRORS` and
  becomes an Error body in one place, `web.errors`.
- `InputError` is for the person who starts mockpets: a scenario or fixture file, a setting, an
  address. It carries every problem found, and `cli` prints them, a line each.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mockpets.constants import ERRORS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mockpets.constants import ErrorCode


class MockpetsError(Exception):
    """Base of everything that mockpets raises on purpose."""


class RequestError(MockpetsError):
    """A request is answered with the contract's Error body instead of a result.

    :param code: one of `constants.ERRORS`, which gives the status.
    :param message: what is wrong and what was expected, for a person.
    :param headers: response headers that belong to this refusal (``Allow``, say).
    :param details: more for programs; only the control API has it in its Error body.
    """

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        headers: Sequence[tuple[str, str]] = (),
        details: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = ERRORS[code]
        self.headers = tuple(headers)
        self.details = details


class NotReady(MockpetsError):  # noqa: N818 - nothing went wrong
    """Something has to be done first that takes longer than others should wait.

    :param job: does it, on any thread; afterwards ask again.
    """

    def __init__(self, job: Callable[[], object]) -> None:
        super().__init__()
        self.job = job


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing wrong with what a person wrote, and where.

    :param file: the file as the user named it, or the option or variable (``--port``).
    :param line: from 1; 0 where there is no line.
    :param column: from 1; 0 where there is no column.
    :param where: the place inside the document (``stubs.2.reply.status``); may be empty.
    :param what: what is wrong, what was expected and what came.
    :param hint: what to do; may be empty.
    """

    file: str
    line: int
    column: int
    where: str
    what: str
    hint: str = field(default="")

    def __str__(self) -> str:
        """Return one line: ``file:line:column: where: what; hint``, fit for a terminal."""
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        text = ": ".join(part for part in (place, self.where, self.what) if part)
        return printable(f"{text}; {self.hint}" if self.hint else text)


class InputError(MockpetsError):
    """What a person wrote cannot be used; holds every problem, in the order of the file."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def printable(text: str) -> str:
    """Return a text with what a terminal would act on, or hide, as escapes."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return ``did you mean 'x'?`` for the known word nearest to this one, or an empty string.

    :param cutoff: how alike the two must be, from 0 to 1; their case does not count.
    """
    import difflib  # few make mistakes

    lower = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), lower, n=1, cutoff=cutoff)
    return f"did you mean '{lower[near[0]]}'?" if near else ""
