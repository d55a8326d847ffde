"""What an OpenAPI document says of an operation, made when the first request needs it.

A document may have thousands of operations, of which a test calls three.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockpets.contract.fields import INVALID
from mockpets.contract.inference import infer
from mockpets.contract.media_types import concrete, is_sent, json_media
from mockpets.contract.openapi_loader import operations
from mockpets.contract.schema_fields import Fields
from mockpets.contract.security import Security
from mockpets.kept_results import Results

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from mockpets.contract.bodies import Bodies
    from mockpets.contract.corrections import Corrections
    from mockpets.contract.guesses import Credentials, GuessedRole
    from mockpets.contract.inference import Guess, GuessedCollection
    from mockpets.contract.json_schema import SchemaField
    from mockpets.contract.openapi_loader import Described, Document, Node
    from mockpets.contract.parameters import Parameters
    from mockpets.contract.query_meanings import PropertyPath

_USUAL: Final[Mapping[str, int]] = {"create": 201, "delete": 204}
"""The status of a role's success, if an operation has several; others have 200."""
CONDITIONS: Final = ("If-Match", "If-None-Match")
"""The headers with conditions on the entity tag of a record, in the order of RFC 9110, 13.2.2."""
_RESULTS: Final = 256
"""Such as the parameters in a target, of which clients send the same few all the time."""
_NO_BODY: Final[Node] = MappingProxyType({"schema": {}})


@dataclass(frozen=True, eq=False)
class DocumentedReply:
    """A response as the document describes it.

    :param status: the one to send: of ``2XX``, 200 or what is usual for the role.
    :param media_type: of the body to send; empty without a body.
    :param media: the media object; one with an empty schema without a body.
    :param header_names: those of the documented headers, in lower case.
    :param has_tag: whether it has the entity tag of a record, or of a list.
    """

    status: int
    node: Node
    media_type: str
    media: Node
    header_names: frozenset[str]
    has_tag: bool

    @property
    def schema(self) -> Node:
        """The schema of the body; an empty one allows every value."""
        schema: Node = self.media["schema"]
        return schema


class Shown(NamedTuple):
    """What the document says of the records in the response of an operation.

    :param others: what the schema of the whole response declares at the place of a record.
    """

    node: Node
    field: SchemaField
    others: Sequence[SchemaField]


class Additions(NamedTuple):
    """What other records, and the person who calls, add to the records of a collection.

    :param key: the property with the key.
    :param toggles: the properties that a person switches on and off.
    :param has_people: whether somebody logs in.
    :param token: the property with the token of a person; empty without one.
    :param owner: the property with the key of the person whom a record embeds; empty without one.
    :param person: what is added to that person.
    :param is_personal: whether they depend on the person who calls.
    :param is_empty: whether nothing is added.
    """

    key: str
    toggles: tuple[PropertyPath, ...]
    has_people: bool
    token: PropertyPath
    owner: PropertyPath
    person: Additions | None
    is_personal: bool
    is_empty: bool

    @property
    def paths(self) -> list[PropertyPath]:
        """The properties that are added or changed."""
        return [*self.toggles, *filter(None, (self.token, self.owner[:-1]))]


class Api:
    """A document that is served.

    :param corrections: what its author says of it.
    :param now: in ms since 1970; the times of its first records are before.
    """

    def __init__(self, document: Document, corrections: Corrections, now: int = 0) -> None:
        self.document: Final = document
        self.now: Final = now
        self.corrections: Final = corrections
        self.described: Final = operations(document)
        self.inferred: Final = infer(document, self.described, corrections)
        self.fields: Final = Fields(document)
        self.results: Final = Results(_RESULTS)
        """What callers have computed of it."""
        self._additions: dict[str, Additions] = {}

    @cached_property
    def cookie(self) -> str:
        """The name of a cookie that is a credential of some operations; empty without one."""
        for each in self.document.security_schemes.values():
            if each.get("type") == "apiKey" and each.get("in") == "cookie":
                return str(each.get("name", ""))
        return ""

    @cached_property
    def people(self) -> GuessedCollection | None:
        """The collection of those who log in; None if nobody does."""
        known = self.inferred.collections.values()
        return next((each for each in known if each.is_people and not each.shows), None)

    @cached_property
    def conditional(self) -> Collection[str]:
        """The collections of which an operation declares a condition: see `CONDITIONS`."""
        names = {each.lower() for each in CONDITIONS}
        collections = {
            self.inferred.roles[each.name].collection
            for each in self.described
            for one in each.parameters
            if one["in"] == "header" and one["name"].lower() in names
        }
        return collections - {""}

    @cached_property
    def credentials(self) -> Sequence[Credentials]:
        """The properties of each log-in and registration."""
        known = (each.credentials for each in self.inferred.roles.values())
        return [each for each in known if each is not None]

    @cached_property
    def toggles(self) -> Mapping[str, Collection[PropertyPath]]:
        """The properties that a person switches on and off, by the collection of the records."""
        result: dict[str, set[PropertyPath]] = {}
        for name, guess in self.inferred.roles.items():
            if guess.role == "toggle":
                changed = self.inferred.operations[name].change
                result.setdefault(self.stored(guess.collection), set()).update(changed)
        return result

    def additions(self, collection: str) -> Additions:
        """Return what is added to the records of a collection."""
        if collection not in self._additions:
            known, people = self.inferred.collections[collection], self.people
            owner: PropertyPath = ()
            if len(known.owner) > 1 and people is not None and collection != people.name:
                owner = known.owner
            tokens = (each.token[-1:] for each in self.credentials if each.token)
            person = self.additions(people.name) if owner and people is not None else None
            token = next(tokens, ()) if known.is_people else ()
            toggles = tuple(self.toggles.get(collection, ()))
            self._additions[collection] = Additions(
                known.key or "",
                toggles,
                people is not None,
                token,
                owner,
                person,
                bool(toggles or (person is not None and person.toggles)),
                not (toggles or token or owner),
            )
        return self._additions[collection]

    def stored(self, collection: str) -> str:
        """Return the collection in which the records of a collection are: of profiles, users."""
        guessed = self.inferred.collections.get(collection)
        return guessed.shows if guessed is not None and guessed.shows else collection

    def is_valid(self, schema: Node, value: object) -> bool:
        """Return whether a value of a response is valid."""
        return self._response(schema).accept(value) is not INVALID

    def sent(self, schema: Node, value: object) -> object:
        """Return a value of a response without write-only properties.

        An invalid value is returned as it is.
        """
        accepted = self._response(schema).accept(value, keeps_undeclared=True)
        return value if accepted is INVALID else accepted

    def _response(self, schema: Node) -> SchemaField:
        field: Any = self.fields.field(schema, direction="response")
        return field  # type: ignore[no-any-return]  # without `is_text`, it is one


class Details:
    """What the document says of one operation."""

    def __init__(self, api: Api, described: Described) -> None:
        self.api: Final = api
        self.described: Final = described
        self.identity: Final = object()
        """Stands for it in the keys of results that may be kept longer."""
        self._replies: dict[int, DocumentedReply] = {}

    @property
    def role(self) -> GuessedRole:
        """The role of the operation, without the rest of what it does."""
        return self.api.inferred.roles[self.described.name].role

    @property
    def credentials(self) -> Credentials | None:
        """The properties of a log-in or a registration; None for another operation."""
        return self.api.inferred.roles[self.described.name].credentials

    @cached_property
    def guess(self) -> Guess:
        """What the operation does."""
        return self.api.inferred.operations[self.described.name]

    @cached_property
    def collection(self) -> GuessedCollection:
        """That of an operation that reads or changes records."""
        return self.api.inferred.collections[self.guess.collection]

    @cached_property
    def stored(self) -> str:
        """The collection in which its records are."""
        return self.api.stored(self.guess.collection)

    @cached_property
    def additions(self) -> Additions:
        """What is added to its records."""
        return self.api.additions(self.stored)

    @cached_property
    def shown(self) -> Shown:
        """What it says of the records in its response."""
        guess = self.guess
        node = guess.item or self.collection.schema
        field: SchemaField = self.api.fields.field(node, direction="response")
        is_list = "list" in (guess.role, guess.returns)
        path = (*guess.envelope, *(["0"] if is_list else []))
        around = self.fields_at(path) if guess.envelope else []
        return Shown(node, field, [each for each in around if each is not field])

    def fields_at(self, path: Sequence[str]) -> list[SchemaField]:
        """Return what it says of a place in its response."""
        fields = [self.api.fields.field(self.success.schema, direction="response")]
        for name in path:
            fields = [below for each in fields for below in each.inside(name)]
        return fields

    @cached_property
    def parameters(self) -> Parameters:
        """The parameters in path, query, headers and cookies."""
        from mockpets.contract.parameters import Parameters  # a start needs none

        return Parameters(self.api.fields, self.described)

    @cached_property
    def conditions(self) -> Sequence[str]:
        """Those of `CONDITIONS` that it declares, and that may have an entity tag."""
        tag = f'"{"0" * 32}"'
        return [each for each in CONDITIONS if self.parameters.accepts_header(each, tag)]

    @cached_property
    def bodies(self) -> Bodies:
        from mockpets.contract.bodies import Bodies  # a start needs none

        return Bodies(self.api.fields, self.described.body)

    def bodies_field(self, envelope: tuple[str, ...]) -> SchemaField | None:
        """Return the schema of the object in the JSON body of requests; None without one."""
        found = json_media((self.described.body or {}).get("content") or {})
        if found is None:
            return None
        field: SchemaField | None = self.api.fields.field(found[1]["schema"], direction="request")
        for name in envelope:
            field = field.shape.fields.get(name) if field is not None else None
        return field

    @cached_property
    def security(self) -> Security:
        """The credentials that requests need."""
        schemes, prefix = self.api.document.security_schemes, self.api.corrections.prefix
        return Security(schemes, self.described.security, prefix=prefix)

    def media_types(self, status: int) -> Sequence[str]:
        """Return the media types of the responses with a status, as in the document."""
        return [*((self.response(status) or {}).get("content") or {})]

    def response(self, status: int) -> Node | None:
        """Return what the document says of a status, also as ``4XX`` or ``default``; or None."""
        known = self.described.responses
        return known.get(str(status)) or known.get(f"{status // 100}XX") or known.get("default")

    @cached_property
    def header_names(self) -> tuple[str, ...]:
        responses = self.described.responses.values()
        names = [name for each in responses for name in each.get("headers") or ()]
        tag = ["ETag"] if self.guess.collection in self.api.conditional else []
        return tuple(dict.fromkeys(names + tag))

    def reply(self, status: int) -> DocumentedReply:
        """Return the response with a status; without a body if the status is not documented."""
        if status not in self._replies:
            self._replies[status] = self._reply(status)
        return self._replies[status]

    def _reply(self, status: int) -> DocumentedReply:
        node = self.response(status) or {}
        content: Node = {} if status in (204, 205, 304) else node.get("content") or {}
        known = [*content.items()]
        sent = [each for each in known if is_sent(*each)]
        media_type, media = json_media(content) or (sent or known or [("", _NO_BODY)])[0]
        names = frozenset(each.lower() for each in node.get("headers") or ())
        is_tagged = "etag" in names or self.guess.collection in self.api.conditional
        role = self.role
        is_gone = role == "delete" or (role == "one" and self.described.method == "DELETE")
        has_tag = is_tagged and not is_gone and role != "login"
        return DocumentedReply(status, node, concrete(media_type), media, names, has_tag)

    @cached_property
    def success(self) -> DocumentedReply:
        """The response to a request that succeeds.

        Of several, it is that with the usual status of the role, else the lowest.
        """
        known = self.described.responses
        usual = _USUAL.get(self.role, 200)
        statuses = sorted(status for status in known if status[:1] in "23" and status.isdigit())
        if known.get(str(usual)) or not statuses:
            return self.reply(usual)
        if len(statuses) > 1 and self.role in ("replace", "update"):
            statuses = [status for status in statuses if status != "201"]  # if it creates
        return self.reply(int(statuses[0]))

    @cached_property
    def created(self) -> DocumentedReply:
        """The response to a request that creates a record."""
        return self.reply(201) if "201" in self.described.responses else self.success
