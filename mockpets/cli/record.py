"""The commands `stub` and `record`: stubs and scenarios from recorded requests."""

from __future__ import annotations

import os
import re
import shlex
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from mockpets.cli.commands import program, report, writing
from mockpets.cli.options import flag, given, integer, option, with_json
from mockpets.cli.remote import given_selection, show, with_client, with_contracts
from mockpets.constants import FILE_SUFFIXES, NAME_LENGTH, SCENARIO_NAME
from mockpets.errors import invalid
from mockpets.settings.sources import load_settings
from mockpets.units import counted, quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mockpets.client import ControlClient
    from mockpets.contract.control_types import RecordedScenario, RecordedStub
    from mockpets.settings import Settings

_MARK: Final = (
    "# Recorded by mockpets, which replaces it while unchanged (agents: mockpets skill): "
)
_DIGEST: Final = 16
_START: Final = "start"


@click.command(epilog="Examples: mockpets stub 12; mockpets stub 12 --status 503 --use")
@click.argument("number", type=integer(1))
@option("--status CODE", "Respond with this status instead.", type=integer(200, 599))
@option("--fault NAME", "Break the response in this way instead.")
@option("--hold GATE", "Hold the response of the operation at this gate.")
@option("--delay TIME", "Delay the response of the operation, such as 3s.")
@option("--times NUMBER", "Number of requests to respond to.", type=integer(1))
@flag("--exact", text="Also match the IDs and dates of the request.")
@flag("--use", text="Put the stub on top of the active scenarios.")
@flag("--drop", text="Remove the stub again.")
@option("--output, -o FILE", "Write a scenario file with the stub.", type=Path)
@with_json
@with_client
def stub(
    client: ControlClient,
    number: int,
    use: bool,
    drop: bool,
    output: Path | None,
    as_json: bool,
    **instead: Any,
) -> None:
    """NUMBER is from the request log."""
    if drop:
        dropped = client.drop_stub(number)
        active = ", ".join(dropped["active"]) or "no scenario"
        show(dropped, [f"active: {active}"], as_json=as_json)
        return
    call = client.respond_like if use else client.stub
    result = call(number, **{name: value for name, value in instead.items() if value})
    if output is not None:
        write(output, result["yaml"])
    show(result, _lines(result), as_json=as_json)


def _lines(result: RecordedStub) -> Iterator[str]:
    yield from result["yaml"].splitlines()
    numbers = result["matches"]
    rest = f", such as {', '.join(map(str, numbers[:5]))}" if numbers else ""
    yield f"# It matches {counted(len(numbers), 'request')} of the log{rest}."
    yield from (f"# {note}" for note in result["notes"])


@click.command(
    epilog="Example: mockpets record start; use your app; mockpets record checkout-fails",
)
@click.argument("name", metavar="start|NAME")
@option(
    "--output, -o FILE",
    "File to write.  [default: NAME.yaml in the server's --scenarios-dir, or else yours or here]",
    type=Path,
)
@option(
    "--har FILE",
    "Record this HAR file of up to 1,000 requests instead of a session. Repeatable.",
    type=Path,
    multiple=True,
)
@option("--base-url URL", "With --har: record only requests below this base URL of an API.")
@with_json
@with_contracts
@with_client
def record(
    client: ControlClient,
    settings: Callable[[], Settings],
    name: str,
    output: Path | None,
    har: tuple[Path, ...],
    base_url: str | None,
    as_json: bool,
) -> int | None:
    """With 'start', saves the current data, and records from the next request on. With NAME, writes
    a scenario that reproduces the recorded responses: the initial data, and a stub for each
    response that differs from the operation's. The server saves the file if it has a writable
    --scenarios-dir. Without 'start', the recording begins when the session was created or last
    reset. Keys, cookies, and tokens and passwords in bodies are never written.
    """
    if not har and (for_files := given(("base_url", "contract", "corrections"))):
        raise invalid(for_files[0], "is for HAR files", "add --har FILE")
    if name == _START:
        if har:
            what = "cannot be combined with 'start'"
            raise invalid("--har", what, "pass the name of the scenario to write")
        started = client.start_recording()
        show(started, [f"recording from request {started['after'] + 1} on"], as_json=as_json)
        return None
    if not re.fullmatch(SCENARIO_NAME, name) or len(name) > NAME_LENGTH:
        raise invalid("NAME", f"must be start or a scenario name in kebab-case, got {quote(name)}")
    result, summary = _of_files(har, base_url, settings()) if har else (client.recording(), [])
    saved = None if har or output else _save(client, name, result["yaml"])
    command = f"use {name}{given_selection()}"
    if saved is not None:
        path, is_new = saved
    else:
        folders = load_settings({}, os.environ, None).scenarios_dir
        path = output or Path(folders[0] if folders else ".", f"{name}.yaml")
        is_new = write(path, result["yaml"])
        command = f"serve --scenarios-dir {shlex.quote(str(path.parent))} --scenario {path.stem}"
    report(result["notes"])
    counts = f"{counted(result['requests'], 'request')}, {counted(result['stubs'], 'stub')}"
    lines = [f"{path}: {counts}{'' if is_new else ', as before'}", *summary]
    if path.suffix.lower() in FILE_SUFFIXES:
        lines.append(f"use it  {program()} {command}")
    document = {**result, "path": str(path), **({"summary": summary} if har else {})}
    show(document, lines, as_json=as_json)
    return 1 if result["notes"] else None


def _of_files(
    files: tuple[Path, ...], base: str | None, settings: Settings
) -> tuple[RecordedScenario, list[str]]:
    from mockpets.cli.har_recording import record_files
    from mockpets.scenario.language.writer import text_of

    recording, summary = record_files(files, base, settings)
    result: RecordedScenario = {
        "yaml": text_of(recording.document),
        "requests": recording.requests,
        "stubs": len(recording.document.get("stubs", ())),
        "notes": recording.notes,
    }
    return result, summary


def _save(client: ControlClient, name: str, text: str) -> tuple[Path, bool] | None:
    """Let the server save a recorded scenario; return the file and whether it was written.

    Without a folder in which it can save new files, return None.

    :raise InputError: the server has another scenario of this name.
    """
    from mockpets.client import ControlError

    new = _marked(text)
    digest = None
    try:
        known = client.scenario(name)
    except ControlError as error:
        if error.code != "not_found":
            raise
    else:
        path = _shown(known["path"])
        if known["read_only"]:
            what = f"the server cannot save it: {known['read_only']}"
            raise invalid("NAME", what, "or pass --output FILE")
        if known["text"] == new:
            return path, False
        _check_recorded(path, known["text"] or "")
        digest = known["digest"]
    try:
        saved = client.save_scenario(name, new, digest)
    except ControlError as error:
        if error.code != "forbidden" or digest is not None:
            raise
        return None
    return _shown(saved["path"]), True


def _shown(path: str | None) -> Path:
    """Return a path of the server, relative to the working directory if the file is below it."""
    result = Path(path or "")
    here = Path.cwd()
    return result.relative_to(here) if result.is_relative_to(here) else result


def write(path: Path, text: str) -> bool:
    """Write a recorded scenario file, unless it is the same; return whether it was written.

    :raise InputError: the file was changed, or is not a recorded one, or cannot be written.
    """
    new = _marked(text)
    with writing(path):
        old = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        if old == new:
            return False
        if old:
            _check_recorded(path, old)
        path.write_text(new, encoding="utf-8")
    return True


def _check_recorded(path: Path, text: str) -> None:
    """Check that the text of a file is a recording that nobody has changed, or raise InputError."""
    if text != _marked(text.partition("\n")[2]):
        why = "has been changed since" if text.startswith(_MARK) else "is not a recorded file"
        raise invalid("", f"{path} {why}", "choose another name, or delete the file")


def _marked(text: str) -> str:
    return f"{_MARK}{sha256(text.encode()).hexdigest()[:_DIGEST]}\n{text}"
