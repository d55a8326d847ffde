"""kit/storybook.js makes a session for each story; `tests/examples` runs it in Storybook."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from mockpets import MockpetsServer, Settings
from tests.programs import need


def test_the_loader_in_node() -> None:
    with MockpetsServer(Settings(port=0, sessions="declared")) as server:
        tests = subprocess.run(
            [need("node"), "--test", str(Path(__file__).with_name("storybook.test.mjs"))],
            env={**os.environ, "MOCKPETS_URL": server.url},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    assert tests.returncode == 0, tests.stdout
    assert "# fail 0" in tests.stdout
