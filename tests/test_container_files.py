"""Dockerfile and .dockerignore, read: what they name exists. `.ci/container` builds and runs."""

import json
import re
import tomllib
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import pytest

from mockpets.cli.commands import walk
from mockpets.cli.main import _commands as program
from mockpets.cli.main import main
from mockpets.settings import Settings
from mockpets.settings.settings_table import rows

ROOT = Path(__file__).parent.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def instructions(text: str) -> list[tuple[str, str]]:
    """Every instruction with its argument, lines joined and comments left out."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [
        (word, rest) for word, _, rest in (x.partition(" ") for x in joined.splitlines()) if word
    ]


ALL = instructions(DOCKERFILE)
LAST = ALL[max(i for i, (word, _) in enumerate(ALL) if word == "FROM") :]
"""The stage that is the image."""


def one(word: str) -> str:
    [argument] = [rest for found, rest in LAST if found == word]
    return argument


def environment() -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in one("ENV").split())


def pins() -> dict[str, str]:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {plain(name): rest for name, _, rest in (line.partition("==") for line in lines)}


def needed(requirements: list[str]) -> set[str]:
    """The names of all that requirements pull in here, extras aside."""
    found: set[str] = set()
    names = [
        plain(re.split(r"[^\w.-]", item)[0]) for item in requirements if "extra ==" not in item
    ]
    for name in names:
        with suppress(PackageNotFoundError):  # for another system or Python
            found |= {name} | needed(requires(name) or [])
    return found


def needed_by_mockpets() -> set[str]:
    """The names of all that mockpets pulls in; skip if other versions, which may need others."""
    names = needed(PROJECT["dependencies"])
    if any(pins().get(name, version(name)) != version(name) for name in names):
        pytest.skip("other versions are installed here, which may need other packages")
    return names


def plain(name: str) -> str:
    return re.sub("[-_.]+", "-", name).lower()


# --- The image --------------------------------------------------------------------------------


def test_every_variable_of_ours_is_a_setting() -> None:
    ours = {name: value for name, value in environment().items() if name.startswith("MOCKPETS_")}

    assert ours.keys() <= {row.variable for row in rows()}
    assert ours["MOCKPETS_HOST"] == "0.0.0.0"  # noqa: S104 - compared, not bound
    for kind in ("scenarios", "fixtures"):
        assert ours[f"MOCKPETS_{kind.upper()}_DIR"] == f"/{kind}"
    assert one("EXPOSE") == str(Settings().port)


@pytest.mark.parametrize("word", ["ENTRYPOINT", "CMD", "HEALTHCHECK"])
def test_commands_are_in_exec_form_and_exist(word: str) -> None:
    """Without a shell around it a command gets the signals itself, and needs no shell."""
    found = json.loads(one(word).partition("CMD ")[2] or one(word))
    command = found if word == "CMD" else found[1:]

    assert word == "CMD" or found[0] == "mockpets"
    assert main([*command, "--help"]) == 0


def test_it_runs_as_nobody_who_exists_and_only_copies() -> None:
    """A RUN in the last stage would need a shell there."""
    user, _, group = one("USER").partition(":")
    words = [word for word, _ in LAST]
    made = " ".join(rest for word, rest in ALL if word == "RUN")

    assert min(int(user), int(group)) >= 10_000
    assert words.index("COPY") < words.index("USER")
    assert "RUN" not in words
    assert all(rest.split()[1] in made for word, rest in LAST if word == "COPY")
    assert one("STOPSIGNAL") == "SIGTERM"


def test_what_was_compiled_is_found() -> None:
    """Python would not look into `__pycache__` then, and could not write there."""
    prefixes = set(re.findall(r"PYTHONPYCACHEPREFIX=(\S+)", DOCKERFILE))

    assert prefixes == {environment()["PYTHONPYCACHEPREFIX"]}
    assert environment()["PYTHONDONTWRITEBYTECODE"] == "1"


def test_the_labels_are_the_project_s() -> None:
    labels = dict(re.findall(r'org\.opencontainers\.image\.(\w+)="(.*?)"', one("LABEL")))
    declared = {rest.partition("=")[0] for word, rest in LAST if word == "ARG"}

    assert labels == {
        # Given when the image is built, since the files do not contain them.
        **{name.lower(): f"${{{name}}}" for name in declared},
        "title": PROJECT["name"],
        "description": PROJECT["description"],
        "version": version("mockpets"),
        "licenses": PROJECT["license"],
    }


# --- The pages about it -----------------------------------------------------------------------

PAGES = [
    ROOT / "docs" / "operate" / "containers.md",
    ROOT / "docs" / "operate" / "demo.md",
    ROOT / "SECURITY.md",
]


@pytest.mark.parametrize("page", PAGES)
def test_settings_named_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    variables = {row.variable for row in rows()}
    parameters = [parameter for _, command in walk(program) for parameter in command.params]
    options = {option for parameter in parameters for option in parameter.opts} | {"--version"}
    quoted = {word for span in re.findall("`(.*?)`", text) for word in span.split()}
    words = {word for word in quoted if word.startswith("--")} - OF_OTHERS

    assert set(re.findall("MOCKPETS_[A-Z_]+", text)) <= variables
    assert words <= options


OF_OTHERS = {"--build-arg", "--wait", "--rm"}
"""Options of docker."""


# --- Versions ---------------------------------------------------------------------------------


def test_the_base_is_a_version_that_is_supported() -> None:
    [base] = [rest for word, rest in ALL if word == "ARG" and rest.startswith("BASE=")]
    version = re.fullmatch(r"BASE=python:(3\.\d+)(?:\.\d+)?-slim(?:-\w+)?", base)

    assert version, base
    known = [text.rpartition(" ")[2] for text in PROJECT["classifiers"]]
    assert version[1] in known


def test_what_is_installed_is_pinned_without_addresses() -> None:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")

    assert any("-c constraints.txt ." in rest for word, rest in ALL if word == "RUN")
    assert all(re.fullmatch(r"[0-9][0-9a-z.]*", version) for version in pins().values())
    assert "://" not in text
    assert "@" not in text


def test_all_that_is_installed_is_pinned() -> None:
    assert needed_by_mockpets() <= pins().keys()


# --- What is sent to the build ----------------------------------------------------------------


def test_the_build_gets_what_it_needs_and_nothing_else() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    sent = {rule[1:] for rule in rules if rule.startswith("!")}

    assert rules[0] == "*"
    assert all((ROOT / name).exists() for name in sent)
    shipped = set(PROJECT["license-files"]) | {PROJECT["readme"], "fixtures", "kit", "scenarios"}
    build = {
        "mockpets",
        "pyproject.toml",
        "hatch_build.py",
        "constraints.txt",
        "deploy/release/sbom.py",
    }
    build |= {"generate/__init__.py", "generate/build_files.py"}
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    included = tool["hatch"]["build"]["targets"]["wheel"]["force-include"]
    pages = {name for name in included if name.startswith("docs/")}
    assert sent == shipped | build | pages | {"skill"}
