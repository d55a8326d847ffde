from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the documents of a module, each of which replaces the one before."""
    return tmp_path_factory.mktemp("documents")
