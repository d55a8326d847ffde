"""Tests that do nothing with their session; LIVES is their number."""

from __future__ import annotations

import os

import pytest


@pytest.mark.usefixtures("mockpets")
@pytest.mark.parametrize("_number", range(int(os.environ["LIVES"])))
def test_session(_number: int) -> None:
    """Do nothing."""
