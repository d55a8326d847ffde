"""Each format of a report: other programs can read it, and texts of requests stay texts."""

import json
from collections import Counter
from dataclasses import asdict, replace
from typing import Any

import pytest
from hypothesis import example, given
from markdown_it import MarkdownIt

from mockpets.errors import printable
from mockpets.report.findings import CLIENT_RULES, Evidence, Finding, Report
from mockpets.report.formats import WRITERS
from tests.report import reports
from tests.report.reports import NASTY, REPORT, RETRY

EMPTY = replace(REPORT, findings=(), limits=())
AT = "2026-11-22T12:00:00.000Z"


def finding(text: str, **changes: Any) -> Finding:
    """Return a finding with this text wherever a client or a service can put one."""
    return replace(Finding(RETRY, text, text, (Evidence(text, text, 1, AT, text),)), **changes)


def nasty(*texts: str) -> Report:
    return replace(REPORT, findings=tuple(map(finding, texts)), limits=texts)


ALL_NASTY = nasty(*NASTY)


def lines(each: Finding) -> list[str]:
    """Return the lines of a finding, as all formats but JSON have them."""
    return [
        printable(f"{each.source}: {each.message}"),
        *(f"  {printable(str(evidence))}" for evidence in each.evidence),
    ]


def test_json_is_ascii() -> None:
    assert WRITERS["json"](ALL_NASTY).isascii()


@pytest.mark.parametrize("name", WRITERS)
def test_no_format_lets_a_control_character_pass(name: str) -> None:
    text = WRITERS[name](ALL_NASTY)

    assert {each for each in text if not each.isprintable()} <= {"\n"}


@pytest.mark.parametrize("name", WRITERS)
def test_a_report_without_findings(name: str) -> None:
    assert "no findings in 9 requests in 2 sessions" in WRITERS[name](EMPTY)


# --- Text -----------------------------------------------------------------------------------------


def test_text_begins_with_the_summary_and_groups_the_findings_by_rule() -> None:
    parts = WRITERS["text"](REPORT).split("\n")

    assert parts[:6] == [
        "3 findings of 2 rules in 9 requests in 2 sessions",
        "not checked: session list dropped 4 requests, which were not checked",
        "",
        "error: Retry without growing pauses (retry-pauses)",
        "  session checkout: GET /v1/pets was repeated after 503 without growing pauses: "
        "0.10 s, 0.10 s, 0.10 s",
        "    request 3, 12:00:01.250Z: GET /v1/pets, 503",
    ]
    assert parts[10] == f"  Why: {RETRY.explanation}"
    assert parts[11] == f"  Fix: {RETRY.fix}"


@given(reports.reports())
def test_text_has_one_line_for_each_text(report: Report) -> None:
    parts = WRITERS["text"](report).split("\n")

    expected = Counter(f"  {line}" for each in report.findings for line in lines(each))
    assert expected <= Counter(parts)
    number = sum(expected.values()) + 4 * len(report.by_rule) + len(report.limits) + 1
    assert len(parts) == number
    assert all(map(str.isprintable, parts))


# --- Markdown -------------------------------------------------------------------------------------


@given(reports.reports())
@example(ALL_NASTY)
@example(REPORT)
@example(EMPTY)
def test_markdown_is_a_heading_and_the_text_as_code(report: Report) -> None:
    tokens = MarkdownIt("commonmark").parse(WRITERS["markdown"](report))

    assert [token.type for token in tokens[:3]] == ["heading_open", "inline", "heading_close"]
    assert tokens[1].content == "Client behaviour"
    assert [(token.type, token.content) for token in tokens[3:]] == [
        ("fence", WRITERS["text"](report) + "\n")
    ]


# --- GitHub ---------------------------------------------------------------------------------------


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Return name, properties and message of each workflow command, as GitHub's runner does."""
    result = []
    for line in text.split("\n"):
        assert line.startswith("::")
        head, end, message = line[2:].partition("::")
        name, _, values = head.partition(" ")
        properties = dict(each.split("=", 1) for each in values.split(","))
        assert end
        result.append(
            (name, {key: decoded(each) for key, each in properties.items()}, decoded(message))
        )
    return result


def decoded(text: str) -> str:
    for code, character in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(code, character)
    return text


@given(reports.reports())
@example(ALL_NASTY)
def test_github_gets_the_summary_first_then_an_annotation_for_each_finding(report: Report) -> None:
    first, *found = commands(WRITERS["github"](report))

    assert first == ("notice", {"title": "Client behaviour"}, printable(report.summary))
    assert found == [
        (
            each.rule.level,
            {"title": f"{each.rule.title} ({each.rule.name})"},
            "\n".join(lines(each)),
        )
        for each in report.findings
    ]


def test_github_title_keeps_colons_and_commas() -> None:
    rule = replace(RETRY, title="a,b:c=d%3A::e")
    report = replace(REPORT, findings=(finding("x", rule=rule),))

    assert commands(WRITERS["github"](report))[1][1] == {"title": "a,b:c=d%3A::e (retry-pauses)"}


# --- JSON -----------------------------------------------------------------------------------------


@given(reports.reports())
@example(ALL_NASTY)
def test_json_has_the_whole_report(report: Report) -> None:
    document = json.loads(WRITERS["json"](report))
    findings = json.loads(json.dumps([asdict(each) for each in report.findings]))

    assert document.pop("findings") == [each | {"rule": each["rule"]["name"]} for each in findings]
    assert document.pop("rules") == [asdict(each) for each in CLIENT_RULES]
    assert document.pop("limits") == list(report.limits)
    assert document.pop("summary") == report.summary
    assert document.keys() == {"version", "title", "checked"}
