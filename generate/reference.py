"""Make the generated parts of the documentation.

They are between ``<!-- generated: NAME -->`` and ``<!-- end -->`` on each page. The text around
them is written by hand.
"""

from __future__ import annotations

import os
import re
from functools import partial
from runpy import run_path
from textwrap import dedent
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args, get_type_hints

import click

from generate import ROOT, CannotGenerateError, explanations, scenario_keys, scenario_tables
from generate.control_calls import calls
from mockpets import constants
from mockpets.audit.rules import RULES
from mockpets.cli.commands import ListGroup, walk
from mockpets.cli.main import _commands as program
from mockpets.constants import ERRORS, EXPOSED_HEADERS, NoteCode
from mockpets.contract.control_types import RequestDetails
from mockpets.contract.pet_store import PET_STORE
from mockpets.packaged_data import shipped as packaged
from mockpets.report.findings import CLIENT_RULES
from mockpets.scenario.language.reference_compiler import SOURCES
from mockpets.scenario.library import load_library
from mockpets.scenario.scenario_model import OPERATORS
from mockpets.settings.settings_table import Group, rows
from mockpets.telemetry.access_log import Access
from mockpets.telemetry.metrics import _HELP as HOLDINGS
from mockpets.telemetry.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from mockpets.contract.fields import ContractField
    from mockpets.report.findings import Rule
    from mockpets.settings.settings_table import Row

Code = TypeVar("Code", bound=str)
Text = TypeVar("Text")

_PART: Final = re.compile(
    r"(?P<start>^<!-- generated: (?P<name>.+?) -->\n).*?(?P<end>^<!-- end -->$)",
    re.MULTILINE | re.DOTALL,
)


_COUNT: Final = re.compile(r"^[0-9]+(?= scenarios: mockpets scenarios$)", re.MULTILINE)
"""The number of scenarios in a copy of the banner."""


def table(heads: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table."""
    heads = list(heads)
    cells = [heads, ["---"] * len(heads), *lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in cells).replace("|  |", "| |")


def code(text: str) -> str:
    """Return a text as inline code for a cell of a table."""
    return f"`{text}`".replace("|", "\\|")


def explained(codes: Iterable[Code], texts: Mapping[Code, Text]) -> Iterator[tuple[Code, Text]]:
    """Yield each code with its explanation.

    :raise CannotGenerateError: the explanations have other codes.
    """
    listed = list(codes)
    if set(listed) != texts.keys():
        raise CannotGenerateError(f"explain exactly these: {sorted(set(listed) ^ texts.keys())}")
    for each in listed:
        yield each, texts[each]


def meanings(heads: tuple[str, str], codes: Iterable[Code], texts: Mapping[Code, str]) -> str:
    """Return the table of some codes and what they mean."""
    return table(heads, ((code(name), text) for name, text in explained(codes, texts)))


# --- Settings and commands --------------------------------------------------------------------


def settings(group: str) -> str:
    """Return the table of the settings of one group."""
    return table(
        ("option", "variable", "default", ""),
        (
            (code(row.flag), code(row.variable), _default(row), _linked(row.help))
            for row in rows()
            if row.group == group
        ),
    )


def _default(row: Row) -> str:
    if row.is_switch:
        return "on" if row.default else "off"
    if row.is_seconds:
        return f"`{row.default:g}s`"
    if row.unset:
        return _linked(row.unset)
    value = ", ".join(row.default) if isinstance(row.default, tuple) else str(row.default or "")
    return code(value) if value else "none"


def _linked(text: str) -> str:
    """Return the help of an option with what a reader types as code."""
    typed = "--[a-z-]+|/mock|300ms|[0-9]+MiB|30[ms]|0s|pet-store|PUT sessions/NAME|GET ready"
    text = re.sub(rf"(?<![\w`/-])({typed})", r"`\1`", text)
    return text.replace("X-Forwarded-*", "`X-Forwarded-*`")


def repeatable() -> str:
    """Return the list of options that can be repeated."""
    names = [code(row.flag) for row in rows() if row.separator == ","]
    folders = [code(row.flag) for row in rows() if row.separator == os.pathsep]
    return (
        f"You can repeat {_and(names)}, or separate their values with commas. You can also repeat "
        f"{_and(folders)}; in their variables, separate the folders as in `PATH`. In the file, use "
        "an array for each of these.\n"
    )


def _and(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"


_CONNECTION: Final = ("--url", "--session", "--token", "--host", "--port")
"""The options of all commands for a running server, which have a table of their own."""


def commands() -> str:
    """Return all commands with their options, under the headings of the help."""
    text = ""
    for heading, members in program.sections().items():
        text += f"## {heading}\n\n"
        for name, command in walk(program):
            if name.split()[0] in members and not isinstance(command, ListGroup):
                text += _command(name, command)
    return text


def _command(name: str, command: click.Command) -> str:
    title = name.removesuffix(" list")
    context = _context(command, info_name=f"mockpets {title}")
    usage = " ".join([f"mockpets {title}", *command.collect_usage_pieces(context)])
    paragraphs = [" ".join(each.split()) for each in (command.help or "").split("\n\n")]
    help_text = "\n\n".join(paragraphs)
    text = f"### mockpets {title}\n\n{_linked(help_text)}\n\n```text\n{usage}\n```\n\n"
    # By name: the report has another --session, which is repeatable. The audit has only a --url.
    is_remote = {"url", "port"} <= {parameter.name for parameter in command.params}
    shared = () if name == "serve" else (*(_CONNECTION if is_remote else ()), "--config")
    records = [
        parameter.get_help_record(context)
        for parameter in command.params
        if isinstance(parameter, click.Option) and f"--{parameter.name}" not in shared
    ]
    if name == "serve":
        text += "Its options are the [settings](settings.md), and `--config FILE`.\n\n"
    elif options := [(code(_value(first)), _help(last)) for first, last in filter(None, records)]:
        text += f"{table(('option', ''), options)}\n"
    elif any(parameter.name == "url" for parameter in command.params):
        text += "It has only the [options for a running server](#options-for-a-running-server).\n\n"
    if command.epilog and name != "serve":
        text += f"{_linked(command.epilog)}\n\n"
    return text


def _context(command: click.Command, **more: Any) -> click.Context:
    """Return a context with the program's settings: click keeps the first help option it makes."""
    return click.Context(command, **program.context_settings, **more)


def connection_options() -> str:
    """Return the table of the options of all commands for a running server."""
    command = dict(walk(program))["mcp"]
    context = _context(command)
    records = [parameter.get_help_record(context) for parameter in command.params]
    return table(
        ("option", ""),
        [(code(_value(first)), _help(last)) for first, last in filter(None, records)],
    )


def _value(text: str) -> str:
    return text.replace(" / ", ", ")


def _help(text: str) -> str:
    """Return the help of an option, with defaults as a sentence."""
    text = " ".join(text.split())
    text = re.sub(r"variable: (\w+)", r"variable: `\1`", text)
    text = re.sub(
        r"\[default: ([^;\]]*)(; )?", lambda part: f"[default: {part[1]}{part[2] or ''}", text
    )
    return _linked(re.sub(r" ?\[(.*)\]$", r" (\1)", text)).replace("|", "\\|")


# --- Errors, headers, metrics -----------------------------------------------------------------


def errors() -> str:
    """Return the table of the error codes."""
    described = {code: failure.status for code, failure in PET_STORE.failures.items()}
    statuses = dict(sorted({**ERRORS, **described}.items(), key=lambda item: item[1]))
    return table(
        ("code", "status", "when", "what to do"),
        (
            (code(name) + (" (contract)" if name in described else ""), str(statuses[name]), *texts)
            for name, texts in explained(statuses, explanations.ERRORS)
        ),
    )


def response_headers() -> str:
    """Return the table of the response headers that pages on other origins may read."""
    texts = explained(EXPOSED_HEADERS, explanations.RESPONSE_HEADERS)
    ours = sorted(texts, key=lambda row: not row[0].startswith("Mockpets-"))
    return table(("response header", "on", ""), ((code(name), *text) for name, text in ours))


def metrics() -> str:
    """Return the table of the metrics."""
    lines = []
    for family in Metrics("", (), lambda: dict.fromkeys(HOLDINGS, 0)).collect():
        name = f"{family.name}_total" if family.type == "counter" else family.name
        labels = {label: "" for sample in family.samples for label in sample.labels}
        if family.name == "mockpets_requests":
            labels = {"operation": "", "status": "", "limit": ""}
        labels.pop("le", None)
        text = _linked(family.documentation)
        lines.append((code(name), family.type, ", ".join(map(code, labels)) or "-", text))
    return table(("metric", "type", "labels", ""), lines)


# --- The JavaScript client --------------------------------------------------------------------

_MEMBER: Final = re.compile(
    r"^/\*\*(?P<text>(?:(?!\*/).)*)\*/\n(?:static |readonly |(?P<get>get ))*"
    r"(?P<name>(?!constructor)\w+)\??(?P<rest>[^\n]*)",
    re.MULTILINE | re.DOTALL,
)


def javascript(declaration: str, before: str = "") -> str:
    """Return the table of the members of a class or an interface of the kit's client.

    :param before: what is written before the dot of each name.
    """
    files = [packaged("kit") / name for name in ("client.d.ts", "types.d.ts")]
    declared = "\n".join(file.read_text("utf-8") for file in files)
    [body] = re.findall(
        rf"^export {declaration} \{{\n(.*?)^\}}", declared, re.MULTILINE | re.DOTALL
    )
    body = dedent(body)
    lines = []
    for member in _MEMBER.finditer(body):
        text = " ".join(re.sub(r"^ *\* ?", "", member["text"], flags=re.MULTILINE).split())
        text = _linked(re.sub(r" @(\w+)", r". @\1", text).partition(". @")[0].rstrip("."))
        parameters = "" if member["get"] else _parameters(member["rest"])
        lines.append((code(f"{before}{member['name']}{parameters}"), f"{text}."))
    names = {*re.findall(r"^(?:static |readonly |get )*(\w+)\??[(:<]", body, re.MULTILINE)}
    described = {"constructor", *(member["name"] for member in _MEMBER.finditer(body))}
    if names - described:
        raise CannotGenerateError(f"describe these in the kit: {sorted(names - described)}")
    return table(("name", "description"), dict.fromkeys(lines))  # an overload may say the same


def _parameters(rest: str) -> str:
    """Return the names of a method's parameters in parentheses; nothing for a property."""
    rest = re.sub(r"^<.*?>(?=\()", "", rest)
    if not rest.startswith("("):
        return ""
    names = re.findall(r"(?:(?<=\()|(?<=, ))(?:\.\.\.)?\w+(?=\??: )", re.sub(r"\{.*?\}", "", rest))
    return f"({', '.join(names)})"


# --- The request log and the contract ---------------------------------------------------------


def rules(each: Iterable[Rule]) -> str:
    """Return the table of the rules of a report."""
    return table(
        ("rule", "level", "finding"),
        ((code(rule.name), rule.level, rule.title) for rule in each),
    )


def audit_rules() -> str:
    """Return the table of the rules of an audit."""
    rows = ((code(rule.name), rule.level, rule.text) for rule in RULES)
    return table(("rule", "level", "the page or action"), rows)


def operations() -> str:
    """Return the operations of the contract with the responses that it lists."""
    lines = []
    paths: Mapping[str, Any] = PET_STORE.document["paths"]
    for each in PET_STORE.operations.values():
        described = paths[each.path.removeprefix(PET_STORE.base)][each.method.lower()]
        text = described["summary"] + (", deprecated" if described.get("deprecated") else "")
        listed = ", ".join(map(str, each.statuses))
        lines.append((code(each.name), code(f"{each.method} {each.path}"), text, listed))
    return table(("operation", "request", "", "responses in the contract"), lines)


def keys(section: str) -> str:
    """Return the table of the keys of a section of the scenario language."""
    return table(
        ("key", "value", "example"),
        ((code(key), text, code(example)) for key, text, example in scenario_keys.rows(section)),
    )


def conditions() -> str:
    """Return the table of the operators of a condition."""
    return _with_examples("operator", "matches if", explained(OPERATORS, explanations.CONDITIONS))


def sources() -> str:
    """Return the table of the sources of references."""
    return _with_examples("source", "value", explained(SOURCES.values(), explanations.SOURCES))


def _with_examples(kind: str, what: str, lines: Iterable[tuple[str, tuple[str, str]]]) -> str:
    rows = ((code(name), text, code(example)) for name, (text, example) in lines)
    return table((kind, what, "example"), rows)


def api() -> str:
    """Return the requests of the operations, and the properties of a Pet, for the README."""
    pet = []
    for name, field in PET_STORE.schemas["Pet"].fields.items():
        values = _values(field.openapi).replace("any", _type(field))
        pet.append(f"{code(name)} ({'' if field.required else 'optional: '}{values})")
    lines = [
        ("operation", "request"),
        ("---", "---"),
        *(
            (code(each.name), code(f"{each.method} {each.path}"))
            for each in PET_STORE.operations.values()
        ),
    ]
    operations = "\n".join(map(" | ".join, lines))
    return f"{operations}\n\nA `Pet` has {_and(pet)}.\n"


def fields(group: Mapping[str, ContractField]) -> str:
    """Return the properties of a Pet, or the parameters of listPets."""
    return table(
        ("", "type", "values", ""),
        (
            (code(name), _type(field), _values(field.openapi), _meaning(field))
            for name, field in group.items()
        ),
    )


def _type(field: ContractField) -> str:
    return str(field.openapi.get("format", field.openapi["type"]))


def _values(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(map(code, schema["enum"]))
    if "minimum" in schema:
        return f"{schema['minimum']} to {schema['maximum']}, by default {schema['default']}"
    return "any"


def _meaning(field: ContractField) -> str:
    description: str = field.metadata["description"]
    return f"{description} Required." if field.required else description


def clinic(spec: str, title: str = "") -> str:
    """Return a test of `examples/clinic`, which its own tests run; by default the whole file."""
    path = f"examples/clinic/tests/{spec}.spec.ts"
    test = (ROOT / path).read_text("utf-8").rstrip()
    if title:
        pattern = rf'^test\("{re.escape(title)}".*?^}}\);$'
        [test] = re.findall(pattern, test, re.MULTILINE | re.DOTALL)
    return f"<!-- not run: from {path} -->\n```ts\n{test}\n```\n"


PARTS: Final[Mapping[str, Callable[[], str]]] = {
    **{f"settings: {group}": partial(settings, group) for group in get_args(Group)},
    "repeatable settings": repeatable,
    "commands": commands,
    "connection options": connection_options,
    "conditions": conditions,
    "sources": sources,
    "errors": errors,
    "request headers": partial(
        meanings,
        ("request header", "effect"),
        constants.REQUEST_HEADERS,
        explanations.REQUEST_HEADERS,
    ),
    "response headers": response_headers,
    "metrics": metrics,
    "entry": partial(
        meanings, ("property", ""), get_type_hints(RequestDetails), explanations.ENTRY
    ),
    "notes": partial(meanings, ("note", "meaning"), get_args(NoteCode), explanations.NOTES),
    "outcomes": partial(
        meanings, ("outcome", "meaning"), constants.REQUEST_OUTCOMES, explanations.OUTCOMES
    ),
    "log line": partial(
        meanings,
        ("property", "value"),
        ("time", "level", "logger", *Access("GET", "/", 200, 1.0).as_json(), "node"),
        explanations.LOG_LINE,
    ),
    "operations": operations,
    "properties": partial(fields, PET_STORE.schemas["Pet"].fields),
    **{f"keys: {section}": partial(keys, section) for section in scenario_keys.DEFINITIONS},
    "api": api,
    "parameters": partial(fields, PET_STORE.operations["listPets"].query.fields),
    "client rules": partial(rules, CLIENT_RULES),
    "audit rules": audit_rules,
    **calls(),
    "javascript options": partial(javascript, "interface Options"),
    "javascript client": partial(javascript, "class Mockpets"),
    "javascript gate": partial(javascript, "interface Gate", "gate(name)."),
    "shipped": scenario_tables.part,
    "clinic: logged in": partial(clinic, "logged-in"),
    "clinic: loading": partial(clinic, "states", "the list is loading"),
    "clinic: late response": partial(
        clinic, "patients", "a late response does not replace a newer one"
    ),
}
"""Name of a part to the function that returns its text."""


def generated(text: str) -> str:
    """Return the text of a page with all its generated parts written again."""
    text = _PART.sub(
        lambda part: f"{part['start']}\n{PARTS[part['name']]().strip()}\n\n{part['end']}", text
    )
    return _COUNT.sub(str(len(load_library([], []).sources)), text)


def names_of(text: str) -> list[str]:
    """Return the names of the generated parts of a page."""
    return [part["name"] for part in _PART.finditer(text)]


def pages() -> dict[Path, str]:
    """Return the pages, with their generated parts as they should be."""
    paths = [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
    texts = {path: path.read_text("utf-8") for path in paths}
    return {path: generated(text) for path, text in texts.items()}


def llms_txt() -> str:
    """Return the list of pages for language models."""
    text: str = run_path(str(ROOT / "docs" / "llms.py"))["listing"]()
    return text


def files() -> dict[Path, str]:
    """Return the pages with generated parts, and the list of pages."""
    return {**pages(), ROOT / "llms.txt": llms_txt()}
