# ruff: noqa: E501 - messages are compared whole, a line each
"""Scenario and fixture files, good and bad: what they become, and each message word for word."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets.constants import FIXTURE_BYTES, INT64_MAX, PROBLEMS_SHOWN
from mockpets.contract import Pet
from mockpets.errors import InputError, Problem
from mockpets.resources import shipped
from mockpets.scenario.loader import load_document, load_fixture, load_scenario
from mockpets.scenario.model import (
    PASS,
    Canned,
    Condition,
    Delay,
    Generated,
    Match,
    Scenario,
    Stub,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KNOWN = ("own", "slow", "retry")
D = "description: x\n"
S = D + "stubs:\n"
JSON_TYPE = ("Content-Type", "application/json")


def stub(*lines: str) -> str:
    """A scenario of one stub, which is these lines."""
    return S + "  - " + "\n    ".join(lines) + "\n"


class Shelf(dict[str, tuple[Pet, ...]]):
    """Fixtures, one of which cannot be read."""

    def __getitem__(self, name: str) -> tuple[Pet, ...]:
        if name == "broken":
            raise InputError([Problem("broken.yaml", 1, 1, "", "is empty")])
        return super().__getitem__(name)


SHELF = Shelf(
    showroom=(Pet(id=1, name="Miso", categoryId=2, status="sold"),),
    broken=(),
    many=tuple(Pet(id=number, name="a", categoryId=1) for number in range(101)),
)


def load(text: str, *, is_json: bool = False) -> Scenario:
    return load_document(text, "own", "f", known=KNOWN, fixtures=SHELF, is_json=is_json)


def only(text: str) -> Stub:
    """The one stub of a scenario."""
    (found,) = load(text).stubs
    return found


def canned(text: str) -> Canned:
    """The one reply of the one stub."""
    (reply,) = only(text).replies
    assert isinstance(reply, Canned)
    return reply


def problems(text: str, *, is_json: bool = False) -> list[str]:
    with pytest.raises(InputError) as refused:
        load(text, is_json=is_json)
    return str(refused.value).split("\n")


# --- Bad files: every problem of each ---------------------------------------------------------

# fmt: off
YAML: dict[str, tuple[str, list[str]]] = {
    "empty": ("", ["f: is empty"]),
    "only-a-mark": ("---\n", ["f: is empty"]),
    "comments-only": ("# nothing\n# here\n", ["f: is empty"]),
    "null-root": ("null\n", ["f:1:1: must be a mapping, got nothing"]),
    "root-scalar": ("slow\n", ["f:1:1: must be a mapping, got 'slow'"]),
    "root-list": ("- description: x\n", ["f:1:1: must be a mapping, got a list"]),
    "two-documents": (D + "---\n" + D, ["f:2:1: a second document begins here; keep one document to a file"]),
    "yaml-2": ("%YAML 2.0\n---\n" + D, ["f:1:1: is not valid YAML: found incompatible YAML document"]),
    "tab-indent": ("stubs:\n\t- delay: 2s\n", ["f:2:1: a tab stands where YAML wants spaces; indent with spaces"]),
    "bad-indent": ("description: x\n  pets: 3\n", ["f:2:7: a key with its ':' cannot stand here; indent it as its neighbours, or quote a text with ': ' in it"]),
    "unclosed-quote": ("description: 'x\npets: 3\n", ["f:1:14: this quote is never closed"]),
    "unclosed-flow": ("description: x\npets: [1, 2\n", ["f:3:1: the bracket of line 2 is still open, and a ',' or its end is missing here"]),
    "second-colon": ("description: a: b\n", ["f:1:15: a key with its ':' cannot stand here; indent it as its neighbours, or quote a text with ': ' in it"]),
    "reserved-character": ("description: @x\n", ["f:1:14: a text without quotes cannot begin with '@'; quote it"]),
    "bad-escape": ('description: "\\ud800"\n', ["f:1:17: this escape stands for no character; write the character itself"]),
    "duplicate-key-top": (D + "pets: 3\npets: 4\n", ["f:3:1: key 'pets' given twice, first at line 2; keep one of the two"]),
    "duplicate-key-nested": (stub("reply:", "  status: 500", "  headers: {}", "  status: 503"), ["f:6:7: stubs.1.reply: key 'status' given twice, first at line 4; keep one of the two"]),
    "tag-python": (D + "pets: !!python/object:os.system {}\n", ["f:2:7: pets: tags are not supported, got '!!python/object:os.system'; leave it out"]),
    "tag-binary": (D + "pets: !!binary aGk=\n", ["f:2:7: pets: tags are not supported, got '!!binary'; leave it out"]),
    "tag-set": (D + "stubs: !!set {a}\n", ["f:2:8: stubs: tags are not supported, got '!!set'; leave it out"]),
    "tag-own": (D + "pets: !pets 3\n", ["f:2:7: pets: tags are not supported, got '!pets'; leave it out"]),
    "undefined-alias": (D + "pets: *other\n", ["f:2:7: the alias '*other' has no anchor before it"]),
    "recursive-alias": (D + "stubs: &all [*all]\n", ["f:2:14: the alias '*all' stands inside what it stands for"]),
    "recursive-mapping": ("description: x\npets: &p {count: *p}\n", ["f:2:18: the alias '*p' stands inside what it stands for"]),
    "merge-key": (D + "base: &b {delay: 2s}\nstubs:\n  - <<: *b\n", ["f:2:1: unknown key 'base'; known here: $schema, description, extends, pets, stubs", "f:4:5: stubs.1: merge keys ('<<') are not supported; write the members out", "f:4:5: stubs.1: must have reply, sequence, fault, delay, throttle or hold; it does nothing so far"]),
    "list-as-key": (D + "? [a]\n: b\n", ["f:2:3: a key must be text, got a list"]),
    "mapping-as-key": (D + "{a: b}: c\n", ["f:2:1: a key must be text, got a mapping"]),
    "number-as-key": (D + "200: x\n", ['f:2:1: a key must be text, got 200; quote it: "200"']),
    "null-as-key": (D + "~: x\n", ["f:2:1: a key must be text, got nothing"]),
    "yes-key": ("on: x\n" + D, ['f:1:1: \'on\' is true or false to some readers of YAML, and text to others; write true or false, or quote it: "on"']),
    "yes-value": (stub("delay: 1s", "off_contract: yes"), ['f:4:19: stubs.1.off_contract: \'yes\' is true or false to some readers of YAML, and text to others; write true or false, or quote it: "yes"']),
    "off-any-case": ("description: OFF\n", ['f:1:14: description: \'OFF\' is true or false to some readers of YAML, and text to others; write true or false, or quote it: "OFF"']),
    "not-a-number": (stub("delay: 1s", "probability: .nan"), ['f:4:18: stubs.1.probability: \'.nan\' is no number that JSON has; quote it: ".nan"']),
    "infinite": (stub("delay: 1s", "probability: .inf"), ['f:4:18: stubs.1.probability: \'.inf\' is no number that JSON has; quote it: ".inf"']),
    "huge-float": (stub("delay: 1s", "probability: 1.0e+400"), ["f:4:18: stubs.1.probability: the number '1.0e+400' is too large or too long; shorten it"]),
    "octal": (stub("delay: 1s", "after: 0777"), ["f:4:12: stubs.1.after: '0777' is not the same number to every reader of YAML; write it as JSON does, or quote it"]),
    "base-60": (stub("delay: 1s", "after: 1:30"), ["f:4:12: stubs.1.after: '1:30' is not the same number to every reader of YAML; write it as JSON does, or quote it"]),
    "hexadecimal": (stub("delay: 1s", "after: 0x1F"), ["f:4:12: stubs.1.after: '0x1F' is not the same number to every reader of YAML; write it as JSON does, or quote it"]),
    "underscore": (D + "pets: 1_000\n", ["f:2:7: pets: '1_000' is not the same number to every reader of YAML; write it as JSON does, or quote it"]),
    "plus": (D + "pets: +5\n", ["f:2:7: pets: '+5' is not the same number to every reader of YAML; write it as JSON does, or quote it"]),
    "5000-digits": (D + "pets: " + "9" * 5000 + "\n", ["f:2:7: pets: the number '99999999999999999999999999999999999999999999999999999999999999999999999999999...' is too large or too long; shorten it"]),
    "huge-hexadecimal": (D + "pets: 0x" + "f" * 5000 + "\n", ["f:2:7: pets: '0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff...' is not the same number to every reader of YAML; write it as JSON does, or quote it"]),
    "nul": ("description: a\0b\n", ['f:1:15: the character U+0000 stands here unseen; remove it, or write it as "\\u0000" in double quotes']),
    "escape-character": (D + "# \x1b[31m\n", ['f:2:3: the character U+001B stands here unseen; remove it, or write it as "\\u001b" in double quotes']),
    "c1-control": ("description: a\x85b\n", ['f:1:15: the character U+0085 stands here unseen; remove it, or write it as "\\u0085" in double quotes']),
    "bidi-override": ("description: a\u202eb\n", ['f:1:15: the character U+202E stands here unseen; remove it, or write it as "\\u202e" in double quotes']),
    "line-separator": ("description: a\u2028b\n", ['f:1:15: the character U+2028 stands here unseen; remove it, or write it as "\\u2028" in double quotes']),
    "nul-by-escape": ('description: "a\\0b"\n', ["f:1:14: description: must be text of one line, at most 200 characters, got 'a\\x00b'"]),
    "bidi-by-escape": ('description: "a\\u202eb"\n', ["f:1:14: description: must be text of one line, at most 200 characters, got 'a\\u202eb'"]),
    "no-description": ("pets: 3\n", ["f:1:1: the key 'description' is missing; add description: one line that says what the scenario is for, shown in every list"]),
    "description-of-two-lines": ("description: |\n  a\n  b\n", ["f:1:14: description: must be text of one line, at most 200 characters, got 'a\\nb\\n'"]),
    "description-blank": ("description: ' '\n", ["f:1:14: description: must be text of one line, at most 200 characters, got ' '"]),
    "description-number": ("description: 5\n", ['f:1:14: description: must be text of one line, at most 200 characters, got 5; quote it: "5"']),
    "description-long": ("description: " + "x" * 201 + "\n", ["f:1:14: description: must be text of one line, at most 200 characters, got 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'"]),
    "unknown-key": (D + "stub: []\n", ["f:2:1: unknown key 'stub'; did you mean 'stubs'? known here: $schema, description, extends, pets, stubs"]),
    "unknown-key-far": (D + "colour: red\n", ["f:2:1: unknown key 'colour'; known here: $schema, description, extends, pets, stubs"]),
    "future-version": ("version: 99\n" + D, ["f:1:1: unknown key 'version'; the file was made for a newer mockpets"]),
    "extends-unknown": (D + "extends: slwo\n", ["f:2:10: extends: there is no scenario 'slwo'; did you mean 'slow'?"]),
    "extends-unknown-far": (D + "extends: [slow, zzz]\n", ["f:2:17: extends.2: there is no scenario 'zzz'; there are: own, retry, slow"]),
    "extends-itself": (D + "extends: own\n", ["f:2:10: extends: a scenario cannot extend itself; leave it out"]),
    "extends-too-many": (D + "extends: [" + ", ".join(["slow"] * 9) + "]\n", ["f:2:10: extends: must have at most 8, has 9"]),
    "extends-path": (D + "extends: ../slow\n", ["f:2:10: extends: must be text, the name of a scenario (a-z, 0-9, single dashes), got '../slow'"]),
    "extends-nothing": (D + "extends:\n", ["f:2:9: extends: must be text, the name of a scenario (a-z, 0-9, single dashes), got nothing; leave the key out if you mean none"]),
    "extends-empty": (D + "extends: []\n", ["f:2:10: extends: must have at least 1, has 0"]),
    "fixture-unknown": (D + "pets: showrom\n", ["f:2:7: pets: there is no fixture 'showrom'; did you mean 'showroom'?"]),
    "fixture-path": (D + "pets: ../showroom\n", ["f:2:7: pets: must be text, the name of a fixture (a-z, 0-9, single dashes), got '../showroom'"]),
    "fixture-absolute": (D + "pets: /etc/passwd\n", ["f:2:7: pets: must be text, the name of a fixture (a-z, 0-9, single dashes), got '/etc/passwd'"]),
    "fixture-broken": (D + "pets: broken\n", ["f:2:7: pets: the fixture 'broken' cannot be used: broken.yaml:1:1: is empty; mend it first"]),
    "count-huge": (D + "pets: 1e9\n", ["f:2:7: pets: must be an integer from 0 to 100000, got 1000000000.0"]),
    "count-fraction": (D + "pets: 1.5\n", ["f:2:7: pets: must be an integer from 0 to 100000, got 1.5"]),
    "count-negative": (D + "pets: -1\n", ["f:2:7: pets: must be an integer from 0 to 100000, got -1"]),
    "pets-true": (D + "pets: true\n", ["f:2:7: pets: must be a fixture's name, a list of Pet objects, a number or {count, seed, locale}, got true"]),
    "seed-negative": (D + "pets: {count: 3, seed: -1}\n", ["f:2:24: pets.seed: must be an integer from 0 to 9223372036854775807, got -1"]),
    "seed-huge": (D + f"pets: {{count: 3, seed: {2**70}}}\n", ["f:2:24: pets.seed: must be an integer from 0 to 9223372036854775807, got 1180591620717411303424"]),
    "seed-text": (D + "pets: {count: 3, seed: abc}\n", ["f:2:24: pets.seed: must be an integer from 0 to 9223372036854775807, got 'abc'"]),
    "locale-unknown": (D + "pets: {count: 3, locale: de_De}\n", ["f:2:26: pets.locale: must be en_US, en_GB, de_DE, fr_FR, es_ES, it_IT, nl_NL, pl_PL, pt_BR, sv_SE, ja_JP, zh_CN, ko_KR, ar_SA or he_IL, got 'de_De'; did you mean 'de_DE'?"]),
    "generated-without-count": (D + "pets: {seed: 3}\n", ["f:2:7: pets: the key 'count' is missing; add count: how many pets to generate"]),
    "pet-wrong": (D + "pets:\n  - {id: 1, name: 5}\n  - {id: 2.5, name: a, categoryId: 1, status: gone}\n", ["f:3:5: pets.1.categoryId: is required", 'f:3:19: pets.1.name: must be a string of Unicode text, got 5; quote it: "5"', "f:4:10: pets.2.id: must be an integer from -9223372036854775808 to 9223372036854775807 (int64), got 2.5", 'f:4:47: pets.2.status: must be one of available, pending, sold, got "gone"']),
    "pet-unknown-member": (D + "pets:\n  - {id: 1, name: a, categoryId: 1, tag: b}\n", ["f:3:37: pets.1: unknown key 'tag'; known here: id, name, categoryId, status"]),
    "pet-no-object": (D + "pets: [Miso]\n", ["f:2:8: pets.1: must be a Pet object, got 'Miso'"]),
    "pet-id-twice": (D + "pets:\n  - {id: 7, name: a, categoryId: 1}\n  - {id: 7, name: b, categoryId: 1}\n", ["f:4:10: pets.2.id: the id 7 is taken by pet 1; give each pet its own"]),
    "stubs-mapping": (D + "stubs: {delay: 2s}\n", ["f:2:8: stubs: must be a list, got a mapping"]),
    "stub-text": (D + "stubs: [delay]\n", ["f:2:9: stubs.1: must be a mapping, got 'delay'"]),
    "stub-does-nothing": (stub("name: idle"), ["f:3:5: stubs.1: must have reply, sequence, fault, delay, throttle or hold; it does nothing so far"]),
    "stub-unknown-key": (stub("delay: 1s", "matsh: {}"), ["f:4:5: stubs.1: unknown key 'matsh'; did you mean 'match'? known here: name, match, after, times, probability, reply, sequence, repeat, delay, throttle, fault, hold, off_contract"]),
    "stub-status": (stub("status: 500"), ["f:3:5: stubs.1: unknown key 'status'; it belongs under reply"]),
    "stub-query": (stub("delay: 1s", "query: {}"), ["f:4:5: stubs.1: unknown key 'query'; it belongs under match"]),
    "stub-name-bad": (stub("name: Slow Start", "delay: 1s"), ["f:3:11: stubs.1.name: must be text, a name in kebab-case (a-z, 0-9, single dashes), got 'Slow Start'"]),
    "stub-name-number": (stub("name: 5", "delay: 1s"), ['f:3:11: stubs.1.name: must be text, a name in kebab-case (a-z, 0-9, single dashes), got 5; quote it: "5"']),
    "stub-name-twice": (S + "  - {name: a, delay: 1s}\n  - {delay: 1s}\n  - {name: '2', delay: 1s}\n", ["f:5:12: stubs.3.name: the name '2' is taken by stub 2; give each stub its own"]),
    "after-negative": (stub("delay: 1s", "after: -1"), ["f:4:12: stubs.1.after: must be an integer from 0 to 1000000, got -1"]),
    "times-zero": (stub("delay: 1s", "times: 0"), ["f:4:12: stubs.1.times: must be an integer from 1 to 1000000, got 0"]),
    "times-true": (stub("delay: 1s", "times: true"), ["f:4:12: stubs.1.times: must be an integer from 1 to 1000000, got true"]),
    "probability-over-one": (stub("delay: 1s", "probability: 1.5"), ["f:4:18: stubs.1.probability: must be a number from 0 to 1, got 1.5"]),
    "probability-text": (stub("delay: 1s", "probability: 25%"), ["f:4:18: stubs.1.probability: must be a number from 0 to 1, got '25%'"]),
    "delay-negative": (stub("delay: -1"), ["f:3:12: stubs.1.delay: must be a duration such as 300ms, 1.5s or 1m, got '-1'"]),
    "delay-bare": (stub("delay: 5"), ["f:3:12: stubs.1.delay: must be a duration such as 300ms, 1.5s or 1m, got '5': say the unit, '5s' or '5ms'"]),
    "delay-huge": (stub("delay: 1e9"), ["f:3:12: stubs.1.delay: must be a duration such as 300ms, 1.5s or 1m, got '1000000000.0'"]),
    "delay-quoted-bare": (stub('delay: "5"'), ["f:3:12: stubs.1.delay: must be a duration such as 300ms, 1.5s or 1m, got '5': say the unit, '5s' or '5ms'"]),
    "delay-too-long": (stub("delay: 61s"), ["f:3:12: stubs.1.delay: must be a duration of at most 60s, got '61s'"]),
    "delay-true": (stub("delay: true"), ["f:3:12: stubs.1.delay: must be a duration such as 300ms, {min, max} or {p50, p95}, got true"]),
    "delay-range-turned": (stub("delay: {min: 2s, max: 1s}"), ["f:3:12: stubs.1.delay: min must not be over max; swap them"]),
    "delay-half": (stub("delay: {min: 2s}"), ["f:3:12: stubs.1.delay: the key 'max' is missing; add max: the longest"]),
    "delay-percentiles": (stub("delay: {p50: 0s, p95: 1s}"), ["f:3:12: stubs.1.delay: p50 must be over 0 and under p95; half of the answers are faster"]),
    "delay-mixed": (stub("delay: {min: 1s, p95: 1s}"), ["f:3:12: stubs.1.delay: the key 'max' is missing; add max: the longest", "f:3:22: stubs.1.delay: unknown key 'p95'; known here: min, max"]),
    "delay-empty": (stub("delay: {}"), ["f:3:12: stubs.1.delay: must have min, max, p50 or p95"]),
    "delay-other": (stub("delay: {mean: 1s}"), ["f:3:13: stubs.1.delay: unknown key 'mean'; known here: min, max, p50, p95"]),
    "throttle-bare": (stub("throttle: 500"), ["f:3:15: stubs.1.throttle: must be a rate such as 500 B/s or 2 kB/s, got '500': say the unit, '500 B/s' or '500 kB/s'"]),
    "throttle-zero": (stub("throttle: 0 B/s"), ["f:3:15: stubs.1.throttle: must be a rate of at least 1 B/s, got '0 B/s'"]),
    "throttle-list": (stub("throttle: [1]"), ["f:3:15: stubs.1.throttle: must be a rate such as 500 B/s or 2 kB/s, got a list"]),
    "fault-unknown": (stub("fault: connection_rest"), ["f:3:12: stubs.1.fault: must be connection_reset, empty_reply, truncated_body or malformed_json, got 'connection_rest'; did you mean 'connection_reset'?"]),
    "hold-bad": (stub("hold: ../x"), ["f:3:11: stubs.1.hold: must be text, a name in kebab-case (a-z, 0-9, single dashes), got '../x'"]),
    "hold-nothing": (stub("hold:"), ["f:3:10: stubs.1.hold: must be text, a name in kebab-case (a-z, 0-9, single dashes), got nothing; leave the key out if you mean none"]),
    "repeat-alone": (stub("delay: 1s", "repeat: last"), ["f:3:5: stubs.1: 'repeat' needs 'sequence' beside it; a single reply is always repeated"]),
    "repeat-unknown": (stub("sequence: [pass]", "repeat: allways"), ["f:4:13: stubs.1.repeat: must be last, cycle or none, got 'allways'"]),
    "reply-and-sequence": (stub("reply: pass", "sequence: [pass]"), ["f:3:5: stubs.1: 'reply' and 'sequence' exclude each other; a sequence holds all replies"]),
    "sequence-empty": (stub("sequence: []"), ["f:3:15: stubs.1.sequence: must have at least 1, has 0"]),
    "sequence-text": (stub("sequence: pass"), ["f:3:15: stubs.1.sequence: must be a list, got 'pass'"]),
    "operation-unknown": (stub("delay: 1s", "match: {operation: listpets}"), ["f:4:24: stubs.1.match.operation: must be listPets, createPet or getPet, got 'listpets'; did you mean 'listPets'?"]),
    "operation-far": (stub("delay: 1s", "match: {operation: [getPet, x]}"), ["f:4:33: stubs.1.match.operation.2: must be listPets, createPet or getPet, got 'x'"]),
    "operation-empty": (stub("delay: 1s", "match: {operation: []}"), ["f:4:24: stubs.1.match.operation: must have at least 1, has 0"]),
    "match-unknown-key": (stub("delay: 1s", "match: {header: {}}"), ["f:4:13: stubs.1.match: unknown key 'header'; did you mean 'headers'? known here: operation, method, path, petId, query, headers, body"]),
    "match-status": (stub("delay: 1s", "match: {status: sold}"), ["f:4:13: stubs.1.match: unknown key 'status'; it belongs under query"]),
    "method-alone": (stub("delay: 1s", "match: {method: GET}"), ["f:4:12: stubs.1.match: 'method' needs 'path' beside it; add path: /v1/..., or use operation"]),
    "path-alone": (stub("delay: 1s", "match: {path: /v1/x}"), ["f:4:12: stubs.1.match: 'path' needs 'method' beside it; add method: GET, or use operation"]),
    "path-outside": (stub("delay: 1s", "match: {method: GET, path: /v2/x}"), ["f:4:32: stubs.1.match.path: must be text, a decoded path such as /v1/store/orders or /v1/store/*, got '/v2/x'"]),
    "path-glob": (stub("delay: 1s", "match: {method: GET, path: /v1/x*}"), ["f:4:32: stubs.1.match.path: must be text, a decoded path such as /v1/store/orders or /v1/store/*, got '/v1/x*'"]),
    "path-query": (stub("delay: 1s", "match: {method: GET, path: '/v1/x?a=b'}"), ["f:4:32: stubs.1.match.path: must be text, a decoded path such as /v1/store/orders or /v1/store/*, got '/v1/x?a=b'"]),
    "path-of-operation": (stub("delay: 1s", "match: {method: get, path: /v1/pets}"), ["f:4:32: stubs.1.match.path: GET /v1/pets can be one of the contract's operations; use operation: listPets"]),
    "path-wild-of-operation": (stub("delay: 1s", "match: {method: HEAD, path: /v1/*/7}"), ["f:4:33: stubs.1.match.path: HEAD /v1/*/7 can be one of the contract's operations; use operation: getPet"]),
    "path-and-operation": (stub("delay: 1s", "match: {method: GET, path: /v1/x, operation: getPet}"), ["f:4:12: stubs.1.match: 'operation' and 'path' exclude each other; path is for what the contract lacks"]),
    "method-bad": (stub("delay: 1s", "match: {method: 'GET /', path: /v1/x}"), ["f:4:21: stubs.1.match.method: must be text, an HTTP method, got 'GET /'"]),
    "method-options": (stub("delay: 1s", "match: {method: OPTIONS, path: /v1/x}"), ["f:4:21: stubs.1.match.method: OPTIONS requests never reach a stub; leave it out"]),
    "pet-id-elsewhere": (stub("delay: 1s", "match: {operation: listPets, petId: 3}"), ["f:4:41: stubs.1.match.petId: listPets has no petId, only getPet has; leave it out, or give it a stub of its own"]),
    "pet-id-huge": (stub("delay: 1s", f"match: {{petId: [1, {2**63}]}}"), ["f:4:24: stubs.1.match.petId.2: must be an integer from -9223372036854775808 to 9223372036854775807, got 9223372036854775808"]),
    "pet-id-text": (stub("delay: 1s", "match: {petId: '3'}"), ["f:4:20: stubs.1.match.petId: must be an integer from -9223372036854775808 to 9223372036854775807, got '3'"]),
    "query-operator-unknown": (stub("delay: 1s", "match: {query: {status: {equal: sold}}}"), ["f:4:30: stubs.1.match.query.status: unknown key 'equal'; did you mean 'equals'? known here: equals, contains, matches, present, one_of"]),
    "query-operators-none": (stub("delay: 1s", "match: {query: {status: {}}}"), ["f:4:29: stubs.1.match.query.status: must have equals, contains, matches, present or one_of; a value alone means equals"]),
    "query-null": (stub("delay: 1s", "match: {query: {status: }}"), ["f:4:29: stubs.1.match.query.status: must be a value, or a mapping of operators, got nothing; leave the key out if you mean none"]),
    "query-list": (stub("delay: 1s", "match: {query: {status: [sold]}}"), ["f:4:29: stubs.1.match.query.status: must be a value, or a mapping of operators, got a list"]),
    "present-text": (stub("delay: 1s", "match: {query: {status: {present: sure}}}"), ["f:4:39: stubs.1.match.query.status.present: must be true or false, got 'sure'"]),
    "one-of-empty": (stub("delay: 1s", "match: {query: {status: {one_of: []}}}"), ["f:4:38: stubs.1.match.query.status.one_of: must have at least 1, has 0"]),
    "header-name-bad": (stub("delay: 1s", "match: {headers: {'a b': x}}"), ["f:4:23: stubs.1.match.headers: a key here must be a header's name, got 'a b'"]),
    "header-name-twice": (stub("delay: 1s", "match: {headers: {Accept: a, accept: b}}"), ["f:4:34: stubs.1.match.headers: header 'accept' given twice, first as 'Accept'; keep one"]),
    "body-nested": (stub("delay: 1s", "match: {body: {tags: [[1]]}}"), ["f:4:26: stubs.1.match.body.tags: must be a single value or a list of them, got a list"]),
    "reply-word": (stub("reply: unauthorized"), ["f:3:12: stubs.1.reply: must be pass, or a mapping such as {error: unauthorized}, got 'unauthorized'"]),
    "reply-empty": (stub("reply: {}"), ["f:3:12: stubs.1.reply: must have sequence, error, status, page, body, text, headers, message or repeat"]),
    "reply-near": (stub("reply: {staus: 500}"), ["f:3:13: stubs.1.reply: unknown key 'staus'; did you mean 'status'? known here: sequence, error, status, page, body, text, headers, message, repeat"]),
    "reply-without-status": (stub("reply: {body: []}"), ["f:3:12: stubs.1.reply: the key 'status' is missing; add status: the HTTP status"]),
    "reply-delay": (stub("reply: {status: 500, delay: 2s}"), ["f:3:26: stubs.1.reply: unknown key 'delay'; it belongs on the stub, beside reply"]),
    "reply-fault": (stub("reply: {fault: empty_reply}"), ["f:3:13: stubs.1.reply: unknown key 'fault'; it belongs on the stub, beside reply"]),
    "reply-list": (stub("reply: [pass]"), ["f:3:12: stubs.1.reply: must be pass, or a mapping that has error, status, page or sequence, got a list"]),
    "error-unknown": (stub("reply: {error: unauthorised}"), ["f:3:20: stubs.1.reply.error: must be invalid_request, unauthorized or pet_not_found, got 'unauthorised'; did you mean 'unauthorized'?"]),
    "error-elsewhere": (stub("match: {operation: [listPets, getPet]}", "reply: {error: invalid_request}"), ["f:4:20: stubs.1.reply.error: status 400 is not listed for listPets, getPet: the contract allows 200, 401 for listPets and 200, 401, 404 for getPet; say off_contract: true on the stub to send it all the same"]),
    "error-status": (stub("reply: {error: unauthorized, status: 401}"), ["f:3:34: stubs.1.reply: unknown key 'status'; known here: error, message"]),
    "status-99": (stub("reply: {status: 99}"), ["f:3:21: stubs.1.reply.status: must be an integer from 200 to 599, got 99"]),
    "status-100": (stub("reply: {status: 100}"), ["f:3:21: stubs.1.reply.status: must be an integer from 200 to 599, got 100"]),
    "status-600": (stub("reply: {status: 600}"), ["f:3:21: stubs.1.reply.status: must be an integer from 200 to 599, got 600"]),
    "status-0": (stub("reply: {status: 0}"), ["f:3:21: stubs.1.reply.status: must be an integer from 200 to 599, got 0"]),
    "status-abc": (stub("reply: {status: abc}"), ["f:3:21: stubs.1.reply.status: must be an integer from 200 to 599, got 'abc'"]),
    "status-true": (stub("reply: {status: true}"), ["f:3:21: stubs.1.reply.status: must be an integer from 200 to 599, got true"]),
    "status-200.5": (stub("reply: {status: 200.5}"), ["f:3:21: stubs.1.reply.status: must be an integer from 200 to 599, got 200.5"]),
    "body-with-204": (stub("reply: {status: 204, body: {}}", "off_contract: true"), ["f:3:12: stubs.1.reply: an answer with status 204 has no body; leave body and text out"]),
    "body-and-text": (stub("reply: {status: 500, body: {}, text: x}"), ["f:3:12: stubs.1.reply: 'body' and 'text' exclude each other; keep body for JSON, or text for anything else"]),
    "header-space": (stub("reply: {status: 500, headers: {'X A': b}}"), ["f:3:36: stubs.1.reply.headers: a key here must be a header's name, got 'X A'"]),
    "header-colon": (stub("reply: {status: 500, headers: {'X:A': b}}"), ["f:3:36: stubs.1.reply.headers: a key here must be a header's name, got 'X:A'"]),
    "header-empty": (stub("reply: {status: 500, headers: {'': b}}"), ["f:3:36: stubs.1.reply.headers: a key here must be a header's name, got ''"]),
    "header-crlf": (stub('reply: {status: 500, headers: {"X\\r\\nA": b}}'), ["f:3:36: stubs.1.reply.headers: a key here must be a header's name, got 'X\\r\\nA'"]),
    "value-crlf": (stub('reply: {status: 500, headers: {A: "b\\r\\nC: d"}}'), ["f:3:39: stubs.1.reply.headers.A: must be visible ASCII, with blanks only inside, got '\\r' at character 2"]),
    "value-nul": (stub('reply: {status: 500, headers: {A: "b\\0"}}'), ["f:3:39: stubs.1.reply.headers.A: must be visible ASCII, with blanks only inside, got '\\x00' at character 2"]),
    "value-latin": (stub("reply: {status: 500, headers: {A: \u20ac5}}"), ["f:3:39: stubs.1.reply.headers.A: must be visible ASCII, with blanks only inside, got '\\u20ac' at character 1"]),
    "value-long": (stub("reply: {status: 500, headers: {A: " + "x" * 5120 + "}}"), ["f:3:39: stubs.1.reply.headers.A: must have at most 4096 characters, has 5120"]),
    "value-blank": (stub("reply: {status: 500, headers: {A: 'b '}}"), ["f:3:39: stubs.1.reply.headers.A: must be visible ASCII, with blanks only inside, got a blank at an end"]),
    "value-true": (stub("reply: {status: 500, headers: {A: true}}"), ['f:3:39: stubs.1.reply.headers.A: must be text or a number, got true; quote it: "true"']),
    "value-null": (stub("reply: {status: 500, headers: {A: }}"), ["f:3:39: stubs.1.reply.headers.A: must be text or a number, got nothing; leave the key out if you mean none"]),
    "headers-reserved": (stub("reply:", "  status: 500", "  headers:", "    Content-Length: 5", "    transfer-encoding: chunked", "    Connection: close", "    Date: now", "    Server: x", "    Mockpets-Stub: x", "    Proxy-Authenticate: x", "    TE: x", "    Upgrade: x", "    Keep-Alive: x", "    Trailer: x"), ["f:6:9: stubs.1.reply.headers: the header 'Content-Length' is the server's own to send; leave it out", "f:7:9: stubs.1.reply.headers: the header 'transfer-encoding' is the server's own to send; leave it out", "f:8:9: stubs.1.reply.headers: the header 'Connection' is the server's own to send; leave it out", "f:9:9: stubs.1.reply.headers: the header 'Date' is the server's own to send; leave it out", "f:10:9: stubs.1.reply.headers: the header 'Server' is the server's own to send; leave it out", "f:11:9: stubs.1.reply.headers: the header 'Mockpets-Stub' is the server's own to send; leave it out", "f:12:9: stubs.1.reply.headers: the header 'Proxy-Authenticate' is the server's own to send; leave it out", "f:13:9: stubs.1.reply.headers: the header 'TE' is the server's own to send; leave it out", "f:14:9: stubs.1.reply.headers: the header 'Upgrade' is the server's own to send; leave it out", "f:15:9: stubs.1.reply.headers: the header 'Keep-Alive' is the server's own to send; leave it out", "f:16:9: stubs.1.reply.headers: the header 'Trailer' is the server's own to send; leave it out"]),
    "header-twice": (stub("reply: {status: 500, headers: {A: b, a: c}}"), ["f:3:42: stubs.1.reply.headers: header 'a' given twice, first as 'A'; keep one"]),
    "header-cookie": (stub("reply: {status: 500, headers: {Set-Cookie: a=b}}"), ["f:3:48: stubs.1.reply.headers.Set-Cookie: the header Set-Cookie is not in the contract; say off_contract: true on the stub to send it all the same"]),
    "header-cors": (stub("reply: {error: unauthorized}", "match: {operation: createPet}", "times: 1").replace("{error: unauthorized}", "{status: 401, headers: {Access-Control-Max-Age: 5}, body: {code: a, message: b, status: 401}}"), ["f:3:60: stubs.1.reply.headers.Access-Control-Max-Age: the header Access-Control-Max-Age is not in the contract; say off_contract: true on the stub to send it all the same"]),
    "status-off-contract": (stub("match: {operation: getPet}", "reply: {status: 410}"), ["f:4:21: stubs.1.reply.status: status 410 is not listed for getPet: the contract allows 200, 401, 404 for getPet; say off_contract: true on the stub to send it all the same"]),
    "status-of-one": (stub("reply: {error: pet_not_found}"), ["f:3:20: stubs.1.reply.error: status 404 is not listed for listPets, createPet: the contract allows 200, 401 for listPets and 201, 400, 401 for createPet; name the operation in match, or say off_contract: true on the stub to send it all the same"]),
    "status-by-pet-id": (stub("match: {petId: 3}", "reply: {error: invalid_request}"), ["f:4:20: stubs.1.reply.error: status 400 is not listed for getPet: the contract allows 200, 401, 404 for getPet; say off_contract: true on the stub to send it all the same"]),
    "path-off-contract": (stub("match: {method: GET, path: /v1/store/orders}", "reply: {status: 200, body: []}"), ["f:4:12: stubs.1.reply: GET /v1/store/orders is not in the contract; say off_contract: true on the stub to send it all the same"]),
    "body-missing": (stub("reply: {status: 401}"), ["f:3:12: stubs.1.reply: a body is missing: the contract has Error here; write {error: unauthorized}, or say off_contract: true on the stub to send it all the same"]),
    "body-missing-200": (stub("match: {operation: getPet}", "reply: {status: 200}"), ["f:4:12: stubs.1.reply: a body is missing: the contract has Pet here; say off_contract: true on the stub to send it all the same"]),
    "body-text": (stub("match: {operation: getPet}", "reply: {status: 200, text: hello}"), ["f:4:32: stubs.1.reply.text: the body is text: the contract has Pet as JSON here; use body, or say off_contract: true on the stub to send it all the same"]),
    "body-wrong": (stub("match: {operation: getPet}", "reply:", "  status: 200", "  body:", "    id: '7'", "    name: Miso"), ["f:7:9: stubs.1.reply.body.categoryId: is required: the contract has Pet here; say off_contract: true on the stub to send it all the same", 'f:7:13: stubs.1.reply.body.id: must be an integer from -9223372036854775808 to 9223372036854775807 (int64), got "7": the contract has Pet here; say off_contract: true on the stub to send it all the same']),
    "body-wrong-list": (stub("match: {operation: listPets}", "reply:", "  status: 200", "  body:", "    - {id: 1, name: a, categoryId: 1}", "    - {id: 2, name: b, categoryId: 1, status: gone}"), ['f:8:51: stubs.1.reply.body.2.status: must be one of available, pending, sold, got "gone": the contract has Pets here; say off_contract: true on the stub to send it all the same']),
    "body-no-list": (stub("match: {operation: listPets}", "reply: {status: 200, body: {pets: []}}"), ["f:4:32: stubs.1.reply.body: must be an array of pets: the contract has Pets here; say off_contract: true on the stub to send it all the same"]),
    "body-error-status": (stub("match: {operation: getPet}", "reply: {status: 404, body: {code: a, message: b, status: 401}}"), ["f:4:62: stubs.1.reply.body.status: must repeat the HTTP status, 404: the contract has Error here; say off_contract: true on the stub to send it all the same"]),
    "body-of-all": (stub("reply: {status: 200, body: []}"), ["f:3:21: stubs.1.reply.status: status 200 is not listed for createPet: the contract allows 201, 400, 401 for createPet; name the operation in match, or say off_contract: true on the stub to send it all the same", "f:3:32: stubs.1.reply.body: must be an object: the contract has Pet here; say off_contract: true on the stub to send it all the same"]),
    "content-type": (stub("match: {operation: listPets}", "reply: {status: 200, headers: {Content-Type: text/csv}, body: []}"), ["f:4:50: stubs.1.reply.headers.Content-Type: the contract's content type is application/json; say off_contract: true on the stub to send it all the same"]),
    "page-elsewhere": (stub("match: {operation: [listPets, getPet]}", "reply: {page: []}"), ["f:4:12: stubs.1.reply: a page is an answer of listPets alone; say match: {operation: listPets}"]),
    "page-of-101": (stub("match: {operation: listPets}", "reply: {page: many}"), ["f:4:19: stubs.1.reply.page: a page of 101 pets is more than 100; say off_contract: true on the stub to send it all the same"]),
    "page-bad-pet": (stub("match: {operation: listPets}", "reply: {page: [{id: 1}]}"), ["f:4:20: stubs.1.reply.page.1.categoryId: is required", "f:4:20: stubs.1.reply.page.1.name: is required"]),
    "page-unknown-fixture": (stub("match: {operation: listPets}", "reply: {page: x}"), ["f:4:19: stubs.1.reply.page: there is no fixture 'x'; there are: broken, many, showroom"]),
    "page-number": (stub("match: {operation: listPets}", "reply: {page: 5}"), ["f:4:19: stubs.1.reply.page: must be a list of Pet objects or a fixture's name, got 5"]),
    "fault-with-reply": (stub("fault: connection_reset", "reply: {status: 500}"), ["f:4:12: stubs.1.reply: with fault connection_reset this reply can never be sent; leave one of them out, or say reply: pass to have the operation done all the same"]),
    "fault-without-body": (stub("fault: truncated_body", "reply: {status: 204}", "off_contract: true"), ["f:4:12: stubs.1.reply: this reply has no body that truncated_body could spoil; give it one, or leave the fault out"]),
    "fault-with-sequence": (stub("fault: empty_reply", "sequence: [pass, {status: 503}]"), ["f:4:22: stubs.1.sequence.2: with fault empty_reply this reply can never be sent; leave one of them out, or say reply: pass to have the operation done all the same"]),
    "several": ("description: 5\nextend: slow\nstubs:\n  - match: {operation: getPets}\n    reply: {status: 99}\n    delay: 5\n  - {}\n", ['f:1:14: description: must be text of one line, at most 200 characters, got 5; quote it: "5"', "f:2:1: unknown key 'extend'; did you mean 'extends'? known here: $schema, description, extends, pets, stubs", "f:4:24: stubs.1.match.operation: must be listPets, createPet or getPet, got 'getPets'; did you mean 'getPet'?", "f:5:21: stubs.1.reply.status: must be an integer from 200 to 599, got 99", "f:6:12: stubs.1.delay: must be a duration such as 300ms, 1.5s or 1m, got '5': say the unit, '5s' or '5ms'", "f:7:5: stubs.2: must have reply, sequence, fault, delay, throttle or hold; it does nothing so far"]),
    "wrong-twice-by-alias": (S + "  - &one {name: a, delay: 5}\n  - {name: b, delay: 1s}\n", ["f:3:27: stubs.1.delay: must be a duration such as 300ms, 1.5s or 1m, got '5': say the unit, '5s' or '5ms'"]),
    "long-line": (D + "x" * 10000 + ": 1\n", ["f:2:10001: is not valid YAML: while scanning a simple key, could not find expected ':'"]),
    "alias-fan-out": ("description: x\npets: &p0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(f"a{n}: &p{n} [{', '.join([f'*p{n-1}'] * 9)}]\n" for n in range(1, 10)), ["f:6:15: has more than 20000 values, aliases counted as what they stand for"]),
    "merge-bomb": ("a0: &a0 {k: v}\n" + "".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n-1}'] * 10)}]}}\n" for n in range(1, 8)), ["f:2:10: a1: merge keys ('<<') are not supported; write the members out", "f:3:10: a2: merge keys ('<<') are not supported; write the members out", "f:4:10: a3: merge keys ('<<') are not supported; write the members out", "f:5:35: has more than 20000 values, aliases counted as what they stand for"]),
    "51-aliases": ("a: &a 1\nb: [" + ", ".join(["*a"] * 51) + "]\n", ["f:2:205: there are more than 50 aliases"]),
    "flow-500-deep": ("[" * 500, ["f:1:41: is nested deeper than 40 levels"]),
    "flow-50000-deep": ("[" * 50000, ["f:1:41: is nested deeper than 40 levels"]),
    "block-600-deep": ("".join(" " * n + "a:\n" for n in range(600)), ["f:41:41: is nested deeper than 40 levels"]),
    "20001-nodes": ("[" + "1," * 20000 + "]", ["f:1:40000: has more than 20000 values, aliases counted as what they stand for"]),
    "over-256-KiB": (D + "#" + "x" * 262144, ["f: is larger than 256 KiB; split it, or leave some out"]),
}
JSON: dict[str, tuple[str, list[str]]] = {
    "trailing-comma": ('{\n  "description": "x",\n}\n', ["f:2:21: the last value has a comma after it; remove it"]),
    "trailing-comma-list": ('{"description": "x", "stubs": [\n  {"delay": "1s"},\n]}', ["f:2:18: the last value has a comma after it; remove it"]),
    "comment": ('{\n  // a comment\n  "description": "x"\n}', ["f:2:3: JSON has no comments; remove it, or write YAML"]),
    "hash": ('# x\n{"description": "x"}', ["f:1:1: JSON has no comments; remove it, or write YAML"]),
    "comment-after": ('{"description": "x", /* y */ "pets": 3}', ["f:1:22: JSON has no comments; remove it, or write YAML"]),
    "single-quotes": ("{'description': 'x'}", ["f:1:2: is not valid JSON: expecting property name enclosed in double quotes"]),
    "duplicate": ('{"description": "x",\n "description": "y"}', ["f:2:2: key 'description' given twice, first at line 1; keep one of the two"]),
    "nan": ('{"description": "x", "pets": NaN}', ['f:1:30: pets: \'NaN\' is no number that JSON has; quote it: "NaN"']),
    "infinity": ('{"description": "x", "pets": -Infinity}', ['f:1:30: pets: \'-Infinity\' is no number that JSON has; quote it: "-Infinity"']),
    "half": ('{"description": "\\ud83d"}', ["f:1:17: description: the text holds U+D83D, which is half of a character; write the whole character"]),
    "raw-tab": ('{"description": "a\tb"}', ["f:1:19: is not valid JSON: invalid control character"]),
    "empty": (" \n", ["f: is empty"]),
    "two": ("{} {}", ["f:1:4: is not valid JSON: extra data"]),
    "deep": ("[" * 50000, ["f:1:41: is nested deeper than 40 levels"]),
    "5000-digits": ('{"pets": ' + "9" * 5000 + "}", ["f:1:1: the key 'description' is missing; add description: one line that says what the scenario is for, shown in every list", "f:1:10: pets: the number '99999999999999999999999999999999999999999999999999999999999999999999999999999...' is too large or too long; shorten it"]),
    "not-closed": ('{"description": "x"', ["f:1:20: is not valid JSON: expecting ',' delimiter"]),
    "yaml-in-json": ("description: x\n", ["f:1:1: is not valid JSON: expecting value"]),
    "wrong-number": ('{"description": "x", "pets": 007}', ["f:1:31: is not valid JSON: expecting ',' delimiter"]),
    "text-for-number": ('{"description": "x", "pets": "5"}', ["f:1:30: pets: there is no fixture '5'; there are: broken, many, showroom"]),
    "word": ('{"description": yes}', ["f:1:17: is not valid JSON: expecting value"]),
}
# fmt: on


@pytest.mark.parametrize(("text", "expected"), YAML.values(), ids=YAML.keys())
def test_a_bad_file_is_refused_with_all_that_is_wrong(text: str, expected: list[str]) -> None:
    assert problems(text) == expected


@pytest.mark.parametrize(("text", "expected"), JSON.values(), ids=JSON.keys())
def test_a_bad_json_file_is_refused_likewise(text: str, expected: list[str]) -> None:
    assert problems(text, is_json=True) == expected


def test_of_many_problems_the_first_are_shown_and_the_rest_counted() -> None:
    found = problems(S + "".join(f"  - {{delay: {number}}}\n" for number in range(25)))

    assert [line.split(" ")[1] for line in found[:-1]] == [
        f"stubs.{place}.delay:" for place in range(1, PROBLEMS_SHOWN + 1)
    ]
    assert found[-1] == "f: and 5 more problems"


@pytest.mark.parametrize("name", ["Slow", "slow_start", "-", "a--b", "", "a" * 65, "a.b", "\u0430"])
def test_a_name_must_be_kebab_case(name: str) -> None:
    with pytest.raises(InputError) as refused:
        load_document(D, name, "f", known=(), fixtures={})

    expected = "the name must be in kebab-case (a-z, 0-9, single dashes; at most 64)"
    assert str(refused.value) == f"f: {expected}, got {name!r}; choose another"


# --- Files ------------------------------------------------------------------------------------


def test_a_file_s_name_is_the_scenario_s(tmp_path: Path) -> None:
    path = tmp_path / "late-night.yaml"
    path.write_bytes(b"\xef\xbb\xbfdescription: With a mark\r\npets: 3")

    assert load_scenario(path, "shown", known=(), fixtures={}) == Scenario(
        "late-night", "With a mark", (), Generated(3), (), "shown"
    )


def test_a_file_with_a_bad_name_is_told_with_its_other_problems(tmp_path: Path) -> None:
    path = tmp_path / "Late.yml"
    path.write_text("pets: x y\n")

    with pytest.raises(InputError) as refused:
        load_scenario(path, "Late.yml", known=(), fixtures={})

    assert [str(problem).partition(",")[0] for problem in refused.value.problems] == [
        "Late.yml: the name must be in kebab-case (a-z",
        "Late.yml:1:1: the key 'description' is missing; add description: one line that says what the scenario is for",
        "Late.yml:1:7: pets: must be text",
    ]


def test_a_file_of_json_is_read_as_json(tmp_path: Path) -> None:
    path = tmp_path / "own.JSON"
    path.write_text('{\n\t"$schema": "s",\n\t"description": "\\ud83d\\ude00"\n}')

    assert load_scenario(path, "f", known=(), fixtures={}).description == "\U0001f600"


@pytest.mark.parametrize("path", sorted(shipped("scenarios").iterdir()), ids=lambda path: path.stem)
def test_every_shipped_scenario_can_be_used(path: Path) -> None:
    fixtures = {file.stem: load_fixture(file, file.name) for file in shipped("fixtures").iterdir()}

    scenario = load_scenario(path, path.name, known=(), fixtures=fixtures)

    assert scenario.name == path.stem


def test_a_fixture_is_its_pets_in_the_order_of_their_ids(tmp_path: Path) -> None:
    path = tmp_path / "two.yaml"
    path.write_text(
        "- {id: 7.0, name: Miso, categoryId: 2, status: sold}\n- {categoryId: 1, name: '', id: -1}"
    )

    assert load_fixture(path, "f") == (
        {"id": -1, "name": "", "categoryId": 1},
        {"id": 7, "name": "Miso", "categoryId": 2, "status": "sold"},
    )
    assert list(load_fixture(path, "f")[0]) == ["id", "name", "categoryId"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", "f:1:1: must be a list, got a mapping"),
        (
            "[{}]",
            "f:1:2: 1.categoryId: is required\nf:1:2: 1.id: is required\nf:1:2: 1.name: is required",
        ),
        (
            '[{"id": 1, "name": "a", "categoryId": 1},\n{"id": 1, "name": "b", "categoryId": 1}]',
            "f:2:8: 2.id: the id 1 is taken by pet 1; give each pet its own",
        ),
        (
            f'[{{"id": {INT64_MAX + 1}, "name": "\\udc00", "categoryId": true, "nmae": "b"}}]',
            "f:1:9: 1.id: must be an integer from -9223372036854775808 to 9223372036854775807 (int64), got 9223372036854775808\n"
            "f:1:38: 1.name: the text holds U+DC00, which is half of a character; write the whole character\n"
            "f:1:62: 1.categoryId: must be an integer from -9223372036854775808 to 9223372036854775807 (int64), got true\n"
            "f:1:68: 1: unknown key 'nmae'; did you mean 'name'? known here: id, name, categoryId, status",
        ),
        (" " * FIXTURE_BYTES + "[]", "f: is larger than 1024 KiB; split it, or leave some out"),
    ],
)
def test_a_bad_fixture_is_refused(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)

    with pytest.raises(InputError) as refused:
        load_fixture(path, "f")

    assert str(refused.value) == expected


def test_a_fixture_may_have_as_many_pets_as_fit(tmp_path: Path) -> None:
    path = tmp_path / "big.json"
    path.write_text(json.dumps([{"id": n, "name": "", "categoryId": 1} for n in range(24_000)]))

    assert len(load_fixture(path, "f")) == 24_000


# --- Good files -------------------------------------------------------------------------------

EXAMPLE = """\
description: One line, shown in every list.
extends: slow
pets: {count: 500, seed: 3, locale: de_DE}
stubs:
  - name: refuse-late-orders
    match:
      operation: createPet
      query: {status: sold}
      headers: {Accept-Language: {contains: de}}
      body: {name: {present: true}}
    after: 2
    times: 3
    probability: 0.25
    reply: {error: unauthorized}
    delay: 2s
    throttle: 2 kB/s
    fault: truncated_body
    hold: name
"""


def test_a_whole_scenario() -> None:
    body = {
        "code": "unauthorized",
        "message": "The API key is missing or invalid. Send it as 'Authorization: Bearer KEY'.",
        "status": 401,
    }

    scenario = load(EXAMPLE)

    assert scenario == Scenario(
        name="own",
        description="One line, shown in every list.",
        extends=("slow",),
        pets=Generated(500, 3, "de_DE"),
        stubs=(
            Stub(
                label="own/refuse-late-orders",
                match=Match(
                    operations=("createPet",),
                    query=(Condition("status", "equals", "sold"),),
                    headers=(Condition("accept-language", "contains", "de"),),
                    body=(Condition("name", "present", True),),
                ),
                after=2,
                times=3,
                probability=0.25,
                replies=(
                    Canned(
                        401, (JSON_TYPE,), json.dumps(body, separators=(",", ":")).encode() + b"\n"
                    ),
                ),
                delay=Delay("fixed", 2.0, 2.0),
                throttle=2000,
                fault="truncated_body",
                hold="name",
            ),
        ),
        source="f",
    )
    assert scenario.extends_at == (2, 10)


def test_a_scenario_s_stubs_can_be_put_into_a_set() -> None:
    assert len({*load(EXAMPLE).stubs, *load(EXAMPLE).stubs}) == 1
    assert {only(stub("delay: 1s", "match: {body: {a: [1, b], c: {one_of: [null, 2.5]}}}"))}


@pytest.mark.parametrize(
    ("written", "pets"),
    [
        ("3", Generated(3)),
        ("3.0", Generated(3)),
        ("{count: 0}", Generated(0)),
        ("[]", ()),
        ("showroom", SHELF["showroom"]),
        ("[{id: 2, name: b, categoryId: 1}, {id: 1, name: a, categoryId: 1}]",
         ({"id": 1, "name": "a", "categoryId": 1}, {"id": 2, "name": "b", "categoryId": 1})),
    ],
)  # fmt: skip
def test_pets(written: str, pets: object) -> None:
    assert load(f"{D}pets: {written}").pets == pets


@pytest.mark.parametrize(
    ("written", "names"), [("[retry, slow]", ("retry", "slow")), ("[slow, slow]", ("slow",))]
)
def test_extends(written: str, names: tuple[str, ...]) -> None:
    assert load(f"{D}extends: {written}").extends == names


def test_a_stub_without_a_name_has_its_place_for_it() -> None:
    scenario = load(S + "  - {delay: 1s}\n  - {name: b, delay: 1s}\n  - {delay: 1s}\n")

    assert [found.label for found in scenario.stubs] == ["own/1", "own/b", "own/3"]


@pytest.mark.parametrize(
    ("written", "delay"),
    [
        ("300ms", Delay("fixed", 0.3, 0.3)),
        ("{min: 0s, max: 60s}", Delay("range", 0.0, 60.0)),
        ("{p50: 200ms, p95: 1m}", Delay("percentiles", 0.2, 60.0)),
    ],
)
def test_delays(written: str, delay: Delay) -> None:
    assert only(stub(f"delay: {written}")).delay == delay


@pytest.mark.parametrize(
    ("written", "match"),
    [
        ("{}", Match()),
        ("{operation: [getPet, listPets, getPet]}", Match(operations=("getPet", "listPets"))),
        ("{petId: [3, 7.0]}", Match(pet_ids=(3, 7))),
        ("{operation: getPet, petId: -1}", Match(operations=("getPet",), pet_ids=(-1,))),
        ("{method: patch, path: /v1/pets/*}", Match(method="PATCH", path="/v1/pets/*")),
        ("{method: GET, path: /v1/store/}", Match(method="GET", path="/v1/store/")),
        ("{method: POST, path: /v1/pets/3}", Match(method="POST", path="/v1/pets/3")),
        (
            "{query: {limit: 5, all: true, share: 0.5, status: {matches: 's*', one_of: [1, a]}}}",
            Match(
                query=(
                    Condition("limit", "equals", "5"),
                    Condition("all", "equals", "true"),
                    Condition("share", "equals", "0.5"),
                    Condition("status", "matches", "s*"),
                    Condition("status", "one_of", ("1", "a")),
                )
            ),
        ),
        (
            "{headers: {AUTHORIZATION: {matches: Bearer *, present: true}}}",
            Match(
                headers=(
                    Condition("authorization", "matches", "Bearer *"),
                    Condition("authorization", "present", True),
                )
            ),
        ),
        (
            "{body: {a: null, b: [1, x], c: {equals: true}, d: {contains: 3}, '': 2.5}}",
            Match(
                body=(
                    Condition("a", "equals", None),
                    Condition("b", "equals", (1, "x")),
                    Condition("c", "equals", True),
                    Condition("d", "contains", 3),
                    Condition("", "equals", 2.5),
                )
            ),
        ),
    ],
)
def test_matches(written: str, match: Match) -> None:
    assert only(stub(f"match: {written}", "delay: 1s")).match == match


# --- Replies ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["reply: pass"], ((PASS,), "last")),
        (["reply: pass", "fault: connection_reset"], ((PASS,), "last")),
        (["sequence: [pass, {fault: empty_reply}]"], ((PASS, "empty_reply"), "last")),
        (["sequence: [pass, pass]", "repeat: cycle"], ((PASS, PASS), "cycle")),
        (["reply: {sequence: [pass], repeat: none}"], ((PASS,), "none")),
    ],
)
def test_replies_and_sequences(lines: list[str], expected: object) -> None:
    found = only(stub(*lines))

    assert (found.replies, found.repeat) == expected


@pytest.mark.parametrize(
    ("operation", "reply", "expected"),
    [
        ("listPets", "{page: []}", Canned(200, (JSON_TYPE,), b"[]\n")),
        (
            "listPets",
            "{page: showroom}",
            Canned(200, (JSON_TYPE,), b'[{"id":1,"name":"Miso","categoryId":2,"status":"sold"}]\n'),
        ),
        (
            "listPets",
            "{page: [{name: b, id: 2, categoryId: 1}, {id: 1.0, name: a, categoryId: 1}]}",
            Canned(200, (JSON_TYPE,), b'[{"id":2,"name":"b","categoryId":1},{"id":1,"name":"a","categoryId":1}]\n'),
        ),
        (
            "createPet",
            "{error: invalid_request, message: 'na\u00efve'}",
            Canned(400, (JSON_TYPE,), '{"code":"invalid_request","message":"na\u00efve","status":400}\n'.encode()),
        ),
        (
            "getPet",
            "{status: 200, headers: {content-type: application/json; charset=utf-8, X-A: 5}, body: {id: 1, name: a, categoryId: 1, more: null}}",
            Canned(
                200,
                (("content-type", "application/json; charset=utf-8"), ("X-A", "5")),
                b'{"id":1,"name":"a","categoryId":1,"more":null}\n',
            ),
        ),
        (
            "getPet",
            "{status: 599}",
            Canned(599, (JSON_TYPE,), b'{"code":"server_error","message":"Server error. A scenario answers so.","status":599}\n', "status 599 is not in the contract"),
        ),
        (
            "getPet",
            "{status: 502, headers: {Content-Type: text/html}, text: <h1>Bad Gateway</h1>}",
            Canned(502, (("Content-Type", "text/html"),), b"<h1>Bad Gateway</h1>", "status 502 is not in the contract"),
        ),
        ("getPet", "{status: 500, text: ''}", Canned(500, (), b"", "status 500 is not in the contract")),
        ("getPet", "{status: 429, body: null}", Canned(429, (JSON_TYPE,), b"null\n", "status 429 is not in the contract")),
    ],
)  # fmt: skip
def test_replies_that_need_no_flag(operation: str, reply: str, expected: Canned) -> None:
    assert canned(stub(f"match: {{operation: {operation}}}", f"reply: {reply}")) == expected


@pytest.mark.parametrize(
    ("match", "reply", "reason"),
    [
        ("{operation: getPet}", "{status: 204}", "status 204 is not listed for getPet"),
        ("{}", "{error: invalid_request}", "status 400 is not listed for listPets, getPet"),
        ("{operation: getPet}", "{status: 200}", "the body is missing"),
        ("{operation: getPet}", "{status: 200, text: hi}", "the body is not JSON"),
        ("{operation: getPet}", "{status: 200, body: {id: 1}}", "the body is not the contract's Pet"),
        ("{operation: listPets}", "{status: 200, body: {}}", "the body is not the contract's Pets"),
        ("{operation: listPets}", "{page: many}", "a page of 101 pets is more than 100"),
        (
            "{operation: listPets}",
            "{status: 200, body: [], headers: {Content-Type: application/vnd.api+json}}",
            "the content type is not application/json",
        ),
        ("{}", "{status: 503, headers: {Set-Cookie: a=b}}", "status 503 is not in the contract"),
        (
            "{operation: listPets}",
            "{status: 200, body: [], headers: {Set-Cookie: a=b}}",
            "the header Set-Cookie is not in the contract",
        ),
        ("{method: GET, path: /v1/\u00e9/*}", "{status: 200}", "GET /v1/\\xe9/* is not in the contract"),
        ("{method: GET, path: /v1/" + "e" * 300 + "}", "{status: 200}", "GET /v1/" + "e" * 192 + " is not in the contract"),
    ],
)  # fmt: skip
def test_off_contract_replies_are_labelled(match: str, reply: str, reason: str) -> None:
    assert (
        canned(stub(f"match: {match}", f"reply: {reply}", "off_contract: true")).off_contract
        == reason
    )


def test_a_path_that_the_contract_lacks_needs_the_flag_for_answers_alone() -> None:
    path = "match: {method: GET, path: /v1/store/orders}"

    assert only(stub(path, "delay: 1s")).match.path == "/v1/store/orders"
    assert (
        canned(stub(path, "reply: {status: 503}")).off_contract
        == "status 503 is not in the contract"
    )


# --- Anything at all --------------------------------------------------------------------------

GOOD = [EXAMPLE, *(path.read_text() for path in sorted(shipped("scenarios").iterdir()))]
SCRAPS = [
    "\t",
    "\0",
    "- ",
    ": ",
    "{",
    "}",
    "[",
    "]",
    "&a ",
    "*a",
    "<<",
    "!!set ",
    '"',
    "'",
    "yes",
    "0777",
    "\ud800",
    "\n",
    "%",
    "# ",
    "|\n",
    "? ",
    "...",
    "---\n",
    "1e999",
]


def outcome(read: Callable[[], object]) -> list[str]:
    """The problems that reading something finds; any other error fails the test."""
    try:
        read()
    except InputError as error:
        return [str(problem) for problem in error.problems]
    return []


@given(st.binary(max_size=300), st.booleans())
def test_random_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, is_json: bool
) -> None:
    path = tmp_path_factory.mktemp("random") / f"own.{'json' if is_json else 'yaml'}"
    path.write_bytes(data)

    for read in (load_fixture, partial(load_scenario, known=KNOWN, fixtures=SHELF)):
        assert all(line.startswith("f:") for line in outcome(partial(read, path, "f")))


@given(st.data())
def test_a_mutated_scenario_is_read_or_refused_in_printable_lines(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(GOOD))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 12)))
        text = text[:start] + data.draw(st.sampled_from(SCRAPS) | st.text(max_size=3)) + text[end:]
    is_json = data.draw(st.booleans())

    assert all(line.isprintable() for line in outcome(lambda: load(text, is_json=is_json)))
