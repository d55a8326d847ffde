"""Make the Markdown tables of a run and write them into a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.checks import ABILITIES
from benchmarks.curve_report import curve_goals
from benchmarks.goals import OWN_CODE, goals
from benchmarks.mix import OPERATIONS, PARTS
from benchmarks.subjects import BEFORE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

__all__ = ["BEGIN", "END", "put_into", "table", "tables"]

BEGIN = "<!-- benchmark: made by python -m benchmarks, do not edit -->"
END = "<!-- benchmark: end -->"


def tables(results: Mapping[str, Any]) -> str:
    """Return all tables.

    :param results: saved results of a run.
    """
    rows = sorted(results["rows"], key=lambda row: -row["figures"].get("mix", 0))
    ours = next(row for row in rows if row["name"] == "mockpets")
    peers = [row for row in rows if row["kind"] in ("mockpets", "peer")]
    stack = [row for row in rows if row["kind"] != "peer"]
    parts = [_about(results)]
    if len(peers) > 1:
        parts += ["## Summary", _summary(peers, ours)]
        parts += ["## mockpets and its peers", *_sections(peers, ours)]
    parts += ["## mockpets, its stack and empty servers", *_sections(stack, ours)]
    if results["scale"] or any(row["name"] == BEFORE for row in rows):
        parts += ["## Goals", _goals(results)]
    if results["skipped"]:
        skipped = [f"- {item['name']}: {item['why']}" for item in results["skipped"]]
        parts += ["## Skipped", "\n".join(skipped)]
    return "\n\n".join(parts) + "\n"


def _sections(rows: Sequence[Mapping[str, Any]], ours: Mapping[str, Any]) -> list[str]:
    return [_speed(rows, ours), _operations(rows), _footprint(rows, ours)]


def _about(results: Mapping[str, Any]) -> str:
    machine = results["machine"]
    return (
        f"{results['at']}, `{results['command']}`: {results['rounds']} rounds of "
        f"{results['seconds']} s, medians. Machine: {machine['processor']}, {machine['cores']} "
        f"cores, load {machine['load']} before the run, {machine['system']}, {machine['python']}. "
        f"Client: {machine['client']} on the same machine. Figures in brackets are ratios to "
        "mockpets in this run; unlike the absolute figures, they are comparable between machines."
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _figure(
    row: Mapping[str, Any], name: str, form: str, ours: Mapping[str, Any] | None = None
) -> str:
    """Return a cell: the value, with its ratio to `ours` if given, or `-` if not measured."""
    value = row["figures"].get(name)
    if value is None:
        return "-"
    base = ours["figures"].get(name) if ours is not None else None
    return format(value, form) + (f" ({value / base:.2f})" if base else "")


def _summary(peers: Iterable[Mapping[str, Any]], ours: Mapping[str, Any]) -> str:
    """Return the peers in groups by what they do, with their ratios to `ours`."""
    groups: dict[str, list[str]] = {group: [] for group in _GROUPS}
    for row in peers:
        if row is not ours and "mix" in row["figures"] and "mix" in ours["figures"]:
            ratio = row["figures"]["mix"] / ours["figures"]["mix"]
            groups[_group(row)].append(f"{row['name']} {ratio:.2f}")
    head = ["what they do", "requests per second in the front-end mix, as a ratio to mockpets"]
    return table(head, ([group, "; ".join(cells)] for group, cells in groups.items() if cells))


_GROUPS = (
    "fixed responses",
    "what the user's code does",
    "keep new pets, check no values",
    "check requests, keep no pets",
    "check requests and keep pets, without code",
)


def _group(row: Mapping[str, Any]) -> str:
    """Return the one of `_GROUPS` that a peer belongs to."""
    if row["name"].endswith(OWN_CODE):
        return _GROUPS[1]
    keeps, checks = "remembers" in row["able"], "refuses" in row["able"]
    if keeps:
        return _GROUPS[4 if checks else 2]
    return _GROUPS[3 if checks else 0]


def _name(row: Mapping[str, Any]) -> str:
    if row["kind"] != "peer":
        return f"**{row['name']}**" if row["kind"] == "mockpets" else str(row["name"])
    name, comma, variant = row["name"].partition(",")
    return f"{name} {row['version']}{comma}{variant}"


def _speed(rows: Iterable[Mapping[str, Any]], ours: Mapping[str, Any]) -> str:
    connections = sorted(
        int(name.removeprefix("list_")) for name in ours["figures"] if name.startswith("list_")
    )
    head = ["", "mix r/s", "mix p50 ms", "mix p99 ms"]
    head += [f"list r/s, {number} conn." for number in connections]
    head += ["list p50 ms", "list p99 ms", "create r/s", "does", "setup"]

    def cells(row: Mapping[str, Any]) -> list[str]:
        mix = [_figure(row, "mix", ",.0f", ours)]
        mix += [_figure(row, name, ".2f") for name in ("mix_p50", "mix_p99")]
        rates = [_figure(row, f"list_{number}", ",.0f", ours) for number in connections]
        times = [_figure(row, "p50_16", ".2f"), _figure(row, "p99_16", ".2f")]
        create = _figure(row, "create", ",.0f", ours)
        return [_name(row), *mix, *rates, *times, create, _does(row), row["note"]]

    return table(head, map(cells, rows))


def _operations(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the latencies of each operation at a low rate, and what a server cannot do."""
    head = ["p50 / p99 ms in the mix, 1,000 r/s", *OPERATIONS, "statuses unlike the contract's"]

    def cells(row: Mapping[str, Any]) -> list[str]:
        times = [
            " / ".join(_figure(row, f"mix_{operation}_{name}", ".2f") for name in ("p50", "p99"))
            for operation in OPERATIONS
        ]
        return [_name(row), *times, _differences(row)]

    return table(head, map(cells, rows))


def _differences(row: Mapping[str, Any]) -> str:
    """Return the parts that a server's mix lacks, and its statuses unlike the contract's."""
    if row["kind"] == "constant":
        return "all responses are constant"
    statuses = row["statuses"]
    parts = [f"without {part.label}" for name, part in PARTS.items() if name not in statuses]
    parts += [
        f"{statuses[name]} for {part.label}"
        for name, part in PARTS.items()
        if statuses.get(name, part.status) != part.status
    ]
    return "; ".join(parts) or "none"


def _does(row: Mapping[str, Any]) -> str:
    """Return the abilities of a server."""
    if row["kind"] == "constant":
        return "nothing"
    able = [name for name in ABILITIES if name in row["able"]]
    return "all" if len(able) == len(ABILITIES) else ", ".join(able) or "fixed responses"


def _footprint(rows: Iterable[Mapping[str, Any]], ours: Mapping[str, Any]) -> str:
    head = [
        "",
        "first 200, ms",
        "RSS MiB at rest",
        "RSS after load",
        "PSS after load",
        "installed MB",
    ]

    def cells(row: Mapping[str, Any]) -> list[str]:
        size = "-" if row["size"] is None else f"{row['size'] / 1e6:.1f}"
        return [
            _name(row),
            _figure(row, "first_ms", ",.0f", ours),
            _figure(row, "rss_start", ".0f"),
            _figure(row, "rss_load", ".0f", ours),
            _figure(row, "pss_load", ".0f"),
            size,
        ]

    return table(head, map(cells, rows))


def _goals(results: Mapping[str, Any]) -> str:
    reached = {True: "yes", False: "**no**", None: "?"}
    items = [*goals(results), *curve_goals(results.get("curves", {}))]
    rows = [[item.what, item.goal, item.measured, reached[item.reached]] for item in items]
    return table(["figure", "goal", "measured", "reached"], rows)


def put_into(page: Path, text: str, begin: str = BEGIN, end: str = END) -> None:
    """Replace the text between two marks of a page.

    :raise ValueError: if the page lacks the marks.
    """
    before, has_begin, rest = page.read_text(encoding="utf-8").partition(begin)
    _, has_end, after = rest.partition(end)
    if not has_begin or not has_end:
        raise ValueError(f"{page} needs the lines {begin!r} and {end!r}")
    page.write_text(f"{before}{begin}\n\n{text}\n{end}{after}", encoding="utf-8")
