"""Rule 13 of the inference: what query parameters, and the properties beside a list, mean."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from mockpets.contract.schema_shapes import Flat, Shapes, mapping, plain, same_stem, singular

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mockpets.contract.openapi_loader import Node

PropertyPath = tuple[str, ...]
"""Names of properties, from the record down."""
QueryWord = Literal[
    "limit",
    "offset",
    "page",
    "cursor",
    "sort",
    "direction",
    "search",
    "fields",
    "equal",
    "flag",
    "least",
    "most",
    "toggled",
    "ignored",
]
"""`flag`: true limits, false does not; `toggled`: by the person who has switched the property on;
`ignored`: not understood, or of no effect."""
PageWord = Literal[
    "total",
    "count",
    "page",
    "pages",
    "limit",
    "offset",
    "more",
    "next",
    "previous",
    "first",
    "last",
    "self",
    "next_page",
    "previous_page",
    "next_cursor",
    "previous_cursor",
]
"""`count`: of the records in this response; `next`, `previous`, `first`, `last`, `self`: URLs."""


class Meaning(NamedTuple):
    """What a query parameter does to a list.

    :param path: of the property that a filter is about; it may lead through arrays.
    :param first: the number of the first page.
    """

    word: QueryWord
    path: PropertyPath = ()
    first: int = 1


_WORDS: Final[Mapping[QueryWord, str]] = {
    "limit": "limit|perpage|pagesize|size|take|top|maxresults|maxitems|max|rows|count|pagelimit"
    "|itemsperpage|resultsperpage|pagelen|pagecount|maxpagesize|maxcount",
    "offset": "offset|skip|start|startindex|startat|pageoffset|from",
    "page": "page|pagenumber|pagenum|pageno|pageindex|currentpage|p",
    "cursor": "cursor|after|startingafter|startafter|nexttoken|pagetoken|nextpagetoken|marker"
    "|continuationtoken|continuation|pageafter|pagecursor|nextcursor|next|token",
    "sort": "sort|sortby|orderby|ordering|sortfield|sortkey|sortcolumn|order",
    "direction": "order|sortorder|sortdirection|sortdir|direction|dir|orderdirection|sorttype",
    "search": "q|query|search|keywords?|term|searchterm|searchquery|searchtext|text|fulltext|s",
    "fields": "fields|select|fieldset|includefields|onlyfields|properties",
}
_NUMBERS: Final = ("limit", "offset", "page")
_LEAST: Final = "from|since|after|start|begin|min|minimum|gte|gt|atleast|newerthan"
_MOST: Final = "to|until|before|end|till|max|maximum|lte|lt|atmost|olderthan"
_MOMENT: Final = "date|time|datetime|day|at|on|timestamp|value"
_SUFFIXES: Final = ("id", "code", "name", "key", "slug", "type", "uuid")
_NAMES: Final = ("id", "name", "slug", "login", "username", "code", "key", "uuid", "email", "title")
"""The properties of an object that name it, the most usual first."""
_SCALARS: Final = ("string", "integer", "number", "boolean", "")
_LINK: Final = re.compile("(next|prev|previous|first|last|self)(page|link|url|uri|href)?")
_BESIDE: Final[Mapping[PageWord, str]] = {
    "total": "total|totalcount|totalresults|totalitems|totalrecords|totalelements|totalrows"
    "|numfound|recordstotal|resultscount|itemscount|found|totalsize|totalhits|totalnumber",
    "count": "count|size|numberofelements|pagecount|length|returned|resultcount",
    "page": "page|currentpage|pagenumber|number|pageno|pageindex",
    "pages": "pages|totalpages|pagestotal|lastpage|numberofpages|pagecounttotal",
    "limit": "limit|perpage|pagesize|itemsperpage|resultsperpage",
    "offset": "offset|skip|start|startindex|startat|from",
    "more": "hasmore|hasnext|hasnextpage|more|ismore|moreresults|truncated|istruncated",
    "next_cursor": "nextcursor|endcursor|nexttoken|nextpagetoken|cursor|continuationtoken"
    "|nextmarker|pagetoken",
    "previous_cursor": "previouscursor|prevcursor|startcursor|previoustoken|previouspagetoken",
}


def _word(name: str, words: Mapping[Any, str]) -> Any:
    """Return the first word for which a name is usual; None without one."""
    return next((word for word, names in words.items() if re.fullmatch(names, name)), None)


def query_meaning(shapes: Shapes, parameter: Node, record: Node) -> Meaning:
    """Return what a query parameter of a list of these records means.

    >>> query_meaning(shapes, {"name": "per_page", "schema": {"type": "integer"}}, POST)
    Meaning("limit")
    >>> query_meaning(shapes, {"name": "tag", "schema": {"type": "string"}}, ARTICLE)
    Meaning("equal", ("tags",))

    A parameter with a property's name filters; the words for paging come first.
    """
    name = re.sub(r"^(filter|where)?[\[.]|\]", "", str(parameter.get("name", "")))
    name = re.sub(r"\[", "_", name)
    flat = shapes.flat(parameter.get("schema"))
    key = plain(name)
    if "page[" in str(parameter.get("name")):
        key = plain(str(parameter["name"]))
        key = {"pagesize": "limit", "pagenumber": "page"}.get(key, key)
    path = _property(shapes, name, flat, record)
    word: QueryWord | None = _word(key, _WORDS)
    is_number = flat.type in ("integer", "number", "")
    if word == "sort" and key == "order" and {"asc", "desc"} & {*map(_lower, flat.values)}:
        word = "direction"
    if word in _NUMBERS and not is_number and (flat.format or path):
        word = None  # `from` is a date
    if word == "cursor" and flat.format.startswith("date"):
        word = None
    if word in ("limit", "cursor") and path and key in ("size", "count", "max", "token", "next"):
        word = None
    if word and not (path and word in ("search", "fields", "direction") and flat.values):
        first = flat.node.get("minimum", flat.node.get("default", 1)) if word == "page" else 1
        return Meaning(word, (), 0 if first == 0 else 1)
    return path or _range(shapes, name, flat, record) or Meaning("ignored")


def _lower(value: object) -> str:
    return str(value).lower()


def _property(shapes: Shapes, name: str, flat: Flat, record: Node) -> Meaning | None:
    """Return the filter for which a parameter is named; None if no property is like it."""
    properties = shapes.flat(record).properties
    if "." in name:  # author.name
        path = tuple(name.split("."))
        return Meaning("equal", path) if shapes.property_at(record, path).node else None
    key = plain(name)
    short = re.sub("(ids?|eq|in)$", "", key) or key
    by_plain = {plain(each): each for each in properties}
    candidates = (key, singular(key), f"{key}s", f"{key}list", f"{key}ids", short, f"{short}s")
    for each in dict.fromkeys((*candidates, *(f"{key}{suffix}" for suffix in _SUFFIXES))):
        if each in by_plain:
            found = by_plain[each]
            way = _inside(shapes, shapes.flat(properties[found]), flat, ends_in_id=short != key)
            if way is None:
                continue
            is_flag = shapes.property_at(record, (found, *way)).type == "boolean"
            if is_flag and flat.type == "string" and not flat.values:
                return Meaning("toggled", (found,))
            return Meaning("equal", (found, *way))
    inner = [
        (name, each)
        for name, schema in properties.items()
        if shapes.flat(schema).type == "object"
        for each, kind in shapes.flat(schema).properties.items()
        if plain(each) == key and shapes.flat(kind).type in _SCALARS
    ]
    if len(inner) == 1:  # `city` is address.city
        return Meaning("equal", inner[0])
    if flat.type == "boolean":
        flags = [
            each
            for each, schema in properties.items()
            if shapes.flat(schema).type == "boolean"
            and (plain(each).startswith(key) or same_stem(each, name))
        ]
        if len(flags) == 1:
            return Meaning("flag", (flags[0],))
    return None


def _inside(shapes: Shapes, found: Flat, wanted: Flat, *, ends_in_id: bool) -> PropertyPath | None:
    """Return the way from a property to the value that a parameter is compared with.

    None if nothing in it can be compared: `author` is compared with `author.username`.
    """
    if found.type == "array":
        found = shapes.flat(found.items)
    if found.type in _SCALARS:
        return ()
    names = {plain(name): name for name in found.properties}
    order = _NAMES if ends_in_id or wanted.type == "integer" else (*_NAMES[1:], "id")
    for name in order:
        if name in names:
            kind = shapes.flat(found.properties[names[name]]).type
            if wanted.type != "integer" or kind != "string":
                return (names[name],)
    return None


def _range(shapes: Shapes, name: str, flat: Flat, record: Node) -> Meaning | None:
    """Return an end of a range: ``bornAfter`` is about `bornOn`, ``startDate`` about a date."""
    words = [each.lower() for each in re.findall("[A-Z]?[a-z0-9]+|[A-Z]+", name)]
    for word, names in (("least", _LEAST), ("most", _MOST)):
        rest = [each for each in words if not re.fullmatch(names, each)]
        if len(rest) == len(words):
            continue
        rest = [each for each in rest if not re.fullmatch(_MOMENT, each)]
        path = _range_property(shapes, "".join(rest), flat, record)
        return Meaning("least" if word == "least" else "most", path) if path else None
    return None


def _range_property(shapes: Shapes, about: str, flat: Flat, record: Node) -> PropertyPath:
    """Return the property with an order that a range is about; empty if several may be meant."""
    ordered = {
        name: kind
        for name, schema in shapes.flat(record).properties.items()
        if (kind := _kind(shapes, schema)) in ("date", "date-time", "number")
    }
    is_date = flat.format.startswith("date") or (flat.type == "string" and not flat.values)
    fits = {name for name, kind in ordered.items() if (kind != "number") == is_date}
    named = [name for name in fits if about and plain(name).startswith(about)]
    if named:
        return (min(named, key=len),)
    if about or not is_date:
        return ()
    mutable = [name for name in fits if not re.match("(created|updated|modified)", plain(name))]
    usual = mutable or [name for name in fits if plain(name).startswith("created")]
    starts = [name for name in usual if re.match("start|begin|from|date", plain(name))]
    return (usual[0],) if len(usual) == 1 else (starts[0],) if len(starts) == 1 else ()


def _kind(shapes: Shapes, schema: Node) -> str:
    """Return ``date``, ``date-time``, ``number``, or another type, of an array its items'."""
    flat = shapes.flat(schema)
    if flat.type == "array":
        flat = shapes.flat(flat.items)
    return "number" if flat.type == "integer" else flat.format or flat.type


def page_words(
    shapes: Shapes, response: object, envelope: PropertyPath, segment: str
) -> dict[PropertyPath, PageWord]:
    """Return what the properties beside a list mean, by path: ``("meta", "total")`` the total.

    :param envelope: the path of the list; empty for a list without an envelope.
    """
    result: dict[PropertyPath, PageWord] = {}
    for depth in range(len(envelope)):
        at = envelope[:depth]
        for path, flat in _beside(shapes, shapes.property_at(response, at), at, 0):
            name = path[-2] if path[1:] and path[-1] == "href" else path[-1]  # of a link in HAL
            if path != envelope[: len(path)] and (word := _page_word(name, flat, segment)):
                result[path] = "limit" if path[-2:] == ("page", "size") else word
    words = {*result.values()}
    if "total" not in words:  # a count alone is the number of all records
        return {path: "total" if word == "count" else word for path, word in result.items()}
    return result


def _beside(
    shapes: Shapes, flat: Flat, at: PropertyPath, depth: int
) -> Iterator[tuple[PropertyPath, Flat]]:
    for name, schema in flat.properties.items():
        inner = shapes.flat(schema)
        yield (*at, name), inner
        if inner.type == "object" and depth < 2:
            yield from _beside(shapes, inner, (*at, name), depth + 1)


def _page_word(name: str, flat: Flat, segment: str) -> PageWord | None:
    key = plain(name)
    is_number = flat.type in ("integer", "")
    if match := _LINK.fullmatch(key):
        if flat.type not in ("string", "integer", ""):
            return None
        word = "previous" if match[1] == "prev" else match[1]
        if flat.type == "integer":
            words: Mapping[str, PageWord] = {"next": "next_page", "previous": "previous_page"}
            return words.get(word, "pages" if key == "lastpage" else None)
        return word  # type: ignore[return-value]  # one of the words, see the pattern
    if is_number and key in (f"{plain(segment)}count", f"{singular(plain(segment))}count"):
        return "total"
    word = _word(key, _BESIDE)
    if word is None:
        return None
    fits = {"more": "boolean", "next_cursor": "string", "previous_cursor": "string"}
    return (
        word
        if flat.type in (fits.get(word, "integer"), "") or _is_text_cursor(word, flat)
        else None
    )


def _is_text_cursor(word: str, flat: Flat) -> bool:
    """Return whether a cursor is an integer, which some services use."""
    return word.endswith("cursor") and flat.type == "integer"


def is_paging(shapes: Shapes, name: str, schema: object) -> bool:
    """Return whether a property beside an array is about paging: no price named `total`."""
    flat = shapes.flat(mapping(schema))
    if flat.type == "object":
        return (
            re.fullmatch("_?(meta|links?|paging|pagination|page(info)?|metadata)", plain(name))
            is not None
        )
    return _page_word(name, flat, "") is not None
