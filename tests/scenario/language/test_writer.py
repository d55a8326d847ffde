"""A scenario that is written as YAML reads as the same scenario."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets.scenario.language.parser import parse
from mockpets.scenario.language.writer import text_of

WORDS = ["1e10", "08280", "0815", "NaN", "0o7", "0x1F", "1_000", "1:30", "+5", ".5", "5.", "no"]
WORDS += ["On", "~", "null", "", "true", "-", "=", "<<", "2030-12-05", ".inf", "-Infinity", "0b1"]
WORDS += ["- a", "a: b", "#a", "!a", "&a", "*a", "?", "%a", "@a", "`a", "'", '"', " a", "a ", "\n"]
WORDS += ["\u200b", "\ufeff", "\u2028", "\x7f", "\x85", "\U0001f600", "a\tb", "a\n\nb\n"]
TEXTS = st.sampled_from(WORDS) | st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
TEXTS |= st.from_regex(r"[-+]?[0-9._:xobeE+-]{1,12}", fullmatch=True)
NUMBERS = st.integers(-(10**38), 10**38) | st.decimals(
    allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=3
)
VALUES: Any = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(TEXTS.filter(lambda text: text != "<<"), inner, max_size=4)
    ),
    max_leaves=12,
)


def read(document: Any) -> Any:
    result = parse(text_of(document), "a.yaml", is_json=False, nodes=10_000)
    assert result.problems == ()
    return result.root.plain()


@pytest.mark.parametrize("word", WORDS)
def test_a_text_stays_a_text(word: str) -> None:
    document = {"description": word, "in": {"body": [word, {"a": word}]}}

    assert read(document) == document


@pytest.mark.hypothesis
@given(VALUES)
def test_what_is_written_reads_as_the_same(value: Any) -> None:
    document = {"description": "d", "value": value}
    again = read(document)

    assert again == document
    assert repr(again) == repr(document)


@pytest.mark.parametrize("value", ["a", [1, "b"], {"a": 1}])
def test_a_property_may_have_the_name_of_a_key_of_scenarios(value: Any) -> None:
    document = {"description": "d", "body": {"stubs": value, "description": [1]}}

    assert read(document) == document


def test_a_number_with_a_fraction_is_exact() -> None:
    assert "9007199254740993.0" in text_of({"n": Decimal("9007199254740993.0")})
