# ruff: noqa: E501 - messages are compared whole, a line each
"""Valid scenario and fixture files and their values; invalid files and their exact messages."""

import json
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets.constants import FIXTURE_BYTES, INT64_MAX, PROBLEMS_SHOWN
from mockpets.contract.contract_model import Record
from mockpets.errors import InputError, Problem
from mockpets.packaged_data import shipped
from mockpets.scenario.language.loader import load_fixture, load_scenario
from mockpets.scenario.scenario_model import (
    PASS,
    Canned,
    Condition,
    Delay,
    Described,
    Generated,
    Match,
    Scenario,
    Stub,
)
from tests.pet_store import PETS
from tests.scenario.language.bad_files import JSON, YAML, D, S, stub

KNOWN = ("own", "slow", "retry")
JSON_TYPE = ("Content-Type", "application/json")


def rows(*pets: Record) -> tuple[bytes, ...]:
    return tuple(map(PETS.schema.dump, pets))


def fixture(count: int) -> Callable[[object], tuple[bytes, ...]]:
    pets = rows(*(Record(id=number, name="a", categoryId=1) for number in range(count)))
    return lambda _: pets


def miso(_: object) -> tuple[bytes, ...]:
    return rows(Record(id=1, name="Miso", categoryId=2, status="sold"))


SHELF: dict[str, Callable[[object], tuple[bytes, ...] | InputError]] = {
    "showroom": miso,
    "broken": lambda _: InputError([Problem("broken.yaml", 1, 1, "", "is empty")]),
    "many": fixture(101),
    "thousands": fixture(1001),
}


def load(text: str, *, is_json: bool = False) -> Scenario:
    with TemporaryDirectory() as folder:
        path = Path(folder, "own.json" if is_json else "own.yaml")
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        return load_scenario(path, "f", known=KNOWN, fixtures=SHELF)


def only(text: str) -> Stub:
    """Return the only stub of a scenario."""
    (result,) = load(text).stubs
    return result


def canned(text: str) -> Canned:
    """Return the only reply of the only stub."""
    (reply,) = only(text).replies
    assert isinstance(reply, Canned)
    return reply


def problems(text: str, *, is_json: bool = False) -> list[str]:
    with pytest.raises(InputError) as caught:
        load(text, is_json=is_json)
    return str(caught.value).split("\n")


# --- Bad files: every problem of each ---------------------------------------------------------


@pytest.mark.parametrize(("text", "expected"), YAML.values(), ids=YAML)
def test_a_bad_file_reports_every_problem(text: str, expected: list[str]) -> None:
    assert problems(text) == expected


@pytest.mark.parametrize(("text", "expected"), JSON.values(), ids=JSON)
def test_a_bad_json_file_reports_every_problem(text: str, expected: list[str]) -> None:
    assert problems(text, is_json=True) == expected


def test_many_problems_are_cut_off_and_the_rest_counted() -> None:
    lines = problems(S + "".join(f"  - {{delay: {number}}}\n" for number in range(25)))

    assert [line.split(" ")[1] for line in lines[:-1]] == [
        f"stubs.{position}.delay:" for position in range(1, PROBLEMS_SHOWN + 1)
    ]
    assert lines[-1] == "f: and 5 more problems"


@pytest.mark.parametrize(
    "name", ["Slow", "slow_start", "-", "a--b", ".yaml", "a" * 65, "a.b", "\u0430"]
)
def test_a_name_must_be_kebab_case(name: str, tmp_path: Path) -> None:
    path = tmp_path / (name if name == ".yaml" else f"{name}.yaml")
    path.write_text(D)

    with pytest.raises(InputError) as caught:
        load_scenario(path, "f", known=(), fixtures={})

    expected = "the name must be in kebab-case (a-z, 0-9, single hyphens; at most 64 characters)"
    assert str(caught.value) == f"f: {expected}, got {name!r}; rename the file"


# --- Files ------------------------------------------------------------------------------------


def test_the_file_name_is_the_scenario_name(tmp_path: Path) -> None:
    path = tmp_path / "late-night.yaml"
    path.write_bytes(b"\xef\xbb\xbfdescription: With a mark\r\ndata: {pets: 3}")

    assert load_scenario(path, "shown", known=(), fixtures={}) == Scenario(
        "late-night", "With a mark", (), (), "shown", {"pets": Generated(3)}
    )


def test_an_invalid_file_name_is_reported_with_the_other_problems(tmp_path: Path) -> None:
    path = tmp_path / "Late.yml"
    path.write_text("data: {pets: x y}\n")

    with pytest.raises(InputError) as caught:
        load_scenario(path, "Late.yml", known=(), fixtures={})

    assert [str(problem).partition(",")[0] for problem in caught.value.problems] == [
        "Late.yml: the name must be in kebab-case (a-z",
        "Late.yml:1:1: missing key 'description'; add one line that describes the scenario",
        "Late.yml:1:14: data.pets: must be a fixture name (a-z",
    ]


def test_a_json_file_is_read_as_json(tmp_path: Path) -> None:
    path = tmp_path / "own.JSON"
    path.write_text('{\n\t"$schema": "s",\n\t"description": "\\ud83d\\ude00"\n}')

    assert load_scenario(path, "f", known=(), fixtures={}).description == "\U0001f600"


def test_a_fixture_sorts_its_pets_by_id(tmp_path: Path) -> None:
    path = tmp_path / "two.yaml"
    path.write_text(
        "- {id: 7.0, name: Miso, categoryId: 2, status: sold}\n- {categoryId: 1, name: '', id: -1}"
    )

    assert load_fixture(path, "f", PETS) == (
        b'{"id":-1,"name":"","categoryId":1}',
        b'{"id":7,"name":"Miso","categoryId":2,"status":"sold"}',
    )


@pytest.mark.parametrize(("text", "expected"), [
    ("{}", "f:1:1: must be a list, got a mapping"),
    ("[{}]",
     "f:1:2: 1.categoryId: is required\nf:1:2: 1.id: is required\nf:1:2: 1.name: is required"),
    ('[{"id": 1, "name": "a", "categoryId": 1},\n{"id": 1, "name": "b", "categoryId": 1}]',
     "f:2:8: 2.id: pet 1 already has the id 1; use unique ids"),
    (
        f'[{{"id": {INT64_MAX + 1}, "name": "\\udc00", "categoryId": true, "nmae": "b"}}]',
        "f:1:9: 1.id: must be an integer from -9223372036854775808 to 9223372036854775807 (int64), got 9223372036854775808\n"
        "f:1:38: 1.name: U+DC00 is half of a surrogate pair; write the complete character\n"
        "f:1:62: 1.categoryId: must be an integer, got true\n"
        "f:1:68: 1: unknown key 'nmae'; did you mean 'name'?",
    ),
    (" " * FIXTURE_BYTES + "[]", "f: is larger than 1024 KiB; shorten or split it"),
])  # fmt: skip
def test_a_bad_fixture_is_rejected(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)

    with pytest.raises(InputError) as caught:
        load_fixture(path, "f", PETS)

    assert str(caught.value) == expected


@pytest.mark.long
def test_a_fixture_can_have_thousands_of_pets(tmp_path: Path) -> None:
    path = tmp_path / "big.json"
    path.write_text(json.dumps([{"id": n, "name": "", "categoryId": 1} for n in range(24_000)]))

    assert len(load_fixture(path, "f", PETS)) == 24_000


# --- Good files -------------------------------------------------------------------------------

EXAMPLE = """\
description: One line, shown in every list.
extends: slow
data:
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
        "message": "the API key is invalid; send a valid key in the header 'Authorization: Bearer <API_KEY>'",
        "status": 401,
    }

    scenario = load(EXAMPLE)

    assert scenario == Scenario(
        name="own",
        description="One line, shown in every list.",
        extends=("slow",),
        data={"pets": Generated(500, 3, "de_DE")},
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
                        401,
                        (JSON_TYPE,),
                        json.dumps(body, separators=(",", ":")).encode() + b"\n",
                        described=Described((401, 403)),
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


def test_stubs_are_hashable() -> None:
    assert len({*load(EXAMPLE).stubs, *load(EXAMPLE).stubs}) == 1
    assert {only(stub("delay: 1s", "match: {body: {a: [1, b], c: {one_of: [null, 2.5]}}}"))}


@pytest.mark.parametrize(("written", "pets"), [
    ("3", Generated(3)),
    ("3.0", Generated(3)),
    ("{count: 0}", Generated(0)),
    ("[]", ()),
    ("[{id: 9007199254740993.0, name: b, categoryId: 9.223372036854775807e18}]",
     rows(Record(id=9007199254740993, name="b", categoryId=INT64_MAX))),
    ("{records: [{id: 3, name: c, categoryId: 1}]}", rows(Record(id=3, name="c", categoryId=1))),
    ("showroom", miso("pets")),
    ("[{id: 2, name: b, categoryId: 1}, {id: 1, name: a, categoryId: 1}]",
     rows(Record(id=1, name="a", categoryId=1), Record(id=2, name="b", categoryId=1))),
])  # fmt: skip
def test_data_gives_pets_in_each_form(written: str, pets: object) -> None:
    assert load(f"{D}data: {{pets: {written}}}").data == {"pets": pets}


@pytest.mark.parametrize(
    ("written", "names"), [("[retry, slow]", ("retry", "slow")), ("[slow, slow]", ("slow",))]
)
def test_extends(written: str, names: tuple[str, ...]) -> None:
    assert load(f"{D}extends: {written}").extends == names


def test_the_default_name_of_a_stub_is_its_position() -> None:
    scenario = load(S + "  - {delay: 1s}\n  - {name: b, delay: 1s}\n  - {delay: 1s}\n")

    assert [each.label for each in scenario.stubs] == ["own/1", "own/b", "own/3"]


@pytest.mark.parametrize(("written", "delay"), [
    ("300ms", Delay("fixed", 0.3, 0.3)),
    ("{min: 0s, max: 60s}", Delay("range", 0.0, 60.0)),
    ("{p50: 200ms, p95: 1m}", Delay("percentiles", 0.2, 60.0)),
])  # fmt: skip
def test_delays(written: str, delay: Delay) -> None:
    assert only(stub(f"delay: {written}")).delay == delay


@pytest.mark.parametrize(("written", "match"), [
    ("{}", Match()),
    ("{operation: [getPet, listPets, getPet]}", Match(operations=("getPet", "listPets"))),
    ("{params: {petId: {one_of: [3, '7']}}}",
     Match(params=(Condition("petId", "one_of", ("3", "7")),))),
    ("{operation: getPet, params: {petId: -1}}",
     Match(operations=("getPet",), params=(Condition("petId", "equals", "-1"),))),
    ("{role: create}", Match(roles=("create",))),
    ("{role: [get, list, get]}", Match(roles=("get", "list"))),
    ("{method: patch, path: /v1/pets/*}", Match(method="PATCH", path="/v1/pets/*")),
    ("{method: GET, path: '/v1/a/{b}/'}", Match(method="GET", path="/v1/a/{b}/")),
    ("{method: GET, path: /v1/store/}", Match(method="GET", path="/v1/store/")),
    ("{method: POST, path: /v1/pets/3}", Match(method="POST", path="/v1/pets/3")),
    ("{query: {limit: 5, all: true, share: 0.5, status: {matches: 's*', one_of: [1, a]}}}",
     Match(query=(Condition("limit", "equals", "5"), Condition("all", "equals", "true"),
     Condition("share", "equals", "0.5"), Condition("status", "matches", "s*"),
     Condition("status", "one_of", ("1", "a"))))),
    ("{headers: {AUTHORIZATION: {matches: Bearer *, present: true}}}",
     Match(headers=(Condition("authorization", "matches", "Bearer *"),
     Condition("authorization", "present", True)))),
    ("{body: {a: null, b: [1, x], c: {equals: true}, d: {contains: 3}, '': 2.5}}",
     Match(body=(Condition("a", "equals", None), Condition("b", "equals", (1, "x")),
     Condition("c", "equals", True), Condition("d", "contains", 3), Condition("", "equals", 2.5)))),
])  # fmt: skip
def test_matches(written: str, match: Match) -> None:
    assert only(stub(f"match: {written}", "delay: 1s")).match == match


def test_numbers_in_conditions_are_exact() -> None:
    match = only(
        stub("match: {body: {a: 9007199254740993.0, b: {one_of: [0.1]}, c: [1e1]}}", "delay: 1s")
    ).match

    assert [condition.value for condition in match.body] == [
        Decimal(9007199254740993),
        (Decimal("0.1"),),
        (Decimal(10),),
    ]


# --- Replies ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("lines", "expected"), [
    (["reply: pass"], ((PASS,), "last")),
    (["reply: pass", "fault: connection_reset"], ((PASS,), "last")),
    (["sequence: [pass, {fault: empty_reply}]"], ((PASS, "empty_reply"), "last")),
    (["sequence: [pass, pass]", "repeat: cycle"], ((PASS, PASS), "cycle")),
    (["sequence: [pass]", "repeat: none"], ((PASS,), "none")),
])  # fmt: skip
def test_replies_and_sequences(lines: list[str], expected: object) -> None:
    result = only(stub(*lines))

    assert (result.replies, result.repeat) == expected


@pytest.mark.parametrize(
    ("operation", "reply", "expected"),
    [
        ("listPets", "{page: []}", Canned(200, (JSON_TYPE,), b"[]\n", is_page=True)),
        (
            "listPets",
            "{page: showroom}",
            Canned(200, (JSON_TYPE,), b'[{"id":1,"name":"Miso","categoryId":2,"status":"sold"}]\n', is_page=True),
        ),
        (
            "listPets",
            "{page: [{name: b, id: 2, categoryId: 1}, {id: 1.0, name: a, categoryId: 1}]}",
            Canned(200, (JSON_TYPE,), b'[{"id":2,"name":"b","categoryId":1},{"id":1,"name":"a","categoryId":1}]\n', is_page=True),
        ),
        (
            "createPet",
            "{error: invalid_request, message: 'na\u00efve'}",
            Canned(400, (JSON_TYPE,), '{"code":"invalid_request","message":"na\u00efve","status":400}\n'.encode(), described=Described((400, 422), message="na\u00efve")),
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
            Canned(599, (JSON_TYPE,), b'{"code":"server_error","message":"a scenario returned 599","status":599}\n', "status 599 is not in the contract", described=Described((599,))),
        ),
        (
            "getPet",
            "{status: 501}",
            Canned(501, (JSON_TYPE,), b'{"code":"not_implemented","message":"a scenario returned 501 Not Implemented","status":501}\n', "status 501 is not in the contract", described=Described((501,))),
        ),
        (
            "getPet",
            "{status: 503}",
            Canned(503, (JSON_TYPE,), b'{"code":"service_unavailable","message":"a scenario returned 503 Service Unavailable","status":503}\n', "status 503 is not in the contract", described=Described((503,))),
        ),
        (
            "getPet",
            "{status: 500, body: {a: [9007199254740993.0, 0.1, 1e5, -0.0, 1.50], b: null}}",
            Canned(500, (JSON_TYPE,), b'{"a":[9007199254740993.0,0.1,1E+5,-0.0,1.50],"b":null}\n', "status 500 is not in the contract"),
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
def test_replies_that_match_the_contract(operation: str, reply: str, expected: Canned) -> None:
    assert canned(stub(f"match: {{operation: {operation}}}", f"reply: {reply}")) == expected


@pytest.mark.parametrize(("match", "reply", "reason"), [
    ("{operation: getPet}", "{status: 204}", "status 204 is not in the contract for getPet"),
    ("{}", "{error: invalid_request}", "status 400 is not in the contract for listPets and getPet"),
    ("{operation: getPet}", "{status: 200}", "the body is missing"),
    ("{operation: getPet}", "{status: 200, text: hi}", "the body is not JSON"),
    ("{operation: getPet}", "{status: 200, body: {id: 1}}", "the body is not the contract's Pet"),
    ("{operation: listPets}", "{status: 200, body: {}}", "the body is not the contract's Pets"),
    ("{operation: listPets}", "{page: many}", "the page has 101 pets, more than 100"),
    ("{operation: listPets}",
     "{status: 200, body: [], headers: {Content-Type: application/vnd.api+json}}",
     "the content type is not application/json"),
    ("{operation: listPets}", "{status: 200, body: [], headers: {content-encoding: gzip}}",
     "the body is not encoded as its header says"),
    ("{}", "{status: 503, headers: {Set-Cookie: a=b}}", "status 503 is not in the contract"),
    ("{operation: listPets}", "{status: 200, body: [], headers: {Set-Cookie: a=b}}",
     "the header Set-Cookie is not in the contract"),
    ("{method: DELETE, path: /v1/pets/*}", "{status: 204}",
     "DELETE /v1/pets/* is not in the contract"),
])  # fmt: skip
def test_off_contract_replies_have_a_reason(match: str, reply: str, reason: str) -> None:
    assert (
        canned(stub(f"match: {match}", f"reply: {reply}", "off_contract: true")).off_contract
        == reason
    )


@pytest.mark.parametrize("reply", [
    "{status: 503, headers: {Content-Encoding: Identity}, text: x}",
    "{status: 503, headers: {Content-Encoding: gzip}, text: ''}",
])  # fmt: skip
def test_an_encoding_without_effect_needs_no_flag(reply: str) -> None:
    assert canned(stub(f"reply: {reply}")).status == 503


def test_pages_of_one_fixture_share_their_bytes() -> None:
    line = "  - {match: {operation: listPets}, off_contract: true, reply: {page: many}}\n"
    first, second = (each.replies[0] for each in load(S + line * 2).stubs)

    assert isinstance(first, Canned) and isinstance(second, Canned)
    assert first.body is second.body
    assert len(json.loads(first.body)) == 101


def test_a_reply_on_a_path_outside_the_contract_is_never_off_contract() -> None:
    path = "match: {method: GET, path: /v1/store/orders}"

    assert only(stub(path, "delay: 1s")).match.path == "/v1/store/orders"
    for reply in ("{status: 503}", "{status: 409}", "{status: 200, headers: {Set-Cookie: a=b}}"):
        assert canned(stub(path, f"reply: {reply}")).off_contract is None, reply


# --- Random input -----------------------------------------------------------------------------

GOOD = [EXAMPLE, *(path.read_text() for path in sorted(shipped("scenarios").iterdir()))]
SCRAPS = [
    "\t", "\0", "- ", ": ", "{", "}", "[", "]", "&a ", "*a", "<<", "!!set ", '"', "'", "yes",
    "0777", "\ud800", "\n", "%", "# ", "|\n", "? ", "...", "---\n", "1e999",
]  # fmt: skip


def outcome(read: Callable[[], object]) -> list[str]:
    """Return the problems that a call reports; any other error fails the test."""
    try:
        read()
    except InputError as error:
        return [str(problem) for problem in error.problems]
    return []


FIXTURE_READERS = [partial(load_fixture, collection=name) for name in (PETS, None)]


@given(st.binary(max_size=300), st.booleans())
def test_random_bytes_are_read_or_rejected(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, is_json: bool
) -> None:
    path = tmp_path_factory.mktemp("random") / f"own.{'json' if is_json else 'yaml'}"
    path.write_bytes(data)

    readers: list[Callable[..., object]] = [*FIXTURE_READERS]
    readers += [partial(load_scenario, known=KNOWN, fixtures=SHELF)]
    for read in readers:
        assert all(line.startswith("f:") for line in outcome(partial(read, path, "f")))


@given(st.data())
def test_a_mutated_scenario_is_read_or_rejected_in_printable_lines(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(GOOD))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 12)))
        text = text[:start] + data.draw(st.sampled_from(SCRAPS) | st.text(max_size=3)) + text[end:]
    is_json = data.draw(st.booleans())

    assert all(line.isprintable() for line in outcome(lambda: load(text, is_json=is_json)))
