"""`mockpets serve` as a process, and the memory that it takes."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

Limit = Callable[[], None]


@contextmanager
def serving(*words: str, limit: Limit | None = None) -> Iterator[tuple[int, int]]:
    """Run the program on a free port; yield the port and the process ID.

    :param limit: called in the new process, to limit its memory or its descriptors.
    """
    command = [sys.executable, "-m", "mockpets", "serve", "--port", "0", *words]
    with (
        TemporaryDirectory() as folder,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, cwd=folder, preexec_fn=limit
        ) as process,
    ):
        assert process.stdout is not None
        banner = ""
        try:
            while (url := re.search(r"http://[^/]+:(\d+)\S*/v1\b", banner)) is None:
                line = process.stdout.readline()
                assert line, f"the server did not start: {banner}"
                banner += line
            yield int(url[1]), process.pid
            assert process.poll() is None, "the server has crashed"
        finally:
            process.terminate()
        assert process.wait(timeout=30) == 0, "the server did not end cleanly"


def rss(pid: int) -> float:
    """Return the resident memory of a process in MiB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(re.findall(r"VmRSS:\s*(\d+)", status)[0]) / 1024


def memory_limit(mib: int) -> Limit:
    """Return a function that limits the address space of its process, as ``ulimit -v``."""
    import resource  # not available on Windows

    size = mib * 1024 * 1024
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))
