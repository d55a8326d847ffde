"""How much memory? Of a process and its descendants, at rest and after the load."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.tables import figure

if TYPE_CHECKING:
    from benchmarks.tables import Figures, Row


def measure(pid: int, when: str) -> Figures:
    """Return the memory in MiB; nothing on systems other than Linux.

    RSS counts shared memory in each process, PSS counts it once.

    :param when: ``rest`` or ``load``.
    """
    rss = pss = 0
    try:
        for member in _family(pid):
            rows = Path(f"/proc/{member}/smaps_rollup").read_text(encoding="ascii").splitlines()
            sizes = {row.split(":")[0]: int(row.split()[1]) for row in rows[1:]}
            rss += sizes["Rss"]
            pss += sizes["Pss"]
    except OSError:
        return {}
    return {f"rss_{when}": rss / 1024, f"pss_{when}": pss / 1024}


def _family(pid: int) -> list[int]:
    """Return the ids of a process and its descendants."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            text = stat.read_text(encoding="utf-8", errors="replace")
            parent = int(text.rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    family = [pid]
    for member in family:
        family += children.get(member, [])
    return family


FIGURE: Final = "rss_load"
HEAD: Final = ("RSS MiB at rest", "RSS after load", "PSS after load")


def cells(row: Row, ours: Row) -> list[str]:
    """Return the cells of a row, as in `HEAD`."""
    after = [figure(row, "rss_load", ".0f", ours), figure(row, "pss_load", ".0f")]
    return [figure(row, "rss_rest", ".0f"), *after]
