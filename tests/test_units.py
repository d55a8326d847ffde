import re
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets.errors import Problem, printable
from mockpets.units import DURATION, RATE, parse_duration, parse_rate, parse_size, quote, size_text


@pytest.mark.parametrize(("text", "seconds"), [
    ("300ms", 0.3), ("1.5s", 1.5), ("1m", 60.0), ("0s", 0.0), ("0.5 s", 0.5), ("007s", 7.0),
    ("0.01h", 36.0),
])  # fmt: skip
def test_durations_become_seconds(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


BAD_DURATION = "must be a duration such as 300ms, 1.5s or 1m, got "


@pytest.mark.parametrize(("text", "message"), [
    ("5", BAD_DURATION + "'5'; add a unit: '5s' or '5ms'"),
    ("50", BAD_DURATION + "'50'; add a unit: '50ms' or '50s'"),
    ("49", BAD_DURATION + "'49'; add a unit: '49s' or '49ms'"),
    ("50.5", BAD_DURATION + "'50.5'; add a unit: '50.5s' or '50.5ms'"),
    ("", BAD_DURATION + "''"),
    ("-1s", BAD_DURATION + "'-1s'"),
    ("1e3ms", BAD_DURATION + "'1e3ms'"),
    ("2S", BAD_DURATION + "'2S'"),
    ("٣s", BAD_DURATION + "'٣s'"),
    ("2s\n", BAD_DURATION + "'2s\\n'"),
    ("60001ms", "must be a duration of at most 60s, got '60001ms'"),
    ("1.1m", "must be a duration of at most 60s, got '1.1m'"),
    ("9" * 90 + "s", BAD_DURATION + f"'{'9' * 77}...'"),
])  # fmt: skip
def test_an_invalid_duration_is_rejected(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_duration(text)

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "seconds"), [("0s", 0), ("1.5s", 1.5), ("60m", 3600), ("1h", 3600)]
)
def test_a_duration_may_have_another_limit(text: str, seconds: float) -> None:
    assert parse_duration(text, 3600) == seconds
    with pytest.raises(ValueError, match=r"at most 1h, got '3600\.1s'"):
        parse_duration("3600.1s", 3600)
    assert parse_duration("2d", inf) == 172800


@pytest.mark.parametrize(
    ("text", "rate"), [("500 B/s", 500), ("2kB/s", 2000), ("1 MB/s", 10**6), ("1.9 B/s", 1)]
)
def test_rates_become_bytes_per_second(text: str, rate: int) -> None:
    assert parse_rate(text) == rate


@pytest.mark.parametrize(("text", "message"), [
    ("500", "such as 500 B/s or 2 kB/s, got '500'; add a unit: '500 B/s' or '500 kB/s'"),
    ("2 kb/s", "such as 500 B/s or 2 kB/s, got '2 kb/s'"),
    ("2  kB/s", "such as 500 B/s or 2 kB/s, got '2  kB/s'"),
    ("0 MB/s", "of at least 1 B/s, got '0 MB/s'"),
    ("0.9 B/s", "of at least 1 B/s, got '0.9 B/s'"),
])  # fmt: skip
def test_an_invalid_rate_is_rejected(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_rate(text)

    assert str(caught.value) == f"must be a rate {message}"


@given(st.text() | st.from_regex(DURATION) | st.from_regex(RATE))
def test_any_text_is_parsed_or_rejected_with_a_message(text: str) -> None:
    for parse, pattern in ((parse_duration, DURATION), (parse_rate, RATE)):
        try:
            message = f"must be a {parse(text)} from {quote(text)}"
            assert re.fullmatch(pattern, text)
        except ValueError as error:
            message = str(error)
        assert message.startswith("must be a ") and quote(text) in message


@pytest.mark.parametrize(("text", "shown"), [
    ("naïve 🐶", "naïve 🐶"),
    ("a\x1b[31m\u202e\n", "a\\x1b[31m\\u202e\\n"),
    ("\ud800", "\\ud800"),
])  # fmt: skip
def test_non_printable_characters_are_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert str(Problem(text, 1, 2, text, text, text)) == f"{shown}:1:2: {shown}: {shown}; {shown}"


@pytest.mark.parametrize(
    ("text", "size"),
    [("1KiB", 1024), ("64MiB", 2**26), ("1.5 GiB", 3 * 2**29), ("0MiB", 0), ("0.0001KiB", 0)],
)
def test_sizes_become_bytes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["64", "2K", "1B", "MiB", "", "-1MiB", "1e3MiB", "٣MiB"])
def test_other_texts_are_not_sizes(text: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_size(text)

    assert str(caught.value) == f"must be a size such as 64MiB or 1GiB, got {text!r}"


@pytest.mark.parametrize("text", ["1MiB", "1.5MiB", "64MiB", "1GiB", "64GiB"])
def test_the_text_of_a_size_is_one_that_can_be_set(text: str) -> None:
    assert size_text(parse_size(text)) == text
