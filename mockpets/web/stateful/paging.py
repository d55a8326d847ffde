"""The pages of a list: which one a request selects, and what the response states about it."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol
from urllib.parse import quote, urlencode

from mockpets.contract.document_records import set_at, value_at
from mockpets.contract.fields import INVALID

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mockpets.contract.details import Details
    from mockpets.contract.json_schema import SchemaField
    from mockpets.contract.query_meanings import PageWord, PropertyPath, QueryWord
    from mockpets.web.messages import Response
    from mockpets.web.stateful.action import Action

_LIMIT: Final = 20
"""Records on a page, unless the request or the document sets a limit."""
_HEADERS: Final[Mapping[str, PageWord]] = {
    "X-Total-Count": "total",
    "X-Total": "total",
    "Total-Count": "total",
    "X-Pagination-Total-Count": "total",
    "X-Total-Pages": "pages",
    "X-Page": "page",
    "X-Per-Page": "limit",
}
_RELATIONS: Final[Mapping[str, PageWord]] = {
    "next": "next",
    "prev": "previous",
    "first": "first",
    "last": "last",
}
"""The relations of the header Link (RFC 8288)."""
_NUMBERS: Final[Sequence[QueryWord]] = ("limit", "page", "offset")
"""The meanings of parameters with a number that select a page."""


class Listed(Protocol):
    """All records of a list, as JSON."""

    def __len__(self) -> int: ...

    def part(self, start: int, end: int) -> Sequence[bytes]:
        """Return those from a position up to another one."""
        ...

    def position(self, key: str) -> int | None:
        """Return the position of the record with a key; None if it is not in the list."""
        ...


class Page(NamedTuple):
    """One page of a list.

    :param total: the number of records in the list.
    :param start: the position of its first record.
    :param first: the number of the first page.
    """

    action: Action
    total: int
    limit: int
    start: int
    first: int

    @property
    def end(self) -> int:
        """The position after its last record."""
        return self.start + self.limit

    def fact(self, word: PageWord) -> object:
        """Return the value of a property beside a list; `INVALID` if that page does not exist."""
        step = max(self.limit, 1)
        number, before = self.start // step + self.first, max(self.start - step, 0)
        if (word.startswith("next") and not self._has_next) or (
            word.startswith("previous") and self.start == 0
        ):
            return INVALID
        match word:
            case "total":
                return self.total
            case "count":
                return max(min(self.end, self.total) - self.start, 0)
            case "page":
                return number
            case "pages":
                return -(-self.total // step)
            case "limit":
                return self.limit
            case "offset":
                return self.start
            case "more":
                return self._has_next
            case "next_page" | "previous_page":
                return number + (1 if word == "next_page" else -1)
            case "next_cursor" | "previous_cursor":
                return _cursor(self.end if word == "next_cursor" else before)
        last = max(self.total - 1, 0) // step * step
        starts: dict[PageWord, int] = {
            "next": self.end,
            "previous": before,
            "first": 0,
            "last": last,
            "self": self.start,
        }
        return self._url(starts[word])

    @property
    def _has_next(self) -> bool:
        return self.limit > 0 and self.end < self.total

    def _url(self, start: int) -> str:
        """Return the URL of the page that starts at a position."""
        request, names = self.action.request, query_names(self.action)
        query = dict(request.args.lists())
        if "page" in names:
            query[names["page"]] = [str(start // max(self.limit, 1) + self.first)]
        elif "offset" in names:
            query[names["offset"]] = [str(start)]
        elif "cursor" in names:
            query[names["cursor"]] = [_cursor(start)]
        text = urlencode(query, doseq=True)
        path = quote(request.root_path + request.path)
        return f"{self.action.host}{path}{'?' + text if text else ''}"

    def described(self, around: dict[str, Any]) -> dict[str, Any]:
        """Return an envelope with the totals and links beside a list.

        Without a page to link to, a property is null if that is valid, else left out.
        """
        result = dict(around)  # `set_at` copies the objects below
        details = self.action.details
        results, key = details.api.results, ("beside", details)
        known: tuple[_Beside, ...] | None = results.get(key)
        for beside in known or results.keep(key, _beside(details)):
            value = self.fact(beside.word)
            valid = beside.valid(None if value is INVALID else value)
            if valid is INVALID and value is not INVALID:
                valid = beside.valid(str(value))
            if valid is not INVALID:
                set_at(result, beside.path, valid)
            elif not beside.is_required:
                *way, last = beside.whole
                set_at(result, (*way, last), None)
                below = value_at(result, way)
                assert isinstance(below, dict)  # noqa: S101 - `set_at` has made it
                del below[last]
        return result

    def set_headers(self, response: Response) -> None:
        """Set the headers about paging that the document has."""
        if not self.action.details.success.node.get("headers"):
            return
        values = {name: str(self.fact(word)) for name, word in _HEADERS.items()}
        urls = {rel: self.fact(word) for rel, word in _RELATIONS.items()}
        links = [f'<{url}>; rel="{rel}"' for rel, url in urls.items() if url is not INVALID]
        for name, value in {**values, "Link": ", ".join(links)}.items():
            if response.header(name) is not None:
                response.set_header(name, value)


class _Beside(NamedTuple):
    """A property beside a list.

    :param whole: what is left out without a value: of HAL and JSON:API, the object of a link.
    :param fields: what the document says of it, in each of the alternatives.
    :param is_required: whether `whole` is.
    """

    path: PropertyPath
    whole: PropertyPath
    word: PageWord
    fields: Sequence[SchemaField]
    is_required: bool

    def valid(self, value: object) -> object:
        """Return a value, or `INVALID` if the document does not allow it."""
        for each in self.fields:
            if each.accept(value) is not INVALID:
                return value
        return INVALID


def _beside(details: Details) -> tuple[_Beside, ...]:
    """Return the properties beside the list of an operation."""
    return tuple(
        _Beside(
            path,
            whole,
            word,
            details.fields_at(path),
            any(whole[-1] in each.shape.required for each in details.fields_at(whole[:-1])),
        )
        for path, word in details.guess.paging.items()
        for whole in (path[:-1] if path[-1] == "href" else path,)
    )


def page_of(action: Action, rows: Listed) -> Page:
    """Return the page of a list that a request selects."""
    names, query = query_names(action), action.arguments.query
    meanings, total = action.guess.query, len(rows)
    numbers = [query.get(names.get(word, "")) for word in _NUMBERS]
    limit, page, offset = [each if type(each) is int else None for each in numbers]
    cursor = query.get(names.get("cursor", ""))
    if not names.keys() & {*_NUMBERS, "cursor"}:
        limit = max(total, 1)
    limit = _LIMIT if limit is None else max(limit, 0)
    first = meanings[names["page"]].first if "page" in names else 1
    start = max(offset or 0, 0)
    if page is not None:
        start = max(page - first, 0) * limit
    if cursor is not None:
        start = _after(str(cursor), rows)
    return Page(action, total, limit, start, first)


def query_names(action: Action) -> Mapping[QueryWord, str]:
    """Return the parameters of a list by their meaning, preferably those in the query."""
    known, sent = action.guess.query, action.arguments.query.keys()
    results, key = action.api.results, ("names", action.details, frozenset(known.keys() & sent))
    names: Mapping[QueryWord, str] | None = results.get(key)
    if names is None:
        preferred = sorted(known, key=lambda name: name in sent)
        names = results.keep(key, {known[name].word: name for name in preferred})
    return names


def _after(cursor: str, rows: Listed) -> int:
    """Return the position after a cursor, which may be the key of a record."""
    position = rows.position(cursor)
    if position is not None:
        return position + 1
    try:
        text = urlsafe_b64decode(cursor.encode() + b"==").decode()
        return max(int(text.removeprefix("after:")), 0)
    except ValueError:
        return 0


def _cursor(start: int) -> str:
    return urlsafe_b64encode(f"after:{start}".encode()).decode().rstrip("=")
