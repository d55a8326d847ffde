"""The loop over the cases of a test."""

import pytest

from tests.cases import each


def test_every_failed_case_is_reported_with_its_values() -> None:
    @each("first, second", [(1, 1), (2, 3), (4, "x")])
    def run(ten: int, first: int, second: object) -> None:
        assert first == second, ten

    with pytest.raises(pytest.fail.Exception, match=r"^2 of 3 cases:") as failed:
        run(ten=10)
    assert "first, second = 2, 3" in str(failed.value)
    assert "first, second = 4, 'x'" in str(failed.value)
