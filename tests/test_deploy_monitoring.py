"""The files for Prometheus, Grafana and systemd: they load, and name what exists."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from mockpets.cli.main import main
from mockpets.settings.settings_table import rows
from mockpets.telemetry.metrics import Metrics
from tests.docs.page import ROOT
from tests.live.balancers import replaced
from tests.programs import need
from tests.telemetry.test_metrics import HELD
from tests.test_deploy import PROCESSES, TARGET_FILES

FILES = TARGET_FILES["compose"]
DASHBOARD = json.loads(FILES["grafana.json"])
EXPRESSIONS = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
ALERTS = yaml.safe_load(FILES["alerts.yml"])["groups"][0]["rules"]
PROGRAM = "/opt/mockpets/bin/mockpets"
UNIT = TARGET_FILES["systemd"]["mockpets@.service"]


def promtool(*arguments: str, folder: Path) -> None:
    command = [need("promtool"), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.tool
def test_prometheus_accepts_its_configuration_and_the_alerts(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "control-token").write_text("only-for-this-test", encoding="utf-8")

    promtool("check", "config", "prometheus.yml", folder=tmp_path)


@pytest.mark.tool
def test_prometheus_accepts_the_configuration_of_the_docs(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "operate" / "demo.md").read_text(encoding="utf-8")
    [config] = re.findall("```yaml\n(scrape_configs:.*?)```", text, re.DOTALL)
    (tmp_path / "prometheus.yml").write_text(config, encoding="utf-8")

    promtool("check", "config", "prometheus.yml", folder=tmp_path)
    [job] = yaml.safe_load(config)["scrape_configs"]
    assert job["authorization"] == {"credentials": "the-control-token"}


def test_every_process_is_scraped() -> None:
    jobs = yaml.safe_load(FILES["prometheus.yml"])["scrape_configs"]
    targets = {job["job_name"]: job["static_configs"][0]["targets"] for job in jobs}

    assert jobs[0]["metrics_path"] == "/__mockpets/metrics"
    assert targets["mockpets"] == [f"{name}:7387" for name in PROCESSES]
    assert targets["haproxy"] == ["haproxy:8405"]


def test_every_alert_has_a_severity_a_pause_and_a_runbook() -> None:
    page, _, anchor = ALERTS[0]["annotations"]["runbook_url"].partition("#")
    text = (ROOT / page).read_text(encoding="utf-8")

    assert f"\n## {anchor.capitalize()}\n" in text
    for rule in ALERTS:
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert re.fullmatch(r"[1-9]\d*m", rule["for"])
        assert rule["annotations"]["runbook_url"] == f"{page}#{anchor}"
        assert f"| `{rule['alert']}` |" in text


_UP, _START = 'up{job="%s",instance="a"}', "process_start_time_seconds"
_REJECTED = 'mockpets_limit_rejections_total{instance="a",code="%s"}'
FIRING = {
    "MockpetsDown": (_UP % "mockpets", "1 0x30"),
    "HAProxyDown": (_UP % "haproxy", "1 0x30"),
    "MockpetsRestartsOften": (f'{_START}{{job="mockpets",instance="a"}}', "1x9 9x3 17x3 25x20"),
    "MockpetsRejectsRequests": (_REJECTED % "busy", "0x5 0+60x25"),
    "MockpetsEvictsConnections": ('mockpets_connections_evicted_total{instance="a"}', "0+60x30"),
    "MockpetsBusy": ('process_cpu_seconds_total{job="mockpets",instance="a"}', "0+57x30"),
    "MockpetsRequestsDropped": ('mockpets_request_log_dropped_total{instance="a"}', "0+60x30"),
    "MockpetsScenarioInvalid": ('mockpets_scenario_problems{instance="a"}', "0x5 1x25"),
}
"""Values of a metric, one a minute, after which each alert fires."""
QUIET = {
    _UP % "mockpets": "1x20 0 1x10",
    _UP % "haproxy": "1x20 0 1x10",
    f'{_START}{{job="mockpets",instance="a"}}': "1x15 9x15",
    _REJECTED % "busy": "0x25 9x5",
    _REJECTED % "rate_limited": "0+600x30",
    'mockpets_connections_evicted_total{instance="a"}': "0x25 9x5",
    'process_cpu_seconds_total{job="mockpets",instance="a"}': "0+6x30",
    'mockpets_request_log_dropped_total{instance="a"}': "0x25 9x5",
    'mockpets_scenario_problems{instance="a"}': "0x25 1x5",
}
"""A start, a single failed scrape, a burst, and visitors of a demo who exceed their rate."""


def alert_test(values: dict[str, str], firing: str | None) -> dict[str, object]:
    """Return a test of promtool: 28 minutes later, at most one alert fires."""
    return {
        "interval": "1m",
        "input_series": [{"series": name, "values": text} for name, text in values.items()],
        "promql_expr_test": [
            {
                "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
                "eval_time": "28m",
                "exp_samples": [
                    {"labels": f'{{alertname="{name}"}}', "value": 1} for name in [firing] if name
                ],
            }
        ],
    }


@pytest.mark.tool
@pytest.mark.parametrize("name", [None, *FIRING])
def test_an_alert_fires_only_for_its_problem(name: str | None, tmp_path: Path) -> None:
    assert FIRING.keys() == {rule["alert"] for rule in ALERTS}
    (tmp_path / "alerts.yml").write_text(FILES["alerts.yml"], encoding="utf-8")
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


@pytest.mark.parametrize(
    "texts", [EXPRESSIONS, [rule["expr"] for rule in ALERTS]], ids=["dashboard", "alerts"]
)
def test_every_metric_exists(texts: list[str]) -> None:
    exposition, _ = Metrics("", (), lambda: HELD).exposition({})
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

    assert {name.removesuffix("_FILE") for name in variables} <= {row.variable for row in rows()}
    assert (program, main([*arguments, "--help"])) == (PROGRAM, 0)
    # Each process has a state file of its own, in a folder that systemd creates.
    assert variables["MOCKPETS_STATE"].startswith(f"%S/{values['StateDirectory']}/")
    assert "%i" in values["StateDirectory"]


@pytest.mark.tool
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "mockpets@.service"
    unit.write_text(replaced(UNIT, f"={PROGRAM} ", f"={sys.executable} "), encoding="utf-8")
    command = [need("systemd-analyze"), "verify", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
