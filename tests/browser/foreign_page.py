"""Pages of other origins: a front end on another port, and a page that means harm."""

from __future__ import annotations

from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Page(BaseHTTPRequestHandler):
    """Answers every path with the same page."""

    text = "<!doctype html><title>elsewhere</title>"

    def do_GET(self) -> None:
        content = self.text.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - its name there
        pass


@contextmanager
def foreign_page(text: str = _Page.text) -> Iterator[int]:
    """Serve a page on an origin of its own; the value is its port."""
    page = type("_Served", (_Page,), {"text": text})
    with ThreadingHTTPServer(("127.0.0.1", 0), page) as pages:
        thread = Thread(target=pages.serve_forever)
        thread.start()
        try:
            yield pages.server_port
        finally:
            pages.shutdown()
            thread.join()
