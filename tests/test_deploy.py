"""`mockpets deploy`: its files match their schemas, and each other.

`tests/live/test_balancers.py` runs the balancers' configurations.
"""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped] # it has no annotations
import pytest
import yaml

import mockpets
from mockpets.cli import deploy
from mockpets.cli.main import main
from mockpets.constants import HEALTH_PATH, READY_PATH
from mockpets.settings import Settings
from mockpets.settings.settings_table import rows
from mockpets.settings.sources import load_settings
from tests.programs import need
from tests.test_compose import MOCK, TOKEN, resolved
from tests.test_container_files import one

TARGET_FILES = {target: deploy.render(target, 4) for target in deploy.TARGETS}
COMPOSE = yaml.safe_load(TARGET_FILES["compose"]["compose.yaml"])
SERVICES = COMPOSE["services"]
PROCESSES = {name: service for name, service in SERVICES.items() if name != "haproxy"}
OBJECTS = [*yaml.safe_load_all(TARGET_FILES["kubernetes"]["kubernetes.yaml"])]
IMAGE = f"mockpets:{mockpets.__version__}"
SETTINGS = {row.variable for row in rows()}


def kubernetes_object(kind: str, name: str) -> Any:
    [found] = [each for each in OBJECTS if (each["kind"], each["metadata"]["name"]) == (kind, name)]
    return found


def check_kubernetes(document: Any) -> None:
    """Compare an object with its schema, in which unknown properties are invalid.

    :raise ValidationError: it does not match.
    """
    kubernetes_validate.validate(document, kubernetes_validate.latest_version(), strict=True)


STATEFUL_SET = kubernetes_object("StatefulSet", "mock")
POD = STATEFUL_SET["spec"]["template"]["spec"]
[CONTAINER] = POD["containers"]
PODS = [each["spec"]["template"]["spec"] for each in OBJECTS if "template" in each.get("spec", {})]


# --- The command ------------------------------------------------------------------------------


@pytest.mark.parametrize("target", deploy.TARGETS)
def test_the_command_writes_its_files(target: str, tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"

    assert main(["deploy", target, "--processes", "4", "--out", str(out)]) == 0
    written = {path.name: path.read_text("utf-8") for path in out.iterdir()}
    assert written == TARGET_FILES[target]
    assert written.keys() == {*deploy.TARGETS[target]}


def test_without_a_folder_the_files_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deploy", "kubernetes", "--processes", "2"]) == 0
    parts = re.split(r"^# ---- (.*)\n", capsys.readouterr().out, flags=re.MULTILINE)[1:]

    assert dict(zip(parts[::2], parts[1::2], strict=True)) == {
        name: f"{text}\n" for name, text in deploy.render("kubernetes", 2).items()
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compsoe", "--processes", "2"], "'compsoe' is not one of 'compose', 'kubernetes',"),
        (["compose"], "Missing option '--processes'"),
        (["compose", "--processes", "65"], "must be an integer from 1 to 64, got '65'"),
        (["compose", "--processes", "2", "--out", __file__], "is a file"),
    ],
)  # fmt: skip
def test_invalid_arguments(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["deploy", *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.tool
@pytest.mark.parametrize("target", ["compose", "kubernetes", "systemd"])
@pytest.mark.parametrize("processes", [1, 3])
def test_haproxy_accepts_its_configuration_and_has_a_backend_for_each_process(
    processes: int, target: str, tmp_path: Path
) -> None:
    files = deploy.render(target, processes)
    text = files.get("haproxy.cfg") or next(
        each["data"]["haproxy.cfg"]
        for each in yaml.safe_load_all(files["kubernetes.yaml"])
        if each["kind"] == "ConfigMap"
    )
    (tmp_path / "haproxy.cfg").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [need("haproxy"), "-c", "-f", str(tmp_path / "haproxy.cfg")],
        env=os.environ | {"NAMESPACE": "test"},
        capture_output=True,
        text=True,
        check=False,
    )

    warnings = [line for line in done.stderr.splitlines() if line.startswith("[WARNING]")]
    assert done.returncode == 0, done.stderr
    assert all("could not resolve address" in line for line in warnings), warnings
    assert f"crc32,mod({processes}),add(1)" in text
    assert re.findall(r"^backend mock-(\d+)$", text, re.MULTILINE) == [
        str(number) for number in range(1, processes + 1)
    ]
    dashboard = files.pop("grafana.json", "")
    assert not re.search(r"\{\{(?! \$)", "".join(files.values()))
    assert not re.search(r"\{\{(?! (?:code|instance|operation|status) \}\})", dashboard)


def test_nginx_has_a_server_for_each_process() -> None:
    text = TARGET_FILES["nginx"]["nginx.conf"]

    assert re.findall(r"server (\S+):7387 ", text) == list(PROCESSES)


# --- Compose ----------------------------------------------------------------------------------


def test_image_and_compose_files_check_the_health_seldom_and_declare_sessions() -> None:
    check = dict(re.findall(r"--(\S+)=(\S+)", one("HEALTHCHECK")))

    assert (check["interval"], check["start-interval"]) == ("10s", "1s")
    for service in (MOCK, *PROCESSES.values()):
        found = {name.replace("_", "-"): str(text) for name, text in service["healthcheck"].items()}
        assert found.items() >= check.items()
        assert service["restart"] == "unless-stopped"
        environ = resolved(service["environment"], {"MOCKPETS_CONTROL_TOKEN": TOKEN})
        environ["MOCKPETS_STATE"] = ""  # its folder is a volume
        # The app of compose.yaml names no session in its first request.
        sessions = "implicit" if service is MOCK else "declared"
        assert load_settings({}, environ, None).sessions == sessions


def test_haproxy_may_finish_before_it_is_killed() -> None:
    [stop] = re.findall(r"hard-stop-after (\d+)s", TARGET_FILES["compose"]["haproxy.cfg"])
    [_, pod] = PODS
    pause = pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][-1]

    assert SERVICES["haproxy"]["depends_on"].keys() == PROCESSES.keys()
    assert int(stop) < int(SERVICES["haproxy"]["stop_grace_period"].rstrip("s"))
    assert int(stop) + int(pause) < pod["terminationGracePeriodSeconds"]


@pytest.mark.parametrize("name", PROCESSES)
def test_every_process_has_a_state_file_of_its_own(name: str) -> None:
    [volume] = PROCESSES[name]["volumes"]
    source, target = volume.split(":")
    others = {each["volumes"][0] for other, each in PROCESSES.items() if other != name}

    assert PROCESSES[name]["environment"].keys() <= SETTINGS
    assert PROCESSES[name]["image"] == IMAGE
    assert Path(PROCESSES[name]["environment"]["MOCKPETS_STATE"]).parent == Path(target)
    assert source in COMPOSE["volumes"]
    assert volume not in others


# --- Kubernetes -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document", OBJECTS, ids=lambda document: f"{document['kind']} {document['metadata']['name']}"
)
def test_it_is_a_kubernetes_object(document: Any) -> None:
    check_kubernetes(document)


def test_the_pods_have_the_names_that_haproxy_knows() -> None:
    spec = STATEFUL_SET["spec"]
    start = spec["ordinals"]["start"]
    names = [f"mock-{number}" for number in range(start, start + spec["replicas"])]
    service = kubernetes_object("Service", spec["serviceName"])["spec"]

    assert names == list(PROCESSES)
    assert service["clusterIP"] == "None"
    assert service["publishNotReadyAddresses"] is True
    config = kubernetes_object("ConfigMap", "haproxy")["data"]["haproxy.cfg"]
    servers = re.findall(r'server (\S+) "\1[.](\w+)[.]\${NAMESPACE}[.]', config)
    assert servers == [(name, spec["serviceName"]) for name in names]


def test_selectors_select_pods_and_ports_exist() -> None:
    templates = [each["spec"]["template"] for each in OBJECTS if "template" in each.get("spec", {})]
    for service in (each["spec"] for each in OBJECTS if each["kind"] == "Service"):
        [template] = [
            each
            for each in templates
            if service["selector"].items() <= each["metadata"]["labels"].items()
        ]
        ports = template["spec"]["containers"][0]["ports"]

        assert [each["targetPort"] for each in service["ports"]] == [each["name"] for each in ports]
        assert ports[0]["containerPort"] == Settings().port


def test_changes_restart_haproxy_and_drained_nodes_one_process_after_the_other() -> None:
    def annotations(processes: int) -> object:
        text = deploy.render("kubernetes", processes)["kubernetes.yaml"]
        [found] = [each for each in yaml.safe_load_all(text) if each["kind"] == "Deployment"]
        assert found["spec"]["strategy"] == {"type": "Recreate"}
        return found["spec"]["template"]["metadata"]["annotations"]

    budgets = [each["spec"] for each in OBJECTS if each["kind"] == "PodDisruptionBudget"]
    assert annotations(3) != annotations(4)
    assert [each["maxUnavailable"] for each in budgets] == [1, 1]
    assert [each["selector"] for each in budgets] == [
        kubernetes_object(*each)["spec"]["selector"]
        for each in (("StatefulSet", "mock"), ("Deployment", "haproxy"))
    ]


def test_the_pod_uses_the_image_and_settings_that_exist() -> None:
    probes = ("startupProbe", "livenessProbe", "readinessProbe")
    paths = [CONTAINER[name]["httpGet"]["path"] for name in probes]
    variables = {each["name"]: each.get("value", "") for each in CONTAINER["env"]}
    [mount] = CONTAINER["volumeMounts"]
    [claim] = STATEFUL_SET["spec"]["volumeClaimTemplates"]

    assert CONTAINER["image"] == IMAGE
    assert variables.keys() <= SETTINGS
    assert load_settings({}, variables | {"MOCKPETS_STATE": ""}, None).behind_proxy
    assert paths == [HEALTH_PATH, HEALTH_PATH, READY_PATH]
    assert Path(variables["MOCKPETS_STATE"]).parent == Path(mount["mountPath"])
    assert mount["name"] == claim["metadata"]["name"]
    assert POD["securityContext"]["runAsUser"] == int(one("USER").partition(":")[0])


@pytest.mark.parametrize("pod", PODS, ids=lambda pod: pod["containers"][0]["name"])
def test_every_pod_is_confined(pod: Any) -> None:
    [container] = pod["containers"]

    assert pod["enableServiceLinks"] is False  # they would set MOCKPETS_PORT
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert container["resources"]["limits"]["memory"]
