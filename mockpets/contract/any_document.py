"""Make a `Contract` of any OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeVar

from mockpets.constants import CONTRACT_EXTENSION, ROLES
from mockpets.contract.contract_model import (
    DOCUMENT,
    Collection,
    Contract,
    DocumentBody,
    DocumentOperation,
    Operation,
    Schema,
)
from mockpets.contract.details import Details
from mockpets.contract.document_records import DocumentRecords, link_of
from mockpets.contract.media_types import json_media
from mockpets.contract.removals import removal_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mockpets.contract.contract_model import AnyBody
    from mockpets.contract.details import Api
    from mockpets.contract.fields import ContractField
    from mockpets.contract.inference import GuessedCollection
    from mockpets.contract.openapi_loader import Described, Node
    from mockpets.contract.schema_fields import Direction

K = TypeVar("K")
T = TypeVar("T")


def _body(details: Details, node: Node, direction: Direction, status: str = "") -> AnyBody | None:
    """Return the JSON body of a request or a response; None without one."""
    found = json_media(node.get("content") or {})
    if found is None:
        return None
    schema: Node = found[1]["schema"]
    whose = " ".join(filter(None, (details.described.name, status)))
    name = details.api.document.name_of(schema) or f"the body of {whose}"
    return DocumentBody(name, details.api.fields.field(schema, direction=direction))


class Responses(Mapping[int, "AnyBody"]):
    """The JSON bodies of an operation's responses by status, also of ``4XX`` and ``default``."""

    def __init__(self, details: Details) -> None:
        self._details = details
        self._known: dict[int, AnyBody | None] = {}

    def __getitem__(self, status: int) -> AnyBody:
        """Return the body of a status."""
        if status not in self._known:
            node = self._details.response(status)
            made = None if node is None else _body(self._details, node, "response", str(status))
            self._known[status] = made
        if (body := self._known[status]) is None:
            raise KeyError(status)
        return body

    def __iter__(self) -> Iterator[int]:
        """Yield the statuses that the document names one by one."""
        known = (int(each) for each in self._details.described.responses if each.isdigit())
        return (status for status in known if status in self)

    def __len__(self) -> int:
        """Return their number."""
        return sum(1 for _ in self)


class Lazy(Mapping[K, T]):
    """A mapping that is made when something first reads it."""

    def __init__(self, make: Callable[[], Mapping[K, T]]) -> None:
        self._make = make

    @cached_property
    def _known(self) -> Mapping[K, T]:
        return self._make()

    def __getitem__(self, name: K) -> T:
        """Return the value of a name."""
        return self._known[name]

    def __iter__(self) -> Iterator[K]:
        """Yield the names."""
        return iter(self._known)

    def __len__(self) -> int:
        """Return the number of names."""
        return len(self._known)


def contract_of(api: Api, label: str, base: str) -> Contract:
    """Return the contract of a document.

    :param label: its name before those of its parts, if another contract has the same ones.
    :param base: the path under which it is served.
    """
    root = api.document.root
    info = root.get("info")
    info = info if isinstance(info, Mapping) else {}
    title = info.get("title")
    name = title if isinstance(title, str) and title else label
    document = {name: part for name, part in root.items() if name != CONTRACT_EXTENSION}
    collections = {
        name: _collection(api, guessed, base)
        for name, guessed in api.inferred.collections.items()
        if not guessed.shows
    }
    operations = (_operation(api, each, base, collections) for each in api.described)
    return Contract(
        name=name,
        label=label,
        base=base,
        document={**document, "info": {**info, "title": name}, "servers": [{"url": base or "/"}]},
        operations={each.name: each for each in operations},
        undescribed=(),
        schemas={},
        collections=collections,
        failures={},
        api=api,
    )


def _collection(api: Api, guessed: GuessedCollection, base: str) -> Collection:
    records = DocumentRecords(api, guessed)
    link = link_of(guessed) if guessed.parent else ()
    return Collection(
        guessed.name,
        base + (guessed.list_path or guessed.item_path.rpartition("/")[0]),
        records,
        key=records.key,
        filters=link if len(link) == 1 else (),
        generator=DOCUMENT,
    )


def _operation(
    api: Api, described: Described, base: str, collections: Mapping[str, Collection]
) -> Operation:
    guess = api.inferred.roles[described.name]
    collection = collections.get(api.stored(guess.collection))
    role = guess.role if guess.role in ROLES else None
    details = Details(api, described)
    fields = api.fields

    def of(place: str) -> Mapping[str, ContractField]:
        return {
            each["name"]: fields.text_field(each["schema"])
            for each in described.parameters
            if each["in"] == place
        }

    return DocumentOperation(
        described.name,
        described.method,
        base + described.path,
        role if collection else None,
        collection,
        Schema(described.name, Lazy(partial(of, "path"))),
        Schema(described.name, Lazy(partial(of, "query"))),
        None if described.body is None else _body(details, described.body, "request"),
        tuple(int(each) for each in described.responses if each.isdigit()),
        Responses(details),
        _body(details, described.responses.get("default", {}), "response", "default"),
        removal_of(described, api.corrections.operations.get(described.name)),
        details,
    )
