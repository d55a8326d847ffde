"""What was inferred of a document, for `mockpets contract`: as data, as text, as corrections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import LIST_METHODS, RECORD_METHODS
from mockpets.contract.openapi import not_served
from mockpets.contract.roles import RULES
from mockpets.contract.shapes import mapping
from mockpets.strict_json import dump_json
from mockpets.units import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mockpets.contract.inference import Guess, GuessedCollection, Inferred
    from mockpets.contract.openapi import Described, Document, Note

    Data = dict[str, Any]

_NUMBERS: Final = {rule.name: rule.number for rule in RULES}
_COMPARED: Final = {
    "equal": "",
    "flag": "",
    "least": " from",
    "most": " to",
    "toggled": " by person",
}


def as_data(
    document: Document, described: Sequence[Described], base: str, inferred: Inferred
) -> Data:
    """Return what was inferred as JSON: file, title, operations, collections, notes, share."""
    operations = [_operation(each, inferred.operations[each.name]) for each in described]
    info = mapping(document.root.get("info"))
    return {
        "file": document.file,
        "title": str(info.get("title", "")),
        "version": str(info.get("version", "")),
        "base": base,
        "operations": operations,
        "collections": [_collection(each) for each in inferred.collections.values()],
        "notes": [_note(document, each) for each in not_served(document)],
        "share": share(described, inferred),
    }


def share(described: Sequence[Described], inferred: Inferred) -> dict[str, int]:
    """Return how many operations have state, respond with an example, and are not served."""
    states = [_state(each, inferred.operations[each.name]) for each in described]
    return {state: states.count(state) for state in ("state", "example", "not served")}


def _state(described: Described, guess: Guess) -> str:
    if described.not_served:
        return "not served"
    return "example" if guess.role == "example" else "state"


def _operation(described: Described, guess: Guess) -> Data:
    return {
        "name": described.name,
        "method": described.method,
        "path": described.path,
        "state": _state(described, guess),
        "role": guess.role,
        "collection": guess.collection or None,
        "rule": {"number": _NUMBERS.get(guess.rule), "name": guess.rule},
        "envelope": [*guess.envelope],
        "bodyEnvelope": [*guess.body_envelope],
        "key": {"name": guess.key or None, "in": guess.key_in} if guess.key_in else None,
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
    }


def _note(document: Document, note: Note) -> Data:
    _, line, column = document.place(note.at)
    return {"kind": note.kind, "what": note.what, "line": line, "column": column}


def _collection(collection: GuessedCollection) -> Data:
    return {
        "name": collection.name,
        "key": collection.key or None,
        "hidden": collection.is_hidden,
        "parent": collection.parent or None,
        "link": ".".join(collection.link) or None,
        "list": collection.list_path or None,
        "item": collection.item_path or None,
        "single": collection.is_single,
        "open": collection.is_open,
        "people": collection.is_people,
        "shows": collection.shows or None,
        "owner": ".".join(collection.owner) or None,
    }


def as_text(data: Data) -> Iterator[str]:
    """Yield what was inferred as lines: collections with their operations, then what has none.

    An indented line belongs to the one above with less indent.
    """
    count = counted(len(data["operations"]), "operation")
    heading = " ".join(filter(None, (data["title"], data["version"])))
    yield f"{data['file']}: {heading or 'untitled'}, {count} below {data['base'] or '/'}"
    for collection in data["collections"]:
        yield ""
        yield f"{collection['name']}: {_about(collection)}"
        of_it = [e for e in data["operations"] if e["collection"] == collection["name"]]
        yield from _lines(of_it)
    for state, title in (("example", "Without state"), ("not served", "Not served")):
        rest = [each for each in data["operations"] if each["state"] == state]
        if rest:
            yield ""
            yield f"{title}:"
            yield from _lines(rest)
    notes = [each for each in data["notes"] if each["kind"] != "operation"]
    if notes:
        yield ""
        yield "Not served, not enforced, or likely mistakes:"
        yield from (f"  line {each['line']}: {each['what']}" for each in notes)
    yield ""
    yield _share(data)


def _share(data: Data) -> str:
    """Return how many operations have state, are examples or are not served."""
    share: Mapping[str, int] = data["share"]
    total = len(data["operations"]) or 1
    parts = ("state", "with state"), ("example", "without"), ("not served", "not served")
    shown = [f"{share[state]} {text} ({100 * share[state] // total}%)" for state, text in parts]
    return f"{counted(len(data['operations']), 'operation')}: {', '.join(shown)}"


def _about(collection: Data) -> str:
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


def _lines(operations: Sequence[Data]) -> Iterator[str]:
    for each in operations:
        yield f"  {each['method']} {each['path']}"
        yield f"    {each['name']}: {'; '.join(_phrases(each))}"


def _phrases(operation: Data) -> Iterator[str]:
    """Yield what an operation does, and where in requests and responses things are."""
    if operation["state"] == "not served":
        yield operation["note"] or "not served"
        return
    role, rule = operation["role"], operation["rule"]
    names = () if rule["name"] == role else (rule["name"],)
    why = ", ".join((f"rule {rule['number']}", *names)) if rule["number"] else "given"
    yield f"{role}{' several' if operation['many'] else ''} ({why})"
    if operation["values"]:
        yield f"of {operation['values']}"
    for name, value in operation["sets"].items():
        yield f"sets {name} to {dump_json(value).decode()}"
    if operation["key"] and operation["key"]["in"] != "path":
        place = operation["key"]
        yield (
            "key from the token"
            if place["in"] == "token"
            else f"key {place['name']} in the {place['in']}"
        )
    for name, value in operation["where"].items():
        shown = value if isinstance(value, str) else dump_json(value).decode()
        yield f"where {name} is {shown}"
    if operation["mine"]:
        yield "records of the person with the token"
    for title, envelope in (("", operation["envelope"]), ("body ", operation["bodyEnvelope"])):
        if envelope:
            yield f"{title}in {'.'.join(envelope)}"
    yield from _query(operation["query"])
    if operation["paging"]:
        yield ", ".join(f"{word} in {path}" for path, word in operation["paging"].items())
    if operation["sort"]:
        yield f"order {operation['sort']}"
    if operation["note"]:
        yield operation["note"]


def _query(query: Mapping[str, Data]) -> Iterator[str]:
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


def new_corrections(data: Data) -> str:
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
            first = f"{each['method']} {each['path']}: {next(_phrases(each))}"
            name = each["path"].strip("/").split("/")[0]
            lines.append(f"#   {each['name']}: {_suggestion(each, names, name)} # {first}")
    return "\n".join(lines) + "\n"


def _suggestion(operation: Data, collections: Sequence[str], segment: str) -> str:
    """Return a correction that may be meant, with the collection that the path begins with."""
    target = segment if segment in collections else "COLLECTION"
    role = {**RECORD_METHODS, **LIST_METHODS}
    return f"{{{role.get(operation['method'], 'create')}: {target}}}"
