"""References in replies: values of the request or the session that a response repeats.

A reply with references is compiled when its file is loaded, to the pieces between them. Rendering
joins the pieces: nothing in a file loops, calls or reads anything but its own request and session.
"""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Final
from urllib.parse import quote as percent_encode
from uuid import UUID

from mockpets.clock import real_time, time_text
from mockpets.constants import CANNED_BYTES, HEADER_VALUE_BYTES
from mockpets.errors import RequestError
from mockpets.scenario.matching import ABSENT, value_inside
from mockpets.scenario.scenario_model import Reference
from mockpets.strict_json import dump_json
from mockpets.units import parse_int64

if TYPE_CHECKING:
    from mockpets.clock import Clock
    from mockpets.scenario.matching import Facts
    from mockpets.scenario.scenario_model import Template, Text

_UNSAFE: Final = re.compile(r"[^ -~]+")


class Values:
    """Looks up the values of references for one response.

    :param label: of the stub; `count` is the position of the request among its requests, from 1.
    :param clock: of the session; None for the real time.
    """

    def __init__(
        self,
        facts: Facts,
        session: str,
        seed: int,
        label: str,
        count: int,
        clock: Clock | None = None,
    ) -> None:
        self._facts = facts
        self._session = session
        self._label = label
        self._key = f"{seed}/{label}/{count}"
        self._count = count
        self._clock = clock
        self._now = ""
        self._uuids = 0
        self._bytes = 0
        self.used: dict[str, bytes] = {}
        """Source to its value as JSON."""
        self.missing: list[str] = []
        """Sources without a value or a default."""

    def json(self, reference: Reference) -> bytes | None:
        """Return the value, or else the default, as JSON; None if there is neither.

        :raise RequestError: ``internal_error`` if all values so far are too large.
        """
        value = self._value(*reference.steps)
        if value is not ABSENT:
            try:
                text = dump_json(value)
            except UnicodeEncodeError:  # half of a surrogate pair
                value = ABSENT
        if value is not ABSENT:
            self._bytes += len(text)
            self.check_size(self._bytes)
            self.used[reference.source] = text
            return text
        if reference.default is None:
            self.missing.append(reference.source)
        return reference.default

    def text(self, reference: Reference) -> str:
        """Return the value as text: a string as it is, anything else as JSON; empty if missing."""
        text = self.json(reference)
        if text is None:
            return ""
        result: str = json.loads(text) if text[:1] == b'"' else text.decode()
        return result

    def check_size(self, size: int) -> None:
        """Raise ``internal_error`` for a response with more bytes than a reply may have."""
        if size > CANNED_BYTES:
            what = f"the reply of stub {self._label} would have more than {CANNED_BYTES} bytes"
            raise RequestError("internal_error", what)

    def _value(self, kind: str, *steps: str) -> object:
        facts = self._facts
        match kind:
            case "body":
                return value_inside(facts.body, steps)
            case "query":
                return next(iter(facts.query.get(steps[0], ())), ABSENT)
            case "headers":
                return facts.headers.get(steps[0], ABSENT)
            case "path":
                return facts.path.split("/")[int(steps[0])]
            case "params":
                text = facts.params.get(steps[0])
                if text is None:
                    return ABSENT
                if steps[1] == "integer":
                    number = parse_int64(text)
                    return ABSENT if number is None else number
                return text
            case "session":
                return self._session
            case "count":
                return self._count
            case "now":
                if not self._now:  # one response has one time
                    now = real_time() if self._clock is None else self._clock.now()
                    self._now = time_text(now)
                return self._now
        self._uuids += 1
        digest = blake2b(f"{self._key}/{self._uuids}".encode(), digest_size=16)
        return str(UUID(bytes=digest.digest(), version=4))


def render(template: Template, values: Values) -> tuple[bytes, list[tuple[str, str]]]:
    """Return the body and the headers of a response.

    A missing value is null in JSON and empty in a text. A header whose value would be empty, or
    too long, is left out.

    :raise RequestError: ``internal_error`` if they would be too large.
    """
    if template.text is not None:
        body = _joined(template.text, values).encode()
    else:
        body = b"".join([_json(piece, values) for piece in template.body])
    values.check_size(len(body))
    headers = []
    for name, value in template.headers:
        text = value if isinstance(value, str) else _header(value, values)
        if text or text is value:
            headers.append((name, text))
    return body, headers


def _json(piece: bytes | Reference | Text, values: Values) -> bytes:
    if isinstance(piece, bytes):
        return piece
    if isinstance(piece, Reference):
        return values.json(piece) or b"null"
    return dump_json(_joined(piece, values))


def _joined(text: Text, values: Values) -> str:
    return "".join([part if isinstance(part, str) else values.text(part) for part in text])


def _header(text: Text, values: Values) -> str:
    """Return a header's value, with what headers cannot have percent-encoded (RFC 9110, 5.5)."""
    value = _UNSAFE.sub(lambda found: percent_encode(found[0]), _joined(text, values)).strip(" ")
    return value if len(value) <= HEADER_VALUE_BYTES else ""
