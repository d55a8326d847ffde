"""The comparison of instructions per request; `.ci/run` counts them."""

import pytest

from tests.live.instructions import compare, compare_with_built_in

BEFORE = {"first 200": 1e9, "list": 500_000.0, "get": 500_000.0}


def test_a_figure_may_rise_by_a_fiftieth() -> None:
    lines, within = compare(BEFORE, {**BEFORE, "list": 510_000.0, "get": 400_000.0}, [])

    assert within
    assert lines[2:] == [
        "list                   500,000       510,000  1.020",
        "get                    500,000       400,000  0.800",
    ]


def test_a_figure_above_it_needs_a_reason() -> None:
    after = {**BEFORE, "list": 515_000.0}
    lines, within = compare(BEFORE, after, [])

    assert not within
    assert lines[2].endswith("1.030  above 1.02")
    assert compare(BEFORE, after, ["list 1.04 logs the origin"])[1]
    assert not compare(BEFORE, after, ["get 1.04 logs the origin"])[1]
    with pytest.raises(ValueError, match="expected one of first 200, list, get, got 'lists 2 x'"):
        compare(BEFORE, after, ["lists 2 x"])


def test_a_document_may_take_a_quarter_more_than_the_pet_store() -> None:
    ours = {"list": 400_000.0, "get": 400_000.0, "create": 500_000.0}
    names = ("list", "page", "get", "create", "replace", "delete", "single")
    document = {f"document {name}": 500_000.0 for name in names}
    lines, within = compare_with_built_in({**ours, **document})

    assert within
    assert [line.split()[-1] for line in lines] == ["ratio", *["1.250"] * 3, *["1.000"] * 4]
    lines, within = compare_with_built_in({**ours, **document, "document get": 501_000.0})
    assert not within
    assert lines[3].endswith("1.252  above 1.25")
