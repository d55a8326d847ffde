"""Vite's dev server, which tests of its proxy start."""

from __future__ import annotations

import re
import subprocess
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.programs import need

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@contextmanager
def running_vite(config: str, files: Mapping[str, str] | None = None) -> Iterator[str]:
    """Run Vite on a page without content; yield its URL.

    :param config: the text of ``vite.config.js``.
    :param files: more files of the app, by path.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "index.html").write_text("<!doctype html><title>app</title>", encoding="utf-8")
        (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
        (folder / "vite.config.js").write_text(config, encoding="utf-8")
        for path, text in (files or {}).items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        with subprocess.Popen(
            [need("vite"), "--clearScreen", "false", "--host", "127.0.0.1", "--port", "0"],
            cwd=folder,
            env={"PATH": str(need("node")).rpartition("/")[0], "NO_COLOR": "1"},
            stdin=subprocess.PIPE,  # Vite ends with its input
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process:
            assert process.stdout is not None
            found = (re.search(r"(http://[\d.:]+)/", line) for line in process.stdout)
            try:
                yield next(match[1] for match in found if match)
            finally:
                process.terminate()
                process.stdout.read()
