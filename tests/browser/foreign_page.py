"""Pages on other origins: a front end on another port, or a malicious page."""

from __future__ import annotations

from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Page(BaseHTTPRequestHandler):
    """Serve the same page at every path, except those of scripts."""

    text = "<!doctype html><title>elsewhere</title>"
    scripts: ClassVar[dict[str, str]] = {}

    def do_GET(self) -> None:
        script = self.scripts.get(self.path)
        content = (script or self.text).encode()
        self.send_response(200)
        kind = "javascript" if script else "html"
        self.send_header("Content-Type", f"text/{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the base class's name
        pass


@contextmanager
def foreign_page(text: str = _Page.text, scripts: dict[str, str] = {}) -> Iterator[int]:  # noqa: B006 - only read
    """Serve a page on its own origin and yield its port."""
    handler = type("_Served", (_Page,), {"text": text, "scripts": scripts})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()
