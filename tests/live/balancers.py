"""Run HAProxy and nginx, as configured by `mockpets deploy`, before processes that tests start.

Both listen on a socket that the test opens, so the port is free and ready.
"""

import signal
import socket
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from mockpets.cli.deploy import FIRST_PORT, render
from tests.programs import need

HOST = "127.0.0.1"
SECONDS = 60
"""The time limit for every step."""


def replaced(text: str, shown: str, used: str) -> str:
    """Return a configuration with one part replaced, which must occur once."""
    assert text.count(shown) == 1, shown
    return text.replace(shown, used)


def free_ports(count: int) -> list[int]:
    """Return different free ports."""
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.create_server((HOST, 0))) for _ in range(count)]
        return [probe.getsockname()[1] for probe in probes]


@contextmanager
def haproxy(ports: Sequence[int]) -> Iterator[str]:
    """Run HAProxy in front of processes; yield its URL."""
    with restartable_haproxy(ports) as (url, _):
        yield url


@contextmanager
def restartable_haproxy(ports: Sequence[int]) -> Iterator[tuple[str, Callable[[], None]]]:
    """Run HAProxy in front of processes; yield its URL, and a function that restarts it.

    `mockpets deploy systemd` writes the configuration, of which only the addresses are replaced.
    """
    program = need("haproxy")
    with ExitStack() as stack:
        config = Path(stack.enter_context(TemporaryDirectory()), "haproxy.cfg")
        listening = stack.enter_context(socket.create_server((HOST, 0)))
        [metrics] = free_ports(1)
        text = render("systemd", len(ports))["haproxy.cfg"]
        text = replaced(text, "bind :7387", f"bind fd@{listening.fileno()}")
        text = replaced(text, "127.0.0.1:8405", f"{HOST}:{metrics}")
        text = replaced(text, "    user haproxy\n    group haproxy\n", "")  # only root can set them
        for number, port in enumerate(ports):
            text = replaced(text, f'"127.0.0.1:{FIRST_PORT + number}"', f"{HOST}:{port}")
        config.write_text(text, encoding="utf-8")

        def start() -> subprocess.Popen[bytes]:
            return subprocess.Popen(
                [program, "-q", "-db", "-f", config], pass_fds=[listening.fileno()]
            )

        running = start()

        def restart() -> None:
            nonlocal running
            running.send_signal(signal.SIGUSR1)  # responses in progress are sent
            running.wait(SECONDS)
            running = start()

        try:
            yield f"http://{HOST}:{listening.getsockname()[1]}", restart
            assert running.poll() is None
        finally:
            running.terminate()
            running.wait(SECONDS)


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
    """Run nginx in front of processes; yield its URL."""
    text = render("nginx", len(ports))["nginx.conf"]
    for number, port in enumerate(ports, 1):
        text = replaced(text, f"server mock-{number}:7387 ", f"server {HOST}:{port} ")
    with nginx_site(text, "listen 7387;") as url:
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
