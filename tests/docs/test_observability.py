"""The queries of the page about monitoring name metrics that exist."""

from __future__ import annotations

import re

from mockpets.telemetry.metrics import Metrics
from tests.docs.page import ROOT
from tests.telemetry.test_metrics import HELD

TEXT = (ROOT / "docs" / "operate" / "save-and-monitor.md").read_text(encoding="utf-8")


def test_the_metrics_in_queries_exist() -> None:
    exposition, _ = Metrics("", lambda: HELD).exposition()
    queries = "".join(re.findall(r"^\| [^|]+ \| `(.*)` \|$", TEXT, re.MULTILINE))
    names = {name.removesuffix("_bucket") for name in re.findall(r"mockpets_[a-z_]+", queries)}

    assert len(names) >= 4
    assert names <= set(re.findall(r"^# TYPE (\w+)", exposition.decode(), re.MULTILINE))
