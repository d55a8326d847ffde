"""From bytes to a tree of nodes: what is refused on the way, and that limits hold before trees."""

from __future__ import annotations

import json
import os
from decimal import Decimal
from itertools import repeat
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets.constants import FILE_ALIASES, FILE_DEPTH, FILE_NODES
from mockpets.errors import InputError
from mockpets.scenario.language.nodes import Builder, Event, Node, dotted
from mockpets.scenario.language.parser import CHARACTERS, Document, parse
from mockpets.scenario.language.scalars import read_scalar
from mockpets.scenario.language.text import check_text, read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


def read(text: str, *, is_json: bool = False, nodes: int = FILE_NODES) -> Document:
    return parse(text, "f", is_json=is_json, nodes=nodes)


def plain(text: str, *, is_json: bool = False) -> object:
    document = read(text, is_json=is_json)
    assert not document.problems
    return document.root.plain()


def refusal(text: str, *, is_json: bool = False) -> str:
    with pytest.raises(InputError) as refused:
        read(text, is_json=is_json)
    return str(refused.value)


# --- Files ------------------------------------------------------------------------------------


def file_refusal(path: Path, most: int = 100) -> str:
    with pytest.raises(InputError) as refused:
        read_text(path, "f", most)
    return str(refused.value)


def test_a_missing_file(tmp_path: Path) -> None:
    assert file_refusal(tmp_path / "x") == "f: there is no such file; check the path"


def test_a_folder(tmp_path: Path) -> None:
    assert file_refusal(tmp_path) == "f: is a folder; name a file in it"


def test_what_the_system_refuses_is_told_in_its_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")

    for path in (tmp_path / "file" / "x", tmp_path / "loop", tmp_path / "a\0b"):
        said = file_refusal(path)

        assert said.startswith("f: cannot be read: ")
        assert said.endswith("; check the path and who may")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
def test_a_fifo_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")

    assert file_refusal(tmp_path / "fifo") == "f: is not a regular file; name a file"


def test_a_link_out_of_its_folder_is_refused_without_a_word_on_where_it_leads(
    tmp_path: Path,
) -> None:
    (tmp_path / "secret").write_text("s3cret")
    (tmp_path / "mine" / "..data").mkdir(parents=True)
    (tmp_path / "mine" / "..data" / "x").write_text("a: b")
    for name, target in (("out", "../secret"), ("twice", "out"), ("gone", "../nothing")):
        (tmp_path / "mine" / name).symlink_to(target)
        said = file_refusal(tmp_path / "mine" / name)

        assert said == "f: is a link that leads out of its folder; copy the file there"
    # As Kubernetes mounts them, and a folder that is a link itself.
    (tmp_path / "mine" / "in").symlink_to("..data/x")
    (tmp_path / "elsewhere").symlink_to("mine")

    assert read_text(tmp_path / "mine" / "in", "f", 100) == "a: b"
    assert read_text(tmp_path / "elsewhere" / "in", "f", 100) == "a: b"


def test_a_file_may_be_as_large_as_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("é" * 512)

    assert read_text(path, "f", 1024) == "é" * 512
    assert file_refusal(path, 1023) == "f: is larger than 0 KiB; split it, or leave some out"


@pytest.mark.parametrize(
    ("data", "text"),
    [(b"\xef\xbb\xbfa: b", "a: b"), (b"a: b\r\n\tc", "a: b\r\n\tc"), (b"", ""), (b"a", "a")],
)
def test_utf_8_with_or_without_a_mark(tmp_path: Path, data: bytes, text: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(data)

    assert read_text(path, "f", 100) == text


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("a: b".encode("utf-16"), "f: is UTF-16 or UTF-32; save it as UTF-8"),
        ("a: b".encode("utf-16-le"), "f: is UTF-16 or UTF-32; save it as UTF-8"),
        ("a: b".encode("utf-16-be"), "f: is UTF-16 or UTF-32; save it as UTF-8"),
        ("a: b".encode("utf-32"), "f: is UTF-16 or UTF-32; save it as UTF-8"),
        (
            "a: b\nb: caf\xe9".encode("latin-1"),
            "f:2:7: the byte 0xE9 is not UTF-8; save it as UTF-8",
        ),
        (
            b"\xef\xbb\xbf" + "é: ".encode() + b"\xff",
            "f:1:4: the byte 0xFF is not UTF-8; save it as UTF-8",
        ),
        (b"a: \xed\xa0\x80", "f:1:4: the byte 0xED is not UTF-8; save it as UTF-8"),
    ],
)
def test_another_encoding_is_refused(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(data)

    assert file_refusal(path) == said


def test_a_text_that_did_not_come_from_a_file_is_checked_alike() -> None:
    for text in ("x" * 101, "é" * 51):
        with pytest.raises(InputError, match="is larger than 0 KiB"):
            check_text(text, "f", 100)
    with pytest.raises(InputError) as refused:
        check_text("a\n \ud800", "f", 100)

    assert str(refused.value) == "f:2:2: U+D800 is half of a character; write the whole character"


UNSEEN = (
    "\0\x08\x0b\x1f\x7f\x80\x85\x9f\u2028\u2029\u202a\u202e\u2066\u2069\ufffe\uffff"
    "\u061c\u200b\u200e\u200f\ufeff"
)


@pytest.mark.parametrize("character", UNSEEN, ids=ascii)
def test_what_an_editor_does_not_show_must_be_written_as_an_escape(character: str) -> None:
    escaped = f'"\\u{ord(character):04x}"'

    with pytest.raises(InputError) as refused:
        check_text(f"a: b\nc: {character}", "f", 100)

    what = f"the character U+{ord(character):04X} stands here unseen"
    assert (
        str(refused.value) == f"f:2:4: {what}; remove it, or write it as {escaped} in double quotes"
    )
    assert plain(escaped) == plain(escaped, is_json=True) == character


# --- Words ------------------------------------------------------------------------------------


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
def test_a_word_is_what_json_says_or_text(word: str, value: object) -> None:
    found = read_scalar(word)

    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    "word",
    ["yes", "No", "ON", "oFF", "0777", "-07", "0x1F", "0b1", "0o17", "1_000", "+5", "5.", ".5",
     "+.5", "5.e3", "1:30", "-1:30:00", "190:20:30.15", ".inf", "-.INF", "+.Inf", ".NaN",
     "NaN", "Infinity", "-Infinity", "1e999", "-1.0e+400", "1" * 41, "0." + "0" * 40],
)  # fmt: skip
def test_a_word_that_readers_differ_on_is_refused(word: str) -> None:
    with pytest.raises(ValueError) as refused:
        read_scalar(word)
    what, hint = refused.value.args

    assert repr(word)[:40] in what
    assert hint


def test_quotes_make_any_word_text() -> None:
    assert plain("[\"5\", 'yes', \"\", '~', |\n 0777\n]".replace("|\n 0777\n", "'0777'")) == [
        "5", "yes", "", "~", "0777",
    ]  # fmt: skip


# --- Trees ------------------------------------------------------------------------------------


def test_nodes_know_their_place() -> None:
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


def test_a_node_finds_what_a_path_leads_to_and_how_far() -> None:
    root = read("a: [x, {b: y}]").root

    assert root.find(("a", 1, "b"))[0].value == "y"
    assert root.find(("a", 1, "b"))[1] == ("a", 2, "b")
    assert root.find(("a", 5, "c")) == (root.members["a"][1], ("a", 6, "c"))


def test_a_path_is_said_with_places_from_1_and_odd_keys_in_quotes() -> None:
    assert (
        dotted(["stubs", 2, "a-b", "x y", "\x1b", "$schema"]) == "stubs.2.a-b.'x y'.'\\x1b'.$schema"
    )


def test_problems_with_single_words_are_all_told() -> None:
    document = read("a: yes\n5: x\nb: [!!set {c}, 0777]\na: d\n")

    assert [str(problem).partition(";")[0] for problem in document.problems] == [
        "f:1:4: a: 'yes' is true or false to some readers of YAML, and text to others",
        "f:2:1: a key must be text, got 5",
        "f:3:5: b.1: tags are not supported, got '!!set'",
        "f:3:16: b.2: '0777' is not the same number to every reader of YAML",
        "f:4:1: key 'a' given twice, first at line 1",
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
def test_json_is_read_as_json_reads_it(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)

    assert plain(text, is_json=True) == json.loads(text, parse_float=Decimal)
    # Every node stands where its text begins.
    lines = text.split("\n")
    for node in walk(read(text, is_json=True).root):
        begin = lines[node.line - 1][node.column - 1]
        assert begin in {"mapping": "{", "list": "[", "text": '"'}.get(node.kind, "-0123456789ntf")


@given(JSON_VALUES)
def test_yaml_is_read_as_json_where_it_is_json(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=True)
    # Pairs of surrogates are JSON's alone, and so are keys of more than 1,024 characters.
    if "\\ud" not in text and len(text) <= 1024:
        assert read(text).root == read(text, is_json=True).root


@pytest.mark.parametrize(
    "text", ['{"a"\t:\t1}', '{"a"\n:\n1}', '{"' + "k" * 2000 + '":1}', '{"a":"\\/"}']
)
def test_json_that_yaml_does_not_take(text: str) -> None:
    assert plain(text, is_json=True) == json.loads(text)


# --- Limits -----------------------------------------------------------------------------------


def taken(events: Iterable[Event], most: int = FILE_NODES, characters: int = CHARACTERS) -> int:
    """How many events a builder takes before it refuses one."""
    builder = Builder("f", most, characters)
    for count, event in enumerate(events):
        try:
            builder.take(event)
        except InputError:
            return count
    pytest.fail("all events were taken")


def test_depth_is_refused_as_soon_as_it_is_reached() -> None:
    assert taken(repeat(Event("list", 1, 1))) == FILE_DEPTH


def test_nodes_are_refused_as_soon_as_there_are_too_many() -> None:
    def flat() -> Iterator[Event]:
        yield Event("list", 1, 1)
        yield from repeat(Event("word", 1, 1, "x"))

    assert taken(flat(), most=100) == 100


def test_aliases_count_as_what_they_stand_for() -> None:
    def fan_out() -> Iterator[Event]:
        yield Event("list", 1, 1)
        yield Event("list", 1, 1, anchor="a")
        yield from repeat(Event("word", 1, 1, "x"), 9)
        yield Event("end", 1, 1)
        yield from repeat(Event("alias", 1, 1, "a"))

    # 1 + 10 nodes and then 10 more with each alias.
    assert taken(fan_out(), most=100) == 12 + 8
    assert taken(fan_out()) == 12 + FILE_ALIASES


def test_characters_are_counted_likewise_keys_and_all() -> None:
    def fan_out() -> Iterator[Event]:
        yield Event("list", 1, 1)
        yield Event("mapping", 1, 1, anchor="a")
        yield Event("word", 1, 1, "key")
        yield Event("quoted", 1, 1, "seven..")
        yield Event("end", 1, 1)
        yield from repeat(Event("alias", 1, 1, "a"))

    assert taken(fan_out(), characters=9) == 3
    assert taken(fan_out(), characters=100) == 5 + 9
    assert taken(fan_out()) == 5 + FILE_ALIASES


@pytest.mark.parametrize("unit", ["[", "{a: ", "- ", "? "])
@pytest.mark.parametrize("times", [2000, 50_000])
def test_the_rest_of_a_deep_nest_is_never_read(unit: str, times: int) -> None:
    """An error at the end is not come to; the C parser looks ahead, 1,024 characters at most."""
    expected = "a key must be text" if unit == "? " else f"nested deeper than {FILE_DEPTH} levels"

    assert expected in refusal(unit * times + "}]%@")


def test_the_deepest_nest_that_is_read() -> None:
    assert refusal("[" * (FILE_DEPTH + 1) + "]" * (FILE_DEPTH + 1)).endswith(
        "deeper than 40 levels"
    )
    assert plain("[" * FILE_DEPTH + "]" * FILE_DEPTH)


@pytest.mark.parametrize("text", ["[" * 50_000, '{"a":' * 50_000, "[" * 50_000 + "]" * 50_000])
def test_deep_json_is_refused_likewise(text: str) -> None:
    assert refusal(text, is_json=True).endswith("is nested deeper than 40 levels")


def test_aliases_cannot_build_what_depth_forbids() -> None:
    half = "[" * 30 + "1" + "]" * 30

    assert refusal(f"- &a {half}\n- {'[' * 10}*a{']' * 10}\n") == (
        "f:2:13: is nested deeper than 40 levels"
    )
    assert plain(f"- &a {half}\n- {'[' * 9}*a{']' * 9}\n")


def test_a_merge_bomb_is_not_expanded() -> None:
    """PyYAML's constructor takes seconds over these eight lines, and ten times that over nine."""
    lines = ["a0: &a0 {k: v}"]
    lines += [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, 9)]

    assert refusal("\n".join(lines)).split("\n")[-1] == (
        "f:5:35: has more than 20000 values, aliases counted as what they stand for"
    )


def test_an_alias_is_the_very_node_it_stands_for() -> None:
    first, second = read("[&a {b: c}, *a]").root.items

    assert first is second
