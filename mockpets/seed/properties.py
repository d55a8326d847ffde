"""Credible values by the name of a property: several hundred names.

``texts.txt`` has the texts: a line ``* city town`` names properties, ``* name of pet dog`` names
the kinds of records whose name it is, and the texts follow, separated by ``|``.
"""

from __future__ import annotations

import re
import string
from decimal import Decimal
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.contract.schema_shapes import plain, singular
from mockpets.seed.places import plural, word_set, words_of
from mockpets.seed.times import as_text, is_day, is_time, moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mockpets.seed.places import Place

_FILE: Final = Path(__file__).with_name("texts.txt")
_TABLES: Final = Path(__file__).with_name("properties.txt")
_DOMAIN: Final = "example.com"
PEOPLE: Final = word_set(
    """user author owner customer member employee patient doctor vet veterinarian contact person
    student teacher instructor profile player artist driver passenger guest host speaker attendee
    participant assignee reviewer creator sender recipient receiver manager agent candidate
    applicant visitor subscriber friend follower following lead buyer seller cardholder payer admin
    me commenter reporter editor actor director writer parent child tenant staff worker trainer
    coach reader client beneficiary nurse guardian pilot source payment billing
    holder cast crew"""
)
_PERSONS: Final = 12
"""Number of different persons in texts such as an author or an assignee."""
_ARTICLES: Final = frozenset({"article", "post", "blog", "news", "story", "page", "thread"})
_COMMENTS: Final = frozenset({"comment", "reply", "review", "feedback", "testimonial", "answer"})
_MESSAGES: Final = frozenset({"message", "chat", "note", "email", "mail", "sms", "notification"})


class _Texts(NamedTuple):
    """The texts of ``texts.txt``: by property, and by property and kind of record."""

    properties: dict[str, Sequence[str]]
    by_kind: dict[str, dict[str, Sequence[str]]]


@cache
def _texts() -> _Texts:
    texts = _Texts({}, {})
    for paragraph in _FILE.read_text(encoding="utf-8").split("\n\n"):
        title, _, lines = paragraph.strip().removeprefix("* ").partition("\n")
        items = tuple(re.split(r" \| |\n", lines))
        name, of, kinds = title.partition(" of ")
        if of:
            texts.by_kind.setdefault(name, {}).update(dict.fromkeys(kinds.split(), items))
        elif title in {"first names", "last names"}:
            texts.properties[title] = items
        else:
            for each in title.split():
                texts.properties[each] = texts.properties[singular(each)] = items
    return texts


def _of_kind(name: str, place: Place, before: Sequence[str]) -> Sequence[str]:
    """Return the texts for a property of the nearest kind that has its own; may be empty."""
    known = _texts().by_kind.get(name, {})
    for kind in (" ".join(before), *place.kinds):
        for word in map(singular, reversed(kind.split())):
            if word in known:
                return known[word]
    return ()


class Address(NamedTuple):
    """An address whose parts belong together."""

    city: str
    state: str
    country: str
    code: str
    zip: str
    latitude: str
    longitude: str
    timezone: str
    street: str


@cache
def _table(number: int) -> Mapping[str, str]:
    """Return a table of ``properties.txt``: names of properties to the text before the colon."""
    lines = _TABLES.read_text(encoding="utf-8").split("\n\n")[number].splitlines()[1:]
    rows = (line.rpartition(": ") for line in lines)
    return {name: value for value, _, names in rows for name in names.split()}


@cache
def _numbers() -> Mapping[str, tuple[int, int, int]]:
    """Return name to lowest and highest number, and digits after the point."""
    result = {}
    for name, value in _table(1).items():
        low, high, digits = map(int, value.split())
        result[name] = low, high, digits
    return result


_BOUNDS: Final = word_set("min max minimum maximum from to average avg total")
_YES: Final = word_set(
    "active enabled available verified published visible success ok valid confirmed public paid"
    " instock completed approved open online allowed subscribed accepted"
)
_NO: Final = word_set(
    "deleted archived blocked disabled hidden favorited favorite favourite following followed"
    " banned suspended locked expired private draft cancelled canceled admin more error failed"
    " truncated next previous prev liked bookmarked starred pinned muted spam default"
)


def candidates(place: Place) -> Iterator[object]:
    """Yield values that fit the name of a property, the best first, as texts, numbers or both."""
    words = words_of(place.name)
    if not words:
        return
    if is_time(place.name):
        yield from _times(place)
    for start in range(len(words)):
        before, name = words[:start], "".join(words[start:])
        rule = _RULES.get(name) or _RULES.get(singular(name))
        if rule is not None:
            yield from rule(place, before)
        yield from _by_table(place, name, before)


def number_range(place: Place) -> tuple[int, int, int] | None:
    """Return lowest and highest number and digits after the point for the name; None if unknown."""
    words = words_of(place.name)
    if words[-1:] == ("year",):
        year = moment(place).year
        return (year + 1, year + 4, 0) if "exp" in words else (year - 6, year, 0)
    if words[-1:] == ("code",) and {"response", "result", "error"} & set(
        " ".join(place.kinds[:2]).split()
    ):
        return 200, 200, 0
    if words[-1:] and words[-1] in {"position", "order", "rank", "index", "sequence"}:
        return (place.number, place.number, 0) if place.number else (1, 5, 0)
    if words[-1:] == ("pages",) and place.kinds and "book" in place.kinds[0]:
        words = ("numberofpages",)
    for parts in (words, tuple(word for word in words if word not in _BOUNDS)):
        for start in range(len(parts)):
            name = "".join(parts[start:])
            known = _numbers().get(name) or _numbers().get(singular(name))
            if known:
                return known
    return None


def coordinate(place: Place) -> Decimal | None:
    """Return the latitude or longitude of the address that an object has; None for other names."""
    part = _table(0).get("".join(words_of(place.name)[-1:]))
    is_known = part in {"latitude", "longitude"}
    return Decimal(getattr(address_of(place), part)) if part and is_known else None


def likely(name: str) -> float:
    """Return how likely a boolean is true."""
    words = set(words_of(name))
    if "not" in words or words & _NO:
        return 0.1
    return 0.85 if words & _YES else 0.5


def fill(template: str, place: Place) -> str:
    """Return a template with random digits and letters."""
    sets = {
        "#": string.digits,
        "A": "ABCDEFGHJKLMNPRSTUVWXYZ",
        "x": "0123456789abcdef",
        "y": string.ascii_letters + string.digits,
    }
    is_color = template.startswith("#x")
    text = "".join(place.one_of(sets[each]) if each in sets else each for each in template)
    return f"#{text[1:]}" if is_color else text


def slug(text: str) -> str:
    """Return a text as a part of an address: ``a-year-of-reviews``."""
    return re.sub("[^a-z0-9]+", "-", text.lower().replace("'", "")).strip("-")


def person(place: Place) -> tuple[str, str]:
    """Return first and last name of the person that an object is, as its properties have them."""
    properties = _texts().properties
    firsts, lasts = properties["first names"], properties["last names"]
    shared = place.of_owner("person")
    if not shared.number:
        shared.number = 1 + shared.below(len(firsts) * len(lasts))
    first, last = shared.dealt(firsts, "first names"), shared.dealt(lasts, "last names")
    first = _text_or(place.value_beside("firstname", "givenname", "forename"), first)
    last = _text_or(place.value_beside("lastname", "surname", "familyname"), last)
    whole = place.value_beside("name", "fullname", "displayname")
    if isinstance(whole, str) and whole.count(" ") == 1 and _is_person(place, ()):
        first, last = whole.split(" ")
    return first, last


def _text_or(value: object, other: str) -> str:
    return value if isinstance(value, str) and value else other


def _is_person(place: Place, before: Sequence[str]) -> bool:
    """Return whether the nearest thing that has a known name is a person."""
    if before:
        return not PEOPLE.isdisjoint(map(singular, before))
    for kind in place.kinds:
        for word in reversed(kind.split()):
            if word in PEOPLE:
                return True
            if word in _texts().by_kind["name"]:
                return False
    return False


def _name(place: Place, before: Sequence[str]) -> Iterator[str]:
    """Yield a name: of a person, a company, an event ... as the kinds ask for."""
    if _is_person(place, before):
        yield " ".join(person(place))
        return
    key, names = _names(place, before)
    if key in _ARTICLES:
        yield from _title(place, before)
        return
    text = place.of_owner("name").dealt(names, f"name of {names[0]}")
    again = place.round(names)
    yield f"{text} {again + 1}" if again and not before else text


def _names(place: Place, before: Sequence[str]) -> tuple[str, Sequence[str]]:
    known = _texts().by_kind["name"]
    kinds = [" ".join(before), *place.kinds] if before else place.kinds
    for kind in kinds:
        for word in reversed(kind.split()):
            word = singular(word)
            if word == "category" and any(other.endswith("pet") for other in place.kinds):
                return word, known["category-of-pet"]
            if word in known or word in _ARTICLES:
                return word, known.get(word, ())
    return "", known["anything"]


def _title(place: Place, before: Sequence[str]) -> Iterator[str]:
    """Yield a title: of a job for a person, a name where the kind has names, else a headline."""
    if not before and _is_person(place, before):
        yield place.dealt(_texts().properties["jobtitle"], "jobtitle")
        return
    key, _ = _names(place, before)
    if key and key not in _ARTICLES:
        yield from _name(place, before)
        return
    titles = _of_kind("subject", place, before) or _texts().properties["title"]
    text = place.of_owner("title").dealt(titles, "title")
    again = place.round(titles)
    yield f"{text}, part {again + 1}" if again else text


def _description(place: Place, before: Sequence[str]) -> Iterator[str]:
    own = _of_kind("description", place, before)
    if not own and _is_person(place, before):
        yield from _bio(place, before)
        return
    texts = own or _texts().properties["description"]
    yield place.dealt(texts, f"description of {texts[0]}")


def _bio(place: Place, _: Sequence[str]) -> Iterator[str]:
    yield place.dealt(_texts().properties["bio"], "bio")


def _body(place: Place, before: Sequence[str]) -> Iterator[str]:
    """Yield what a comment or message says, or a paragraph."""
    kinds = {singular(word) for kind in (*before, *place.kinds[:2]) for word in kind.split()}
    properties = _texts().properties
    for known, name in ((_COMMENTS, "comment"), (_MESSAGES, "message")):
        if kinds & known:
            yield place.dealt(properties[name], name)
            return
    sentences = list(properties["body"])
    count = place.between(3, 5)
    yield " ".join(sentences.pop(place.below(len(sentences))) for _ in range(count))


def _message(place: Place, before: Sequence[str]) -> Iterator[str]:
    kinds = {word for kind in place.kinds[:2] for word in kind.split()}
    if kinds & {"response", "confirmation", "result", "status", "health"}:
        yield "OK"
    yield from _pool(place, "message", before)


def _first(place: Place, _: Sequence[str]) -> Iterator[str]:
    yield person(place)[0]


def _last(place: Place, _: Sequence[str]) -> Iterator[str]:
    yield person(place)[1]


def _full(place: Place, _: Sequence[str]) -> Iterator[str]:
    if words_of(place.name)[-1] != "name" and not _is_person(place, ()):
        # Another person than those in the properties beside it.
        place = place.but(number=1 + place.below(_PERSONS), beside={})
    yield " ".join(person(place))


def _user_name(place: Place, _: Sequence[str]) -> Iterator[str]:
    first, last = (slug(each) for each in person(place))
    yield f"{first}.{last}"
    yield f"{first}{last}".replace("-", "")
    yield f"{first}-{last}"
    yield first


def _email(place: Place, before: Sequence[str]) -> Iterator[str]:
    named = place.value_beside("name", "title")
    if not before and isinstance(named, str) and not _is_person(place, before):
        key = _names(place, before)[0]
        if key and key not in _ARTICLES:
            yield f"hello@{slug(named)}.{_DOMAIN}"
            return
    first, last = (slug(each) for each in person(place))
    yield f"{first}.{last}@{_DOMAIN}"


def _sender(place: Place, before: Sequence[str]) -> Iterator[str]:
    kinds = {word for kind in place.kinds[:2] for word in kind.split()}
    if kinds & _MESSAGES:
        yield from _email(place, before)


def _phone(place: Place, _: Sequence[str]) -> Iterator[str]:
    # 555-0100 to 555-0199 are reserved for fiction.
    number = (place.number or 1 + place.below(99)) % 100
    area = (202, 303, 404, 512, 617)[place.of_owner("area").below(5)]
    yield f"+1 {area} 555 01{number:02}"
    yield f"+1{area}55501{number:02}"
    yield f"{area}-555-01{number:02}"
    yield f"{area}55501{number:02}"


def _slug(place: Place, before: Sequence[str]) -> Iterator[str]:
    text = place.value_beside("title", "name", "label", "headline", "displayname")
    if not isinstance(text, str):
        text = next(_title(place, before))
    yield slug(text)


def _picture(place: Place, before: Sequence[str]) -> Iterator[str]:
    """Yield the URL of a picture that does not exist, since tests must not depend on one."""
    name = singular(plain(place.name).removesuffix("url").removesuffix("uri")) or "image"
    if name == "avatar" or _is_person(place, before):
        subject = slug(" ".join(person(place)))
    else:
        subject = str(place.number or 1 + place.below(40))
    if words_of(place.name)[-1:] == ("path",):
        yield f"/{name.removesuffix('path')}s/{subject}.jpg"
    yield f"https://{_DOMAIN}/{plural(name)}/{subject}.jpg"


def address_of(place: Place) -> Address:
    """Return the postal address that all properties of an object share."""
    rows = _texts().properties["addresses"]
    return Address(*place.of_owner("address").dealt(rows, "addresses").split(" ; "))


def _address_part(place: Place, part: str) -> Iterator[object]:
    address = address_of(place)
    if part == "country" and place.name.lower().endswith("code"):
        part = "code"
    yield getattr(address, part)
    if part == "country":
        yield address.code


def _address(place: Place, _: Sequence[str]) -> Iterator[str]:
    parts = address_of(place)
    yield f"{parts.street}, {parts.zip} {parts.city}"


def _point(place: Place, _: Sequence[str]) -> Iterator[str]:
    parts = address_of(place)
    yield f"{parts.latitude},{parts.longitude}"


def _url(place: Place, before: Sequence[str]) -> Iterator[str]:
    if words_of(place.name)[:1] and words_of(place.name)[0] in _PICTURES:
        yield from _picture(place, before)
        return
    text = place.value_beside("slug", "username", "title", "name")
    kind = slug(plural(place.kinds[0])) if place.kinds else ""
    end = slug(text) if isinstance(text, str) else str(place.number or 1 + place.below(40))
    yield f"https://{_DOMAIN}/{kind}/{end}" if kind else f"https://{_DOMAIN}/{end}"


def _times(place: Place) -> Iterator[str]:
    at = moment(place)
    for form in (
        ("date", "date-time", "time") if is_day(place.name) else ("date-time", "date", "time")
    ):
        yield as_text(at, form)
    yield as_text(at, "time")[:5]


def _pool(place: Place, name: str, before: Sequence[str]) -> Iterator[str]:
    pool = _of_kind(name, place, before) or _of_kind(singular(name), place, before)
    pool = pool or _texts().properties[name]
    yield place.dealt(pool, f"{name}/{plain(place.name)}")
    yield from pool


_PICTURES: Final = word_set(
    "image avatar photo picture thumbnail logo cover banner icon poster img pic photograph"
    " gallery screenshot"
)
_RULES: Final[Mapping[str, Callable[[Place, Sequence[str]], Iterator[object]]]] = {
    name: rule
    for names, rule in (
        ("name displayname label", _name),
        ("title headline subject heading", _title),
        ("firstname givenname forename", _first),
        ("lastname surname familyname", _last),
        (
            "fullname author owner customername contactname assignee creator createdby updatedby"
            " cardholder cardholdername recipient sender by person assignedto",
            _full,
        ),
        ("username login handle nickname screenname", _user_name),
        ("email emailaddress mail replyto cc bcc", _email),
        ("from to", _sender),
        ("phone phonenumber telephone mobile mobilenumber cell tel fax", _phone),
        ("slug permalink urlname", _slug),
        ("description summary excerpt abstract details overview about", _description),
        ("bio biography aboutme", _bio),
        ("body content text html markdown", _body),
        ("message", _message),
        ("address formattedaddress fulladdress location place venue", _address),
        ("coordinates latlng geo", _point),
        ("url website homepage link href uri permalinkurl web site webpage linkedin pdf", _url),
        (" ".join(sorted(_PICTURES)), _picture),
        (" ".join(f"{each}path" for each in sorted(_PICTURES)), _picture),
        (" ".join(f"{each}url" for each in sorted(_PICTURES)), _picture),
    )
    for name in names.split()
}


def _by_table(place: Place, name: str, before: Sequence[str]) -> Iterator[object]:
    if name in _table(0):
        yield from _address_part(place, _table(0)[name])
    if name in _table(2):
        yield fill(_table(2)[name], place)
    names, texts = _texts().by_kind["name"], _texts().properties
    for known in (name, singular(name)):
        if known in texts and known not in _RULES:
            yield from _pool(place, known, before)
            return
        if known in PEOPLE and known not in _RULES:
            yield from _full(place, before)
        if known in names:
            yield place.dealt(names[known], f"name of {names[known][0]}/{place.name}")
    if name in _numbers():
        yield number_text(place, _numbers()[name])


def number_text(place: Place, known: tuple[int, int, int]) -> str:
    """Return a random number of a range as a text, such as ``49.90``."""
    return str(number_in(place, *known))


def number_in(place: Place, low: int, high: int, digits: int) -> int | Decimal:
    """Return a random number of a range; one with two digits looks like a price."""
    if not digits:
        return place.between(low, high)
    if digits == 2:
        return Decimal(place.between(low, high)) + place.one_of(_CENTS)
    scale = 10**digits
    return Decimal(place.between(low * scale, high * scale)) / Decimal(scale)


_CENTS: Final = (Decimal("0.99"), Decimal("0.50"), Decimal("0.90"), Decimal("0.00"))


@lru_cache(maxsize=1)
def generic_texts() -> Sequence[str]:
    """Return texts for properties whose name is unknown."""
    return _texts().properties["other"]
