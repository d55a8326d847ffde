"""Remove secrets from recorded requests, before a stub or a scenario is made of them.

Everything that a recording has passes through one `Redactor`: targets, headers and bodies, and the
records of the beginning. It works in two passes. The first finds secrets by their names, wherever
a text has names: in JSON, also inside of a text, behind a prefix, in lines or in events; in forms;
in URLs. A segment of a path is also a secret if it looks like one. The second pass also replaces
the values that the first has found, wherever they are repeated, also in base64.
A text that still looks as if it had a secret, in a form that is not read, is dropped as a whole.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from bisect import bisect_right
from collections import Counter, deque
from contextlib import suppress
from string import ascii_letters, digits
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import quote, unquote, unquote_plus

from mockpets.constants import REDACTED
from mockpets.redaction import is_secret, is_secret_property
from mockpets.request_log.entry import Message
from mockpets.strict_json import dump_text, load_json_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mockpets.recording.exchange import Exchange
    from mockpets.request_log.entry import Entry

_WORD: Final = (
    r"(?:token|secret|passw(?:or)?d|passphrase|pwd|jwt|api[-_. +]?key|authorization|cookie"
    r"|credential)"
)
_LEAD: Final = re.compile(
    rf"{_WORD}|(?<!p)reset|invit|magic|verif|confirm|activat|unlock|unsubscri|recover|webhook"
)
"""In a segment of a path, in lower case: one of the next two may be a secret."""
_HINT: Final = re.compile(rf"{_LEAD.pattern}|code|otp|auth|@|%|\\|eyj|bearer|basic |private key")
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
_HOST: Final = re.compile("[^/?#]*//[^/?#]*")
_SEGMENT: Final = "a segment of a path"
_REPEATED: Final = "a repeated secret"
_JWT: Final = re.compile(r"\beyJ[\w-]{8,1000}+\.[\w-]+")
_UUID: Final = re.compile("[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_KIND: Final = re.compile("^(?:[a-z]+_)+")
"""What some services put before their ids, such as ``sub_sched_``."""
_TURN: Final = re.compile("(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[a-z0-9])|(?<=[0-9])(?=[a-zA-Z])")
"""Between two characters of different kinds, of which a random text has many and a name few."""
_TURNS: Final = 3
"""The fewest turns of a segment behind a `_LEAD`."""
_RANDOM: Final = 32
"""The shortest segment of any path that is a secret; ids are shorter."""
_RANDOM_TURNS: Final = 4
"""The most characters for each turn in such a segment."""
_ID: Final = re.compile(rb'"_?id"\s{0,9}:\s{0,9}"([^"\\]{8,200})"')
_BASE64: Final = frozenset(f"{ascii_letters}{digits}+-_")
_BASE64_END: Final = _BASE64 | {"="}
"""The characters of base64 before and behind a part. A slash may end a segment of a path."""
_STEP: Final = 4
"""Texts are searched at every fourth character, which takes a quarter of the time."""
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
        self._bodies: list[bytes] = []
        """The responses that are cleaned; their ids are not secrets, wherever they are."""
        self._ids: set[bytes] | None = None
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
        self._bodies, self._ids = [entry.response.body for entry in entries], None
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
            path=self._path(entry.path, None, is_target=True),
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
        """Return a path with a query, without secrets. Those in the query are not counted."""
        path, mark, query = target.partition("?")
        path = self._path(path, "", is_target=True)
        return self._without_repeated(self.pairs(f"{path}{mark}{query}", None))

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
        return self._without_repeated(text, place)

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
        text = self._without_repeated(text, place)
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

    def _url(self, url: str, place: str | None) -> str:
        """Return a URL, or a path with a query, without secrets that have a name."""
        end = _end_of_path(url)
        if "/" in url[:end] and _LEAD.search(url[:end].lower()):
            start = host.end() if (host := _HOST.match(url)) else 0
            url = url[:start] + self._path(url[start:end], place) + url[end:]
        return self.pairs(url, place)

    def pairs(self, url: str, place: str | None) -> str:
        """Return a URL without a user name, and without secrets in its query and fragment."""
        if "@" in url:
            url = _USER.sub(lambda user: self._user(user, place), url)
        if "=" not in url and "%" not in url:
            return url
        end = _end_of_path(url)
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

    def _path(self, path: str, place: str | None, *, is_target: bool = False) -> str:
        """Return a path without the segments that look like a secret, or repeat one.

        :param is_target: whether long random segments are secrets without a name before them.
        """
        segments = path.split("/")
        leads = [False, False]
        for index, segment in enumerate(segments):
            found: list[str] = []
            for part in _decoded(segment.replace("+", "%2B")).split("/"):
                found += _secrets_of_segment(part, is_named=any(leads), is_target=is_target)
                leads = [leads[1], _LEAD.search(part.lower()) is not None]
            found = [secret for secret in found if not self._is_id(secret)]
            for secret in found:
                self.learn(secret)
            cleaned = REDACTED if found else self._without_repeated(segment)
            if cleaned != segment:
                self._count(_SEGMENT, place)
                segments[index] = cleaned
        return self._without_repeated("/".join(segments))

    def _is_id(self, text: str) -> bool:
        """Return whether a response has a record with this id, which is no secret then."""
        if self._ids is None:
            self._ids = {match[1] for body in self._bodies for match in _ID.finditer(body)}
        return text.encode("utf-8", "surrogatepass") in self._ids

    def _without_repeated(self, text: str, place: str | None = None) -> str:
        if self._repeated is None or (result := self._repeated.removed(text)) == text:
            return text
        self._count(_REPEATED, place)
        return result

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
        return REDACTED if self._without_repeated(text, place) != text else value

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


def _end_of_path(url: str) -> int:
    return min((url.find(mark) for mark in "?#;" if mark in url), default=len(url))


def _secrets_of_segment(text: str, *, is_named: bool, is_target: bool) -> list[str]:
    """Return the parts of a decoded segment of a path that look like a secret.

    UUIDs never do, nor numbers. The others do if they are a JSON Web Token, or if letters and
    digits alternate.

    :param is_named: whether it follows a `_LEAD`; then shorter ones look like a secret too.
    :param is_target: whether long ones do so without one.
    """
    if jwt := _JWT.search(text):
        return [jwt[0]]
    parts = re.split("[^A-Za-z0-9_.~=+-]+", _UUID.sub("/", text))
    return [
        part
        for part in parts
        if len(part) >= _LEAST and re.search("[0-9]", part)
        if (is_named and len(_TURN.findall(part)) >= _TURNS) or (is_target and _is_random(part))
    ]


def _is_random(text: str) -> bool:
    """Return whether a text is too long for an id and has no words; nor is it a hash or base64."""
    text = _KIND.sub("", text)
    if len(text) < _RANDOM or len(_TURN.findall(text)) * _RANDOM_TURNS < len(text):
        return False
    if re.fullmatch("[0-9a-fA-F]{,40}", text) or len(re.findall("[0-9]+", text)) == 1:
        return False
    try:
        plain = b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True).decode("ascii")
    except ValueError:
        return True
    return not plain.isprintable()  # an id of GraphQL is a text in base64


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
    redactor.pairs(target, None)
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


def _in_base64(secret: str) -> Iterator[str]:
    """Yield the characters that only a secret decides, wherever it is in a text in base64."""
    data = secret.encode("utf-8", "surrogatepass")
    for before in range(3):
        text = b64encode(bytes(before) + data).decode()
        text = text[(before * 8 + 5) // 6 : (before + len(data)) * 8 // 6]
        yield text
        yield text.replace("+", "-").replace("/", "_")


class _Repeated:
    """Finds values in texts, in a time that does not depend on how many there are.

    :param secrets: each at least `_LEAST` characters long.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {secret[:_LONGEST] for secret in secrets}
        self._encoded = {form[:_LONGEST] for secret in forms for form in _in_base64(secret)}
        """The values in base64, perhaps as a part of a longer text, such as ``user:password``."""
        forms |= {
            quote(secret, safe, errors="surrogatepass")[:_LONGEST]
            for secret in [*forms]
            for safe in ("/", "")
        }
        forms |= self._encoded
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
                    start, end = place, place + len(secret)
                    if secret in self._encoded:  # as a part of a longer text
                        while start > done and text[start - 1] in _BASE64:
                            start -= 1
                        while text[end : end + 1] in _BASE64_END:
                            end += 1
                    parts += [text[done:start], REDACTED]
                    done = end
                    if len(secret) == _LONGEST and (rest := _VALUE_END.search(text, done)):
                        done = rest.start()  # the rest was not compared
                    break
        return "".join([*parts, text[done:]]) if parts else text

    def _at(self, text: str, place: int) -> str:
        """Return the longest value that a text has at a place; empty for none."""
        near = bisect_right(self._sorted, text[place : place + _LONGEST])
        secret = self._sorted[near - 1] if near else ""
        while secret and not text.startswith(secret, place):
            secret = self._shorter.get(secret, "")
        return secret
