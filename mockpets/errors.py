"""The errors that mockpets raises.

- `RequestError` becomes an error response. It has one of the codes in `constants.ERRORS` or in the
contract, and `web.error_responses` turns it into the Error body.
- `InputError` is for the person who runs mockpets. It has every problem in a scenario file, a
fixture, a setting or an address, and `cli` prints one line for each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mockpets.constants import ERRORS, PROBLEMS_SHOWN
from mockpets.units import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mockpets.constants import ErrorCode


class MockpetsError(Exception):
    """Base class of all errors that mockpets raises on purpose."""


class RequestError(MockpetsError):
    """The client gets the Error body of the contract instead of a result.

    :param headers: response headers for this error, such as ``Allow``.
    :param details: extra data for programs; only the control API sends it.
    :param advice: what an operator can do about it, as the end of the message.
    """

    without_advice: str | None = None
    """The message without it; None if there is none."""

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        headers: Sequence[tuple[str, str]] = (),
        details: Mapping[str, object] | None = None,
        advice: str = "",
    ) -> None:
        super().__init__(message)
        self.code: str = code
        self.message = message
        if advice:
            self.without_advice = message
            is_question = message.endswith("?")
            end = f" {advice[0].upper()}{advice[1:]}" if is_question else f"; {advice}"
            self.message = message + end
        self.status = ERRORS[code]
        self.headers = tuple(headers)
        self.details = details

    @classmethod
    def described(cls, code: str, status: int, message: str) -> RequestError:
        """Return an error whose code the contract describes, which `ERRORS` need not have."""
        error = cls("not_found", message)
        error.code, error.status = code, status
        return error

    def copy(
        self, message: str, headers: Sequence[tuple[str, str]] | None = None, advice: str = ""
    ) -> RequestError:
        """Return the same error with another message, and perhaps other headers."""
        headers = self.headers if headers is None else headers
        error = RequestError("not_found", message, headers, self.details, advice)
        error.code, error.status = self.code, self.status
        return error


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A problem in a file, a setting or an address.

    :param file: the file as the user named it, or an option or variable such as ``--port``.
    :param line: from 1; 0 if there is no line.
    :param column: from 1; 0 if there is no column.
    :param where: the path inside the document (``stubs.2.reply.status``); may be empty.
    :param what: what is wrong, what was expected, and the value found.
    :param hint: how to fix it; may be empty.
    """

    file: str
    line: int
    column: int
    where: str
    what: str
    hint: str = ""

    def __str__(self) -> str:
        """Return ``file:line:column: where: what; hint`` as one line that is safe to print."""
        position = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        text = ": ".join(part for part in (position, self.where, self.what) if part)
        return printable(f"{text}; {self.hint}" if self.hint else text)


def problem_with(place: str, what: str, hint: str = "") -> Problem:
    """Return a problem with an option, an argument, a setting or a whole file."""
    return Problem(place, 0, 0, "", what, hint)


class InputError(MockpetsError):
    """A file, a setting or an address is invalid.

    :param problems: all problems, in the order of the file.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def first_problems(problems: Iterable[Problem], file: str, *, more: int = 0) -> InputError:
    """Return the error for the first `PROBLEMS_SHOWN` problems of a file, and how many follow.

    :param more: the number of problems that are not in `problems`.
    """
    listed = sorted(problems)
    more += len(listed) - PROBLEMS_SHOWN
    if more > 0:
        rest = problem_with(file, f"and {counted(more, 'more problem')}")
        listed = [*listed[:PROBLEMS_SHOWN], rest]
    return InputError(listed)


def invalid(
    place: str, what: str, hint: str = "", position: tuple[int, int] = (0, 0)
) -> InputError:
    """Return the error for one problem, by default as in `problem_with`.

    :param position: line and column, as in `Problem`.
    """
    return InputError([Problem(place, *position, "", what, hint)])


class DocumentError(InputError):
    """Scenarios that were sent as documents are invalid."""


def printable(text: str) -> str:
    """Return a text with its non-printable characters escaped, so that it is safe in a terminal."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return ``did you mean 'x'?`` for the most similar known word, or an empty string."""
    near = nearest(word, {name: name for name in known}, cutoff)
    return f"did you mean '{near}'?" if near else ""


def nearest(word: str, spellings: Mapping[str, str], cutoff: float = 0.6) -> str | None:
    """Return the name with the most similar spelling, or None.

    :param spellings: spelling to name.
    :param cutoff: minimum similarity from 0 to 1; case is ignored. A word that is a part of
        only one spelling is similar to it too: ``page`` to ``full-page``.
    """
    import difflib  # not needed without an error

    word, lower = word.lower(), {spelling.lower(): name for spelling, name in spellings.items()}
    matches = difflib.get_close_matches(word, lower, n=1, cutoff=cutoff)
    if not matches:
        parts = [spelling for spelling in lower if word in re.split("[-_]", spelling)]
        matches = parts if len(parts) == 1 else []
    return lower[matches[0]] if matches else None
