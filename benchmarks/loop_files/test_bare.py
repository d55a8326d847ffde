"""Tests that do nothing; LIVES is their number."""

from __future__ import annotations

import os

import pytest


@pytest.mark.parametrize("_number", range(int(os.environ["LIVES"])))
def test_bare(_number: int) -> None:
    """Do nothing."""
