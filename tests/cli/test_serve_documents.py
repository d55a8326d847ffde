"""What `mockpets serve` prints and logs about OpenAPI documents, and the settings for them."""

import json
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.test_main import SECONDS, program, serving
from tests.http_client import Client, OverSocket
from tests.programs import need

Run = Callable[..., tuple[int, list[str], list[str]]]

SHOP = """\
openapi: 3.1.0
info: {title: Shop, version: "1"}
servers: [url: https://shop.example/api]
security: [{SECURITY}]
paths:
  /orders/{orderId}:
    get:
      operationId: getOrder
      parameters: [{name: orderId, in: path, required: true, schema: {type: string}}]
      responses: &order
        "200": {description: ok, content: {application/json: {schema: {type: object}}}}
  /search:
    get:
      operationId: search
      parameters: [{name: q, in: query, required: true, schema: {type: string}}]
      responses: *order
  /feed:
    get:
      operationId: feed
      responses: {"200": {description: ok, content: {application/atom+xml: {schema: {}}}}}
  /status:
    get: {operationId: getStatus, responses: *order}
components:
  securitySchemes:
    bearer: {type: http, scheme: bearer}
    basic: {type: http, scheme: basic}
    header: {type: apiKey, in: header, name: X-Key}
    query: {type: apiKey, in: query, name: api_key}
    cookie: {type: apiKey, in: cookie, name: sid}
    tls: {type: mutualTLS}
"""


def shop(folder: Path, security: str = "bearer: []", name: str = "shop.yaml") -> Path:
    path = folder / name
    path.write_text(SHOP.replace("{SECURITY}", f"{{{security}}}"), encoding="utf-8")
    return path


def lines_of(banner: str, label: str) -> list[str]:
    """Return the texts beside a label of the banner, with their lines joined."""
    found = re.findall(rf"^{label}(?= |$)((?:.*\n)(?: {{2,}}.*\n)*)", banner, re.MULTILINE)
    return [" ".join(each.split()) for each in found]


def test_the_banner_of_a_document(here: Path) -> None:
    shop(here)
    with serving("--contract", "shop.yaml") as (_, banner):
        first, *_ = banner.splitlines()
        [root] = re.findall(r"^mockpets \S+ serves Shop at (http://localhost:[0-9]+)/api$", first)

        assert lines_of(banner, "contract") == ["shop.yaml: 4 operations, 0 with state (0%)"]
        assert lines_of(banner, "state") == []
        plain = "getOrder, search, getStatus: examples only"
        assert lines_of(banner, "no state") == [f"{plain}; run 'mockpets contract shop.yaml'"]
        assert lines_of(banner, "not served") == ["feed; run 'mockpets contract shop.yaml'"]
        assert lines_of(banner, "key") == ["any credential"]
        assert "17 scenarios: mockpets scenarios --contract shop.yaml\n" in banner
        [curl] = [line for line in banner.splitlines() if line.startswith("  curl ")]
        assert curl == f'  curl -H "Authorization: Bearer mockpets" {root}/api/status'


@pytest.mark.slow
def test_the_banner_names_what_has_state(here: Path) -> None:
    paths = "".join(
        f"  /{kind}{number}: {{get: {{operationId: {kind}{number}, responses: {response}}}}}\n"
        for number in range(5)
        for kind, response in (("list", "*list"), ("plain", '{"200": {description: d}}'))
    )
    listed = "{'200': {description: d, content: {application/json: {schema: {type: array, items: "
    listed += "{properties: {id: {type: integer}}}}}}}}"
    info = 'info: {title: Many, version: "1"}\nx: &list '
    (here / "many.yaml").write_text(f"openapi: 3.1.0\n{info}{listed}\npaths:\n{paths}")
    with serving("--contract", "many.yaml") as (_, banner):
        pass

    assert lines_of(banner, "contract") == ["many.yaml: 10 operations, 5 with state (50%)"]
    assert lines_of(banner, "state") == ["list0, list1, list2 and 2 more"]
    plain = "plain0, plain1, plain2 and 2 more: examples only; run 'mockpets contract many.yaml'"
    assert lines_of(banner, "no state") == [plain]


@pytest.mark.slow
def test_the_start_in_the_log(here: Path) -> None:
    shop(here)
    with program("serve", "--port", "0", "--contract", "shop.yaml") as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        process.kill()

    assert line.endswith("; Shop at /api: 4 operations, 0 with state (0%)\n")


@pytest.mark.slow
def test_the_banner_of_several_contracts(here: Path) -> None:
    shop(here)
    shop(here, name="more.yaml")
    given = "--contract", "/more=more.yaml", "--contract", "shop.yaml", "--contract", "pet-store"
    with serving(*given) as (_, banner):
        pass

    places = re.findall("^  (.+) at http://localhost:[0-9]+(/.+)$", banner, re.MULTILINE)
    assert re.match(r"mockpets \S+ serves 3 contracts:\n  Shop at ", banner)
    assert places == [("Shop", "/more"), ("Shop", "/api"), ("the pet store", "/v1")]
    assert [each.partition(":")[0] for each in lines_of(banner, "contract")] == [
        *("more.yaml", "shop.yaml")
    ]
    assert lines_of(banner, "key") == ["any credential; mockpets for the pet store"]
    assert "29 scenarios" in banner


@pytest.mark.slow
def test_the_banner_of_the_pet_store_alone_is_that_without_the_option() -> None:
    banners = []
    for options in (), ("--contract", "pet-store"):
        with serving(*options) as (_, banner):
            banners.append(re.sub("localhost:[0-9]+", "HOST", banner))

    assert banners[1] == banners[0].replace("scenarios\n", "scenarios --contract pet-store\n")


@pytest.mark.slow
def test_the_start_in_a_json_log(here: Path) -> None:
    shop(here)
    with program("serve", "--port", "0", "--contract", "shop.yaml", "--log", "json") as process:
        assert process.stderr is not None
        start = json.loads(process.stderr.readline())
        process.kill()

    assert start["contracts"] == [
        {"title": "Shop", "base": "/api", "file": "shop.yaml", "operations": 4, "state": 0}
    ]


@pytest.mark.tool  # curl
@pytest.mark.parametrize(
    ("security", "options", "arguments"),
    [
        ("", [], []),
        ("bearer: []", [], ["-H", "Authorization: Bearer mockpets"]),
        ("bearer: []", ["--api-key", "k'1"], ["-H", "Authorization: Bearer k'1"]),
        ("query: []", [], []),
        *(
            pytest.param(security, [], arguments, marks=pytest.mark.long)
            for security, arguments in (
                ("basic: []", ["-H", "Authorization: Basic bW9ja3BldHM6bW9ja3BldHM="]),
                ("header: []", ["-H", "X-Key: mockpets"]),
                ("cookie: []", ["-H", "Cookie: sid=mockpets"]),
                ("header: [], tls: []", list[str]()),
                ("header: [], query: []", ["-H", "X-Key: mockpets"]),
            )
        ),
    ],
)
def test_the_curl_command_succeeds(
    here: Path, security: str, options: list[str], arguments: list[str]
) -> None:
    need("curl")
    shop(here, security)
    with serving("--contract", "shop.yaml", *options) as (_, banner):
        [line] = [line for line in banner.splitlines() if line.startswith("  curl ")]
        command = shlex.split(line)
        assert command[1:-1] == arguments
        assert command[-1].endswith("?api_key=mockpets") == ("query" in security)
        if "tls" not in security:
            run = subprocess.run([*command, "-sf"], check=True, capture_output=True, text=True)
            assert json.loads(run.stdout) == {}


@pytest.mark.slow
def test_without_a_get_that_needs_no_parameters_there_is_no_curl_command(here: Path) -> None:
    path = shop(here)
    path.write_text(path.read_text().replace("/status:", "/status/{id}:"))
    with serving("--contract", "shop.yaml") as (_, banner):
        assert "Try it" not in banner
        assert banner.endswith("\n\nPress Ctrl-C to stop.\n")


def test_documents_and_corrections_stand_in_mockpets_toml(here: Path) -> None:
    shop(here)
    (here / "fixes").mkdir()
    fixes = "operations: {getStatus: {one: state}}\nsecurity: {prefix: Token}\n"
    (here / "fixes" / "mine.yaml").write_text(fixes)
    (here / "mockpets.toml").write_text(
        'contract = ["/mine=shop.yaml", "pet-store"]\ncorrections = "fixes/mine.yaml"\n'
    )
    with serving() as (_, banner):
        [url] = re.findall(r"Shop at (http://localhost:[0-9]+)/mine$", banner, re.MULTILINE)
        call = Client(OverSocket(url))

        assert lines_of(banner, "contract") == ["shop.yaml: 4 operations, 1 with state (25%)"]
        assert "Authorization: Token mockpets" in banner
        statuses = [
            call("GET", "/mine/status", key=None, headers={"Authorization": each}).status
            for each in ("Token a", "Bearer a")
        ]
        assert statuses == [200, 401]
        assert call("GET", "/v1/pets").status == 200


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('contract = ["none.yaml"]', "mockpets.toml:1:"),
        ('contract = ["shop.yaml"]\ncorrections = "none.yaml"', "none.yaml"),
        ('contract = ["/a=shop.yaml", "/a=./shop.yaml"]', "lies at /a"),
        ("contract = 5", "mockpets.toml:1:"),
    ],
)
def test_a_wrong_setting_is_one_line(here: Path, text: str, message: str) -> None:
    shop(here)
    (here / "mockpets.toml").write_text(text)
    with program("serve", "--port", "0") as process:
        try:
            out, err = process.communicate(timeout=SECONDS)
        finally:
            process.kill()

    assert (process.returncode, out) == (2, "")
    assert message in err.splitlines()[0]


def test_scenarios_lists_those_for_the_document(here: Path, run: Run) -> None:
    shop(here)
    status, out, _ = run("scenarios", "--contract", "shop.yaml")

    assert status == 0
    assert [line for line in out if line.startswith("  empty ")] == [
        "  empty         No records, so lists are empty."
    ]
    assert "sold-out" not in "\n".join(out)
