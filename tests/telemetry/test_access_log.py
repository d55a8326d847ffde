"""The access log: one line for each request in the text and JSON formats, safe to print."""

import errno
import io
import json
import logging
import os
import pty
import re
import subprocess
import sys
from collections.abc import Sequence
from threading import Event, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets.telemetry.access_log import LINES, MESSAGE, TARGET, Access, access, configure

PLAIN = Access("GET", "/v1/pets?limit=2", 200, 0.412, size=120, number=3, session="default")
RICH = Access(
    "POST", "/v1/pets", 503, 1.25, delay_ms=2000.0, size=98, number=7, session="w3",
    scenarios=("retry", "slow"), stubs=("slow/all", "retry/fails"), fault="truncated_body",
    notes=("off_contract", "ignored_members"),
)  # fmt: skip
BROKEN = Access("GET", "/v1/pets/1", None, 0.3, session="default", fault="connection_reset")
LOOKUPS = ("logMultiprocessing", "logProcesses", "logThreads")


def logged(form: str, *lines: Access) -> list[str]:
    """Return the lines of the log for these requests."""
    stream = io.StringIO()
    with configure(form, stream):
        for line in lines:
            access(line)
    text = stream.getvalue()
    assert text.endswith("\n")
    return text.removesuffix("\n").split("\n")


# --- Lines ------------------------------------------------------------------------------------


# `st.text()` alone would rarely generate the dangerous characters.
ANYTHING = st.text(
    st.characters() | st.sampled_from('\n\r\x00\x1b\x7f\x85\x9b\u2028\u202e\u2066\u200b\ud800"\\'),
    max_size=30,
)
NAMES = st.lists(ANYTHING, max_size=3).map(tuple)
ACCESSES = st.builds(
    Access,
    method=ANYTHING,
    target=ANYTHING,
    status=st.none() | st.integers(100, 999),
    ms=st.floats(0, 1e6),
    session=ANYTHING,
    scenarios=NAMES,
    stubs=NAMES,
    fault=st.none() | ANYTHING,
    notes=NAMES,
)


@pytest.mark.slow
@given(st.lists(ACCESSES, min_size=1, max_size=30))
def test_each_request_is_one_printable_line(lines: Sequence[Access]) -> None:
    for form in ("text", "json"):
        logged_lines = logged(form, *lines)
        assert len(logged_lines) == len(lines)
        assert all(line.isprintable() for line in logged_lines)
    for line, text in zip(lines, logged_lines, strict=True):
        properties = json.loads(text)
        assert text.isascii()
        assert properties["target"] == line.target
        assert (properties["status"], properties["fault"]) == (line.status, line.fault)
        assert tuple(properties["stubs"]) == line.stubs


def test_long_targets_are_truncated() -> None:
    long = PLAIN._replace(
        method="G" * 9999, target="/" + "x" * 9999, stubs=("s",) * 999, notes=("n",) * 999
    )
    text, shown = logged("text", long)[0], json.loads(logged("json", long)[0])

    assert len(text) < 2 * TARGET + 300
    assert shown["target"] == "/" + "x" * (TARGET - 4) + "..."
    assert len(shown["stubs"]) == len(shown["notes"]) == 20


# --- Warnings and errors ----------------------------------------------------------------------


def warnings_and_errors(form: str) -> str:
    stream = io.StringIO()
    with configure(form, stream):
        log = logging.getLogger("mockpets.server")
        log.warning("two lines:\n12:00:00 200 GET /forged\x1b[31m")
        try:
            raise ValueError("no\n12:00:00 error: forged")
        except ValueError:
            log.exception("error on %r", "/\n")
        log.debug("not logged")
        logging.getLogger("waitress").info("not logged")
        logging.getLogger("waitress").error("x" * 2 * MESSAGE)
    return stream.getvalue()


def test_the_text_format_indents_further_lines_of_a_message() -> None:
    lines = warnings_and_errors("text").splitlines()
    starts = [line[9:] for line in lines if not line.startswith("  ")]

    assert starts[:2] == ["warning: two lines:", r"error: error on '/\n'"]
    assert (len(starts), starts[2][:10], len(starts[2])) == (3, "error: xxx", MESSAGE + 7)
    assert lines[1] == r"  12:00:00 200 GET /forged\x1b[31m"
    assert lines[3] == "  Traceback (most recent call last):"
    assert lines[-2] == "  12:00:00 error: forged"


def test_the_json_format_logs_warnings_and_errors_as_objects() -> None:
    warning, error, foreign = map(json.loads, warnings_and_errors("json").splitlines())

    assert (warning["level"], warning["logger"]) == ("warning", "mockpets.server")
    assert warning["message"] == "two lines:\n12:00:00 200 GET /forged\x1b[31m"
    assert error["message"] == r"error on '/\n'"
    assert error["traceback"].endswith("ValueError: no\n12:00:00 error: forged")
    assert (foreign["logger"], len(foreign["message"])) == ("waitress", MESSAGE)


# --- Streams ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("form", "environ", "coloured"), [
    ("text", {}, True), ("text", {"NO_COLOR": ""}, True), ("text", {"NO_COLOR": "1"}, False),
    ("text", {"TERM": "dumb"}, False), ("json", {}, False),
])  # fmt: skip
def test_only_a_terminal_gets_colour(form: str, environ: dict[str, str], coloured: bool) -> None:
    terminal, end = pty.openpty()
    with os.fdopen(end, "w") as stream, os.fdopen(terminal, "rb") as shown:
        with configure(form, stream, environ):
            for line in (PLAIN, RICH, BROKEN):
                access(line)
            logging.getLogger("mockpets").error("last")
        text = _until(shown.fileno(), b"last")

    seen = re.findall(rb"\x1b\[([0-9]+)m([a-z0-9-]+)\x1b\[0m", text)
    expected = [(b"32", b"200"), (b"31", b"503"), (b"35", b"---"), (b"31", b"error")]
    assert seen == (expected if coloured else [])
    assert (b"\x1b" in text) is coloured


def _until(descriptor: int, end: bytes) -> bytes:
    text = b""
    while end not in text:
        text += os.read(descriptor, 4096)
    return text


@pytest.mark.long
@pytest.mark.parametrize("blocking", [True, False])
def test_a_blocked_reader_does_not_block_requests_and_lost_lines_are_counted(
    blocking: bool,
) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, blocking)
    text: list[str] = []

    def read() -> None:
        with os.fdopen(reading) as pipe:
            text.extend(pipe)

    reader = Thread(target=read)
    with os.fdopen(writing, "w") as stream, configure("json", stream):
        for number in range(3 * LINES):
            access(PLAIN._replace(number=number + 1))  # the pipe has room for some hundred
        reader.start()
    reader.join()
    lines = list(map(json.loads, text))
    losses = [line["message"].rsplit(" ", 1) for line in lines if "message" in line]
    written = [line["request"] for line in lines if "request" in line]

    assert {message for message, _ in losses} == {"log lines that could not be written:"}
    assert sum(int(number) for _, number in losses) + len(written) == 3 * LINES
    assert LINES <= len(written) < 3 * LINES
    assert written == sorted(set(written))


STUCK = """
import logging, sys
from mockpets.telemetry.access_log import configure
with configure("text", sys.stderr):
    for _ in range(100):
        logging.getLogger("mockpets").warning("x" * 9000)
print("ended")
"""


@pytest.mark.long
def test_a_process_exits_although_its_log_is_not_read() -> None:
    command = [sys.executable, "-c", STUCK]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.wait(20) == 0
        out, err = process.communicate()

    assert (out, err.count(b"warning")) == (b"ended\n", err.count(b"\n") + 1)  # cut in the middle


class Full(io.StringIO):
    """Fails on the first write."""

    def __init__(self) -> None:
        super().__init__()
        self.tried = Event()

    def write(self, text: str) -> int:
        if not self.tried.is_set():
            self.tried.set()
            raise OSError(errno.ENOSPC, "no space left")
        return super().write(text)


def test_lines_lost_to_a_full_disk_are_counted() -> None:
    stream = Full()
    with configure("text", stream):
        access(PLAIN)
        assert stream.tried.wait(10)
        access(RICH)
    lines = stream.getvalue().splitlines()

    assert len(lines) == 2
    assert "POST /v1/pets" in lines[0]
    assert lines[1].endswith("warning: log lines that could not be written: 1")


@pytest.mark.parametrize("gone", ["reader", "stream", "from the start"])
def test_a_closed_log_is_not_an_error(gone: str) -> None:
    reading, writing = os.pipe()
    with (
        os.fdopen(reading) as pipe,
        os.fdopen(writing, "w") as stream,
        configure("text", None if gone == "from the start" else stream),
    ):
        (pipe if gone == "reader" else stream).close()
        access(PLAIN)


def test_a_line_does_not_look_up_its_thread_and_process() -> None:
    before = {name: getattr(logging, name) for name in LOOKUPS}
    with configure("text", io.StringIO()):
        assert not any(getattr(logging, name) for name in LOOKUPS)
    assert before == {name: getattr(logging, name) for name in LOOKUPS}
