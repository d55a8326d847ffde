"""Run the balancers of `deploy/` in front of processes that tests start.

Both listen on a socket that the test opens, so the port is free and ready.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.programs import need

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

DEPLOY = Path(__file__).parents[2] / "deploy"
HOST = "127.0.0.1"
SECONDS = 60
"""The time limit for every step."""
_SERVER = re.compile(r'^ *server (mock-\d) "\1\${MOCK_DOMAIN}:7387"\n', re.MULTILINE)
_NGINX_SERVER = re.compile(r"^ *server mock-\d:7387 [^\n]*;\n", re.MULTILINE)


def replaced(text: str, shown: str, used: str) -> str:
    """Return a configuration with one part replaced, which must occur once."""
    assert text.count(shown) == 1, shown
    return text.replace(shown, used)


def free_ports(count: int) -> list[int]:
    """Return different free ports."""
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.create_server((HOST, 0))) for _ in range(count)]
        return [probe.getsockname()[1] for probe in probes]


def haproxy_config(ports: Sequence[int], bind: str, peer: int) -> str:
    """Return `deploy/haproxy.cfg` with other processes and addresses.

    :param peer: the port to which a reload passes the table on.
    """
    text = replaced((DEPLOY / "haproxy.cfg").read_text("utf-8"), "bind :7387", f"bind {bind}")
    text = replaced(text, "peer haproxy 127.0.0.1:7388", f"peer haproxy {HOST}:{peer}")
    assert len(_SERVER.findall(text)) == 4
    servers = "".join(
        f"    server mock-{number} {HOST}:{port}\n" for number, port in enumerate(ports, 1)
    )
    return _SERVER.sub("", text) + servers


@contextmanager
def haproxy(ports: Sequence[int], admin: str | None = None) -> Iterator[str]:
    """Run HAProxy in front of processes; yield its URL.

    :param admin: the address for `haproxy_command`; the last process is disabled then.
    """
    with reloadable_haproxy(ports, admin) as (url, _):
        yield url


@contextmanager
def reloadable_haproxy(
    ports: Sequence[int], admin: str | None = None
) -> Iterator[tuple[str, Callable[[Sequence[int]], None]]]:
    """Run HAProxy in front of processes; yield its URL, and a function that reloads it.

    The function takes the ports of the processes after the reload.
    """
    program = need("haproxy")
    environment = os.environ | ({"ADMIN_SOCKET": admin} if admin else {})
    with ExitStack() as stack:
        config = Path(stack.enter_context(TemporaryDirectory()), "haproxy.cfg")
        listening = stack.enter_context(socket.create_server((HOST, 0)))
        # Bound, so that no other program gets the port, but not listening, as HAProxy does.
        reserved = stack.enter_context(socket.socket())
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        reserved.bind((HOST, 0))

        def start(ports: Sequence[int], *options: str) -> subprocess.Popen[bytes]:
            bind, peer = f"fd@{listening.fileno()}", reserved.getsockname()[1]
            text = haproxy_config(ports, bind, peer)
            if admin is not None:
                text = f"{text.rstrip()} disabled\n"
            config.write_text(text, encoding="utf-8")
            return subprocess.Popen(
                [program, "-q", "-db", "-f", config, *options],
                env=environment,
                pass_fds=[listening.fileno()],
            )

        running = start(ports)

        def reload(ports: Sequence[int]) -> None:
            nonlocal running
            old, running = running, start(ports, "-sf", str(running.pid))
            assert old.wait(SECONDS) == 0

        try:
            yield f"http://{HOST}:{listening.getsockname()[1]}", reload
            assert running.poll() is None
        finally:
            running.terminate()
            running.wait(SECONDS)


def haproxy_version() -> tuple[int, ...]:
    """Return the version of HAProxy, such as ``(3, 0, 11)``."""
    command = [need("haproxy"), "-v"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return tuple(map(int, re.findall(r"\d+", text.split()[2].partition("-")[0])))


def haproxy_command(admin: str, command: str) -> str:
    """Return the response to a command of HAProxy's runtime API.

    :param admin: the path of a Unix domain socket.
    """
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(admin)
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
    text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    shown = _NGINX_SERVER.findall(text)
    assert len(shown) == 4
    servers = "".join(f"    server {HOST}:{port} max_fails=0;\n" for port in ports)
    with nginx_site(replaced(text, "".join(shown), servers), "listen 7387;") as url:
        yield url


@contextmanager
def nginx_site(text: str, listen: str) -> Iterator[str]:
    """Run nginx with a configuration; yield its URL.

    :param listen: the directive that is replaced by a free port.
    """
    program = need("nginx")
    with TemporaryDirectory() as name, socket.create_server((HOST, 0)) as listening:
        folder, port = Path(name), listening.getsockname()[1]
        text = replaced(text, listen, f"listen {HOST}:{port};")
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
