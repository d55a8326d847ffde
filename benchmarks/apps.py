"""Small apps on stock waitress and on our loop, to find the upper limit of our stack.

``python -m benchmarks.apps SERVER APP PORT`` serves one. `raw` sends a constant, `flask` implements
the list operation in one plain view, `mockpets` is our app with its defaults.
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    import flask

__all__ = ["main"]


def _raw(_: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Send 1.3 kB, about the size of a list response."""
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", "1300")])
    return [b"x" * 1300]


def _flask() -> flask.Flask:
    """Return an app with one simple view: key, limit, status, JSON."""
    import flask

    app = flask.Flask("benchmarks", static_folder=None)
    pets = json.loads(Path("pets.json").read_text(encoding="utf-8"))

    @app.get("/v1/pets")
    def list_pets() -> tuple[flask.Response, int]:
        if flask.request.headers.get("Authorization") != "Bearer mockpets":
            return flask.jsonify(code="unauthorized", message="No key.", status=401), 401
        limit = flask.request.args.get("limit", 20, type=int)
        status = flask.request.args.get("status")
        matches = [pet for pet in pets if status is None or pet.get("status") == status]
        return flask.jsonify(matches[:limit]), 200

    return app


def _mockpets() -> flask.Flask:
    from benchmarks.subjects import PETS
    from mockpets import Settings, create_app

    return create_app(Settings(count=PETS, max_pets=100_000))


def main(server: str, name: str, port: int) -> None:
    """Serve one app until SIGTERM."""
    apps: dict[str, Callable[[], WSGIApplication]] = {"flask": _flask, "mockpets": _mockpets}
    app = apps[name]() if name in apps else _raw
    if server == "loop":
        from mockpets import Settings
        from mockpets.server import bind, serve

        serve(app, bind(Settings(host=("127.0.0.1",), port=port)), lambda: None)
        return
    import waitress

    # A log line for each waiting request would make it even slower.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    waitress.serve(app, host="127.0.0.1", port=port, threads=4, connection_limit=1000, _quiet=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
