"""A server of the clinic's document, for the tests of its operations."""

import pytest

from tests.web.checked_client import CLINIC, Checked


@pytest.fixture(scope="module")
def shared_clinic() -> Checked:
    return Checked(CLINIC)


@pytest.fixture
def clinic(shared_clinic: Checked) -> Checked:
    """A server of the clinic as at its start."""
    shared_clinic.control("DELETE", "sessions")
    shared_clinic.control("POST", "reset")
    return shared_clinic
