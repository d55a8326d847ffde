"""The command `audit`: what a user of an app sees when its API fails."""

from __future__ import annotations

import json
import logging
import os
import shlex
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from mockpets.cli.commands import Choice, program, writing
from mockpets.cli.commands import report as print_problems
from mockpets.cli.layout import columns, cut, on_terminal
from mockpets.cli.options import given, integer, option, with_format, with_settings
from mockpets.cli.remote import reporting, with_token
from mockpets.errors import InputError, invalid, printable, problem_with
from mockpets.packaged_data import shipped
from mockpets.settings.sources import load_settings
from mockpets.units import counted, got, shortened
from mockpets.urls import plain_url, shown_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mockpets.audit.accepted import Accepted
    from mockpets.audit.node import Ended
    from mockpets.audit.result import Result
    from mockpets.errors import Problem
    from mockpets.settings import Settings

SCRIPT: Final = shipped("kit") / "audit" / "main.js"
"""The JavaScript part, which opens the pages and writes the result."""
_LOG: Final = "crash.log"
_OF_SERVER: Final = (
    *("contract", "corrections", "data", "scenarios_dir", "fixtures_dir"),
    *("seed", "locale", "now", "api_key"),
)
"""The settings that decide what the mock has; they are options of the command."""
_KEPT: Final = (*_OF_SERVER, "scenario", "max_records", "max_sessions", "memory")
"""The settings of `serve` that the mock of an audit has, too.

Not those for its address, state file and control API: another server may run with them.
"""
_MINUTES: Final = (0.1, 120.0)


class _Inputs(NamedTuple):
    """What the options name, read before anything starts."""

    failing: set[str]
    baseline: Result | None
    accepted: dict[str, Accepted]


def _minutes(text: str) -> float:
    low, high = _MINUTES
    try:
        number = float(text)
    except ValueError:
        number = 0
    if low <= number <= high:
        return number
    raise click.BadParameter(f"must be a number from {low:g} to {high:g}, {got(text)}")


@click.command(
    epilog="The exit status is 1 if a new cause breaks a rule of --fail-on, or the audit fails; 2 "
    "if an option or a file is invalid; and 130 after Ctrl-C.",
)
@click.argument("app_url", metavar="APP_URL")
@option(
    "--output, -o DIR", "Folder for the report.", type=click.Path(path_type=Path), default="audit"
)
@option("--pages NUMBER", "Maximum number of pages.", type=integer(1, 200), default="20")
@option("--minutes NUMBER", "Maximum duration, such as 5 or 0.5.", type=_minutes, default="5")
@option("--workers NUMBER", "Number of pages to test at a time.", type=integer(1, 8), default="2")
@option("--user NAME", "User to sign in as: e-mail address, name or key.  [default: any]")
@option(
    "--storage-state FILE",
    "Signed-in state that Playwright saved.",
    type=click.Path(path_type=Path),
)
@option("--base-url URL", "Base URL of the API in the app.  [default: that of the contract]")
@option(
    "--browser NAME",
    "Channel such as chrome, or path of a Chromium browser.  [default: Playwright's Chromium]",
)
@with_format(Choice(["text", "github", "json"]))
@option(
    "--fail-on LEVEL|RULE",
    "Exit with status 1 for new causes of this rule, or of this level or a worse one: error, "
    "warning, note or all.  Repeatable, or comma-separated.",
    multiple=True,
)
@option(
    "--baseline FILE",
    "Earlier audit.json; its causes do not fail the command.",
    type=click.Path(path_type=Path),
)
@option(
    "--accepted FILE",
    "YAML file with a reason for each accepted cause.  [default: audit-accepted.yaml, if it "
    "exists]",
    type=click.Path(path_type=Path),
)
@option(
    "--tests DIR",
    "Also write a failing Playwright test for each error and warning into this folder.",
    type=click.Path(path_type=Path, file_okay=False),
)
@option("--url URL", "URL of a running server to use.  [default: start one]")
@with_token
@with_settings(*_OF_SERVER)
def audit(
    app_url: str,
    output: Path,
    output_format: str,
    fail_on: tuple[str, ...],
    baseline: Path | None,
    accepted: Path | None,
    tests: Path | None,
    url: str | None,
    token: str | None,
    config: Path | None,
    **options: Any,
) -> int | None:
    """Needs Node 20.19 or newer, and @playwright/test in your project. The audit routes the page's
    requests for the contract's base path, on any host, to a mock. It writes only to --output and
    --tests.
    """
    if problems := [*_problems(app_url, url=url, **options)]:
        raise InputError(problems)
    inputs = _read_inputs(fail_on, baseline, accepted)
    if tests is not None:
        from mockpets.audit.playwright_tests import check_folder

        check_folder(tests)
    request = {
        "app": app_url,
        "baseUrl": options["base_url"],
        "output": str(output.absolute()),
        "pages": options["pages"],
        "minutes": options["minutes"],
        "workers": options["workers"],
        "user": options["user"],
        "storageState": _absolute(options["storage_state"]),
        "browser": options["browser"],
        "cwd": str(Path.cwd()),
    }
    settings = {name: options[name] for name in _OF_SERVER}

    def run(root: str, token: str | None) -> int:
        whole = {**request, "url": root, "token": token}
        return _audit(whole, output, tests, output_format, inputs)

    if url is None:
        with _own_mock(_settings(load_settings(settings, os.environ, config), app_url)) as root:
            return run(root, None)

    from mockpets.client import ControlClient

    client = ControlClient(url, token=token)

    def check() -> None:
        client.sessions()  # needs the control API, as the audit does

    return reporting(client, check) or run(client.url, token)


# --- Options ----------------------------------------------------------------------------------


def _problems(app_url: str, *, url: str | None, **options: Any) -> Iterator[Problem]:
    """Yield the problems of the options that click does not check."""
    if plain_url(app_url) is None:
        what = f"must be the URL of a page of your app, got {shown_url(app_url)!r}"
        hint = "write it in full and without a user name, such as http://localhost:5173/"
        yield problem_with("APP_URL", what, hint)
    base_url = options["base_url"]
    if base_url is not None and plain_url(base_url) is None:
        what = f"must be the base URL of the API, got {shown_url(base_url)!r}"
        yield problem_with("--base-url", what, "write it in full: http://localhost:5173/api")
    rejected: tuple[str, ...] = ("token",)
    what, hint = "needs --url", "add --url, or remove it"
    if url is not None:
        rejected, what = (*_OF_SERVER, "config"), "cannot be combined with --url"
        hint = "pass them to the server, or remove --url"
    for each in given(rejected):
        yield problem_with(each, what, hint)
    if (file := options["storage_state"]) is not None:
        yield from _state_problems(file)


def _state_problems(file: Path) -> Iterator[Problem]:
    """Yield what keeps Playwright from reading a file as the state of a browser."""
    from mockpets.text_files import read_any_text

    shown, what = f"--storage-state {file}", "is not a state that Playwright saved"
    hint = "write it with storageState({ path }) of a signed-in context"
    try:
        state = json.loads(read_any_text(Path(os.path.realpath(file)), shown, 16 * 1024 * 1024))
        if not isinstance(state, dict) or not {"cookies", "origins"} & state.keys():
            yield problem_with(shown, what, hint)
    except InputError as error:
        yield from error.problems
    except (ValueError, RecursionError):
        yield problem_with(shown, what, hint)


def _read_inputs(fail_on: tuple[str, ...], baseline: Path | None, accepted: Path | None) -> _Inputs:
    """Return what the options name; raise `InputError` if it is invalid."""
    from mockpets.audit.accepted import ACCEPTED_FILE, read_accepted
    from mockpets.audit.result import read_result
    from mockpets.audit.rules import RULES
    from mockpets.cli.report import failing_rules

    levels = {rule.name: rule.level for rule in RULES}
    failing = failing_rules(fail_on, levels, ("error", "warning", "note"))
    known = read_result(baseline, f"--baseline {baseline}") if baseline else None
    file = accepted or (ACCEPTED_FILE if os.path.lexists(ACCEPTED_FILE) else None)
    return _Inputs(failing, known, read_accepted(file, str(file)) if file else {})


def _absolute(path: Path | None) -> str | None:
    return None if path is None else str(path.absolute())


# --- The mock ---------------------------------------------------------------------------------


def _settings(settings: Settings, app_url: str) -> Settings:
    """Return the settings of the mock: a free port of this machine, and those in `_KEPT`.

    :raise InputError: the host of the app is not one that CORS can allow.
    """
    from mockpets.settings.validators import origin

    parts = plain_url(app_url)
    assert parts is not None  # noqa: S101 - the options are checked
    try:
        allowed = origin(f"{parts.scheme}://{parts.netloc}")
    except ValueError as error:
        hint = "write its host in ASCII (punycode)"
        raise invalid("APP_URL", str(error), hint) from None
    kept = {name: getattr(settings, name) for name in _KEPT}
    sources = {name: settings.sources[name] for name in _KEPT if name in settings.sources}
    return type(settings)(
        **kept, host=("127.0.0.1",), port=0, control_origin=(allowed,), sources=sources
    )


@contextmanager
def _own_mock(settings: Settings) -> Iterator[str]:
    """Run a mock in this process, and yield its root URL; its warnings go to stderr."""
    from mockpets.server import MockpetsServer
    from mockpets.telemetry.access_log import configure

    with configure("quiet", sys.stderr), MockpetsServer(settings) as server:
        logging.getLogger("mockpets").setLevel(logging.WARNING)  # each held response is an info
        yield server.url


# --- The audit --------------------------------------------------------------------------------


def _audit(
    request: dict[str, Any],
    output: Path,
    tests: Path | None,
    output_format: str,
    inputs: _Inputs,
) -> int:
    """Run the audit, write and print its result, and return the exit status."""
    from mockpets.audit.accepted import accept, mark_known
    from mockpets.audit.node import INTERRUPTED
    from mockpets.audit.result import RESULT_FILE, read_result, write_result
    from mockpets.audit.sheet import write_sheet
    from mockpets.audit.summary import new_causes

    file = output / RESULT_FILE
    with writing(output):
        output.mkdir(parents=True, exist_ok=True)
        (output / _LOG).touch()
    before = _written_at(file)
    ended = _run(request, output / _LOG)
    print_problems(ended.problems)
    if _written_at(file) == before:  # of an earlier audit, or missing
        if not ended.status:
            print_problems([problem_with(str(file), "was not written; run the audit again")])
        return ended.status or 1
    try:
        result = read_result(file, str(file))
    except InputError as error:
        print_problems(error.problems)
        return 1
    print_problems(accept(result, inputs.accepted))
    if inputs.baseline is not None:
        mark_known(result, inputs.baseline)
    with writing(output):
        write_result(output, result)
        files = [str(write_sheet(output, result)), str(file)]
    status = ended.status
    if tests is not None and status != INTERRUPTED:
        try:
            files += _write_tests(tests, result, request)
        except KeyboardInterrupt:
            status = INTERRUPTED
        except InputError as error:  # the result of the audit is printed nevertheless
            print_problems(error.problems)
            status = 1
    _print(result, output_format, files)
    if status == INTERRUPTED:
        return INTERRUPTED
    new = {cause["rule"] for cause in new_causes(result)}
    if broken := sorted(new & inputs.failing):
        print_problems([f"--fail-on: findings of {', '.join(broken)}"])
        return 1
    return status


def _write_tests(folder: Path, result: Result, request: dict[str, Any]) -> list[str]:
    """Write the tests that fail now, and report why others are left out.

    Return the folder with how many there are, or nothing if there are none.
    """
    from mockpets.audit.node import signals_as_ctrl_c
    from mockpets.audit.playwright_run import Run
    from mockpets.audit.playwright_tests import has_fixture, kit_folder, write_tests

    state = request["storageState"]
    run = Run(
        app=request["app"],
        mock=request["url"],
        cwd=Path.cwd(),
        browser=request["browser"],
        base_url=request["baseUrl"],
        token=request["token"],
        storage_state=Path(state) if state else None,
        workers=request["workers"],
    )
    with _status_line() as show, signals_as_ctrl_c():
        show("running the tests")
        written = write_tests(folder, result, run)
    causes: dict[str, list[str]] = {}
    for cause, reason in written.dropped.items():
        causes.setdefault(reason, []).append(cause)
    print_problems(
        f"no test for {shortened(names, 'and')}: {reason}" for reason, names in causes.items()
    )
    if not written.kept:
        return []
    if (kit := kit_folder(folder)) and not has_fixture(kit):
        command = f"{program()} kit {shlex.quote(kit.as_posix())} --playwright"
        print_problems([f"the tests import {kit}, which is missing; to write it, run: {command}"])
    return [f"{folder}: {counted(len(written.kept), 'failing test')}"]


def _run(request: dict[str, Any], log: Path) -> Ended:
    """Run the JavaScript part, and show its progress on a terminal."""
    from mockpets.audit.node import Ended, NodeError, find_node, run_script

    with ExitStack() as stack:
        try:
            node = find_node()
        except NodeError as error:
            log.unlink()
            return Ended(1, (error.problem,))
        # The file may have a token, so only the user can read its folder.
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="mockpets-audit-")))
        config = folder / "config.json"
        config.write_text(json.dumps(request), encoding="utf-8")
        return run_script(node, SCRIPT, config, log, stack.enter_context(_status_line()))


@contextmanager
def _status_line() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows a text in place of the one before, on a terminal only."""
    is_terminal = sys.stderr is not None and sys.stderr.isatty()

    def show(text: str) -> None:
        if is_terminal:
            click.echo(f"\r\x1b[K{cut(printable(text), columns() - 1)}", nl=False, err=True)

    try:
        yield show
    finally:
        show("")


def _written_at(file: Path) -> int | None:
    """Return when a file was last written, in nanoseconds; None if it does not exist."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return None


def _print(result: Result, output_format: str, files: list[str]) -> None:
    """Print a result; with GitHub's format, also add it to the summary of the job."""
    from mockpets.audit.result import as_json
    from mockpets.audit.summary import as_annotations, as_markdown, as_text
    from mockpets.cli.report import add_to_job

    if output_format == "json":
        click.echo(as_json(result))
    elif output_format == "github":
        add_to_job(as_markdown(result, files))
        click.echo(as_annotations(result))
    else:
        text = as_text(result, files)
        if on_terminal():  # a wrapped line would take more than its part of the screen
            text = "\n".join(cut(line, columns()) for line in text.split("\n"))
        click.echo(text)
