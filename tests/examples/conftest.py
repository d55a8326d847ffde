"""Markers of the tests that install an example: they need npm, git and a browser, and are slow.

Those of Next, which takes minutes to install and build, are run by `.ci/long` only.
"""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of an installed example."""
    for item in items:
        if "installed" in getattr(item, "fixturenames", ()):
            is_next = item.path.stem == "test_next"
            for marker in ("browser", "node", "tool", "slow", *(["long"] if is_next else [])):
                item.add_marker(marker)
