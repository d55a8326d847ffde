"""Web servers of the tests: front ends on other origins, malicious pages, and third parties."""

import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

Respond = Callable[[str, Mapping[str, str]], tuple[str, str]]


@contextmanager
def serving(respond: Respond, certificate: Path | None = None) -> Iterator[str]:
    """Serve on a free port; yield the URL.

    :param respond: returns the media type and the text of a response, which pages on all origins
        may read, from a request's path and headers.
    :param certificate: if given, the server uses HTTPS, although the URL has `http:`.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, text = respond(self.path, dict(self.headers.items()))
            content = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Access-Control-Allow-Headers", "authorization, x-own")
            self.end_headers()
            self.wfile.write(content)

        do_OPTIONS = do_GET  # noqa: N815 - named by http.server

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            # The handshake is in the thread of each connection, since browsers open some unused.
            server.socket = context.wrap_socket(
                server.socket, server_side=True, do_handshake_on_connect=False
            )
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://localhost:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def foreign_page(
    text: str = "<!doctype html><title>elsewhere</title>",
    scripts: Mapping[str, str] = {},
    certificate: Path | None = None,
) -> Iterator[int]:
    """Serve a page at every path, except those of scripts; yield the port."""

    def respond(path: str, _: Mapping[str, str]) -> tuple[str, str]:
        if path in scripts:
            return "text/javascript", scripts[path]
        return "text/html; charset=utf-8", text

    with serving(respond, certificate) as url:
        yield int(url.rpartition(":")[2])
