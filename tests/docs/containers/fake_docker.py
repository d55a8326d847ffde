"""A pytest plugin that replaces the containers of testcontainers by ``mockpets serve``.

The file that the variable ``CAPTURED`` names gets what would be started.
"""

import json
import os
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

# Only a slow test installs testcontainers.
from testcontainers.core import container  # type: ignore[import-not-found]
from testcontainers.core.config import ConnectionMode, testcontainers_config  # type: ignore[import-not-found]

testcontainers_config.ryuk_disabled = True


class FakeDocker:
    """The part of `DockerClient` that a container calls."""

    client = SimpleNamespace(close=lambda: None)

    def __init__(self) -> None:
        self.port_of_server = 0

    def create(self, image: str, **options: Any) -> SimpleNamespace:
        Path(os.environ["CAPTURED"]).write_text(json.dumps({"image": image, **options}))
        self.options = options
        return SimpleNamespace(id="1", short_id="1", status="running", reload=lambda: None)

    def start(self, created: SimpleNamespace) -> None:
        [folder] = self.options["volumes"]
        process = subprocess.Popen(
            ["mockpets", "serve", "--port", "0", "--log=quiet"],
            env={**os.environ, **self.options["environment"], "MOCKPETS_SCENARIOS_DIR": folder},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdout is not None
        address = re.search(r"http://[^/]*:(\d+)", process.stdout.readline())
        assert address is not None
        self.port_of_server = int(address[1])

        def remove(**_: object) -> None:
            process.terminate()
            process.communicate()

        created.remove = remove

    def get_connection_mode(self) -> ConnectionMode:
        return ConnectionMode.docker_host

    def host(self) -> str:
        return "localhost"

    def port(self, _: str, port: int) -> int:
        assert port == 7387
        return self.port_of_server


container.DockerClient = FakeDocker
