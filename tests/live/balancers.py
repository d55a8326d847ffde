"""Run the balancers of `deploy/` in front of processes that tests start.

Both listen on a socket that the test opens, so the port is free and ready.
"""

from __future__ import annotations

import re
import socket
import subprocess
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.programs import need

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DEPLOY = Path(__file__).parents[2] / "deploy"
HOST = "127.0.0.1"
_SERVER = re.compile(r'^ *server (mock-\d) "\1\${MOCK_DOMAIN}:7387"\n', re.MULTILINE)
_NGINX_SERVER = re.compile(r"^ *server mock-\d:7387 [^\n]*;\n", re.MULTILINE)


def replaced(text: str, shown: str, used: str) -> str:
    """Return a configuration with one part replaced, which must occur once."""
    assert text.count(shown) == 1, shown
    return text.replace(shown, used)


def haproxy_config(ports: Sequence[int], bind: str) -> str:
    """Return `deploy/haproxy.cfg` with other processes."""
    text = replaced((DEPLOY / "haproxy.cfg").read_text("utf-8"), "bind :7387", f"bind {bind}")
    assert len(_SERVER.findall(text)) == 4
    servers = "".join(
        f"    server mock-{number} {HOST}:{port}\n" for number, port in enumerate(ports, 1)
    )
    return _SERVER.sub("", text) + servers


@contextmanager
def haproxy(ports: Sequence[int], admin: Path | None = None) -> Iterator[str]:
    """Run HAProxy in front of processes; yield its URL.

    :param admin: a socket for `haproxy_command`; the last process is disabled then.
    """
    program = need("haproxy")
    with TemporaryDirectory() as folder, socket.create_server((HOST, 0)) as listening:
        config = Path(folder, "haproxy.cfg")
        text = haproxy_config(ports, f"fd@{listening.fileno()}")
        if admin is not None:
            text = replaced(text, "global\n", f"global\n    stats socket {admin} level admin\n")
            text = f"{text.rstrip()} disabled\n"
        config.write_text(text, encoding="utf-8")
        with subprocess.Popen(
            [program, "-q", "-db", "-f", config], pass_fds=[listening.fileno()]
        ) as process:
            try:
                yield f"http://{HOST}:{listening.getsockname()[1]}"
                assert process.poll() is None
            finally:
                process.terminate()


def haproxy_command(admin: Path, command: str) -> str:
    """Return the response to a command of HAProxy's runtime API."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(admin))
        connection.sendall(f"{command}\n".encode())
        return connection.makefile().read().strip()


NGINX_FRAME = """\
daemon off;
pid nginx.pid;
error_log stderr crit;
events {}
http {
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    include site.conf;
}
"""


@contextmanager
def nginx(ports: Sequence[int]) -> Iterator[str]:
    """Run nginx with `deploy/nginx.conf` in front of processes; yield its URL."""
    program = need("nginx")
    with TemporaryDirectory() as name, socket.create_server((HOST, 0)) as listening:
        folder, port = Path(name), listening.getsockname()[1]
        text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
        text = replaced(text, "listen 7387;", f"listen {HOST}:{port};")
        shown = _NGINX_SERVER.findall(text)
        assert len(shown) == 4
        servers = "".join(f"    server {HOST}:{port} max_fails=0;\n" for port in ports)
        text = replaced(text, "".join(shown), servers)
        (folder / "site.conf").write_text(text, encoding="utf-8")
        (folder / "nginx.conf").write_text(NGINX_FRAME, encoding="utf-8")
        with subprocess.Popen(
            [program, "-p", name, "-c", "nginx.conf", "-e", "stderr"],
            env={"NGINX": f"{listening.fileno()};"},  # how nginx inherits sockets on an upgrade
            pass_fds=[listening.fileno()],
        ) as process:
            try:
                yield f"http://{HOST}:{port}"
                assert process.poll() is None
            finally:
                process.terminate()
