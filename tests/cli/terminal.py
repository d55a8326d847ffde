"""What a terminal shows, as files in ``golden/``; ``python -m generate`` writes them."""

import os
import re
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from generate import CannotGenerateError

FOLDER: Final = Path(__file__).parent / "golden"
WIDTHS: Final = (80, 120)
SECONDS: Final = 20

_HELP: Final = """
from mockpets.cli.main import _commands, main
from mockpets.cli.commands import walk
main(["--help"])
for path, _ in walk(_commands):
    print(f"\\n$ mockpets {path} --help")
    main([*path.split(), "--help"])
"""
_RUN: Final = """
import os, sys
from pathlib import Path
from mockpets.cli.main import main
sys.stderr = sys.stdout
def run(*words):
    print("$ mockpets", *words)
    main(words)
    print()
"""
_FILES: Final = f"""{_RUN}
text = "stubs:\\n  - macth: {{role: get}}\\n    reply: {{status: '503'}}  # " + "quotes" * 20
text += "\\n"
Path("typo.yaml").write_text("description: Problems.\\n" + text)
run("check", "typo.yaml")
os.mkdir("mine")
os.rename("typo.yaml", "mine/typo.yaml")
run("serve", "--port=0", "--scenarios-dir=mine", "--scenario=typo")
"""
_SERVER: Final = f"""{_RUN}
from http.client import HTTPConnection
from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
held = dict(name="wait", match=dict(operation="createPet"), hold="door")
with MockpetsServer(Settings(port=0, host=("127.0.0.1",))) as server:
    os.environ["MOCKPETS_URL"] = server.url
    client = ControlClient(server.url)
    client.use(dict(description="Posts are held.", stubs=[held]), "missing")
    port = int(server.url.rpartition(":")[2])
    key = dict(Authorization="Bearer mockpets")
    post = HTTPConnection("127.0.0.1", port)
    post.request("POST", "/v1/pets", '{{"name": "Miso", "categoryId": 2}}', key)
    client.wait_for_gate("door")
    for method, path, more in (
        ("GET", "/v1/pets?limit=20&status=available", dict()),
        ("GET", "/v1/pets?limit=0", dict()),
        ("GET", "/v1/pets/3", dict()),
        ("DELETE", "/v1/pets/3", dict()),
        ("GET", "/v1/pets?limit=1", {{"Mockpets-Scenario": "server-error"}}),
        ("GET", "/v1/pets?limit=2", {{"Mockpets-Scenario": "offline"}}),
    ):
        connection = HTTPConnection("127.0.0.1", port)
        connection.request(method, path, headers=key | more)
        try:
            connection.getresponse().read()
        except OSError:
            pass
        connection.close()
    run("why", "3")
    run("why", "4")
    run("why", "5")
    run("verify", "--operation=createPet", '--match={{"body": {{"name": "Mio"}}}}')
    run("report")
    run("use", "flakey")
    post.close()
"""
_SERVE: Final = ("-m", "mockpets", "serve", "--port=0")
_SERVERS: Final[dict[str, tuple[str, ...]]] = {
    "banner": _SERVE,
    "banner-with-token": (*_SERVE, "--host=0.0.0.0"),
}
"""Name to the arguments of Python."""
_MAIN: Final = "from mockpets.cli.main import main\n"
_COMMANDS: Final = {
    "scenarios": _MAIN + "main(['scenarios'])",
    "scenarios-verbose": _MAIN + "main(['scenarios', '--verbose'])",
    "help": _HELP,
    "files": _FILES,
    "requests-of-a-server": _SERVER,
}
"""Name to a script. One process runs all of them, with an end after each."""
_END: Final = "\f"
_ALL: Final = f"import sys\nfor text in sys.argv[1:]: exec(text, {{}}); print(end={_END!r})"
VIEWS: Final = (*_SERVERS, *_COMMANDS)
FILES: Final = [
    (view, width) for view in VIEWS for width in WIDTHS if (view, width) != ("help", 120)
]
"""View and width of each file. Help is long, and wrapped at 120 like the others."""


def shown(view: str, columns: int, folder: Path) -> str:
    """Return what a terminal of this width shows, with port, token, version and times replaced.

    :param folder: the working directory of a server, without settings.
    """
    if view in _SERVERS:
        text = on_terminal(_SERVERS[view], columns, folder)
    else:
        text = commands_shown(columns)[view]
    text = re.sub(r"localhost:\d+", "localhost:PORT", text)
    text = re.sub(r"((?:#token=|control token  ))[\w-]+", r"\1TOKEN", text)
    text = re.sub(r"\d\d:\d\d:\d\d(\.\d{3}Z)?", "HH:MM:SS", text)
    text = re.sub(r"\d+\.\d (m?s) *", lambda match: f"N.N {match[1]}".ljust(len(match[0])), text)
    text = re.sub(" +$", "", text, flags=re.MULTILINE)
    return re.sub(r"^mockpets \S+ serves", "mockpets VERSION serves", text)


@cache
def commands_shown(columns: int) -> dict[str, str]:
    """Return what each view of commands shows."""
    scripts = {name: text for name, text in _COMMANDS.items() if (name, columns) in FILES}
    with TemporaryDirectory() as folder:
        text = on_terminal(("-c", _ALL, *scripts.values()), columns, Path(folder))
    return dict(zip(scripts, text.split(_END)[:-1], strict=True))


def on_terminal(arguments: tuple[str, ...], columns: int, folder: Path) -> str:
    """Run Python on a pseudo-terminal and return its output; stop a server after its banner."""
    import fcntl  # absent on Windows
    import struct
    import termios

    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("MOCKPETS_") and name not in ("COLUMNS", "LINES", "NO_COLOR")
    }
    terminal, inner = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(
        [sys.executable, "-W", "error", *arguments],
        cwd=folder,
        env=kept | {"TERM": "xterm"},
        stdin=inner,
        stdout=inner,
        stderr=subprocess.DEVNULL,
    ) as process:
        os.close(inner)
        output = b""
        try:
            with suppress(OSError):  # Linux reports the end of the output as an error
                while b"Ctrl-C to stop." not in output and (part := os.read(terminal, 65536)):
                    output += part
        finally:
            if "serve" in arguments:
                process.terminate()
            process.wait(SECONDS)
            os.close(terminal)
    return output.decode().replace("\r\n", "\n")


def files() -> dict[Path, str]:
    """Return the golden files.

    :raise CannotGenerateError: this system has no pseudo-terminals.
    """
    if sys.platform == "win32":
        raise CannotGenerateError("Windows has no pseudo-terminal; use Linux or macOS")
    texts = {}
    for name, width in FILES:
        with TemporaryDirectory() as folder:
            texts[FOLDER / f"{name}-{width}.txt"] = shown(name, width, Path(folder))
    return texts
