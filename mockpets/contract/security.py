"""Check that a request has the credentials that an operation of a document needs.

They must be present and well-formed. Any credential passes, unless the server has keys of its own.
Scopes are not checked.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol

from mockpets.constants import BASE_MARK, LOGIN_SIGNATURE
from mockpets.contract.document_references import got
from mockpets.errors import did_you_mean
from mockpets.kept_results import Results
from mockpets.units import either

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mockpets.constants import NoteCode
    from mockpets.contract.document_references import Node

_TYPES: Final = ("apiKey", "http", "oauth2", "openIdConnect", "mutualTLS")
_PLACES: Final = ("header", "query", "cookie")
_MISSING: Final = " is missing"
_COOKIE: Final = r"(?:^|;)\s*{}=([^;]*)"
_KEPT: Final = 64
"""Values of the header Authorization to keep with what was read in them."""
_KEPT_LENGTH: Final = 2048
"""The longest one, in characters: tokens that name a person's rights have a thousand or so."""


class Credential(NamedTuple):
    """What a request has for one scheme.

    :param problem: what is wrong with it; empty if nothing is.
    :param key: the text that may be one of the server's keys, and that names a person.
    """

    problem: str
    key: str = ""

    @property
    def note(self) -> NoteCode:
        """The code of a problem's note."""
        return "key_missing" if self.problem.endswith(_MISSING) else "key_invalid"


class Sent(Protocol):
    """The parts of a request that can have credentials."""

    def header(self, name: str) -> str:
        """Return the value of a header; empty without it."""

    def query(self, name: str) -> Sequence[str]:
        """Return the values of a parameter in the query."""


class _Scheme(NamedTuple):
    """One scheme.

    :param kind: where a key is; ``other`` is not checked.
    :param name: of the header, parameter or cookie of a key, else of the scheme of HTTP.
    :param word: the one before the credential in the header Authorization; empty without one.
    """

    kind: Literal["header", "query", "cookie", "http", "other"]
    name: str
    word: str

    @property
    def is_in_authorization(self) -> bool:
        """Whether the header Authorization has the credential."""
        is_header = self.kind == "header" and self.name.lower() == "authorization"
        return is_header or self.kind == "http"

    def read(self, sent: Sent) -> Credential:
        """Return the credential of a request."""
        if self.kind == "http":
            return self._of_http(sent.header("Authorization").strip())
        if self.kind == "other":  # mutual TLS, which a server in front of it would check
            return Credential("")
        if self.kind == "query":
            key = next(iter(sent.query(self.name)), "")
            return _found(key, f"the query parameter {self.name}")
        if self.kind == "cookie":
            pattern = _COOKIE.format(re.escape(self.name))
            found = re.search(pattern, sent.header("Cookie"))
            return _found(found[1].strip() if found else "", f"the cookie {self.name}")
        text = sent.header(self.name).strip()
        word, _, rest = text.partition(" ")
        is_prefixed = self.is_in_authorization and rest.strip()
        return _found(rest.strip() if is_prefixed else word and text, f"the header {self.name}")

    def sample(self, key: str) -> tuple[str, str, str]:
        """Return ``header`` or ``query``, a name and a value that are valid; see `read`."""
        if self.kind == "cookie":
            return "header", "Cookie", f"{self.name}={key}"
        if self.kind != "http":
            return self.kind, self.name, f"{self.word} {key}" if self.word else key
        if self.name == "basic" and _basic(key).problem:
            pair = key if ":" in key else f"{key}:{key}"
            key = b64encode(pair.encode()).decode()
        return "header", "Authorization", f"{self.word} {key}"

    def _of_http(self, text: str) -> Credential:
        given, _, key = text.partition(" ")
        key = key.strip()
        if key and given.lower() == self.word.lower():
            return _basic(key) if self.name == "basic" else Credential("", key)
        if not text:
            return Credential(f"the header Authorization with '{self.word}'{_MISSING}")
        return Credential(f"the header Authorization must be '{self.word} ...'")


def _found(key: str, place: str) -> Credential:
    return Credential("", key) if key else Credential(f"{place}{_MISSING}")


def _basic(text: str) -> Credential:
    """Return the credential of HTTP Basic (RFC 7617, 2): ``name:password``."""
    try:
        pair = b64decode(text, validate=True).decode("utf-8", "replace")
    except ValueError:
        pair = ""
    if ":" not in pair:
        return Credential("the header Authorization must have the base64 of 'name:password'")
    return Credential("", pair)


class Security:
    """What an operation needs: one of several sets of schemes.

    :param schemes: those of the document, by name.
    :param required: the sets, each by names.
    :param prefix: the word before a token in the header Authorization; empty for its scheme's.
    """

    def __init__(
        self,
        schemes: Mapping[str, Node],
        required: Sequence[Mapping[str, Sequence[str]]],
        *,
        prefix: str = "",
    ) -> None:
        sets = [[_scheme(schemes[name], prefix) for name in each] for each in required]
        # An empty set is last: every request has it, also one with a credential of another set.
        self._sets: Final = sorted(sets, key=lambda one: not one)
        self._reads_one_header: Final = all(
            each.is_in_authorization for one in sets for each in one
        )
        self._known: Final = Results(_KEPT)

    @property
    def is_needed(self) -> bool:
        """Whether requests without credentials are rejected."""
        return bool(self._sets) and all(self._sets)

    def sample(self, key: str) -> list[tuple[str, str, str]]:
        """Return credentials for a request, as `accepted`; none if none are needed."""
        return self.accepted(key) if self.is_needed else []

    def accepted(self, key: str) -> list[tuple[str, str, str]]:
        """Return credentials for a request: ``header`` or ``query``, its name and value.

        They are those of the first set that needs no certificate, even if they are optional.
        """
        sets = [one for one in self._sets if all(each.kind != "other" for each in one)]
        return [each.sample(key) for each in sets[0]] if sets else []

    @property
    def challenge(self) -> str:
        """The value of the header WWW-Authenticate for a 401; empty if no scheme of HTTP fits."""
        for schemes in self._sets:
            for each in schemes:
                if each.kind == "http":
                    return f'{each.word} realm="mockpets"'
        return ""

    @property
    def query(self) -> frozenset[str]:
        """The names of the parameters in the query that are credentials."""
        return frozenset(each.name for one in self._sets for each in one if each.kind == "query")

    @property
    def cookie(self) -> str:
        """The name of a cookie that is a credential; empty without one."""
        names = (each.name for one in self._sets for each in one if each.kind == "cookie")
        return next(names, "")

    def read(self, sent: Sent, keys: tuple[str, ...] = ()) -> Credential:
        """Return the credential of a request: that of the first set which is complete.

        :param keys: those of the server; empty if any key is valid.
        """
        if not self._reads_one_header:
            return self._read(sent, keys)
        text = sent.header("Authorization")
        known: Credential | None = self._known.get((text, keys))
        if known is not None:
            return known
        read = self._read(sent, keys)
        return self._known.keep((text, keys), read) if len(text) <= _KEPT_LENGTH else read

    def _read(self, sent: Sent, keys: tuple[str, ...]) -> Credential:
        first = ""
        for schemes in self._sets:
            wrong, given = "", []
            for each in schemes:
                problem, key = each.read(sent)
                wrong = wrong or problem
                if key:
                    given.append(key)
            if keys and not wrong and not all(_is_known(key, keys) for key in given):
                wrong = "the key is invalid"
            if not wrong:
                return Credential("", given[0] if given else "")
            first = first or wrong
        return Credential(first)


def _is_known(key: str, keys: tuple[str, ...]) -> bool:
    """Return whether a key is the server's, perhaps before a session's name, or that of a user."""
    is_own = key in keys or key.rpartition(BASE_MARK)[0] in keys
    return is_own or key.endswith(f".{LOGIN_SIGNATURE}")


def scheme_problem(node: Node) -> str:
    """Return why credentials of a security scheme are not checked; empty if they are."""
    kind, name, place = node.get("type"), node.get("name"), node.get("in")
    if kind not in _TYPES:
        return _unknown("type", kind, _TYPES)
    if kind == "apiKey" and not (isinstance(name, str) and name):
        return f"`name` must be the name of the key, got {got(name)}"
    if kind == "apiKey" and place not in _PLACES:
        return _unknown("in", place, _PLACES)
    if kind == "http" and not isinstance(node.get("scheme", ""), str):
        return f"`scheme` must be a string such as bearer, got {got(node['scheme'])}"
    return ""


def _unknown(key: str, value: object, known: Sequence[str]) -> str:
    what = f"`{key}` must be {either(known)}, got {got(value)}"
    near = did_you_mean(value, known) if isinstance(value, str) else ""
    return f"{what}; {near}" if near else what


def _scheme(node: Node, prefix: str) -> _Scheme:
    kind = "" if scheme_problem(node) else node["type"]
    if kind == "apiKey":
        is_prefixed = node["in"] == "header" and node["name"].lower() == "authorization"
        return _Scheme(node["in"], node["name"], prefix if is_prefixed else "")
    if kind in ("http", "oauth2", "openIdConnect"):
        name = node.get("scheme", "bearer").lower() if kind == "http" else "bearer"
        return _Scheme("http", name, prefix if prefix and name == "bearer" else name.capitalize())
    return _Scheme("other", "", "")
