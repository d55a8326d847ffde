"""HAR files that are made to be slow: many secrets, and texts on which patterns could backtrack."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_replay import BASE, entry, har
from tests.examples.project import COMMANDS

pytestmark = pytest.mark.long

SECONDS = 300
"""A recording takes a fraction of this; with time that grows with the square, it takes hours."""
LENGTH = 200_000
START = "eyJhbGciOiJIUzI1NiJ9"
TEXTS = {
    "tags": "<token" * (LENGTH // 6),
    "one tag": "<" + "token" * (LENGTH // 5),
    "spaces behind JSON": "[]" + " " * LENGTH + "x token",
    "one word": "token" + "a" * LENGTH,
    "colons": "//token" + ":" * LENGTH,
    "users": "//token@" + "a@" * (LENGTH // 2),
    "pairs": "token=a&" * (LENGTH // 8) + " ",
    "names": "token" * (LENGTH // 5),
    "lines": "token\n" * (LENGTH // 6),
    "percent signs": "token=" + "%25" * (LENGTH // 3),
    "JSON in JSON": json.dumps("token" * (LENGTH // 10)),
}


def many_secrets() -> list[dict[str, Any]]:
    """Return entries with 46,000 cookies that begin alike, in 54 MB."""
    rows = []
    for number in range(1000):
        row = entry("GET", "/things", 200, ["x" * 50] * 1000)
        values = [f"c{place}={START}{number:05}{place:05}-cookie" for place in range(46)]
        row["request"]["headers"].append({"name": "cookie", "value": "; ".join(values)})
        rows.append(row)
    return rows


def text_only(text: str) -> list[dict[str, Any]]:
    row = entry("GET", "/things", 200, "")
    row["response"]["content"] |= {"text": text, "mimeType": "text/plain"}
    return [row]


@pytest.mark.parametrize("kind", ["secrets", *TEXTS])
def test_a_recording_ends(kind: str, tmp_path: Path) -> None:
    rows = many_secrets() if kind == "secrets" else text_only(TEXTS[kind])
    file = har(tmp_path / "a.har", *rows)
    command: list[str | Path] = [
        COMMANDS / "mockpets",
        "record",
        "a",
        "--har",
        file,
        "--base-url",
        BASE,
        "-o",
    ]
    done = subprocess.run(
        [*command, tmp_path / "a.yaml"],
        capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip

    assert "Traceback" not in done.stderr
    assert START not in f"{done.stdout}{done.stderr}"
