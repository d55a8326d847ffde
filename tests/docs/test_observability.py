"""The page about logs and metrics names what exists."""

from __future__ import annotations

import re

from mockpets.telemetry.access_log import Access
from mockpets.telemetry.metrics import Metrics
from tests.docs.page import ROOT
from tests.telemetry.test_metrics import HELD

TEXT = (ROOT / "docs" / "operate" / "observability.md").read_text(encoding="utf-8")


def test_the_table_has_the_properties_of_a_line() -> None:
    table = TEXT.split("| property | value |\n|---|---|\n", 1)[1].split("\n\n", 1)[0]
    cells = [row.split("|")[1] for row in table.splitlines()]
    names = re.findall(r"`(\w+)`", "".join(cells))

    assert names[:3] == ["time", "level", "logger"]
    assert sorted(names[3:]) == sorted(["node", *Access("GET", "/", 200, 1.0).as_json()])


def test_the_metrics_in_queries_exist() -> None:
    exposition, _ = Metrics("", lambda: HELD).exposition()
    names = {name.removesuffix("_bucket") for name in re.findall(r"mockpets_[a-z_]+", TEXT)}

    assert len(names) >= 4
    assert names <= set(re.findall(r"^# TYPE (\w+)", exposition.decode(), re.MULTILINE))
