"""The files of `deploy/` for Compose and Kubernetes: compared with their schemas, and each other.

`tests/live/test_balancers.py` runs the balancers' configurations.
"""

from __future__ import annotations

import copy
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped] # it has no annotations
import pytest
import yaml

import mockpets
from mockpets.constants import HEALTH_PATH, READY_PATH
from mockpets.settings import Settings
from mockpets.settings.model import rows
from tests.cases import each as for_each
from tests.live.balancers import DEPLOY
from tests.programs import need
from tests.test_compose import MOCK, flaws
from tests.test_container_files import one

COMPOSE = yaml.safe_load((DEPLOY / "compose.scale.yaml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]
PROCESSES = {name: service for name, service in SERVICES.items() if name != "haproxy"}
OBJECTS = [
    document
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    for document in yaml.safe_load_all(path.read_text(encoding="utf-8"))
]
HAPROXY = (DEPLOY / "haproxy.cfg").read_text(encoding="utf-8")
NGINX = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
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


# --- The balancers ----------------------------------------------------------------------------


def test_the_balancers_have_a_server_for_each_process() -> None:
    names = list(PROCESSES)

    assert re.findall(r'server (\S+) "\1\$\{MOCK_DOMAIN\}:7387"', HAPROXY) == names
    assert re.findall(r"server (\S+):7387 ", NGINX) == names


@pytest.mark.tool
@for_each("host, domain", [("localhost", ""), ("127.0.0", ".1")])
def test_haproxy_accepts_its_configuration(host: str, domain: str, tmp_path: Path) -> None:
    """With a host that exists on this machine, in one part as in Compose, or in two."""
    config = tmp_path / "haproxy.cfg"
    config.write_text(re.sub(r'"mock-\d\$', f'"{host}$', HAPROXY), encoding="utf-8")
    done = subprocess.run(
        [need("haproxy"), "-c", "-f", str(config)],
        env=os.environ | {"MOCK_DOMAIN": domain},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, "WARNING" in done.stderr) == (0, False), done.stderr


# --- Compose ----------------------------------------------------------------------------------


def test_it_is_a_compose_file() -> None:
    assert flaws(COMPOSE) == []


@for_each("name", SERVICES)
def test_every_service_is_confined(name: str) -> None:
    service = SERVICES[name]

    for key in ("cap_drop", "read_only", "security_opt", "pids_limit", "mem_limit"):
        assert service[key] == MOCK[key]
    assert not {"privileged", "cap_add", "user", "network_mode", "pid", "devices"} & service.keys()


@for_each("name", PROCESSES)
def test_every_process_has_a_state_file_of_its_own(name: str) -> None:
    [volume] = PROCESSES[name]["volumes"]
    source, target = volume.split(":")
    others = {each["volumes"][0] for other, each in PROCESSES.items() if other != name}

    assert PROCESSES[name]["environment"].keys() <= SETTINGS
    assert PROCESSES[name]["image"] == IMAGE
    assert Path(PROCESSES[name]["environment"]["MOCKPETS_STATE"]).parent == Path(target)
    assert source in COMPOSE["volumes"]
    assert volume not in others


def test_only_this_machine_can_call_it() -> None:
    port = Settings().port

    assert SERVICES["haproxy"]["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert not any("ports" in service for service in PROCESSES.values())
    assert SERVICES["haproxy"]["depends_on"].keys() == PROCESSES.keys()


# --- Kubernetes -------------------------------------------------------------------------------


@for_each("document", OBJECTS)
def test_it_is_a_kubernetes_object(document: Any) -> None:
    check_kubernetes(document)


@for_each("change", [{"replicas": "four"}, {"replica": 4}, {"serviceName": 4}])
def test_the_schema_finds_mistakes(change: dict[str, Any]) -> None:
    document = copy.deepcopy(STATEFUL_SET)
    document["spec"] |= change

    with pytest.raises(kubernetes_validate.ValidationError):
        check_kubernetes(document)


def test_the_pods_have_the_names_that_haproxy_knows() -> None:
    spec = STATEFUL_SET["spec"]
    start = spec["ordinals"]["start"]
    names = [f"mock-{number}" for number in range(start, start + spec["replicas"])]
    service = kubernetes_object("Service", spec["serviceName"])["spec"]
    [balancer] = kubernetes_object("Deployment", "haproxy")["spec"]["template"]["spec"][
        "containers"
    ]
    domain = {each["name"]: each.get("value") for each in balancer["env"]}["MOCK_DOMAIN"]

    assert names == list(PROCESSES)
    assert service["clusterIP"] == "None"
    assert service["publishNotReadyAddresses"] is True
    assert domain.startswith(f".{spec['serviceName']}.")


def test_selectors_select_pods_and_ports_exist() -> None:
    templates = [each["spec"]["template"] for each in OBJECTS if "template" in each["spec"]]
    for service in (each["spec"] for each in OBJECTS if each["kind"] == "Service"):
        [template] = [
            each
            for each in templates
            if service["selector"].items() <= each["metadata"]["labels"].items()
        ]
        [port] = template["spec"]["containers"][0]["ports"]

        assert [each["targetPort"] for each in service["ports"]] == [port["name"]]
        assert port["containerPort"] == Settings().port


def test_the_pod_uses_the_image_and_settings_that_exist() -> None:
    probes = ("startupProbe", "livenessProbe", "readinessProbe")
    paths = [CONTAINER[name]["httpGet"]["path"] for name in probes]
    variables = {each["name"]: each.get("value") for each in CONTAINER["env"]}
    [mount] = CONTAINER["volumeMounts"]
    [claim] = STATEFUL_SET["spec"]["volumeClaimTemplates"]

    assert CONTAINER["image"] == IMAGE
    assert variables.keys() <= SETTINGS
    assert paths == [HEALTH_PATH, HEALTH_PATH, READY_PATH]
    assert Path(variables["MOCKPETS_STATE"] or "").parent == Path(mount["mountPath"])
    assert mount["name"] == claim["metadata"]["name"]
    assert POD["securityContext"]["runAsUser"] == int(one("USER").partition(":")[0])


@for_each("pod", PODS)
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
