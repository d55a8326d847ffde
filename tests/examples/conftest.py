"""Markers of the tests that install an example: they need npm, git and a browser, and are long."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of an installed example."""
    for item in items:
        if "installed" in getattr(item, "fixturenames", ()):
            for marker in ("browser", "node", "tool", "long"):
                item.add_marker(marker)
