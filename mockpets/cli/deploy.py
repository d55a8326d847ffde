"""The command `deploy`: the files of several processes behind HAProxy, which agree in every number.

With `nginx`, the configuration of nginx, for use in place of HAProxy.

The templates are in `deployment/`: ``{{name}}`` is a value, and the lines between ``{{each}}`` and
``{{end}}`` are repeated for each process, with ``{{n}}`` as its number.
"""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from typing import Final

import click

from mockpets.cli.commands import Choice, writing
from mockpets.cli.options import integer, option
from mockpets.cli.templates import fill, template
from mockpets.constants import VERSION

_HAPROXY: Final = "haproxy:3.2"
PROCESSES: Final = 64
"""The most processes, which also fits the ports of `FIRST_PORT` and the next."""
FIRST_PORT: Final = 7401
"""The port of the first process if all are on one machine."""


_WATCH: Final = ("prometheus.yml", "alerts.yml", "grafana.json")
TARGETS: Final = {
    "compose": ("compose.yaml", "haproxy.cfg", *_WATCH),
    "kubernetes": ("kubernetes.yaml", *_WATCH),
    "systemd": ("mockpets@.service", "haproxy.cfg", *_WATCH),
    "nginx": ("nginx.conf",),
}
"""The templates of each way to run the processes. ``haproxy.cfg`` is also a part of
``kubernetes.yaml``."""
_ADDRESSES: Final = {
    "compose": ("mock-{n}:7387", "mock-{n}:7387", ":8405", "haproxy:8405"),
    "kubernetes": (
        "mock-{n}.mock.${{NAMESPACE}}.svc.cluster.local:7387",
        "mock-{n}.mock:7387",
        ":8405",
        "mockpets:8405",
    ),
    "systemd": ("127.0.0.1:{port}", "127.0.0.1:{port}", "127.0.0.1:8405", "127.0.0.1:8405"),
    "nginx": ("mock-{n}:7387", "", "", ""),
}
"""The addresses of a process, for HAProxy and for Prometheus, and of HAProxy's metrics, where it
listens and for Prometheus."""


def render(target: str, processes: int) -> dict[str, str]:
    """Return the files of a target by name."""
    address, scrape, metrics, haproxy_metrics = _ADDRESSES[target]
    addresses = {"address": address, "scrape": scrape}
    ports = {number: FIRST_PORT + number - 1 for number in range(1, processes + 1)}
    values = {
        "target": target,
        "processes": str(processes),
        "count": f"{processes} mockpets process{'es' if processes > 1 else ''}",
        "image": f"mockpets:{VERSION}",
        "haproxy": _HAPROXY,
        # The images run as this user already.
        "user": "\n    user haproxy\n    group haproxy" * (target == "systemd"),
        "metrics": metrics,
        "haproxy_metrics": haproxy_metrics,
        "units": " ".join(f"mockpets@{port}" for port in ports.values()),
    }
    repeated = [
        {"n": str(n), **{name: text.format(n=n, port=port) for name, text in addresses.items()}}
        for n, port in ports.items()
    ]

    def file(name: str) -> str:
        text = re.sub(
            r"^\{\{each\}\}\n(.*?)^\{\{end\}\}\n",
            lambda part: "".join(fill(part[1], each) for each in repeated),
            template("deployment", name),
            flags=re.MULTILINE | re.DOTALL,
        )
        return fill(text, values)

    config = file("haproxy.cfg")
    values["digest"] = sha256(config.encode()).hexdigest()[:16]
    values["config"] = re.sub("^(?=.)", "    ", config, flags=re.MULTILINE).rstrip("\n")
    return {name: file(name) for name in TARGETS[target]}


@click.command()
@click.argument("target", type=Choice([*TARGETS]), metavar="|".join(TARGETS))
@option(
    "--processes NUMBER",
    "Number of mockpets processes.",
    type=integer(1, PROCESSES),
    required=True,
)
@option(
    "--out DIR",
    "Folder for the files; created if missing.  [default: standard output]",
    type=click.Path(path_type=Path, file_okay=False),
)
def deploy(target: str, processes: int, out: Path | None) -> None:
    """Each session belongs to one process: crc32 of its name modulo NUMBER. Changing NUMBER moves
    most sessions, so do it while no tests run. The files include Prometheus, its alerts and a
    Grafana dashboard. For nginx, prints only its configuration, which can replace HAProxy's.
    """
    for name, text in render(target, processes).items():
        if out is None:
            click.echo(f"# ---- {name}\n{text}")
            continue
        with writing(out / name):
            out.mkdir(parents=True, exist_ok=True)
            (out / name).write_text(text, encoding="utf-8")
        click.echo(f"wrote {out / name}")
