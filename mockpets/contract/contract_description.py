"""What was inferred of a contract, for `mockpets contract`: as data, as text, as corrections."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from mockpets.constants import BUILT_IN_CONTRACT, CONTRACT_EXTENSION, LIST_METHODS, RECORD_METHODS
from mockpets.contract.corrections import Corrections, OperationCorrection
from mockpets.contract.details import Api
from mockpets.contract.openapi_loader import load, not_served
from mockpets.contract.role_rules import RULES, reason
from mockpets.contract.schema_shapes import mapping
from mockpets.contract.states import statuses
from mockpets.strict_json import dump_json
from mockpets.units import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mockpets.contract import control_types as types
    from mockpets.contract.contract_model import Contract
    from mockpets.contract.inference import Guess, GuessedCollection
    from mockpets.contract.openapi_loader import Described, Document, Note

    Names = Mapping[str, str]
    """The names of collections in the contract, by those that were inferred."""

_PET_STORE: Final = Path(__file__).with_name(f"{BUILT_IN_CONTRACT}.yaml")
_COMPARED: Final = {
    "equal": "",
    "flag": "",
    "least": " from",
    "most": " to",
    "toggled": " by person",
}


def description(contract: Contract) -> types.ContractDescription:
    """Return what was inferred of a contract, with the names that the contract uses."""
    api = api_of(contract)
    document, inferred = api.document, api.inferred
    own = (name for name, each in inferred.collections.items() if not each.shows)
    names = dict(zip(own, contract.collections, strict=True))
    operations = zip(contract.operations, api.described, strict=True)
    info = mapping(document.root.get("info"))
    return {
        "file": document.file,
        "title": str(info.get("title", "")),
        "version": str(info.get("version", "")),
        "label": contract.label,
        "base": contract.base,
        "operations": [
            _operation(name, each, inferred.operations[each.name], names)
            for name, each in operations
        ],
        "collections": [_collection(each, names) for each in inferred.collections.values()],
        "notes": [_note(document, each) for each in not_served(document)],
        "share": share(api),
    }


def api_of(contract: Contract) -> Api:
    """Return the document of a contract with what was inferred of it."""
    return contract.api or _built_in()


@cache
def _built_in() -> Api:
    """Return the built-in document, whose operations name their roles."""
    document = load(_PET_STORE, BUILT_IN_CONTRACT)
    operations = {}
    for name, given in document.root[CONTRACT_EXTENSION]["operations"].items():
        role, collection = next(iter(given.items()))
        place = (document.file, 0, 0)
        operations[name] = OperationCorrection(role, collection, place=place)
    return Api(document, Corrections(operations))


def share(api: Api) -> types.ContractShare:
    """Return how many operations have state, respond with an example, and are not served."""
    states = [_state(each, api.inferred.roles[each.name]) for each in api.described]
    return {
        "state": states.count("state"),
        "example": states.count("example"),
        "not_served": states.count("not_served"),
    }


def _state(described: Described, guess: Guess) -> Literal["state", "example", "not_served"]:
    if described.not_served:
        return "not_served"
    return "example" if guess.role == "example" else "state"


def _operation(
    name: str, described: Described, guess: Guess, names: Names
) -> types.OperationDescription:
    operation: types.OperationDescription = {
        "name": name,
        "method": described.method,
        "path": described.path,
        "state": _state(described, guess),
        "role": guess.role,
        "collection": names.get(guess.collection, guess.collection) or None,
        "rule": guess.rule if guess.rule in RULES else None,
        "envelope": [*guess.envelope],
        "body_envelope": [*guess.body_envelope],
        "key": {"name": guess.key or None, "place": guess.key_in} if guess.key_in else None,
        "states": statuses(described.responses),
        "query": {
            name: {"means": meaning.word, "property": ".".join(meaning.path) or None}
            for name, meaning in guess.query.items()
        },
        "paging": {".".join(path): word for path, word in guess.paging.items()},
        "where": {
            **{".".join(path): f"{{{name}}}" for name, path in guess.where.items() if path},
            **{".".join(path): value for path, value in guess.fixed.items()},
        },
        "sets": {".".join(path): value for path, value in guess.change.items()},
        "values": ".".join(guess.values) or None,
        "many": guess.many,
        "view": guess.view,
        "mine": guess.mine,
        "sort": guess.sort or None,
        "note": guess.note or None,
        "does": [],
    }
    return {**operation, "does": [*_phrases(operation)]}


def _note(document: Document, note: Note) -> types.ContractNote:
    file, line, column = document.place(note.at)
    return {"kind": note.kind, "what": note.what, "file": file, "line": line, "column": column}


def _collection(collection: GuessedCollection, names: Names) -> types.CollectionDescription:
    described: types.CollectionDescription = {
        "name": names.get(collection.name, collection.name),
        "key": collection.key or None,
        "hidden": collection.is_hidden,
        "parent": names.get(collection.parent, collection.parent) or None,
        "link": ".".join(collection.link) or None,
        "list": collection.list_path or None,
        "item": collection.item_path or None,
        "single": collection.is_single,
        "open": collection.is_open,
        "people": collection.is_people,
        "shows": names.get(collection.shows, collection.shows) or None,
        "owner": ".".join(collection.owner) or None,
        "schema": {**collection.schema},
        "about": "",
    }
    return {**described, "about": _about(described)}


def as_text(data: types.ContractDescription) -> Iterator[str]:
    """Yield what was inferred as lines: collections with their operations, then what has none.

    An indented line belongs to the one above with less indent.
    """
    count = counted(len(data["operations"]), "operation")
    heading = " ".join(filter(None, (data["title"], data["version"])))
    yield f"{data['file']}: {heading or 'untitled'}, {count} below {data['base'] or '/'}"
    for collection in data["collections"]:
        yield ""
        yield f"{collection['name']}: {collection['about']}"
        of_it = [e for e in data["operations"] if e["collection"] == collection["name"]]
        yield from _lines(of_it)
    for state, title in (("example", "Without state"), ("not_served", "Not served")):
        rest = [each for each in data["operations"] if each["state"] == state]
        if rest:
            yield ""
            yield f"{title}:"
            yield from _lines(rest)
    notes = [each for each in data["notes"] if each["kind"] != "operation"]
    if notes:
        yield ""
        yield "Not served, not enforced, or likely mistakes:"
        for each in notes:
            place = "line " if each["file"] == data["file"] else f"{each['file']}:"
            yield f"  {place}{each['line']}: {each['what']}"
    yield ""
    yield _share(data)


def _share(data: types.ContractDescription) -> str:
    """Return how many operations have state, are examples or are not served."""
    share, total = data["share"], len(data["operations"]) or 1
    parts = {"with state": share["state"], "without": share["example"]}
    parts["not served"] = share["not_served"]
    shown = [f"{number} {text} ({100 * number // total}%)" for text, number in parts.items()]
    return f"{counted(len(data['operations']), 'operation')}: {', '.join(shown)}"


def _about(collection: types.CollectionDescription) -> str:
    """Return a collection's key and parent as a text."""
    key = collection["key"]
    parts = [
        "a single object" if collection["single"] else f"key {key}",
        "hidden" if collection["hidden"] else "",
        f"of {collection['parent']}" if collection["parent"] else "",
        f"by {collection['link']}" if collection["link"] else "",
        "these log in" if collection["people"] else "",
        f"shows {collection['shows']}" if collection["shows"] else "",
        f"owner in {collection['owner']}" if collection["owner"] else "",
        "any key exists" if collection["open"] else "",
    ]
    return ", ".join(filter(None, parts))


def _lines(operations: Sequence[types.OperationDescription]) -> Iterator[str]:
    for each in operations:
        yield f"  {each['method']} {each['path']}"
        yield f"    {each['name']}: {'; '.join(each['does'])}"


def _phrases(operation: types.OperationDescription) -> Iterator[str]:
    """Yield what an operation does, and where in requests and responses things are."""
    if operation["state"] == "not_served":
        yield operation["note"] or "not served"
        return
    role, several = operation["role"], " several" if operation["many"] else ""
    yield f"{role}{several} ({reason(operation['rule'])})"
    if operation["values"]:
        yield f"of {operation['values']}"
    for name, value in operation["sets"].items():
        yield f"sets {name} to {dump_json(value).decode()}"
    if operation["key"] and operation["key"]["place"] != "path":
        place = operation["key"]
        yield (
            "key from the token"
            if place["place"] == "token"
            else f"key {place['name']} in the {place['place']}"
        )
    for name, value in operation["where"].items():
        shown = value if isinstance(value, str) else dump_json(value).decode()
        yield f"where {name} is {shown}"
    if operation["mine"]:
        yield "records of the person with the token"
    for title, envelope in (("", operation["envelope"]), ("body ", operation["body_envelope"])):
        if envelope:
            yield f"{title}in {'.'.join(envelope)}"
    yield from _query(operation["query"])
    if operation["paging"]:
        yield ", ".join(f"{word} in {path}" for path, word in operation["paging"].items())
    if operation["sort"]:
        yield f"order {operation['sort']}"
    if operation["note"]:
        yield operation["note"]


def _query(query: Mapping[str, types.QueryMeaning]) -> Iterator[str]:
    """Yield the query parameters: those for paging and order, then the filters."""
    known = {name: each for name, each in query.items() if each["means"] != "ignored"}
    plain = [
        name if name == each["means"] else f"{name} ({each['means']})"
        for name, each in known.items()
        if not each["property"]
    ]
    if plain:
        yield ", ".join(plain)
    filters = []
    for name, each in known.items():
        if each["property"]:
            what = f"{each['property']}{_COMPARED.get(each['means'], '')}"
            filters.append(name if name == what else f"{name} ({what})")
    if filters:
        yield f"filters {', '.join(filters)}"


def new_corrections(data: types.ContractDescription) -> str:
    """Return the text of a corrections file, with a comment for each operation without state."""
    names = [each["name"] for each in data["collections"]]
    lines = [
        f"# Corrections of {data['file']}: what mockpets cannot know from the document.",
        "# To correct an operation, remove the '# ' before 'operations:' and before its name, and",
        f"# fix role and collection. Collections: {', '.join(names) or 'none'}.",
        "collections: {}",
        "",
        "# operations:",
    ]
    for each in data["operations"]:
        if each["state"] == "example":
            first = f"{each['method']} {each['path']}: {each['does'][0]}"
            name = each["path"].strip("/").split("/")[0]
            lines.append(f"#   {each['name']}: {_suggestion(each, names, name)} # {first}")
    return "\n".join(lines) + "\n"


def _suggestion(
    operation: types.OperationDescription, collections: Sequence[str], segment: str
) -> str:
    """Return a correction that may be meant, with the collection that the path begins with."""
    target = segment if segment in collections else "COLLECTION"
    role = {**RECORD_METHODS, **LIST_METHODS}
    return f"{{{role.get(operation['method'], 'create')}: {target}}}"
