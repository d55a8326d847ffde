"""kit/ssr.js passes a session on from an incoming request."""

import shutil
from pathlib import Path

import pytest

from tests.kit.project import install_kit
from tests.programs import need, run_within


@pytest.mark.node
def test_headers_of_every_kind_in_node(tmp_path: Path) -> None:
    install_kit(tmp_path)
    shutil.copy2(Path(__file__).with_name("ssr.test.mjs"), tmp_path)

    tests = run_within(120, tmp_path, need("node"), "--test", "ssr.test.mjs")

    assert tests.returncode == 0, tests.stdout
    assert "# fail 0" in tests.stdout


def test_the_module_imports_nothing() -> None:
    """An app's server may run it in production, also in runtimes without Node's modules."""
    source = (Path(__file__).parents[2] / "kit" / "ssr.js").read_text(encoding="utf-8")

    assert "import " not in source
    assert "process" not in source
