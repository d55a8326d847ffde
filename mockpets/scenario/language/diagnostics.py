"""The problems found while a document is read, and the names that it may refer to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Final

from mockpets.constants import PROBLEMS_SHOWN
from mockpets.errors import InputError, Problem, did_you_mean, printable
from mockpets.scenario.language.nodes import dotted
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mockpets.contract.schemas import Pet
    from mockpets.scenario.language.nodes import Node


class Invalid(Enum):
    """The type of `INVALID`, so that a type checker can tell it apart."""

    INVALID = "invalid"


INVALID: Final = Invalid.INVALID
"""Returned by a shape that has no usable value and has added a problem."""


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """The position in a document, the names it may refer to, and the problems found so far.

    :param file: as the user would name it.
    :param name: the scenario's.
    :param known: names of all scenarios.
    :param fixtures: pets by fixture name; reading one may raise InputError.
    :param path: keys, and positions from 1, down to the node that is being read.
    :param documents: the problems of scenarios that are part of the document.
    :param pages: fixture name to its pets as JSON, for the fixtures that pages use so far.
    """

    file: str
    name: str = ""
    known: Collection[str] = ()
    fixtures: Mapping[str, tuple[Pet, ...]] = field(default_factory=dict)
    path: tuple[str | int, ...] = ()
    problems: list[Problem] = field(default_factory=list)
    documents: list[Problem] = field(default_factory=list)
    pages: dict[str, bytes] = field(default_factory=dict)

    def at(self, *steps: str | int) -> Diagnostics:
        """Return the diagnostics of a node further down; problems and pages are shared."""
        return replace(self, path=(*self.path, *steps))

    def add(self, node: Node, what: str, hint: str = "") -> None:
        """Add a problem."""
        place = (self.file, node.line, node.column, dotted(self.path))
        self.problems.append(Problem(*place, printable(what), printable(hint)))

    def refuse(self, node: Node, expected: str) -> Invalid:
        """Add the problem that a node is not what was expected, and return `INVALID`."""
        hint = ""
        if node.kind == "nothing" and self.path:
            hint = "leave the key out if you mean none"
        elif node.value is not None and node.kind != "text" and expected.startswith("text"):
            hint = f'quote it: "{node.shown()}"'
        if node.kind != "unusable":  # the parser has added a problem
            self.add(node, f"must be {expected}, got {node.shown()}", hint)
        return INVALID

    def unknown(self, node: Node, kind: str, name: str, known: Collection[str]) -> Invalid:
        """Add the problem that a name is unknown, and return `INVALID`.

        :param kind: what it should name, such as ``fixture``.
        """
        names = f"there are: {', '.join(sorted(known)) or 'none'}"
        self.add(node, f"there is no {kind} {quote(name)}", did_you_mean(name, known) or names)
        return INVALID

    def close(self) -> None:
        """Raise the problems, if there are any.

        :raise InputError: with at most `PROBLEMS_SHOWN`, in the file's order, and a last one that
            gives the number of the others.
        """
        # A node that an alias repeats is read twice, and so are its problems.
        problems = sorted(set(self.problems))
        if len(problems) > PROBLEMS_SHOWN:
            more = f"and {len(problems) - PROBLEMS_SHOWN} more problems"
            problems = [*problems[:PROBLEMS_SHOWN], Problem(self.file, 0, 0, "", more)]
        if problems:
            raise InputError(problems)
