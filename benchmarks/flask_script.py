"""The list of pets as a Flask script with one view: ``python flask_script.py PORT FILE``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import flask
import waitress

app = flask.Flask("flask_script", static_folder=None)
pets = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))


@app.get("/v1/pets")
def list_pets() -> tuple[flask.Response, int]:
    """List pets, with a key, a limit and a status."""
    if flask.request.headers.get("Authorization") != "Bearer mockpets":
        return flask.jsonify(code="unauthorized", message="No key.", status=401), 401
    limit = flask.request.args.get("limit", 20, type=int)
    status = flask.request.args.get("status")
    matches = [pet for pet in pets if status is None or pet.get("status") == status]
    return flask.jsonify(matches[:limit]), 200


if __name__ == "__main__":
    waitress.serve(app, host="127.0.0.1", port=int(sys.argv[1]), _quiet=True)
