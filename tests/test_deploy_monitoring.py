"""The files of `deploy/` for Prometheus, Grafana and systemd: they load, and name what exists."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
import yaml

from mockpets.cli.main import main
from mockpets.settings.model import rows
from mockpets.telemetry.metrics import Metrics
from tests.cases import each as for_each
from tests.live.balancers import DEPLOY
from tests.programs import need
from tests.telemetry.test_metrics import HELD
from tests.test_deploy import PROCESSES

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = DEPLOY / "monitoring"
DASHBOARD = json.loads((FOLDER / "grafana.json").read_text(encoding="utf-8"))
EXPRESSIONS = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
ALERTS = yaml.safe_load((FOLDER / "alerts.yml").read_text(encoding="utf-8"))["groups"][0]["rules"]
UNIT = (DEPLOY / "mockpets@.service").read_text(encoding="utf-8")


def promtool(*arguments: str, folder: Path) -> None:
    command = [need("promtool"), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.tool
def test_prometheus_accepts_its_configuration_and_the_alerts(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    (tmp_path / "control-token").write_text("only-for-this-test", encoding="utf-8")

    promtool("check", "config", "prometheus.yml", folder=tmp_path)


def test_every_process_is_scraped() -> None:
    [job] = yaml.safe_load((FOLDER / "prometheus.yml").read_text(encoding="utf-8"))[
        "scrape_configs"
    ]
    [targets] = [each["targets"] for each in job["static_configs"]]

    assert job["metrics_path"] == "/__mockpets/metrics"
    assert targets == [f"{name}:7387" for name in PROCESSES]


FIRING = {
    "MockpetsDown": ['up{job="mockpets",instance="a"}', "1 0x20"],
    "MockpetsRestarted": ['process_start_time_seconds{job="mockpets",instance="a"}', "1x15 9x5"],
    "MockpetsRejectsRequests": [
        'mockpets_limit_rejections_total{instance="a",code="busy"}',
        "0x15 1x5",
    ],
    "MockpetsEvictsConnections": ['mockpets_connections_evicted_total{instance="a"}', "0x15 1x5"],
    "MockpetsBusy": ['process_cpu_seconds_total{job="mockpets",instance="a"}', "0+57x20"],
    "MockpetsRequestsDropped": ['mockpets_journal_dropped_total{instance="a"}', "0x15 1x5"],
    "MockpetsScenarioInvalid": ['mockpets_scenario_problems{instance="a"}', "0x15 1x5"],
}
"""Values of a metric, one a minute, after which each alert fires."""
QUIET = {
    'up{job="mockpets",instance="a"}': "1x20",
    'process_start_time_seconds{job="mockpets",instance="a"}': "1x20",
    'mockpets_limit_rejections_total{instance="a",code="busy"}': "4x20",
    'mockpets_connections_evicted_total{instance="a"}': "4x20",
    'process_cpu_seconds_total{job="mockpets",instance="a"}': "0+6x20",
    'mockpets_journal_dropped_total{instance="a"}': "4x20",
    'mockpets_scenario_problems{instance="a"}': "0x20",
}


def alert_test(values: dict[str, str], firing: str | None) -> dict[str, object]:
    """Return a test of promtool: 18 minutes later, at most one alert fires."""
    return {
        "interval": "1m",
        "input_series": [{"series": name, "values": text} for name, text in values.items()],
        "promql_expr_test": [
            {
                "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
                "eval_time": "18m",
                "exp_samples": [
                    {"labels": f'{{alertname="{name}"}}', "value": 1} for name in [firing] if name
                ],
            }
        ],
    }


@pytest.mark.tool
@for_each("name", [None, *FIRING])
def test_an_alert_fires_only_for_its_problem(name: str | None, tmp_path: Path) -> None:
    assert FIRING.keys() == {rule["alert"] for rule in ALERTS}
    shutil.copy(FOLDER / "alerts.yml", tmp_path)
    values = QUIET | (dict([FIRING[name]]) if name else {})
    document = {"rule_files": ["alerts.yml"], "tests": [alert_test(values, name)]}
    (tmp_path / "test.yml").write_text(yaml.safe_dump(document), encoding="utf-8")

    promtool("test", "rules", "test.yml", folder=tmp_path)


@pytest.mark.tool
def test_every_expression_of_the_dashboard_is_valid(tmp_path: Path) -> None:
    rules = [
        {"record": f"panel:{number}", "expr": text.replace("$__rate_interval", "5m")}
        for number, text in enumerate(EXPRESSIONS)
    ]
    document = {"groups": [{"name": "dashboard", "rules": rules}]}
    (tmp_path / "rules.yml").write_text(yaml.safe_dump(document), encoding="utf-8")

    promtool("check", "rules", "rules.yml", folder=tmp_path)


def test_the_panels_of_the_dashboard_do_not_overlap() -> None:
    panels = DASHBOARD["panels"]

    assert len({panel["id"] for panel in panels}) == len(panels)
    assert len({(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels}) == len(panels)


@for_each("texts", [EXPRESSIONS, [rule["expr"] for rule in ALERTS]])
def test_every_metric_exists(texts: list[str]) -> None:
    exposition, _ = Metrics("", lambda: HELD).exposition()
    known = set(re.findall(r"^# TYPE (\w+)", exposition.decode(), re.MULTILINE))
    for text in texts:
        names = re.findall(r"\b(?:mockpets|process)_\w+|\bup\b", text)

        assert names, text
        assert {name.removesuffix("_bucket") for name in names} <= known | {"up"}


# --- systemd ----------------------------------------------------------------------------------


def test_the_unit_runs_a_command_with_settings_that_exist() -> None:
    lines = [line for line in UNIT.splitlines() if "=" in line and not line.startswith("#")]
    pairs = [line.split("=", 1) for line in lines]
    variables = dict(value.split("=", 1) for name, value in pairs if name == "Environment")
    values = {name: value for name, value in pairs if name != "Environment"}
    program, *arguments = values["ExecStart"].split()

    assert variables.keys() <= {row.variable for row in rows()}
    assert (program, main([*arguments, "--help"])) == ("/opt/mockpets/bin/mockpets", 0)
    # Each process has a state file of its own, in a folder that systemd creates.
    assert variables["MOCKPETS_STATE"].startswith(f"%S/{values['StateDirectory']}/")
    assert "%i" in values["StateDirectory"]
