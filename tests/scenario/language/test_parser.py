"""From bytes to a tree of nodes: rejected input, and limits that hold before a tree exists."""

import json
import os
from collections.abc import Iterator
from decimal import Decimal
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets.constants import FILE_NODES
from mockpets.errors import InputError
from mockpets.scenario.language.nodes import FILE_DEPTH, Event, Node, TreeReader
from mockpets.scenario.language.parser import Document, parse
from mockpets.scenario.language.yaml_scalars import read_scalar
from mockpets.text_files import check_text, read_text


def read(text: str, *, is_json: bool = False, nodes: int = FILE_NODES) -> Document:
    return parse(text, "f", is_json=is_json, nodes=nodes)


def plain(text: str, *, is_json: bool = False) -> object:
    document = read(text, is_json=is_json)
    assert not document.problems
    return document.root.plain()


def problem(text: str, *, is_json: bool = False) -> str:
    with pytest.raises(InputError) as caught:
        read(text, is_json=is_json)
    return str(caught.value)


# --- Files ------------------------------------------------------------------------------------


def file_problem(path: Path, limit: int = 100) -> str:
    with pytest.raises(InputError) as caught:
        read_text(path, "f", limit)
    return str(caught.value)


def test_an_error_of_the_system_is_part_of_the_message(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")

    for path in (tmp_path / "file" / "x", tmp_path / "loop", tmp_path / "a\0b"):
        message = file_problem(path)

        assert message.startswith("f: cannot read the file: ")
        assert message.endswith("; check the path and its permissions")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
def test_a_fifo_is_rejected_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")

    assert file_problem(tmp_path / "fifo") == "f: is not a regular file; name a file"


def test_a_link_out_of_its_folder_is_rejected_without_its_target(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s3cret")
    (tmp_path / "mine" / "..data").mkdir(parents=True)
    (tmp_path / "mine" / "..data" / "x").write_text("a: b")
    for name, target in (("out", "../secret"), ("twice", "out"), ("gone", "../nothing")):
        (tmp_path / "mine" / name).symlink_to(target)
        message = file_problem(tmp_path / "mine" / name)

        assert message == "f: is a link to a file outside its folder; copy the file there"
    # A Kubernetes mount, and a folder that is a link itself.
    (tmp_path / "mine" / "in").symlink_to("..data/x")
    (tmp_path / "elsewhere").symlink_to("mine")

    assert read_text(tmp_path / "mine" / "in", "f", 100) == "a: b"
    assert read_text(tmp_path / "elsewhere" / "in", "f", 100) == "a: b"


def test_a_file_can_be_as_large_as_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("é" * 512)

    assert read_text(path, "f", 1024) == "é" * 512
    assert file_problem(path, 1023) == "f: is larger than 0 KiB; shorten or split it"


@pytest.mark.parametrize(
    ("data", "text"),
    [(b"\xef\xbb\xbfa: b", "a: b"), (b"a: b\r\n\tc", "a: b\r\n\tc"), (b"", ""), (b"a", "a")],
)
def test_utf_8_with_or_without_a_mark(tmp_path: Path, data: bytes, text: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(data)

    assert read_text(path, "f", 100) == text


@pytest.mark.parametrize(("data", "message"), [
    ("a: b".encode("utf-16"), "f: is UTF-16 or UTF-32; save it as UTF-8"),
    ("a: b".encode("utf-16-le"), "f: is UTF-16 or UTF-32; save it as UTF-8"),
    ("a: b".encode("utf-16-be"), "f: is UTF-16 or UTF-32; save it as UTF-8"),
    ("a: b".encode("utf-32"), "f: is UTF-16 or UTF-32; save it as UTF-8"),
    ("a: b\nb: caf\xe9".encode("latin-1"), "f:2:7: the byte 0xE9 is not UTF-8; save it as UTF-8"),
    (b"\xef\xbb\xbf" + "é: ".encode() + b"\xff",
     "f:1:4: the byte 0xFF is not UTF-8; save it as UTF-8"),
    (b"a: \xed\xa0\x80", "f:1:4: the byte 0xED is not UTF-8; save it as UTF-8"),
])  # fmt: skip
def test_other_encodings_are_rejected(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(data)

    assert file_problem(path) == message


def test_a_text_without_a_file_is_checked_too() -> None:
    for text in ("x" * 101, "é" * 51):
        with pytest.raises(InputError, match="is larger than 0 KiB"):
            check_text(text, "f", 100)
    with pytest.raises(InputError) as caught:
        check_text("a\n \ud800", "f", 100)

    expected = "f:2:2: U+D800 is half of a surrogate pair; write the complete character"
    assert str(caught.value) == expected


INVISIBLE = (
    "\0\x08\x0b\x1f\x7f\x80\x85\x9f\u2028\u2029\u202a\u202e\u2066\u2069\ufffe\uffff"
    "\u061c\u200b\u200e\u200f\ufeff"
)


@pytest.mark.parametrize("character", INVISIBLE)
def test_invisible_characters_must_be_escapes(character: str) -> None:
    escaped = f'"\\u{ord(character):04x}"'

    with pytest.raises(InputError) as caught:
        check_text(f"a: b\nc: {character}", "f", 100)

    what = f"invisible character U+{ord(character):04X}"
    assert (
        str(caught.value) == f"f:2:4: {what}; remove it, or write it as {escaped} in double quotes"
    )
    assert plain(escaped) == plain(escaped, is_json=True) == character


# --- Unquoted scalars -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("", None), ("~", None), ("null", None), ("Null", None), ("nULL", "nULL"),
        ("true", True), ("True", True), ("TRUE", True), ("false", False), ("tRue", "tRue"),
        ("0", 0), ("-0", 0), ("5", 5), ("-12", -12), ("9223372036854775808", 2**63),
        ("1.5", Decimal("1.5")), ("-0.25", Decimal("-0.25")), ("1e5", Decimal("1e5")),
        ("1E+5", Decimal("1e5")), ("1.5e-3", Decimal("0.0015")),
        ("9007199254740993.0", Decimal(9007199254740993)), ("0.1", Decimal("0.1")),
        ("2030-12-05", "2030-12-05"), ("2030-13-45", "2030-13-45"),
        ("2030-12-05T10:00:00Z", "2030-12-05T10:00:00Z"), ("10:00:00Z", "10:00:00Z"),
        ("y", "y"), ("N", "N"), ("yes please", "yes please"), ("1.2.3", "1.2.3"), ("5s", "5s"),
        ("0x", "0x"), ("-", "-"), (".", "."), ("e5", "e5"), ("1e", "1e"), ("٣", "٣"),
        ("nan", "nan"), ("Nan", "Nan"), ("inf", "inf"), ("infinity", "infinity"), ("=", "="),
        ("12:345", "12:345"),
    ],
)  # fmt: skip
def test_an_unquoted_scalar_is_a_json_literal_or_a_string(word: str, value: object) -> None:
    result = read_scalar(word)

    assert (result, type(result)) == (value, type(value))


@pytest.mark.parametrize(
    "word",
    ["yes", "No", "ON", "oFF", "0777", "-07", "0x1F", "0b1", "0o17", "1_000", "+5", "5.", ".5",
     "+.5", "5.e3", "1:30", "-1:30:00", "190:20:30.15", ".inf", "-.INF", "+.Inf", ".NaN",
     "NaN", "Infinity", "-Infinity", "1e999", "-1.0e+400", "1" * 41, "0." + "0" * 40,
     "1e-" + "9" * 20],
)  # fmt: skip
def test_an_ambiguous_scalar_is_rejected(word: str) -> None:
    with pytest.raises(ValueError) as caught:
        read_scalar(word)
    what, hint = caught.value.args

    assert repr(word)[:40] in what
    assert hint


# --- Trees ------------------------------------------------------------------------------------


def test_nodes_have_line_and_column() -> None:
    root = read("a: 1\nb:\n  - {c: x}\n  - é: [2]\n").root
    b = root.members["b"][1]
    key, inner = b.items[1].members["é"]

    nodes = (root, b, key, inner, inner.items[0])
    assert [(node.kind, node.line, node.column) for node in nodes] == [
        ("mapping", 1, 1),
        ("list", 3, 3),
        ("text", 4, 5),
        ("list", 4, 8),
        ("integer", 4, 9),
    ]  # fmt: skip


def test_all_problems_of_scalars_and_keys_are_reported() -> None:
    document = read("a: yes\n5: x\nb: [!!set {c}, 0777]\na: d\n")

    assert [str(each).partition(";")[0] for each in document.problems] == [
        "f:1:4: a: 'yes' is ambiguous: parsers read it as different values",
        "f:2:1: a key must be a string, got 5",
        "f:3:5: b.1: tags are not supported, got '!!set'",
        "f:3:16: b.2: '0777' is ambiguous: parsers read it as different values",
        "f:4:1: duplicate key 'a', first set on line 1",
    ]


TEXTS = st.text(st.characters(codec="utf-8"))
NUMBERS = st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False)
JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def walk(node: Node) -> Iterator[Node]:
    yield node
    for item in (*node.items, *(part for pair in node.members.values() for part in pair)):
        yield from walk(item)


@given(JSON_VALUES, st.sampled_from([None, 0, 2]), st.booleans())
def test_json_is_read_as_by_json_loads(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)

    assert plain(text, is_json=True) == json.loads(text, parse_float=Decimal)
    # Every node has the position of its first character.
    lines = text.split("\n")
    for node in walk(read(text, is_json=True).root):
        begin = lines[node.line - 1][node.column - 1]
        assert begin in {"mapping": "{", "list": "[", "text": '"'}.get(node.kind, "-0123456789ntf")


@pytest.mark.parametrize("is_json", [True, False])
def test_a_quoted_name_is_no_merge_key(is_json: bool) -> None:
    assert plain('{"<<": {"a": 1}}', is_json=is_json) == {"<<": {"a": 1}}


@given(JSON_VALUES)
def test_json_as_yaml_is_read_like_json(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=True)
    # Only JSON allows surrogate pairs, and keys of more than 1,024 characters.
    if "\\ud" not in text and len(text) <= 1024:
        assert read(text).root == read(text, is_json=True).root


@pytest.mark.parametrize(
    "text", ['{"a"\t:\t1}', '{"a"\n:\n1}', '{"' + "k" * 2000 + '":1}', '{"a":"\\/"}']
)
def test_json_that_is_not_valid_yaml(text: str) -> None:
    assert plain(text, is_json=True) == json.loads(text)


# --- Limits -----------------------------------------------------------------------------------


def read_events(events: Iterator[Event], limit: int = FILE_NODES) -> int:
    """Return the number of events that are read before one is rejected."""
    count = 0

    def counted() -> Iterator[Event]:
        nonlocal count
        for event in events:
            yield event
            count += 1

    with pytest.raises(InputError):
        TreeReader(counted(), "f", limit).root()
    return count


def test_the_limits_hold_immediately() -> None:
    assert read_events(repeat(Event("list", 1, 1))) == FILE_DEPTH
    flat = chain([Event("list", 1, 1)], repeat(Event("word", 1, 1, "x")))
    assert read_events(flat, limit=100) == 100


@pytest.mark.parametrize("unit", ["[", "{a: ", "- ", "? "])
@pytest.mark.parametrize("times", [2000, 50_000])
def test_reading_stops_at_the_depth_limit(unit: str, times: int) -> None:
    """Reading never reaches the error at the end; the C parser reads 1,024 characters ahead."""
    expected = "a key must be a string" if unit == "? " else f"deeper than {FILE_DEPTH} levels"

    assert expected in problem(unit * times + "}]%@")


def test_the_depth_limit_is_allowed() -> None:
    assert problem("[" * (FILE_DEPTH + 1) + "]" * (FILE_DEPTH + 1)).endswith(
        "deeper than 40 levels"
    )
    assert plain("[" * FILE_DEPTH + "]" * FILE_DEPTH)


@pytest.mark.parametrize(
    "text",
    ["[" * 50_000, '{"a":' * 50_000, "[" * 50_000 + "]" * 50_000],
    ids=["lists", "objects", "closed lists"],
)
def test_deep_json_is_rejected(text: str) -> None:
    assert problem(text, is_json=True).endswith("is nested deeper than 40 levels")
