"""Valid, credible values for the schemas of a document: the same seed gives the same ones.

Each place has its own random numbers, so that a change elsewhere in the document moves nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mockpets.kept_results import Results
from mockpets.seed.examples import ABSENT, Examples
from mockpets.seed.merged_schemas import Shapes
from mockpets.seed.places import Place, kind_of
from mockpets.seed.trees import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mockpets.contract.openapi_loader import Document, Node
    from mockpets.seed.merged_schemas import Shape
    from mockpets.seed.trees import IsValid

    Sent = Callable[[Node, object], object]

__all__ = ["ABSENT", "Values"]

_RESULTS: Final = 1024
"""Most are records as responses show them: ten pages of a hundred."""
_RESPONSES: Final = 256
"""Such as the pages and records that a page of an app loads."""


class Values:
    """Generates values for the schemas of a document.

    :param is_valid: validates a value by a schema.
    :param sent: returns a value without the write-only properties of its schema.
    :param now: in ms since 1970; times follow it.
    """

    def __init__(
        self, document: Document, is_valid: IsValid, sent: Sent, *, seed: int, now: int
    ) -> None:
        self.is_valid = is_valid
        self.sent = sent
        self._seed = str(seed)
        self.now = now
        self._shapes = Shapes(document)
        self._examples = Examples(document, self._shapes, is_valid)
        self.shape = self._shapes.of
        self.results = Results(_RESULTS)
        """What callers have made with these values."""
        self.responses = Results(_RESPONSES)
        """Whole responses with them."""

    def value(
        self,
        schema: Node,
        *,
        name: str = "",
        kind: str = "",
        at: str = "",
        echo: Mapping[str, object] = {},
    ) -> object:
        """Return a value of a response; an example of its schema if it has a valid one.

        :param name: the property or parameter that it is for.
        :param kind: the collection or schema it belongs to.
        :param at: the place; equal places get equal values.
        :param echo: values of the request, repeated where a property has the same name.
        """
        kinds = (kind_of(kind),) if kind else ()
        place = Place(self._seed, at or f"{kind}/{name}", self.now, name, kinds, echo=echo)
        return self.sent(schema, self._generated(schema, place))

    def record(
        self,
        collection: str,
        schema: Node,
        number: int,
        echo: Mapping[str, object] = {},
    ) -> dict[str, object]:
        """Return record `number`, from 1, of a collection.

        The first records are the valid examples that responses have for the schema. A record has
        write-only properties, too.
        """
        value = ABSENT if echo else self._examples.record(schema, number)
        if value is ABSENT:
            value = self._generated(schema, self._of_record(kind_of(collection), number, echo))
        return value if isinstance(value, dict) else {}

    def example(self, media: Node, name: str = "") -> object:
        """Return the example of a media object with a name, or its first valid one; else ABSENT."""
        return next((each for known, each in self.examples(media) if name in {"", known}), ABSENT)

    def examples(self, media: Node) -> Iterator[tuple[str, object]]:
        """Yield name and value of the valid examples of a media object of a response."""
        schema = media.get("schema", {})
        for name, example in self._examples.of_media(media):
            yield name, self.sent(schema, example)

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of records that the schemas of the document describe, such as ``order``."""
        return self._examples.kinds

    def branches(self, schema: Node, example: object = ABSENT) -> list[Shape]:
        """Return the shapes of a schema: one for each branch of its first union.

        The branch for which an example is valid is the first.
        """
        shape = self._shapes.of(schema)
        if not shape.unions:
            return [shape]
        known = () if example is ABSENT else shape.unions[0]
        fitting = [each for each in known if self.is_valid(each, example)]
        rest = [each for each in shape.unions[0] if not any(each is one for one in fitting)]
        return [self._shapes.with_branch(shape, each) for each in (*fitting, *rest)]

    def _of_record(self, kind: str, number: int, echo: Mapping[str, object]) -> Place:
        at = f"{kind}/{number}"
        return Place(self._seed, at, self.now, "", (kind,), number, is_record=True, echo=echo)

    def _generated(self, schema: Node, place: Place) -> object:
        return Tree(self.is_valid, self._shapes, self._examples).value(schema, place)
