"""Collect the problems of a document while shapes read it, and know the names it may refer to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mockpets.constants import PROBLEMS_SHOWN
from mockpets.contract.fields import INVALID
from mockpets.errors import InputError, Problem, did_you_mean, first_problems, printable
from mockpets.strict_json import REMOVE_QUOTES
from mockpets.units import dotted, quote

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from mockpets.contract.contract_model import Collection as RecordsOf
    from mockpets.contract.contract_model import Contracts
    from mockpets.contract.fields import Invalid
    from mockpets.scenario.language.nodes import Node, Path
    from mockpets.scenario.scenario_model import Content

    Fixture = Callable[[RecordsOf | None], tuple[bytes, ...] | InputError]
    """Returns the records of a fixture for a contract's collection or another, or its problems."""
    Fixtures = Mapping[str, Fixture]


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """The position in a document, the names it may refer to, and the problems found so far.

    :param file: its name in messages; `name` is that of the scenario.
    :param contracts: those whose operations and collections it may name.
    :param known: names of all scenarios.
    :param path: keys, and positions from 1, down to the current node.
    :param documents: the problems of scenarios inside the document.
    :param pages: label of a collection and name of a fixture to the records as JSON, as far as
        pages use them.
    :param own_fixtures: the fixtures of collections which are not the contract's.
    :param contents: those of collections that are read already.
    :param taken: names that a scenario inside the document must not have.
    """

    file: str
    contracts: Contracts
    name: str = ""
    known: Collection[str] = ()
    fixtures: Fixtures = field(default_factory=dict)
    path: Path = ()
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    documents: list[Problem] = field(default_factory=list)
    pages: dict[tuple[str, str], bytes] = field(default_factory=dict)
    taken: Collection[str] = ()
    own_fixtures: set[str] = field(default_factory=set)
    contents: Mapping[str, Content] = field(default_factory=dict)

    @property
    def is_full(self) -> bool:
        """Whether `close` only counts what is added for later lines of the document."""
        return len(self.problems) >= PROBLEMS_SHOWN

    def at(self, step: str | int) -> Diagnostics:
        """Return the diagnostics of a child node, which share problems and pages."""
        return replace(self, path=(*self.path, step))

    def add(self, node: Node, what: str, hint: str = "", at: Path = ()) -> Invalid:
        """Add a problem, unless the parser already has one for this value; return `INVALID`.

        :param at: keys, and indexes from 0, from the node down to the invalid value.
        """
        if node.find(at)[0].kind != "unusable":
            self.problems.append(self._problem(node, what, hint, at))
        return INVALID

    def warn(self, node: Node, what: str, hint: str = "", at: Path = ()) -> None:
        """Add a warning: the file is valid, but its author should look at this."""
        self.warnings.append(self._problem(node, what, hint, at))

    def _problem(self, node: Node, what: str, hint: str, at: Path) -> Problem:
        node, steps = node.find(at)
        where = dotted((*self.path, *steps))
        return Problem(self.file, node.line, node.column, where, printable(what), printable(hint))

    def reject(
        self,
        node: Node,
        expected: str,
        hint: str = "",
        *,
        is_string: bool = False,
        is_quoted: bool = False,
    ) -> Invalid:
        """Add the problem that a node is not what was expected, and return `INVALID`.

        :param hint: how to fix it, if neither a value is missing nor quotes are wrong.
        :param is_string: a string is expected, so that quotes can fix a number.
        :param is_quoted: the string is valid without its quotes.
        """
        got = node.shown()
        if is_quoted:
            got, hint = f'the text "{node.value}"', REMOVE_QUOTES
        if node.kind == "nothing" and self.path:
            hint = "add a value or remove the key"
        elif node.value is not None and node.kind != "text" and is_string:
            hint = f'quote it: "{node.shown()}"'
        return self.add(node, f"must be {expected}, got {got}", hint)

    def unknown(
        self, node: Node, kind: str, name: str, known: Collection[str], advice: str = ""
    ) -> Invalid:
        """Add the problem that the name of a kind of thing is unknown, and return `INVALID`."""
        names = f"known {kind}s: {', '.join(sorted(known)) or 'none'}"
        hint = did_you_mean(name, known) or "; ".join(filter(None, [names, advice]))
        return self.add(node, f"unknown {kind} {quote(name)}", hint)

    def close(self) -> None:
        """Raise the first `PROBLEMS_SHOWN` problems in file order, and one that counts the rest."""
        if self.problems:
            raise first_problems(self.problems, self.file)
