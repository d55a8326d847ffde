"""The loop over the cases of a test."""

from __future__ import annotations

import pytest

from tests.cases import each

SOURCE = """
    import os
    import pytest
    from tests.cases import each

    @pytest.fixture
    def ten():
        return 10

    @each("first, second", [(1, 1), (2, 3), (4, "x" * 300)])
    def test_two(ten, first, second):
        assert ten * first == ten * second

    @each("one", range(3))
    @each("other", "ab")
    @pytest.mark.parametrize("more", [1, 2])
    def test_nested(one, other, more):
        if (one, other) == (1, "b"):
            pytest.fail("this one")

    @each("one", [1, 2])
    def test_passes(one, ten):
        assert one < ten

    @each("first", [1, 2])
    @each("second", [3, 4])
    def test_own(first, second, tmp_path, monkeypatch, capsys):
        assert "MOCKPETS_CASE" not in os.environ
        assert [*tmp_path.iterdir(), capsys.readouterr().out] == [""]
        monkeypatch.setenv("MOCKPETS_CASE", "left")
        (tmp_path / "file").touch()
        print("left")
"""


def test_every_failed_case_is_reported_with_its_values(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(SOURCE)
    result = pytester.runpytest("-n0", "-p", "no:randomly", "-p", "no:tests.programs")

    result.assert_outcomes(passed=2, failed=3)
    result.stdout.fnmatch_lines(
        [
            "2 of 3 cases:",
            "--- first, second = 2, 3",
            "*: in test_two",
            "E   *assert (10 * 2) == (10 * 3)",
            f"--- first, second = 4, '{'x' * 199}",
            "1 of 3 cases:",
            "--- one = 1",
            "*1 of 2 cases:",
            "*--- other = 'b'",
            "*this one",
        ]
    )


def test_a_test_without_cases_is_an_error() -> None:
    with pytest.raises(AssertionError, match="no cases for one"):
        each("one", [])
