"""The pages of a list: which one a request selects, and what the response states about it."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode

from mockpets.contract.document_records import set_at, value_at
from mockpets.contract.fields import INVALID
from mockpets.records.table import parse_row
from mockpets.web.stateful.comparison import equal, written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mockpets.contract.query_meanings import PageWord, QueryWord
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


@dataclass(frozen=True)
class Page:
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

    @cached_property
    def facts(self) -> Mapping[PageWord, object]:
        """The values of the properties beside a list; `INVALID` for a page that does not exist."""
        step = max(self.limit, 1)
        number = self.start // step + self.first
        before = max(self.start - step, 0)
        has_next, has_previous = self.limit > 0 and self.end < self.total, self.start > 0
        return {
            "total": self.total,
            "count": max(min(self.end, self.total) - self.start, 0),
            "page": number,
            "pages": -(-self.total // step),
            "limit": self.limit,
            "offset": self.start,
            "more": has_next,
            "next": self._url(self.end) if has_next else INVALID,
            "previous": self._url(before) if has_previous else INVALID,
            "first": self._url(0),
            "last": self._url(max(self.total - 1, 0) // step * step),
            "self": self._url(self.start),
            "next_page": number + 1 if has_next else INVALID,
            "previous_page": number - 1 if has_previous else INVALID,
            "next_cursor": _cursor(self.end) if has_next else INVALID,
            "previous_cursor": _cursor(before) if has_previous else INVALID,
        }

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

    def described(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return a body with the totals and links beside a list.

        Without a page to link to, a property is null if that is valid, else left out.
        """
        schema = self.action.details.success.schema
        field = self.action.api.fields.field(schema, direction="response")
        for path, word in self.action.guess.paging.items():
            value = self.facts[word]
            new = dict(body)
            for each in (None,) if value is INVALID else (value, str(value)):
                set_at(new, path, each)
                if field.accept(new) is not INVALID:
                    break
            else:  # a link of HAL or JSON:API goes as a whole
                *way, last = path[:-1] if path[-1] == "href" else path
                below = value_at(new, way)
                if isinstance(below, dict):
                    below.pop(last)
            body = body if field.accept(new) is INVALID else new
        return body

    def set_headers(self, response: Response) -> None:
        """Set the headers about paging that the document has."""
        values = {name: str(self.facts[word]) for name, word in _HEADERS.items()}
        urls = {rel: self.facts[word] for rel, word in _RELATIONS.items()}
        links = [f'<{url}>; rel="{rel}"' for rel, url in urls.items() if url is not INVALID]
        for name, value in {**values, "Link": ", ".join(links)}.items():
            if response.header(name) is not None:
                response.set_header(name, value)


def page_of(action: Action, rows: Sequence[bytes]) -> Page:
    """Return the page of a list of rows that a request selects."""
    names, query = query_names(action), action.arguments.query

    def number(word: QueryWord) -> int | None:
        value = query.get(names.get(word, ""))
        return value if type(value) is int else None

    meanings, total = action.guess.query, len(rows)
    limit, page, cursor = number("limit"), number("page"), query.get(names.get("cursor", ""))
    if not names.keys() & {"limit", "offset", "page", "cursor"}:
        limit = max(total, 1)
    limit = _LIMIT if limit is None else max(limit, 0)
    first = meanings[names["page"]].first if "page" in names else 1
    start = max(number("offset") or 0, 0)
    if page is not None:
        start = max(page - first, 0) * limit
    if cursor is not None:
        start = _after(str(cursor), action.key_name, rows)
    return Page(action, total, limit, start, first)


def query_names(action: Action) -> Mapping[QueryWord, str]:
    """Return the parameters of a list by their meaning, preferably those in the query."""
    known = action.guess.query
    names = sorted(known, key=lambda name: name in action.arguments.query)
    return {known[name].word: name for name in names}


def _after(cursor: str, key: str, rows: Sequence[bytes]) -> int:
    """Return the position after a cursor, which may be the key of a record."""
    (part,) = written(cursor)
    for position, row in enumerate(rows, 1):
        if part in row and equal(parse_row(row).get(key), cursor):
            return position
    try:
        text = urlsafe_b64decode(cursor.encode() + b"==").decode()
        return max(int(text.removeprefix("after:")), 0)
    except ValueError:
        return 0


def _cursor(start: int) -> str:
    return urlsafe_b64encode(f"after:{start}".encode()).decode().rstrip("=")
