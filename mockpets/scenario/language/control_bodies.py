"""What the control API is sent: read with the shapes of files, so that it is refused as they are.

A text in; names, scenarios and pets out, or every problem with its line and column. What stands
behind a name is for the session to find.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import (
    FILE_BYTES,
    FILE_NODES,
    FIXTURE_BYTES,
    FIXTURE_NODES,
    INLINE,
    INT64_MAX,
)
from mockpets.errors import InputError
from mockpets.scenario.language.diagnostics import INVALID, Diagnostics
from mockpets.scenario.language.mappings import Object
from mockpets.scenario.language.parser import parse
from mockpets.scenario.language.pets import BROUGHT
from mockpets.scenario.language.scenario import SCENARIO
from mockpets.scenario.language.shapes import Number, Schema, Shape
from mockpets.scenario.language.text import check_text
from mockpets.strict_json import dump_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.contract.schemas import Pet
    from mockpets.scenario.language.nodes import Node
    from mockpets.scenario.library import Library
    from mockpets.scenario.model import Generated, Scenario

    Brought = tuple[Pet, ...] | Generated

BODY: Final = "body"
"""How problems name it."""


class DocumentError(InputError):
    """What is wrong with scenarios that were sent as documents."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a session is to have; None for what it keeps.

    :param names: of scenarios, as they were written; those of documents among them.
    :param inline: the documents by name, read and as they were sent.
    """

    names: tuple[str, ...] | None = None
    inline: Mapping[str, tuple[Scenario, str]] | None = None
    seed: int | None = None
    pets: Brought | None = None


@dataclass(frozen=True, slots=True)
class _Scenarios(Shape):
    """A scenario's name, a document, or a list of these; read as names and documents."""

    def _take(self, node: Node, report: Diagnostics) -> Any:
        several = node.kind == "list"
        names: list[str] = []
        inline: dict[str, tuple[Any, str]] = {}
        for place, item in enumerate(node.items if several else (node,), 1):
            here = report.at(place) if several else report
            if item.kind == "text":
                names.append(str(item.value))
            elif item.kind == "mapping":
                name = INLINE.format(len(inline) + 1)
                own = Diagnostics(BODY, name, report.known, report.fixtures, here.path)
                text = dump_json(item.plain()).decode()
                inline[name] = SCENARIO.read(item, own), text
                names.append(name)
                report.documents.extend(own.problems)
            else:
                here.refuse(item, "a scenario's name, or a scenario as a file has it")
        if not names and several and not node.items:
            report.add(node, "must name at least one scenario, is empty")
        return names, inline

    def _looks(self) -> Schema:
        raise NotImplementedError("no one publishes the schema of a body")


_SCENARIO: Final = _Scenarios("A scenario's name, a scenario as a file has it, or a list of them.")
_ACTIVATION: Final = Object("What is to be active.", {"scenario": _SCENARIO}, ("scenario",))
_SESSION: Final = Object(
    "What a session is to have.",
    {
        "scenario": _SCENARIO,
        "seed": Number("What its pets and its chance grow from.", 0, INT64_MAX),
        "pets": BROUGHT,
    },
)


def read_wanted(text: str, library: Library, *, session: bool) -> Wanted:
    """Return what a body wants a session to have.

    :param library: whose scenarios a document may extend, and whose fixtures it may name.
    :param session: seed and pets may be named too, and nothing needs to be.
    :raise DocumentError: every problem of the documents, when all else is right.
    :raise InputError: every problem, when the body is wrong around them.
    """
    check_text(text, BODY, FILE_BYTES)
    report = Diagnostics(BODY, known=library.scenarios.keys(), fixtures=library.shelf())
    values = _read(text, _SESSION if session else _ACTIVATION, report, FILE_NODES)
    if report.documents:
        own = Diagnostics(BODY, problems=report.documents)
        try:
            own.close()
        except InputError as error:
            raise DocumentError(error.problems) from None
    names, inline = values.get("scenario", (None, {}))
    return Wanted(
        None if names is None else tuple(names), inline, values.get("seed"), values.get("pets")
    )


def read_pets(text: str, library: Library) -> Brought:
    """Return the pets of a body that is written as the `pets` of a scenario file.

    :raise InputError: every problem.
    """
    report = Diagnostics(BODY, fixtures=library.shelf())
    pets: Brought = _read(text, BROUGHT, report, FIXTURE_NODES)
    return pets


def _read(text: str, shape: Shape, report: Diagnostics, nodes: int) -> Any:
    document = parse(text, BODY, is_json=True, nodes=nodes, characters=4 * FIXTURE_BYTES)
    report.problems.extend(document.problems)
    value = shape.read(document.root, report)
    report.close()
    assert value is not INVALID  # noqa: S101 - or there were a problem
    return value
