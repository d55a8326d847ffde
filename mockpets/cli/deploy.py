"""The command `deploy`: the files of several processes behind HAProxy, which agree in every number.

The templates are in `deployment/`: ``{{name}}`` is a value, and the lines between ``{{each}}`` and
``{{end}}`` are repeated for each process, with ``{{n}}`` as its number.
"""

from __future__ import annotations

import re
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from mockpets.cli.commands import Choice, Command, cannot_write
from mockpets.cli.options import integer, option
from mockpets.constants import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

_HAPROXY: Final = "haproxy:3.2"
PROCESSES: Final = 64
"""The most processes, which also fits the ports of `FIRST_PORT` and the next."""
FIRST_PORT: Final = 7401
"""The port of the first process if all are on one machine."""


class Target(NamedTuple):
    """What differs between the ways to run the processes.

    :param files: the templates, of which ``haproxy.cfg`` may only be a part of another one.
    :param address: the address of a process for HAProxy, by its number.
    :param scrape: the address of a process for Prometheus.
    :param metrics: where HAProxy listens for Prometheus, and the name by which Prometheus calls it.
    """

    files: tuple[str, ...]
    address: Callable[[int], str]
    scrape: Callable[[int], str]
    metrics: tuple[str, str]


def _local(number: int) -> str:
    return f"127.0.0.1:{FIRST_PORT + number - 1}"


_WATCH: Final = ("prometheus.yml", "alerts.yml")
TARGETS: Final = {
    "compose": Target(
        ("compose.yaml", "haproxy.cfg", *_WATCH),
        "mock-{}:7387".format,
        "mock-{}:7387".format,
        (":8405", "haproxy:8405"),
    ),
    "kubernetes": Target(
        ("kubernetes.yaml", *_WATCH),
        "mock-{}.mock.${{NAMESPACE}}.svc.cluster.local:7387".format,
        "mock-{}.mock:7387".format,
        (":8405", "mockpets:8405"),
    ),
    "systemd": Target(
        ("mockpets@.service", "haproxy.cfg", *_WATCH),
        _local,
        _local,
        ("127.0.0.1:8405", "127.0.0.1:8405"),
    ),
}


def render(target: str, processes: int) -> dict[str, str]:
    """Return the files of a target by name."""
    row = TARGETS[target]
    numbers = range(1, processes + 1)
    values = {
        "target": target,
        "processes": str(processes),
        "count": f"{processes} mockpets process{'es' if processes > 1 else ''}",
        "image": f"mockpets:{VERSION}",
        "haproxy": _HAPROXY,
        # The images run as this user already.
        "user": "\n    user haproxy\n    group haproxy" * (target == "systemd"),
        "metrics": row.metrics[0],
        "haproxy_metrics": row.metrics[1],
        "units": " ".join(f"mockpets@{FIRST_PORT + n - 1}" for n in numbers),
    }
    repeated = [{"n": str(n), "address": row.address(n), "scrape": row.scrape(n)} for n in numbers]

    def fill(name: str) -> str:
        text = files("mockpets.cli").joinpath("deployment", name).read_text(encoding="utf-8")
        text = re.sub(
            r"^\{\{each\}\}\n(.*?)^\{\{end\}\}\n",
            lambda part: "".join(_values(part[1], each) for each in repeated),
            text,
            flags=re.MULTILINE | re.DOTALL,
        )
        return _values(text, values)

    config = fill("haproxy.cfg")
    values["digest"] = sha256(config.encode()).hexdigest()[:16]
    values["config"] = re.sub("^(?=.)", "    ", config, flags=re.MULTILINE).rstrip("\n")
    return {name: fill(name) for name in row.files}


def _values(text: str, values: dict[str, str]) -> str:
    """Replace the names of values; Prometheus' own ``{{ $labels.instance }}`` has spaces."""
    return re.sub(r"\{\{(\w+)\}\}", lambda name: values.get(name[1], name[0]), text)


@click.command(cls=Command)
@click.argument("target", type=Choice([*TARGETS]), metavar="compose|kubernetes|systemd")
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
    """Print the files that run several processes behind HAProxy.

    Each session belongs to one process: crc32 of its name modulo NUMBER. Another NUMBER moves most
    sessions, so change it while no tests run.
    """
    for name, text in render(target, processes).items():
        if out is None:
            click.echo(f"# ---- {name}\n{text}")
            continue
        try:
            out.mkdir(parents=True, exist_ok=True)
            (out / name).write_text(text, encoding="utf-8")
        except OSError as error:
            raise cannot_write(out / name, error) from error
        click.echo(f"wrote {out / name}")
