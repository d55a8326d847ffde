"""kit/client.js controls sessions from Node."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from mockpets import MockpetsServer, Settings
from tests.programs import need


def test_the_client_in_node() -> None:
    declared = Settings(port=0, sessions="declared", control_token="secret-token")
    with (
        MockpetsServer(Settings(port=0)) as server,
        MockpetsServer(Settings(port=0)) as other,
        MockpetsServer(declared) as third,
    ):
        tests = subprocess.run(
            [need("node"), "--test", str(Path(__file__).with_name("client.test.mjs"))],
            env={
                **os.environ,
                "MOCKPETS_URL": server.url,
                "OTHER_URL": other.url,
                "DECLARED_URL": third.url,
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    assert tests.returncode == 0, tests.stdout
    assert "# fail 0" in tests.stdout
