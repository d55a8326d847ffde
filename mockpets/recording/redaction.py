"""Remove secrets from recorded requests, before a stub or a scenario is made of them.

Everything that a recording has passes through one `Redactor`: targets, headers and bodies, and the
records of the beginning. It works in two passes. The first finds secrets by their names, wherever
a text has names: in JSON, also inside of a text, behind a prefix, in lines or in events; in forms;
in URLs. The second also replaces the values that the first has found, wherever they are repeated.
A text that still looks as if it had a secret, in a form that is not read, is dropped as a whole.
"""

from __future__ import annotations

import re
from base64 import b64decode
from bisect import bisect_right
from collections import Counter, deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import quote, unquote, unquote_plus

from mockpets.constants import REDACTED
from mockpets.journal.entry import Message
from mockpets.redaction import is_secret, is_secret_property
from mockpets.strict_json import dump_text, load_json_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mockpets.journal.entry import Entry
    from mockpets.recording.exchange import Exchange

_WORD: Final = (
    r"(?:token|secret|passw(?:or)?d|passphrase|pwd|jwt|api[-_. +]?key|authorization|cookie"
    r"|credential)"
)
_HINT: Final = re.compile(rf"{_WORD}|code|otp|auth|@|%|\\u|eyj|bearer|basic |private key")
"""A text without a match, in lower case, has no secret with a name."""
_PREFIX: Final = re.compile(
    # Against inclusion as a script, the call of JSONP, and a field of an event.
    r"\s*(?:\)\]\}'?,?|while\s*\(1\);?|for\s*\(;;\);?|(?:/\*\*/\s*)?[\w$.]+\s*\(|data:)?\s*"
)
_FORM: Final = re.compile(r"[^\s=&<>{}\"]+=[^\s&<>{}\"]*(?:&[^\s=&<>{}\"]*(?:=[^\s&<>{}\"]*)?)*")
_RUN: Final = re.compile(r"[^\s<>\"'`{}\\]+")
_USER: Final = re.compile(r"(//)([^/?#\s@]*(?:@[^/?#\s@]*)*)@")
_PAIR: Final = re.compile(r"([?&#;]|^)([^=&?#;]*)(=|%(?:25)*3[dD])([^&#;]*)")
_SUSPICIOUS: Final = re.compile(
    rf"{_WORD}[\w.$-]{{0,40}}[\"'\])]{{0,3}}[ \t]{{0,9}}(?:=>?|:)\s{{0,9}}[\"'(\[{{]{{0,3}}"
    r"(?:(?:bearer|basic|digest)\s{1,9})?(?P<value>[^\s\"'<>,;&)\]}]+)"
    rf"|<[^<>]{{0,200}}?{_WORD}[^<>]{{0,200}}?"
    r"(?:>\s{0,99}(?P<element>[^<\s]{3,})|value\s{0,9}=\s{0,9}[\"']?(?P<field>[^\"'<>\s]+))"
    rf"|{_WORD}\s{{1,3}}(?:is|was)\s{{0,3}}:?\s{{0,3}}[\"']?(?P<prose>\S*[\d_=/+-]\S*)"
    r"|\b(?:bearer|basic)\s{1,9}(?P<scheme>[\w.~+/-]{8,}=*)"
    r"|(?P<jwt>\beyJ[\w-]{8,}\.[\w-]+)"
    r"|//(?P<user>[^/?#\s@\"'<>:]{0,200}:[^/?#\s@\"'<>]{0,200})@"
    r"|-----BEGIN [A-Z ]{0,20}(?P<key>PRIVATE) KEY",
    re.IGNORECASE,
)
_HARMLESS: Final = re.compile(
    r"\[redacted.*|\[?redacted\]?|%5Bredacted%5D.*|null|none|undefined|[Bb]earer|[Bb]asic|[Dd]igest|true|false|\*+|\.{3}"
    r"|mockpets|KEY|TOKEN|<.*|\$.*"
)
"""A value that is not a secret: a placeholder, or our key, which is public."""
_PROSE: Final = re.compile(r"[a-z]{1,12}[.!?]?|is|was")
"""A word behind a name and a colon, as in ``invalid token: expired``."""
_PERSONAL: Final = re.compile("passw|passphrase|pwd|secret", re.IGNORECASE)
_KEYS: Final = ("name", "key", "header", "field", "id", "type")
_VALUES: Final = ("value", "values", "val", "content", "text", "data")
_HEADER: Final = re.compile(
    r"(?:proxy-)?authorization|(?:set-)?cookie|x-.*(?:token|key|secret|auth).*|.*[-_](?:token|secret)",
    re.IGNORECASE,
)
"""In a list such as ``["Authorization", "Bearer ..."]``: a name, and not a word in a list."""
_PLAIN_NAME: Final = re.compile(r"[A-Za-z_$][A-Za-z_.$-]{0,39}")
_NAME: Final = 100
"""The longest text that may be the name of a header."""
_OUR_KEY: Final = "mockpets"
_LEAST: Final = 8
_LEAST_COOKIE: Final = 16
"""The shortest values whose repetition is a secret; a shorter one may be a word."""
_LONGEST: Final = 1000
"""How much of a longer value is compared."""
_STEP: Final = 4
_WINDOW: Final = _LEAST - _STEP + 1
"""How texts are searched for these values: a part of this length at each such place."""
_VALUE_END: Final = re.compile(r"[\s\"'<>&,;]|$")
_WORDS: Final = re.compile("[A-Za-z][a-z]*")
_DEEP: Final = 60
"""Levels of texts in texts and of values in values; a scenario has at most 40."""

E = TypeVar("E", bound="Entry")


class _TooDeepError(ValueError):
    """A value is nested too deep to be read."""


class Redactor:
    """Finds the secrets of recorded requests, and removes them.

    :param secrets: values that are known from elsewhere.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self.dropped: Counter[str] = Counter()
        """How often each name had a secret in what was cleaned last."""
        self._found: set[str] = set()
        self._repeated: _Repeated | None = None
        for secret in secrets:
            self.learn(secret)

    def learn(self, secret: str, least: int = _LEAST) -> None:
        """Add a value that no other text may repeat, unless it is short or our key."""
        secret = secret.strip()
        if len(secret) >= least and secret not in (_OUR_KEY, REDACTED) and REDACTED not in secret:
            self._found.add(secret)

    def clean(self, entries: Sequence[E]) -> list[E]:
        """Return entries without secrets."""
        for entry in entries:
            for secret in entry.secrets:
                self.learn(secret)
            self._entry(entry)
        self._repeated = _Repeated(self._found)
        self.dropped.clear()
        return [self._entry(entry) for entry in entries]

    def value(self, value: Any) -> Any:
        """Return a JSON value, such as the records of a beginning, without secrets."""
        return self._json("", value, 0, None)

    def exchange(self, exchange: Exchange) -> Exchange:
        """Return an exchange with a response without secrets, which are not counted."""
        before = self.dropped.copy()
        response = self._message(exchange.response)
        self.dropped = before
        return exchange._replace(response=response)

    # --- Messages -------------------------------------------------------------------------------

    def _entry(self, entry: E) -> E:
        target = self.target(entry.target)
        return entry._replace(
            target=target,
            path=self._without_repeated(entry.path),
            request=self._message(entry.request),
            response=self._message(entry.response),
        )

    @property
    def found(self) -> tuple[str, ...]:
        """The values that no other text may repeat."""
        return tuple(self._found)

    def headers(self, headers: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """Yield headers without secrets; those of HTTP/2 are left out."""
        for name, value in headers:
            if name.startswith(":"):
                continue
            if is_secret(name):
                if REDACTED not in value:
                    self.dropped[name] += 1
                for secret, least in _header_secrets(name, value):
                    self.learn(secret, least)
                continue
            yield name, self.text(value)

    def _message(self, message: Message) -> Message:
        head = "\n".join(f"{name}: {value}" for name, value in self.headers(message.headers))
        try:
            text = message.body.decode()
        except UnicodeDecodeError:
            body = self._unreadable(message.body)
        else:
            body = self.body(text).encode() if text else b""
        # A body that is not recorded has another size.
        size = message.size if message.cut else len(body)
        return Message(head, body, size, message.checksum)

    def _unreadable(self, body: bytes) -> bytes:
        """Return a body that is not text, or nothing of it if it looks like a secret."""
        text = body.decode("latin-1")
        return body if self.text(text) == text else REDACTED.encode()

    def target(self, target: str) -> str:
        """Return a path with a query, without secrets, which are not counted."""
        return self._without_repeated(self._url(target, None))

    def body(self, text: str) -> str:
        """Return the body of a message without secrets."""
        return self.text(text, place=" in a body")

    # --- Texts ----------------------------------------------------------------------------------

    def text(self, text: str, place: str | None = "", depth: int = 0) -> str:
        """Return a text without secrets: JSON, lines of it, a form, or text with URLs.

        :param place: follows a name in `dropped`; None to count nothing.
        :param depth: how many texts and values are around it.
        """
        if _HINT.search(text.lower()):
            text = self._named(text, place, depth)
        return self._without_repeated(text)

    def _named(self, text: str, place: str | None, depth: int) -> str:
        try:
            result, rest = self._read(text, place, depth)
        except (_TooDeepError, RecursionError):
            result = rest = text
        if _looks_secret(rest):
            self._count(f"a text that looks like a secret{place or ''}", "")
            return REDACTED
        return result

    def _read(self, text: str, place: str | None, depth: int) -> tuple[str, str]:
        """Return a text without the secrets that have a name in it, and what is not JSON of it."""
        if depth > _DEEP:
            raise _TooDeepError
        start, end = _json_part(text)
        if start < end:
            properties = _Properties()
            with suppress(ValueError):
                value = load_json_of(text[start:end], properties)
                new = self._json("", value, depth + 1, place)
                if new == value and not properties.has_duplicates:
                    return text, ""
                return text[:start] + dump_text(new) + text[end:], ""
        text = self._without_repeated(text)
        lines = text.splitlines(keepends=True)
        if len(lines) > 1:
            parts = [self._line(line, place, depth + 1) for line in lines]
            return "".join([part for part, _ in parts]), "".join([rest for _, rest in parts])
        if _FORM.fullmatch(text) and "//" not in text.partition("=")[0]:
            result = _PAIR.sub(lambda pair: self._pair(pair, place), text)
        else:
            result = _RUN.sub(lambda run: self._url(run[0], place), text)
        return result, result

    def _count(self, name: str, place: str | None) -> None:
        if place is not None:
            self.dropped[f"{name}{place}"] += 1

    def _line(self, line: str, place: str | None, depth: int) -> tuple[str, str]:
        """Return what `_read` returns of a line, with its line end."""
        content = line.rstrip("\r\n")
        result, rest = self._read(content, place, depth)
        return result + line[len(content) :], rest + line[len(content) :]

    def _url(self, url: str, place: str | None = "") -> str:
        """Return a URL, or a path with a query, without secrets."""
        if "@" in url:
            url = _USER.sub(lambda user: self._user(user, place), url)
        if "=" not in url and "%" not in url:
            return url
        end = min((url.find(mark) for mark in "?#;" if mark in url), default=len(url))
        return url[:end] + _PAIR.sub(lambda pair: self._pair(pair, place), url[end:])

    def _user(self, user: re.Match[str], place: str | None) -> str:
        if user[2] == REDACTED:
            return user[0]
        self._count("user in a URL", place)
        for secret in (user[2], user[2].partition(":")[2]):
            self.learn(_decoded(secret))
        return f"//{REDACTED}@"

    def _pair(self, pair: re.Match[str], place: str | None) -> str:
        """Return ``name=value`` of a query or a form, its value redacted if it has a secret."""
        lead, name, equals, value = pair.groups()
        key = _decoded(name)
        if value and value != REDACTED:
            plain = _decoded(value)
            if is_secret(key):
                self.learn(plain)
            elif _HINT.search(plain.lower()) and self.text(plain, place, 1) != plain:
                pass
            elif self._without_repeated(plain) == plain:
                return pair[0]
            self._count(key, place)
            return f"{lead}{name}{equals}{REDACTED}"
        return pair[0]

    def _without_repeated(self, text: str) -> str:
        return text if self._repeated is None else self._repeated.removed(text)

    # --- JSON -----------------------------------------------------------------------------------

    def _json(self, name: str, value: Any, depth: int, place: str | None = "") -> Any:
        """Return a JSON value without secrets.

        :param name: of the property that has it.
        """
        if depth > _DEEP:
            raise _TooDeepError
        if name and is_secret_property(name):
            return self._hidden(name, value, place)
        if isinstance(value, str):
            return self.text(value, place, depth)
        if isinstance(value, dict):
            named = _named_secret(value)
            return {
                self.text(key, place, depth): self._hidden(named, item, place)
                if named and key.lower() in _VALUES
                else self._json(key, item, depth + 1, place)
                for key, item in value.items()
            }
        if isinstance(value, list):
            if _is_header(value):
                return [value[0], self._hidden(value[0], value[1], place)]
            return [self._json("", item, depth + 1, place) for item in value]
        if value is None or isinstance(value, bool):
            return value
        text = str(value)
        return REDACTED if self._without_repeated(text) != text else value

    def _hidden(self, name: str, value: Any, place: str | None) -> Any:
        """Return the value of a secret property with each text and number in it redacted."""
        if value is None or isinstance(value, bool) or value in ("", REDACTED):
            return value
        if isinstance(value, dict):
            if all(_PLAIN_NAME.fullmatch(key) for key in value):
                return {key: self._hidden(name, item, place) for key, item in value.items()}
        elif isinstance(value, list):
            return [self._hidden(name, item, place) for item in value]
        else:
            text = str(value)
            for secret in (text, text.split()[-1] if text.split() else ""):
                if not _WORDS.fullmatch(secret):  # it may be anybody's
                    self.learn(secret)
        self._count(name, place)
        return REDACTED


class _Properties:
    """Makes objects, and keeps whether one has a property more than once."""

    has_duplicates = False

    def __call__(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        self.has_duplicates |= len(result) < len(pairs)
        return result


def _json_part(text: str) -> tuple[int, int]:
    """Return where the JSON of a text begins and ends; two equal places for none."""
    prefix = _PREFIX.match(text)
    start = 0 if prefix is None else prefix.end()
    body = text.rstrip(" \t\r\n;)" if "(" in text[:start] else None)
    is_json = text[start : start + 1] in ("[", "{", '"') and body[-1:] in ("]", "}", '"')
    return (start, len(body)) if is_json else (0, 0)


def _named_secret(value: dict[str, Any]) -> str:
    """Return the secret name in ``{"name": "Authorization", "value": ...}``; empty for none."""
    for key, name in value.items():
        is_name = key.lower() in _KEYS and isinstance(name, str) and len(name) <= _NAME
        if is_name and (is_secret_property(name) or _HEADER.fullmatch(name)):
            return str(name)
    return ""


def _is_header(value: list[Any]) -> bool:
    is_pair = len(value) == 2 and isinstance(value[0], str)
    return is_pair and _HEADER.fullmatch(value[0]) is not None


def _looks_secret(text: str) -> bool:
    """Return whether a text has something like ``token: x`` in a form that is not read."""
    if not _HINT.search(text.lower()):
        return False
    first, line_end, _ = text.partition("\n")  # perhaps of CSV
    cells = [cell.strip(" \"'\r") for cell in re.split("[,;\t]", first)] if line_end else []
    if len(cells) > 1 and any(map(is_secret_property, cells)):
        return True
    for match in _SUSPICIOUS.finditer(text):
        kind = match.lastgroup or ""
        value = match[kind]
        if _HARMLESS.fullmatch(value):
            continue
        is_prose = _PROSE.fullmatch(value) and re.search(r"\w:[ \t]+[a-z.!?]+$", match[0])
        if kind == "value" and is_prose and not _PERSONAL.search(match[0]):
            continue
        return True
    return False


def _decoded(text: str) -> str:
    """Return a text of a URL without percent-encoding, which may be repeated."""
    text = unquote_plus(text)
    for _ in range(5):
        if "%" not in text or (plain := unquote(text)) == text:
            break
        text = plain
    return text


def _header_secrets(name: str, value: str) -> list[tuple[str, int]]:
    """Return the parts of a secret header that are secrets, and the least length of each."""
    lower = name.lower()
    if "cookie" in lower:
        parts = [value.partition(";")[0]] if lower == "set-cookie" else value.split(";")
        return [(part.partition("=")[2], _LEAST_COOKIE) for part in parts]
    if lower == "baggage":
        return []
    words = value.split()
    secrets = [words[-1]] if words else []
    if words[:1] and words[0].lower() == "basic":
        try:
            user = b64decode(words[-1], validate=True).decode()
        except ValueError:
            pass
        else:
            secrets += [user, user.partition(":")[2]]
    return [(secret, _LEAST) for secret in secrets]


def secrets_of(target: str, headers: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the values in a target and headers that no recording may repeat."""
    redactor = Redactor()
    redactor.target(target)
    deque(redactor.headers(headers), 0)
    return redactor.found


def listed_secrets(dropped: Counter[str]) -> list[str]:
    """Return one line that lists what was dropped, by name; empty for nothing."""
    listed = ", ".join(f"{name[:60]} ({count})" for name, count in sorted(dropped.items()))
    return [f"dropped secrets: {listed}"] if listed else []


def redacted_names(value: Any, name: str = "") -> Counter[str]:
    """Return how often each property in a JSON value is redacted."""
    if isinstance(value, dict):
        names = Counter({"a name": sum(REDACTED in key for key in value)})
        return sum((redacted_names(item, key) for key, item in value.items()), +names)
    if isinstance(value, list):
        return sum((redacted_names(item, name) for item in value), Counter())
    return Counter([name]) if isinstance(value, str) and REDACTED in value else Counter()


class _Repeated:
    """Finds values in texts, in a time that does not depend on how many there are.

    :param secrets: each at least `_LEAST` characters long.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {secret[:_LONGEST] for secret in secrets}
        forms |= {
            quote(secret, safe, errors="surrogatepass") for secret in [*forms] for safe in ("/", "")
        }
        self._sorted = sorted(forms)
        self._starts = {start[:_LEAST] for start in forms}
        self._windows = {
            start[place : place + _WINDOW] for start in self._starts for place in range(_STEP)
        }
        longest: list[str] = []
        self._shorter: dict[str, str] = {}
        """A value to the longest one with which it begins."""
        for secret in self._sorted:
            while longest and not secret.startswith(longest[-1]):
                longest.pop()
            if longest:
                self._shorter[secret] = longest[-1]
            longest.append(secret)

    def removed(self, text: str) -> str:
        """Return a text without the values."""
        windows, starts = self._windows, self._starts
        # Each value has one of the windows at a place that is a multiple of the step.
        near = [
            place
            for place in range(0, len(text) - _WINDOW + 1, _STEP)
            if text[place : place + _WINDOW] in windows
        ]
        parts, done = [], 0
        for last in near:
            for place in range(max(last - _STEP + 1, done), last + 1):
                if text[place : place + _LEAST] in starts and (secret := self._at(text, place)):
                    parts += [text[done:place], REDACTED]
                    done = place + len(secret)
                    if len(secret) == _LONGEST and (end := _VALUE_END.search(text, done)):
                        done = end.start()  # the rest was not compared
                    break
        return "".join([*parts, text[done:]]) if parts else text

    def _at(self, text: str, place: int) -> str:
        """Return the longest value that a text has at a place; empty for none."""
        near = bisect_right(self._sorted, text[place : place + _LONGEST])
        secret = self._sorted[near - 1] if near else ""
        while secret and not text.startswith(secret, place):
            secret = self._shorter.get(secret, "")
        return secret
