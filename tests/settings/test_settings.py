"""The settings: each row from flag, variable and file, and every error message in full."""

import os
import re
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from mockpets.constants import FILE_BYTES, INT64_MAX
from mockpets.errors import InputError
from mockpets.limits import USUAL
from mockpets.public.public_limits import PUBLIC
from mockpets.seed.names import LOCALES
from mockpets.settings import Settings
from mockpets.settings.settings_table import rows
from mockpets.settings.sources import CONFIG_VARIABLE, URL_VARIABLE, load_settings, readable_secrets
from mockpets.units import size_text

# Values of each row: the text that a user writes, and the parsed value.
VALUES: dict[str, list[tuple[str, Any]]] = {
    "host": [("localhost", ("localhost",)), ("127.0.0.1, [::1]", ("127.0.0.1", "::1"))],
    "port": [("0", 0), ("65535", 65535)],
    "contract": [
        ("pet-store", ("pet-store",)),
        ("file, /blog/=file.yaml", ("file", "/blog/=file.yaml")),
    ],
    "corrections": [("file", "file"), ("file.yaml", "file.yaml")],
    "scenario": [("Slow, flaky", ("slow", "flaky")), ("a-1,b,a-1", ("a-1", "b"))],
    "scenarios_dir": [
        ("one", (Path("one"),)),
        (os.pathsep.join(["two", "one"]), (Path("two"), Path("one"))),
    ],
    "fixtures_dir": [("two", (Path("two"),)), ("one", (Path("one"),))],
    "seed": [("0", 0), (str(INT64_MAX), INT64_MAX)],
    "data": [
        ("pets=5", ("pets=5",)),
        ("shop.orders=one/My orders.YML,pets=0", ("shop.orders=one/My orders.YML", "pets=0")),
    ],
    "locale": [("de_DE", "de_DE"), ("ja_JP", "ja_JP")],
    "now": [("2030-12-06", "2030-12-06"), ("2030-12-06T09:00+01:00", "2030-12-06T09:00+01:00")],
    "api_key": [
        ("k1,k2", ("k1", "k2")),
        ("!#$%&'()*+-./:;<=>?@[]^_`{|}~", ("!#$%&'()*+-./:;<=>?@[]^_`{|}~",)),
    ],
    "delay": [("300ms", 0.3), ("1m", 60.0)],
    "control": [("open", "open"), ("OFF", "off")],
    "control_token": [("12345678", "12345678"), ("s3cr3t,s3cr3t", "s3cr3t,s3cr3t")],
    "control_origin": [
        ("https://App.example", ("https://app.example",)),
        ("http://a:3000,http://[::1]", ("http://a:3000", "http://[::1]")),
    ],
    "behind_proxy": [("10.0.0.0/8", ("10.0.0.0/8",)), ("127.0.0.1, ::1", ("127.0.0.1", "::1"))],
    "prefix": [("/mock", "/mock"), ("/a/b-c/", "/a/b-c")],
    "max_records": [("1", 1), (str(INT64_MAX), INT64_MAX)],
    "max_sessions": [("1", 1), ("10000", 10_000)],
    "sessions": [("declared", "declared"), ("Implicit", "implicit")],
    "memory": [("64GiB", 2**36), ("1.5 MiB", 1_572_864)],
    "state": [("pets.state", "pets.state"), ("one/pets", "one/pets")],
    "reset_every": [("30m", 1800.0), ("168h", 604_800.0)],
    "drain": [("30s", 30.0), ("10m", 600.0)],
    "public": [("true", True), ("false", False)],
    "visitor_rate": [("1", 1), ("100000", 100_000)],
    "log_addresses": [("true", True), ("false", False)],
    "name": [("mock-1", "mock-1"), ("A.b_C", "A.b_C")],
    "log": [("json", "json"), ("JSON-quiet", "json-quiet")],
}

SWITCHES = ("public", "log_addresses")
NO_TABLE = "unknown setting; write settings at the top level of the file, not in a table"
BAD_PORT = "must be an integer from 0 to 65535, got "
BAD_HOST = "must be an IP address or a host name, without a scheme or port, got "
BAD_NAME = "must be a scenario name (a-z, 0-9, single hyphens; at most 64 characters), got "
BAD_KEY = "must be visible ASCII characters without spaces or commas; "
BAD_ORIGIN_PORT = "must have a port from 1 to 65535, or none, got "
BAD_ORIGIN = "must be an origin such as https://app.example, without a path, got "
BAD_PREFIX = "must be a path such as /mock (A-Z, a-z, 0-9, '.', '_', '-'), got "
BAD_DURATION = "must be a duration such as 300ms, 1.5s or 1m, got "
BAD_LONG = "must be a duration such as 30s, 90m or 1h, got "
BAD_SIZE = "must be a size such as 64MiB or 1GiB, got "
BAD_CONTENTS = "must be a .yaml, .yml, .json file or an integer from 0 to 100000, got "
BAD_DATA = "must be the name of a collection and its contents, such as "
BAD_MOMENT = "must be a date and time such as 2030-12-06T09:00:00Z, from 1970 on, got "
BAD_NODE = (
    "must be a name (a-z, A-Z, 0-9, '.', '_' and '-', first a letter or digit, at most 64 "
    "characters), got "
)
BAD_CONTRACT = "must be an existing OpenAPI document, got "
BAD_LOG = "must be one of text, json, quiet, json-quiet, got "
BAD_FOLDER = "must be a readable folder (File name too long), "

# Setting, invalid value, message.
BAD: list[tuple[str, str, str]] = [
    ("host", "http://localhost", f"{BAD_HOST}'http://localhost'"),
    ("host", "http://me:topsecret@a", f"{BAD_HOST}'http://[redacted]@a'"),
    ("host", "localhost,", f"{BAD_HOST}''"),
    ("port", "70000", f"{BAD_PORT}'70000'"),
    ("port", "8_0", f"{BAD_PORT}'8_0'"),
    ("port", "٣", f"{BAD_PORT}'٣'"),
    ("port", "9" * 4000, f"{BAD_PORT}'{'9' * 56}..."),
    ("contract", "missing.yaml", f"{BAD_CONTRACT}'missing.yaml'"),
    ("contract", "/blog=missing.yaml", f"{BAD_CONTRACT}'missing.yaml'"),
    ("contract", "blog=file", "must be FILE or /PATH=FILE, got 'blog=file'"),
    ("contract", "/a b=file", "must be FILE or /PATH=FILE, got '/a b=file'"),
    ("contract", "one", f"{BAD_CONTRACT}'one'"),
    ("corrections", "missing.yaml", "must be an existing file, got 'missing.yaml'"),
    ("corrections", "one", "must be an existing file, got 'one'"),
    ("scenario", "../x", f"{BAD_NAME}'../x'"),
    (
        "scenario",
        ",".join(f"s{number}" for number in range(33)),
        "must have at most 32 values, got 33",
    ),
    ("scenario", "a" * 65, f"{BAD_NAME}'{'a' * 56}..."),
    ("scenarios_dir", "nowhere", "must be an existing folder, got 'nowhere'"),
    ("scenarios_dir", "x" * 300, f"{BAD_FOLDER}got '{'x' * 56}..."),
    ("fixtures_dir", "file", "must be an existing folder, got 'file'"),
    ("seed", str(2**63), f"must be an integer from 0 to {INT64_MAX}, got '{2**63}'"),
    ("data", "pets=pets.txt", f"of pets {BAD_CONTENTS}'pets.txt'"),
    ("data", "orders=100001", f"of orders {BAD_CONTENTS}'100001'"),
    ("data", "pets=", f"of pets {BAD_CONTENTS}''"),
    ("data", "40", f"{BAD_DATA}pets=40, got '40'"),
    ("data", "pets.json", f"{BAD_DATA}pets=pets.json, got 'pets.json'"),
    ("data", "Pets=40", f"{BAD_DATA}pets=40, got 'Pets=40'"),
    ("data", "=40", f"{BAD_DATA}pets=40, got '=40'"),
    ("now", "tomorrow", f"{BAD_MOMENT}'tomorrow'"),
    ("now", "2030-12-06T09:00", f"{BAD_MOMENT}'2030-12-06T09:00'; add the offset: Z for UTC"),
    ("locale", "xx", f"must be one of {', '.join(sorted(LOCALES))}, got 'xx'"),
    ("api_key", "two words", f"{BAD_KEY}character 4 is invalid"),
    ("api_key", "a,,b", f"{BAD_KEY}it is empty"),
    ("delay", "2", f"{BAD_DURATION}'2'; add a unit: '2s' or '2ms'"),
    ("delay", "2m", "must be a duration of at most 60s, got '2m'"),
    ("control", "opne", "must be one of auto, open, off, got 'opne'; did you mean 'open'?"),
    ("control_token", "short", "must be at least 8 visible ASCII characters without spaces"),
    ("control_token", "two words", "must be at least 8 visible ASCII characters without spaces"),
    ("control_origin", "http://a/b", f"{BAD_ORIGIN}'http://a/b'"),
    ("control_origin", "http://me:topsecret@a", f"{BAD_ORIGIN}'http://[redacted]@a'"),
    ("control_origin", "http://a:0", f"{BAD_ORIGIN_PORT}'http://a:0'"),
    ("control_origin", "https://[::1]:99999", f"{BAD_ORIGIN_PORT}'https://[::1]:99999'"),
    ("control_origin", "http://a:", f"{BAD_ORIGIN}'http://a:'"),
    ("max_records", "0", "must be an integer of 1 or more, got '0'"),
    ("max_sessions", "0", "must be an integer from 1 to 10000, got '0'"),
    ("sessions", "manual", "must be one of implicit, declared, got 'manual'"),
    ("memory", "64MB", f"{BAD_SIZE}'64MB'"),
    ("memory", "1023KiB", "must be from 1MiB to 64GiB, got '1023KiB'"),
    ("state", "three/pets", "must be a file in an existing folder, got 'three/pets'"),
    ("state", "one", "must be a file in an existing folder, got 'one'"),
    ("reset_every", "169h", "must be a duration of at most 168h, got '169h'"),
    ("drain", "30", f"{BAD_DURATION}'30'; add a unit: '30s' or '30ms'"),
    ("public", "maybe", "must be true or false, got 'maybe'"),
    ("visitor_rate", "1.5", "must be an integer from 1 to 100000, got '1.5'"),
    ("behind_proxy", "proxy", "must be an IP address or network such as 10.0.0.0/8, got 'proxy'"),
    ("behind_proxy", "0.0.0.0/0", "must not include every address, got '0.0.0.0/0'"),
    ("prefix", "//mock", f"{BAD_PREFIX}'//mock'"),
    ("name", "a b", f"{BAD_NODE}'a b'"),
    ("name", "a" * 65, f"{BAD_NODE}'{'a' * 56}..."),
    ("log_addresses", "maybe", "must be true or false, got 'maybe'"),
    ("log", "json,quiet", f"{BAD_LOG}'json,quiet'; did you mean 'json-quiet'?"),
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a directory with the folders of `VALUES`."""
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "file.yaml").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def as_flag(name: str, text: str) -> dict[str, object]:
    """Return what the command line passes: text, a tuple of texts, or a bool for a switch."""
    if name in SWITCHES:
        return {name: text == "true"}
    if name.endswith("_dir"):
        return {name: tuple(text.split(os.pathsep))}
    return {name: (text,) if isinstance(VALUES[name][0][1], tuple) else text}


def as_variable(name: str, text: str) -> dict[str, str]:
    return {f"MOCKPETS_{name.upper()}": text}


def as_line(name: str, text: str) -> str:
    bare = re.fullmatch("true|false|-?[0-9]+", text)
    return f"{name.replace('_', '-')} = {text if bare else repr(text)}\n"


def problems_of(
    flags: dict[str, Any] | None = None,
    environ: dict[str, str] | None = None,
    file: str | bytes | None = None,
) -> list[str]:
    if file is not None:
        Path("mockpets.toml").write_bytes(file.encode() if isinstance(file, str) else file)
    with pytest.raises(InputError) as caught:
        load_settings(flags or {}, environ or {}, None)
    return [str(problem) for problem in caught.value.problems]


# --- The table --------------------------------------------------------------------------------


def test_without_any_source_all_settings_have_their_defaults() -> None:
    assert load_settings({}, {"PATH": "/bin", "MOCKPET": "x"}, None) == Settings()


def test_the_defaults_that_depend_on_public_mode_are_those_of_the_limits() -> None:
    assert {row.name: row.unset for row in rows() if row.unset} == {
        "contract": "pet-store",
        "data": "pets=16",
        "max_records": f"{USUAL.records}, or {PUBLIC.records} with --public",
        "max_sessions": f"{USUAL.sessions}, or {PUBLIC.sessions} with --public, in proportion "
        "to --memory",
        "memory": f"{size_text(USUAL.memory)}, or {size_text(PUBLIC.memory)} with --public",
    }


def test_every_field_is_a_row_with_values_and_invalid_values_here() -> None:
    names = [field.name for field in fields(Settings)]

    assert [*(row.name for row in rows()), "sources"] == names == [*VALUES, "sources"]
    assert {name for name, _, _ in BAD} == set(VALUES)
    assert all(row.help.endswith(".") for row in rows())


@pytest.mark.parametrize("name", VALUES)
def test_a_row_can_be_set_by_flag_variable_and_file(name: str, here: Path) -> None:
    for text, value in VALUES[name]:
        expected = Settings(**{name: value})

        assert load_settings(as_flag(name, text), {}, None) == expected
        assert load_settings({}, as_variable(name, text), None) == expected
        (here / "mockpets.toml").write_text(as_line(name, text), encoding="utf-8")
        assert load_settings({}, {}, None) == expected
        (here / "mockpets.toml").unlink()


@pytest.mark.parametrize("name", VALUES)
def test_the_flag_overrides_the_variable_and_the_variable_overrides_the_file(name: str) -> None:
    (flag, first), (variable, second) = VALUES[name]
    Path("mockpets.toml").write_text(as_line(name, flag), encoding="utf-8")

    assert load_settings({}, as_variable(name, variable), None) == Settings(**{name: second})
    both = load_settings(as_flag(name, flag), as_variable(name, variable), None)
    assert both == Settings(**{name: first})


def test_flags_can_be_repeated_and_contain_commas() -> None:
    settings = load_settings({"scenario": ("a,b", "c"), "scenarios_dir": ("two", "one")}, {}, None)

    assert settings.scenario == ("a", "b", "c")
    assert settings.scenarios_dir == (Path("two"), Path("one"))


def test_a_repeated_word_set_in_python_counts_once() -> None:
    assert Settings(scenario=("b", "a", "b")) == Settings(scenario=("b", "a"))


def test_empty_variables_count_as_unset() -> None:
    assert load_settings({}, {"MOCKPETS_PORT": "", CONFIG_VARIABLE: ""}, None) == Settings()


@pytest.mark.parametrize(
    ("word", "value"), [("1", True), ("YES", True), ("0", False), ("off", False)]
)
def test_spellings_of_a_switch(word: str, value: bool) -> None:
    assert load_settings({}, {"MOCKPETS_PUBLIC": word}, None).public is value


@pytest.mark.parametrize("line", [
    'scenario = ["a", "b"]',
    'scenario = "a, b"',
    '\n  "scenario" = [\n  "a",\n  "b",\n]\r\n',
    "\ufeffscenario = ['a', 'b'] # with a byte order mark",
])  # fmt: skip
def test_several_values_in_the_file(line: str) -> None:
    Path("mockpets.toml").write_text(line, encoding="utf-8")

    assert load_settings({}, {}, None).scenario == ("a", "b")


# --- Which file -------------------------------------------------------------------------------


def test_the_config_flag_overrides_its_variable_and_the_default_file() -> None:
    for number, name in enumerate(["mockpets.toml", "one/variable.toml", "two/flag.toml"], 1):
        Path(name).write_text(f"port = {number}", encoding="utf-8")
    environ = {CONFIG_VARIABLE: "one/variable.toml"}

    assert load_settings({}, {}, None).port == 1
    assert load_settings({}, environ, None).port == 2
    assert load_settings({}, environ, Path("two/flag.toml")).port == 3


@pytest.mark.parametrize(("config", "environ", "problem"), [
    ("no.toml", {}, "--config no.toml: file not found; check the path"),
    (None, {CONFIG_VARIABLE: "no.toml"},
     f"{CONFIG_VARIABLE}=no.toml: file not found; check the path"),
    ("one", {CONFIG_VARIABLE: "no"}, "--config one: is a folder; name a file in it"),
])  # fmt: skip
def test_a_config_file_that_is_named_must_exist(
    config: str | None, environ: dict[str, str], problem: str
) -> None:
    with pytest.raises(InputError) as caught:
        load_settings({}, environ, Path(config) if config else None)

    assert str(caught.value) == problem


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs and devices")
@pytest.mark.parametrize("name", ["fifo", "/dev/zero", "large.toml"])
def test_a_device_or_a_large_file_is_rejected(name: str) -> None:
    os.mkfifo("fifo")
    Path("large.toml").write_text("#" * (FILE_BYTES + 1), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_settings({}, {CONFIG_VARIABLE: name}, None)

    what = "is larger than 256 KiB" if name == "large.toml" else "is not a regular file"
    assert str(caught.value).startswith(f"{CONFIG_VARIABLE}={name}: {what}; ")


@pytest.mark.skipif(sys.platform == "win32", reason="links need privileges")
@pytest.mark.parametrize(("target", "problem"), [
    ("no.toml", "mockpets.toml: file not found; check the path"),
    ("mockpets.toml",
     "mockpets.toml: cannot read the file: Too many levels of symbolic links; "
         "check the path and its permissions"),
])  # fmt: skip
def test_a_broken_link_is_rejected(target: str, problem: str) -> None:
    Path("mockpets.toml").symlink_to(target)

    assert problems_of() == [problem]


@pytest.mark.skipif(sys.platform == "win32", reason="links need privileges")
def test_a_link_to_a_file_in_another_folder_is_read() -> None:
    Path("one/mine.toml").write_text("port = 3", encoding="utf-8")
    Path("mockpets.toml").symlink_to("one/mine.toml")

    assert load_settings({}, {}, None).port == 3


# --- Variables set by Kubernetes and Docker ---------------------------------------------------

SERVICE = {
    "MOCKPETS_SERVICE_HOST": "10.0.0.1", "MOCKPETS_SERVICE_PORT": "7387",
    "MOCKPETS_SERVICE_PORT_HTTP": "7387", "MOCKPETS_PORT": "tcp://10.0.0.1:7387",
    "MOCKPETS_PORT_7387_TCP": "tcp://10.0.0.1:7387", "MOCKPETS_PORT_7387_TCP_PROTO": "tcp",
    "MOCKPETS_PORT_7387_TCP_PORT": "7387", "MOCKPETS_PORT_7387_TCP_ADDR": "10.0.0.1",
    # A second Service, named mockpets-demo, with an IPv6 address.
    "MOCKPETS_DEMO_SERVICE_HOST": "fd00::1", "MOCKPETS_DEMO_PORT": "tcp://[fd00::1]:80",
    "MOCKPETS_DEMO_PORT_80_TCP": "tcp://[fd00::1]:80",
    # Docker's links
    "MOCKPETS_NAME": "/front-end/mockpets",
}  # fmt: skip


def test_variables_of_a_service_named_mockpets_are_ignored() -> None:
    assert load_settings({"port": None}, SERVICE, None) == Settings()
    assert load_settings({"port": None}, SERVICE | {"MOCKPETS_PORT": "1"}, None).port == 1


@pytest.mark.parametrize(
    ("name", "value"), [("MOCKPETS_SERVICE", "10.0.0.1"), ("MOCKPETS_PORT_TCP", "7387")]
)
def test_a_variable_that_only_resembles_a_service_s_is_rejected(name: str, value: str) -> None:
    [problem] = problems_of({}, {name: value})

    assert "unknown setting" in problem


# --- Problems ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "text", "message"), BAD)
def test_an_invalid_value_is_reported_from_all_three_sources(
    name: str, text: str, message: str
) -> None:
    key = name.replace("_", "-")
    flags = {name: text} if name in SWITCHES else as_flag(name, text)

    assert problems_of(flags, as_variable(name, text), f"# \n  {as_line(name, text)}") == [
        f"--{key}: {message}",
        f"MOCKPETS_{name.upper()}: {message}",
        f"mockpets.toml:2:3: {key}: {message}",
    ]


def test_all_problems_are_reported_at_once() -> None:
    problems = problems_of(
        {"port": "x", "host": ("a b", "c d")},
        {"MOCKPETS_SEED": "y", "MOCKPETS_PORT": "z"},
        'seed = "n"\n[server]\nport = 1\n',
    )

    assert problems == [
        f"--port: {BAD_PORT}'x'",
        f"--host: {BAD_HOST}'a b'",
        f"--host: {BAD_HOST}'c d'",
        f"MOCKPETS_SEED: must be an integer from 0 to {INT64_MAX}, got 'y'",
        f"MOCKPETS_PORT: {BAD_PORT}'z'",
        f"mockpets.toml:1:1: seed: must be an integer from 0 to {INT64_MAX}, got 'n'",
        f"mockpets.toml:2:2: server: {NO_TABLE}",
    ]


def test_a_variable_can_name_the_file_of_a_secret(tmp_path: Path) -> None:
    token, keys = tmp_path / "token", tmp_path / "keys"
    token.write_text("long-enough\n", encoding="utf-8")
    keys.write_text("first,second\n", encoding="utf-8")
    variables = {"MOCKPETS_CONTROL_TOKEN_FILE": str(token), "MOCKPETS_API_KEY_FILE": str(keys)}
    settings = load_settings({"seed": "3"}, variables, None)

    assert (settings.control_token, settings.api_key) == ("long-enough", ("first", "second"))
    assert settings.sources["control_token"][0] == "MOCKPETS_CONTROL_TOKEN_FILE"
    # An option is stronger, and an empty variable counts as unset.
    assert load_settings({"api_key": ("a",)}, variables, None).api_key == ("a",)
    assert load_settings({}, {"MOCKPETS_API_KEY_FILE": ""}, None).api_key == ("mockpets",)


@pytest.mark.parametrize(
    ("text", "variables", "problem"),
    [
        (None, {}, "MOCKPETS_CONTROL_TOKEN_FILE=secret: file not found; check the path"),
        (" \n", {}, "MOCKPETS_CONTROL_TOKEN_FILE=secret: is empty; write the value into the file"),
        ("short", {}, "MOCKPETS_CONTROL_TOKEN_FILE: must be at least 8 visible ASCII characters "
            "without spaces"),
        ("long-enough", {"MOCKPETS_CONTROL_TOKEN": "long-enough"}, "MOCKPETS_CONTROL_TOKEN: is set "
            "together with MOCKPETS_CONTROL_TOKEN_FILE; remove one of the two variables"),
        ("x", {"MOCKPETS_SEED_FILE": "x"}, "MOCKPETS_SEED_FILE: unknown setting"),
    ],
)  # fmt: skip
def test_invalid_files_of_secrets(
    text: str | None, variables: dict[str, str], problem: str
) -> None:
    Path("secret").unlink(missing_ok=True)
    if text is not None:
        Path("secret").write_text(text, encoding="utf-8")

    problems = problems_of({}, {"MOCKPETS_CONTROL_TOKEN_FILE": "secret", **variables})

    assert any(each.startswith(problem) for each in problems), problems


@pytest.mark.skipif(os.name == "nt", reason="has other permissions")
@pytest.mark.parametrize(("line", "mode", "is_warned"), [
    ('api-key = "a"', 0o604, True),
    ('control-token = "long-enough"', 0o640, False),
    ("seed = 1", 0o644, False),
])  # fmt: skip
def test_a_settings_file_with_secrets_that_every_user_can_read_is_a_warning(
    line: str, mode: int, is_warned: bool
) -> None:
    file = Path("mockpets.toml")
    file.write_text(line, encoding="utf-8")
    file.chmod(mode)
    warnings = readable_secrets(load_settings({}, {}, None))

    expected = "every user can read mockpets.toml, which has api-key; run: chmod 600 mockpets.toml"
    assert warnings == [expected] * is_warned


def test_unknown_settings_are_never_ignored() -> None:
    problems = problems_of(
        {"prot": "1"},
        {"MOCKPETS_SCENARIOS": "a", "MOCKPETS_XYZZY": "1", URL_VARIABLE: "http://a"},
        'max_records = 3\n\n"Port" = 1\n\'hosts\' = "a"\nscenario.name = "a"\n[[xyzzy]]\nid = 1\n',
    )

    assert problems == [
        "--prot: unknown setting; did you mean '--port'?",
        "MOCKPETS_SCENARIOS: unknown setting; did you mean 'MOCKPETS_SCENARIO'?",
        "MOCKPETS_XYZZY: unknown setting; 'mockpets serve --help' lists them",
        "mockpets.toml:1:1: max_records: unknown setting; did you mean 'max-records'?",
        "mockpets.toml:3:1: Port: unknown setting; did you mean 'port'?",
        "mockpets.toml:4:1: hosts: unknown setting; did you mean 'host'?",
        "mockpets.toml:5:1: scenario: must be text or an integer, got {'name': 'a'}",
        f"mockpets.toml:6:3: xyzzy: {NO_TABLE}",
    ]


@pytest.mark.parametrize(("line", "message"), [
    ("port = true", "port: must be text or an integer, got true"),
    ("port = [80]", "port: must be text or an integer, got [80]"),
    ("public = 1", "public: must be true or false, got 1"),
    ("api-key = [true]", "api-key: must be text or an integer, got true"),
    ("scenario = []", "scenario: must have at least one value, got none"),
    ("delay = 0.3", "delay: must be text or an integer, got 0.3"),
    ("reset-every = 60", f"reset-every: {BAD_LONG}'60'; add a unit: '60ms' or '60s'"),
])  # fmt: skip
def test_values_of_the_wrong_type_in_the_file(line: str, message: str) -> None:
    assert problems_of(file=line) == [f"mockpets.toml:1:1: {message}"]


@pytest.mark.parametrize(("file", "problem"), [
    ("port 80", "mockpets.toml:1:6: Expected '=' after a key in a key/value pair"),
    ("host = 127.0.0.1",
     "mockpets.toml:1:13: Expected newline or end of document after a statement"),
    ("port = 1\nport = 2\n", "mockpets.toml:2:9: Cannot overwrite a value"),
    ("port = " + "9" * 4301, "mockpets.toml: Exceeds the limit (4300 digits) for integer"),
    ("port = 0x" + "f" * 5000, "mockpets.toml:1:1: port: Exceeds the limit (4300 digits)"),
    ("port = " + "[" * 9999, "mockpets.toml: arrays or tables are nested too deeply"),
    ('port = 1\nhost = "', "mockpets.toml:2: Unterminated string"),
    (b"\xef\xbb\xbf#\nhost = '\xff'",
     "mockpets.toml:2:9: the byte 0xFF is not UTF-8; save it as UTF-8"),
])  # fmt: skip
def test_a_file_that_is_not_valid_toml(file: str | bytes, problem: str) -> None:
    [found] = problems_of(file=file)

    assert found.startswith(problem)


def test_a_message_does_not_contain_the_api_key() -> None:
    problems = problems_of({"api_key": ("hunter2 hunter2",)})

    assert problems == [f"--api-key: {BAD_KEY}character 8 is invalid"]


# --- From Python ------------------------------------------------------------------------------


@pytest.mark.parametrize(("values", "problems"), [
    ({"port": "x"}, [f"port: {BAD_PORT}'x'"]),
    ({"port": True}, ["port: must be text or an integer, got true"]),
    ({"port": 10**5000}, ["port: Exceeds the limit (4300 digits) for integer string conver"]),
    ({"host": ()}, ["host: must have at least one value, got none"]),
    ({"delay": "2"}, [f"delay: {BAD_DURATION}'2'; add a unit: '2s' or '2ms'"]),
    ({"delay": 60.5}, ["delay: must be from 0 to 60 seconds, got 60.5"]),
    ({"delay": float("nan")}, ["delay: must be from 0 to 60 seconds, got nan"]),
    ({"delay": True}, ["delay: must be text or an integer, got true"]),
    ({"port": -1, "seed": None},
     [f"port: {BAD_PORT}'-1'", "seed: must be text or an integer, got None"]),
])  # fmt: skip
def test_values_set_in_python_are_validated(values: dict[str, Any], problems: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        Settings(**values)

    for problem, expected in zip(caught.value.problems, problems, strict=True):
        assert str(problem).startswith(expected)


def test_values_set_in_python_can_be_text() -> None:
    settings = Settings(delay=2)
    texts: Any = {"reset_every": "1.5h", "port": "80", "scenario": "Empty,slow"}
    made = Settings(**texts)

    assert (made.reset_every, made.port, made.scenario) == (5400.0, 80, ("empty", "slow"))
    assert (settings.delay, type(settings.delay)) == (2.0, float)
    assert replace(settings, port=1).delay == 2.0


@pytest.mark.parametrize(
    ("keys", "any_key", "key"),
    [(("a", "b"), False, "a"), (("*",), True, "mockpets"), (("*", "a"), True, "a")],
)
def test_a_star_among_the_api_keys_accepts_any(
    keys: tuple[str, ...], any_key: bool, key: str
) -> None:
    settings = Settings(api_key=keys)

    assert (settings.any_key, settings.key) == (any_key, key)


@pytest.mark.parametrize(("settings", "port", "url"), [
    (Settings(), None, "http://localhost:7387"),
    (Settings(port=0), 4711, "http://localhost:4711"),
    (Settings(host=("127.0.0.1",)), None, "http://127.0.0.1:7387"),
    (Settings(host=("pets.test", "127.0.0.1")), None, "http://pets.test:7387"),
    (Settings(host=("0.0.0.0",)), None, "http://localhost:7387"),  # noqa: S104
    (Settings(host=("::",)), None, "http://[::1]:7387"),
    (Settings(host=("::1",)), None, "http://[::1]:7387"),
    (Settings(port=80), None, "http://localhost"),
    (Settings(host=("::1",), port=0), 80, "http://[::1]"),
])  # fmt: skip
def test_url(settings: Settings, port: int | None, url: str) -> None:
    assert settings.url(port) == url
