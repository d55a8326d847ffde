"""Write the sheet of an audit: one page beside its screenshots, which needs no server."""

from __future__ import annotations

import base64
import hashlib
import re
import shlex
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit

from jinja2 import Environment, StrictUndefined

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mockpets.audit.result import Cause, Finding, Probe, Result, Step

SHEET: Final = "index.html"
_LEVELS: Final = ("error", "warning", "note")
_LETTERS: Final = {"error": "E", "warning": "W", "note": "N", "accepted": "A", "ok": "✓"}
_SHOWN: Final = {
    "uncaught": "Exception",
    "unhandled-rejection": "Rejection",
    "moved": "Ended at",
}
"""What the texts of a finding are called, if they are not those of the page."""
_SCREENSHOT: Final = re.compile(r"shots/[\w-][\w.-]*\.png")
_LONGEST: Final = 300
"""The characters of a text of the app that the sheet shows."""


@dataclass(frozen=True)
class _Cell:
    """The result of a probe.

    :param finding: the index of the finding to which the cell leads.
    """

    level: str
    label: str
    finding: int | None


@dataclass(frozen=True)
class _Row:
    """The results of an operation on a page, in the order of the columns."""

    action: str | None
    operation: str
    cells: list[_Cell | None]


def write_sheet(folder: Path, result: Result) -> Path:
    """Write the sheet into the folder that has audit.json and the screenshots; return its path.

    :raise OSError: the file cannot be written.
    """
    path = folder / SHEET
    # A text of the app may contain half a surrogate pair, which UTF-8 cannot encode.
    path.write_bytes(render(folder, result).encode("utf-8", "replace"))
    return path


def render(folder: Path, result: Result) -> str:
    """Return the sheet; of the screenshots, it shows those that are in the folder."""
    script, style = _text("sheet.js"), _text("sheet.css")
    states = sorted({probe["state"] for probe in result["matrix"]}, key=_column)
    closed = [each for each in result["causes"] if _is_closed(each)]

    def picture(path: str) -> str:
        return path if _SCREENSHOT.fullmatch(path) and (folder / path).is_file() else ""

    def address(url: str) -> str:
        return _address(result["app"], url)

    def number(cause: Cause) -> int:
        return result["causes"].index(cause) + 1

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.globals |= {
        "LETTERS": _LETTERS,
        "LEVELS": _LEVELS,
        "SHOWN": _SHOWN,
        "address": address,
        "picture": picture,
        "shell": shlex.quote,
        "short": _short,
        "shown_step": step_text,
    }
    return environment.from_string(_text("sheet.html")).render(
        result=result,
        policy=_policy(script),
        script=script,
        style=style,
        number=number,
        open_causes=[each for each in result["causes"] if not _is_closed(each)],
        closed=closed,
        duration=_duration(result["seconds"]),
        shapes=list(dict.fromkeys(each["page"] for each in result["pages"])),
        states=states,
        matrix=_matrix(result, states),
    )


def _column(state: str) -> tuple[bool, bool, str]:
    """Return what the columns are sorted by: what is no failure, then statuses, then others."""
    return state not in ("hold", "empty"), not state.isdigit(), state


def step_text(step: Step) -> str:
    """Return a step as a person reads it, such as ``fill getByLabel("Name"): "Rex"``."""
    value = step.get("value")
    return f"{step['do']} {step['locator']}" + (f": {value}" if value is not None else "")


def _text(name: str) -> str:
    return files("mockpets.audit").joinpath(name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    """Return the Content-Security-Policy: 'self' is for sheets that a server has, as in CI."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        "default-src 'none'; img-src 'self' file:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )


def _is_closed(cause: Cause) -> bool:
    return cause["accepted"] is not None or cause["known"]


def _address(app: str, url: str) -> str:
    """Return the whole URL of a page; empty if a link to it would be dangerous."""
    try:
        whole = urljoin(app, url)
        return whole if urlsplit(whole).scheme in ("http", "https") else ""
    except ValueError:
        return ""


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _matrix(result: Result, states: list[str]) -> list[tuple[str, list[_Row]]]:
    """Return the rows of the matrix by page, both in the order of the probes."""
    findings = _findings(result)
    closed = {index for each in result["causes"] if _is_closed(each) for index in each["findings"]}
    pages: dict[str, dict[tuple[str | None, str], dict[str, _Cell]]] = {}
    for probe in result["matrix"]:
        key = probe["action"], probe["operation"]
        cells = pages.setdefault(probe["page"], {}).setdefault(key, {})
        cells[probe["state"]] = _cell(probe, findings, closed)
    return [
        (
            page,
            [
                _Row(action, operation, [cells.get(state) for state in states])
                for (action, operation), cells in rows.items()
            ],
        )
        for page, rows in pages.items()
    ]


def _cell(probe: Probe, findings: Mapping[_Place, list[int]], closed: set[int]) -> _Cell:
    level: str = probe["level"]
    indexes = [] if level == "ok" else findings.get(_place(probe), [])
    # One that is to be corrected stands before one that is accepted.
    index = min(indexes, key=closed.__contains__, default=None)
    if index in closed:
        level = "accepted"
    return _Cell(level, f"{probe['operation']}:{probe['state']}, {_NAMES[level]}", index)


_NAMES: Final = {
    **{level: level for level in _LEVELS},
    "accepted": "accepted or known",
    "ok": "nothing wrong",
}
_Place = tuple[str, str | None, str, str]


def _place(each: Probe | Finding) -> _Place:
    return each["page"], each["action"], each["operation"], each["state"]


def _findings(result: Result) -> dict[_Place, list[int]]:
    """Return the indexes of the findings by place, the most serious first."""
    indexes: dict[_Place, list[int]] = {}
    named = {index for cause in result["causes"] for index in cause["findings"]}
    for index, finding in enumerate(result["findings"]):
        if index in named:
            indexes.setdefault(_place(finding), []).append(index)
    for places in indexes.values():
        places.sort(key=lambda index: _LEVELS.index(result["findings"][index]["level"]))
    return indexes
