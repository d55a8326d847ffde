"""Entity tags, conditions on them, and responses to repeated requests."""

from pathlib import Path
from typing import Any

import pytest

from tests.http_client import Response
from tests.web.checked_client import Checked, at, content, op, several, thing, write

NOTE = thing("id", "text", id={"type": "integer", "readOnly": True}, text="string")
NEW = thing("text", text="string")
PROBLEM = thing("error", "detail", error="string", detail="string")
LABEL = "Mockpets-Off-Contract"


def header(name: str, *, required: bool = False, **schema: object) -> dict[str, Any]:
    return {
        "in": "header",
        "name": name,
        "required": required,
        "schema": schema or {"type": "string"},
    }


def with_errors(operation: dict[str, Any], *statuses: int) -> dict[str, Any]:
    """Return an operation that documents more errors, and 304."""
    for status in statuses:
        described = {} if status == 304 else content(PROBLEM, "application/problem+json")
        operation["responses"][str(status)] = {"description": "", **described}
    return operation


def example_tag(operation: dict[str, Any]) -> dict[str, Any]:
    """Return an operation that documents an ETag with an example."""
    tag = {"schema": {"type": "string"}, "example": '"33a64df5"'}
    operation["responses"]["200"]["headers"] = {"etag": tag}
    return operation


MATCH, NONE = header("If-Match"), header("if-none-match")
NOTES: dict[str, Any] = {
    "/notes": {
        "get": with_errors(op(several(NOTE), None, NONE), 304),
        "post": op(NOTE, NEW, status=201),
    },
    "/notes/{id}": at(
        "id",
        get=example_tag(with_errors(op(NOTE, None, NONE, MATCH), 304, 412)),
        put=with_errors(op(NOTE, NEW, MATCH), 412),
        patch=with_errors(op(NOTE, NEW, header("If-Match", required=True)), 412, 428),
        delete=with_errors(op(None, None, MATCH, status=204), 412),
    ),
    "/files": {"get": op(several(thing("name", name="string", size="integer")))},
    "/files/{name}": at(
        "name",
        "string",
        get=op(thing("name", name="string", size="integer"), None, header("If-None-Match")),
        put=op(
            thing("name", name="string", size="integer"),
            thing(size="integer"),
            header("If-None-Match"),
            header("If-Match"),
        ),
    ),
    "/prefs": {
        "get": op(thing(dark="boolean")),
        "put": with_errors(op(thing(dark="boolean"), thing(dark="boolean"), MATCH), 412),
    },
    "/rates": {"get": with_errors(op(thing(eur="number"), None, NONE, MATCH), 304, 412)},
    "/tags": {
        "get": op(several(thing("id", "name", id="integer", name="string"))),
        "post": op(thing("id", "name", id="integer", name="string"), thing("name", name="string")),
    },
    "/tags/{id}": at(
        "id",
        get=example_tag(op(thing("id", "name", id="integer", name="string"))),
        # A version, and not an entity tag.
        patch=op(
            thing("id", "name", id="integer", name="string"),
            thing("name", name="string"),
            header("If-Match", type="integer"),
        ),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def shared_notes(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    return Checked(write(tmp_path_factory.mktemp("notes"), NOTES))


@pytest.fixture
def notes(shared_notes: Checked) -> Checked:
    shared_notes.control("POST", "reset")
    return shared_notes


def tag_of(response: Response) -> str:
    tag = response.header("ETag")
    assert tag is not None and tag.startswith('"'), response
    return tag


def put(notes: Checked, tag: str, **more: str) -> int:
    headers = {"If-Match": tag, **more}
    return notes("PUT", "/notes/1", {"text": "new"}, headers=headers).status


def test_every_response_has_the_tag_of_the_record(notes: Checked) -> None:
    made = notes("POST", "/notes", {"text": "a"})
    path = f"/notes/{made.json['id']}"
    tag = tag_of(made)
    assert tag == tag_of(notes("GET", path)) == tag_of(notes("GET", path)) != '"33a64df5"'
    assert tag != tag_of(notes("GET", "/notes/1"))
    changed = notes("PUT", path, {"text": "b"}, headers={"If-Match": tag})
    assert changed.status == 200 and tag_of(changed) != tag
    assert tag_of(notes("GET", path)) == tag_of(changed)
    assert notes("DELETE", path).header("ETag") is None
    exposed = notes.call("GET", "/notes", headers={"Origin": "http://localhost:3000"})
    assert "ETag" in str(exposed.header("Access-Control-Expose-Headers")).split(", ")


def test_a_change_needs_the_current_tag(notes: Checked) -> None:
    stale = tag_of(notes("GET", "/notes/1"))
    assert put(notes, stale) == 200
    late = notes("PUT", "/notes/1", {"text": "lost"}, headers={"If-Match": stale})
    current = tag_of(notes("GET", "/notes/1"))
    assert late.status == 412 and late.header("Content-Type") == "application/problem+json"
    assert late.json["detail"] == f"If-Match is {stale}, but its ETag is {current}"
    assert notes("DELETE", "/notes/1", headers={"If-Match": stale}).status == 412
    assert notes("GET", "/notes/1").json["text"] == "new"
    assert notes("DELETE", "/notes/1", headers={"If-Match": current}).status == 204
    for tag in ("*", current):
        assert put(notes, tag) == 404, "without the condition, it fails too"


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ("{tag}", 200), (" {tag} ", 200), ("*", 200), ('"a", {tag}', 200), ('"a,b" ,\t{tag}', 200),
        ('"", {tag}', 200), ("W/{tag}", 412), ('W/{tag}, "a"', 412), ('"a"', 412), ('""', 412),
        ("{bare}", 412), ("w/{tag}", 412), ("{tag}, *", 412), ('*, {tag}', 412),
        ("{tag} {tag}", 412),
        ('"{tag}', 412), ("", 412), (",", 412), ('"a", {bare}', 412), ("{tag}" + '"', 412),
    ],
)  # fmt: skip
def test_tags_are_compared_strongly(notes: Checked, form: str, status: int) -> None:
    tag = tag_of(notes("GET", "/notes/1"))
    assert put(notes, form.format(tag=tag, bare=tag.strip('"'))) == status


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ("{tag}", 304), ("W/{tag}", 304), ("*", 304), ('"a", W/{tag}', 304), ('"a"', 200),
        ("{bare}", 200), ("w/{tag}", 200), ("", 200), ('W/"a"', 200), ("{tag},, {bare}", 200),
    ],
)  # fmt: skip
def test_a_read_of_what_the_client_has_is_not_repeated(
    notes: Checked, form: str, status: int
) -> None:
    for path in ("/notes/1", "/notes"):
        tag = tag_of(notes("GET", path))
        headers = {"If-None-Match": form.format(tag=tag, bare=tag.strip('"'))}
        response = notes("GET", path, headers=headers)
        assert (response.status, response.header("ETag")) == (status, tag)
        assert bool(response.body) is (status == 200)
        assert (response.header("Content-Type") is None) is (status == 304)
        head = notes.call("HEAD", path, key="somebody", headers=headers)
        assert (head.status, head.header("ETag")) == (status, tag)


def test_the_tag_of_a_list_changes_with_its_records(notes: Checked) -> None:
    before = tag_of(notes("GET", "/notes"))
    assert put(notes, "*") == 200
    after = notes("GET", "/notes", headers={"If-None-Match": before})
    assert after.status == 200 and tag_of(after) != before


def test_a_read_can_demand_a_tag(notes: Checked) -> None:
    tag = tag_of(notes("GET", "/notes/1"))
    assert notes("GET", "/notes/1", headers={"If-Match": tag}).status == 200
    assert notes("GET", "/notes/1", headers={"If-Match": '"a"'}).status == 412
    both = {"If-Match": '"a"', "If-None-Match": tag}
    assert notes("GET", "/notes/1", headers=both).status == 412, "If-Match is first"
    assert notes("GET", "/notes/99", headers={"If-None-Match": "*"}).status == 404


def test_a_required_condition_has_a_status_of_its_own(notes: Checked) -> None:
    missing = notes("PATCH", "/notes/1", {"text": "b"})
    assert missing.status == 428 and missing.json["detail"] == "If-Match is required"
    assert notes("PATCH", "/notes/1", {"text": "b"}, headers={"If-Match": "*"}).status == 200
    invalid = notes("PATCH", "/notes/1", {"text": 1}, headers={"If-Match": '"a"'})
    assert invalid.status == 400, "an invalid request has no other problem"


def test_without_a_428_a_missing_condition_is_a_missing_parameter(tmp_path: Path) -> None:
    patch = op(NOTE, NEW, header("if-match", required=True))
    patch["responses"]["4XX"] = {"description": "", **content(PROBLEM)}
    call = Checked(write(tmp_path, {"/notes/{id}": at("id", get=op(NOTE), patch=patch)}))
    assert call("PATCH", "/notes/1", {"text": "b"}).status == 400
    stale = call.call("PATCH", "/notes/1", json_body={"text": "b"}, headers={"If-Match": '"a"'})
    assert stale.status == 412 and stale.json.keys() == {"error", "detail"}
    assert stale.header(LABEL) is None, "4XX documents it"


def test_an_undocumented_412_is_labelled(notes: Checked) -> None:
    size = {"size": 3}
    made = notes("PUT", "/files/a", size, headers={"If-None-Match": "*"})
    assert made.status == 200 and made.json == {"name": "a", "size": 3}
    for headers in ({"If-None-Match": "*"}, {"If-None-Match": f"W/{tag_of(made)}"}):
        again = notes.call("PUT", "/files/a", json_body={"size": 4}, headers=headers)
        assert again.status == 412
        assert again.header("Content-Type") == "application/problem+json"
        assert again.header(LABEL) == "status 412 is not in the contract for put-files-name"
    assert (
        again.json["detail"] == f"If-None-Match is W/{tag_of(made)}, but its ETag is {tag_of(made)}"
    )
    assert notes("GET", "/files/a").json["size"] == 3
    other = {"If-None-Match": '"a"', "If-Match": '"a"'}
    assert notes.call("PUT", "/files/a", json_body=size, headers=other).status == 412
    assert notes("PUT", "/files/a", size, headers={"If-None-Match": '"a"'}).status == 200
    unknown = notes.call("PUT", "/files/b", json_body=size, headers={"If-Match": "*"})
    assert unknown.status == 412
    assert unknown.json["detail"] == "If-Match is *, but the record does not exist"
    assert notes("GET", "/files/b").status == 404


def test_a_response_without_state_is_not_repeated_either(notes: Checked) -> None:
    shown = notes("GET", "/rates")
    headers = {"If-None-Match": f"W/{tag_of(shown)}"}
    repeated = notes("GET", "/rates", headers=headers)
    assert (repeated.status, repeated.body) == (304, b"")
    assert repeated.header("ETag") == tag_of(shown)
    assert notes("GET", "/rates", headers={"If-None-Match": '"a"'}).json == shown.json
    assert notes("GET", "/rates", headers={"If-Match": '"a"'}).status == 412
    preferred = notes.call("GET", "/rates", headers={**headers, "Prefer": "code=404"})
    assert preferred.status == 404


def test_a_documented_tag_that_must_be_weak_is_compared(tmp_path: Path) -> None:
    get = with_errors(op(NOTE, None, NONE, MATCH), 304, 412)
    get["responses"]["200"]["headers"] = {"ETag": {"schema": {"enum": ['W/"one"']}}}
    call = Checked(write(tmp_path, {"/notes/{id}": at("id", get=get)}))
    assert call("GET", "/notes/1").header("ETag") == 'W/"one"'
    for tag in ('"one"', 'W/"one"'):
        assert call("GET", "/notes/1", headers={"If-None-Match": tag}).status == 304
        assert call("GET", "/notes/1", headers={"If-Match": tag}).status == 412
    assert call("GET", "/notes/1", headers={"If-Match": "*"}).status == 200


def test_a_single_object_has_a_tag(notes: Checked) -> None:
    tag = tag_of(notes("GET", "/prefs"))
    assert notes("PUT", "/prefs", {"dark": True}, headers={"If-Match": tag}).status == 200
    assert notes("PUT", "/prefs", {"dark": False}, headers={"If-Match": tag}).status == 412
    assert notes("GET", "/prefs").json == {"dark": True}


def test_a_header_that_is_no_entity_tag_is_not_compared(notes: Checked) -> None:
    shown = notes("GET", "/tags/1")
    assert tag_of(shown) != '"33a64df5"', "the example is not the tag of the record"
    changed = notes("PATCH", "/tags/1", {"name": "b"}, headers={"If-Match": "3"})
    assert changed.status == 200
    assert tag_of(notes("GET", "/tags/1")) != tag_of(shown)


def test_an_undeclared_condition_is_ignored(notes: Checked) -> None:
    assert notes("GET", "/prefs", headers={"If-None-Match": "*", "If-Match": '"a"'}).status == 200
    assert notes("POST", "/notes", {"text": "a"}, headers={"If-None-Match": "*"}).status == 201
