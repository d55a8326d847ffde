"""Moments of generated records: they follow the clock, and those of one object agree."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from mockpets.seed.places import word_set, words_of

if TYPE_CHECKING:
    from mockpets.seed.places import Place


_PAST: Final = timedelta(days=60)
"""The first record is at most this old."""
_CHANGED: Final = word_set(
    "updated modified changed edited seen login used completed finished resolved closed paid"
    " shipped delivered approved confirmed cancelled canceled accessed activity sync synced"
    " refreshed answered read update change modification"
)
_STARTS: Final = word_set(
    "start starts begin begins departure departs scheduled appointment from checkin pickup"
    " opens available estimated next event ship"
)
_ENDS: Final = word_set(
    "end ends arrival arrives until to checkout return finish due deadline expires expiry"
    " expiration expire closes renewal valid"
)
_BIRTH: Final = word_set("birth birthday birthdate dob born")
_PASSED: Final = word_set(
    "created create creation added registered registration joined published posted submitted"
    " placed ordered order sent inserted issued received on at date time timestamp day since"
    " hired founded signed uploaded started purchase purchased recorded visited"
)
_MOMENTS: Final = _CHANGED | _STARTS | _ENDS | _BIRTH | _PASSED
_PLANNED: Final = word_set(
    "event appointment booking reservation ticket trip concert show meeting meetup session visit"
    " course class workshop exhibition delivery schedule shift rental stay"
)
"""Records whose date is in the future."""
_DAYS: Final = word_set("hour hours day forecast slot availability")
"""Records that follow each other by a day."""
_ANIMALS: Final = word_set("pet animal dog cat horse puppy kitten")
_NOUNS: Final = word_set("date datetime timestamp birthday birthdate dob")
_SHORT: Final = word_set("appointment visit meeting session call consultation slot class lesson")
_STAY: Final = word_set("checkin checkout")
_DAY_NAMES: Final = word_set("date day birthday birthdate dob deadline on")
_REMOVED: Final = word_set(
    "deleted archived cancelled canceled revoked removed suspended closed resolved completed"
    " banned disabled ended deceased died"
)


def is_time(name: str) -> bool:
    """Return whether a property has the name of a moment."""
    words = words_of(name)
    if not words:
        return False
    if words[-1] in {"at", "on"}:
        return len(words) > 1
    is_moment = words[-1] == "time" and len(words) > 1 and words[-2] in _MOMENTS
    return is_moment or words[-1] in _NOUNS or "".join(words) in _STAY


def is_removal(name: str) -> bool:
    """Return whether a property is the moment of what has not happened to most records."""
    words = words_of(name)
    return bool(words) and words[-1] in {"at", "on", "date"} and not _REMOVED.isdisjoint(words)


def is_day(name: str) -> bool:
    """Return whether a moment of this name is a day without a time."""
    words = words_of(name)
    return bool(words) and (
        "".join(words) in _STAY or words[-1] in _DAY_NAMES or not _BIRTH.isdisjoint(words)
    )


def time_of(now: int) -> datetime:
    """Return a time in ms since 1970, to the second."""
    return datetime.fromtimestamp(now // 1000, UTC)


def moment(place: Place) -> datetime:
    """Return the moment of a property, to the second.

    Changes are between the creation and now, and an end is after the start beside it.
    """
    parts = words_of(place.name)
    words = {*parts, *map("".join, pairwise(parts))}
    now = time_of(place.now)
    kinds = {word for kind in place.kinds[:2] for word in kind.split()}
    if words & _BIRTH:
        years = (1, 12) if kinds & _ANIMALS else (20, 65)
        days = place.of_owner("birth").between(years[0] * 365, years[1] * 365)
        return now - timedelta(days=days)
    if words & _ENDS:
        start = _known(place, _STARTS) or _start(place, now)
        if is_day(place.name):
            return start + timedelta(days=place.of_owner("length").between(1, 14))
        most = 4 if kinds & _SHORT else 32
        return start + timedelta(minutes=15 * place.of_owner("length").between(1, most))
    is_plain = words <= kinds | {"date", "time", "day", "datetime", "at"}
    if is_plain and kinds & _DAYS:
        days = place.number - 1 if place.number else place.of_owner("day").below(7)
        return now.replace(hour=9, minute=0, second=0) + timedelta(days=days)
    if words & _STARTS or (is_plain and kinds & _PLANNED):
        return _start(place, now)
    created = _known(place, _PASSED - {"at", "on", "date", "time", "day"}) or _created(place, now)
    if words & _CHANGED:
        passed = max((now - created).total_seconds(), 0)
        changed = place.of_owner("changed").fraction()
        return created + timedelta(seconds=int(passed * changed * 0.9))
    return created


def _created(place: Place, now: datetime) -> datetime:
    """Return when an object was created: before now, and records with a higher number later."""
    age = place.number + 1 + place.of_owner("created").fraction()
    created = now - timedelta(seconds=int(_PAST.total_seconds() * 10 / (10 + age)))
    return created.replace(microsecond=0)


def _start(place: Place, now: datetime) -> datetime:
    """Return a start within the next weeks, at a usual time of the day."""
    random = place.of_owner("start")
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    minutes = 15 * random.between(4 * 8, 4 * 18)
    return day + timedelta(days=random.between(1, 40), minutes=minutes)


def _known(place: Place, words: frozenset[str]) -> datetime | None:
    """Return the moment beside it whose name has one of some words, or None."""
    for name, value in place.beside.items():
        if isinstance(value, str) and not words.isdisjoint(words_of(name)):
            try:
                result = datetime.fromisoformat(value)
            except ValueError:
                continue
            return result if result.tzinfo else result.replace(tzinfo=UTC)
    return None


def as_text(at: datetime, form: str) -> str:
    """Return a moment as a format of JSON Schema has it: date-time, date or time."""
    # With milliseconds, as `Date.toISOString` of JavaScript writes a moment.
    precision = "seconds" if form == "time" else "milliseconds"
    text = at.astimezone(UTC).isoformat(timespec=precision).replace("+00:00", "Z")
    if form == "date":
        return text[:10]
    return text[11:] if form == "time" else text
