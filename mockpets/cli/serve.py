"""The command `serve`: run the server, and print where it is."""

from __future__ import annotations

import gc
import logging
import os
import re
import shlex
import signal
import sys
from contextlib import ExitStack
from itertools import chain
from stat import S_ISREG
from typing import TYPE_CHECKING, Final

import click

from mockpets.cli.commands import curl_command, discard_output, program, report
from mockpets.cli.layout import columns, has_colour, on_terminal, wrap
from mockpets.cli.options import with_settings
from mockpets.constants import BUILT_IN_CONTRACT, PANEL_PATH, VERSION
from mockpets.errors import InputError, invalid
from mockpets.settings.combinations import notices
from mockpets.settings.sources import load_settings, readable_secrets
from mockpets.version import FULL_VERSION

if TYPE_CHECKING:
    from pathlib import Path
    from typing import TextIO

    from mockpets.contract.contract_model import Contracts
    from mockpets.scenario.library import Library
    from mockpets.session.save_progress import SaveProgress
    from mockpets.settings import Settings

_log: Final = logging.getLogger("mockpets")
_NOT_SHOWN: Final = (
    "the control API needs a token, and the generated one is shown only on a terminal or in a "
    "file; set MOCKPETS_CONTROL_TOKEN or MOCKPETS_CONTROL_TOKEN_FILE, or --control off"
)
_BOLD: Final = ("panel", "key")
"""The lines of the banner that stand out."""
_COLLECTIONS: Final = (2_000, 20, 20)
"""How seldom Python looks for reference cycles, of which common requests leave none. With its
default values and thousands of sessions, that takes a third of the time of a request."""


@click.command(
    epilog="Each option that names a variable can also be set by it, or in mockpets.toml under its "
    "name without the leading dashes. Options override variables, and variables override the file.",
    context_settings={"allow_extra_args": True},  # for the message below
)
@with_settings()
@click.option("--open", "opens_panel", is_flag=True, help="Open the control panel in a browser.")
def serve(config: Path | None, opens_panel: bool, **flags: object) -> int:
    for word in click.get_current_context().args:
        option = "--contract" if re.search(r"[./\\]", word) else "--scenario"
        hint = f"did you mean '{option} {word}'?"
        raise invalid(word, "'mockpets serve' takes only options", hint)
    settings = load_settings(flags, os.environ, config)
    if opens_panel and settings.control == "off":
        raise invalid("--open", "has no panel to open with --control off", "remove one of the two")
    gc.disable()  # imports create many objects that stay, and collections would slow the start
    from mockpets.server import bind
    from mockpets.server import serve as run
    from mockpets.telemetry.access_log import configure
    from mockpets.web.app import create_app

    try:
        app = create_app(settings)
    except InputError as error:  # a scenario or fixture file, or the name of one
        report([*error.problems, "the server did not start"])
        return 2
    mock = app.extensions["mockpets"]
    # Until the server has its own handler: from now on there are files and a terminal to restore.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with ExitStack() as stack:
        stack.enter_context(configure(settings.log, sys.stderr, node=settings.name))
        for text in (*notices(settings), *readable_secrets(settings)):
            _log.warning(text)
        if settings.state:
            from mockpets.storage.persistence import persist_sessions

            stack.enter_context(persist_sessions(settings.state, mock.sessions))
        try:
            sockets = bind(settings)
        except InputError as error:  # the settings are valid, but the port is unavailable
            report(error.problems)
            return 1
        port = sockets[0].getsockname()[1]
        is_generated = mock.token != settings.control_token
        shown = mock.token if is_generated and _is_private(sys.stdout) else ""
        banner = ""
        if not settings.log.startswith("json"):
            banner = _banner(settings, port, shown, mock.reloader.library)
        if is_generated and not (banner and shown):
            _log.warning(_NOT_SHOWN)
        root = settings.url(port) + settings.prefix
        contracts = mock.reloader.library.contracts
        started = _started(settings, root, mock.sessions.save_progress, contracts)
        panel = _panel(settings, port, mock.token)
        mock.reloader.start()
        stack.callback(mock.reloader.stop)
        gc.freeze()
        gc.set_threshold(*_COLLECTIONS)
        gc.enable()
        run(
            app,
            sockets,
            lambda: _announce(banner, started, panel if opens_panel else ""),
            settings,
        )
        # Not the handler of the start: a second signal must not end with status 0 while the state
        # is being saved.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _log.info("stopped")
    return 0


def _panel(settings: Settings, port: int, token: str) -> str:
    """Return the URL of the panel, with the token in its fragment; empty if the panel is off."""
    if settings.control == "off":
        return ""
    return settings.url(port) + settings.prefix + PANEL_PATH + (f"#token={token}" if token else "")


def _is_private(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal or a file; other programs collect what pipes get."""
    if stream is None:
        return False
    try:
        return stream.isatty() or S_ISREG(os.fstat(stream.fileno()).st_mode)
    except OSError:
        return False


def _started(
    settings: Settings, address: str, progress: SaveProgress, contracts: Contracts
) -> tuple[str, dict[str, object]]:
    """Return what the log has about the start of the server: a message, and JSON properties."""
    from mockpets.settings.effective import DEFAULT, effective_settings, value_text

    rows = [row for row in effective_settings(settings) if row["source"] != DEFAULT]
    changed = {row["name"]: {"value": row["value"], "source": row["source"]} for row in rows}
    parts = [f"started mockpets {FULL_VERSION} at {address}"]
    parts += [f"{row['name']} {value_text(row)} ({row['source']})" for row in rows]
    if settings.state:
        parts.append(f"sessions restored: {progress.restored}")
    properties: dict[str, object] = {
        "event": "start",
        "version": FULL_VERSION,
        "addresses": [address],
        "settings": changed,
        "restored": progress.restored,
    }
    if settings.contract:
        from mockpets.cli.contract_lines import summaries

        found = summaries(contracts)
        parts += (f"{each.title} at {each.base or '/'}: {each.text}" for each in found)
        properties["contracts"] = [each._asdict() for each in found]
    return "; ".join(parts), properties


def _announce(banner: str, started: tuple[str, dict[str, object]], panel: str) -> None:
    """Print the banner, and continue if stdout is full or closed; log the start.

    :param banner: empty to print none, as with a JSON log, which has the start instead.
    :param panel: the URL to open in a browser; empty to open nothing.
    """
    if panel:
        import webbrowser
        from threading import Thread

        Thread(target=webbrowser.open, args=(panel,), daemon=True).start()
    if not banner or (sys.stderr is not None and not sys.stderr.isatty()):
        message, properties = started
        _log.info("%s", message, extra={"properties": properties})
    if not banner:
        return
    try:
        click.echo(banner, color=has_colour())
    except OSError as error:
        discard_output(sys.stdout)
        first = click.unstyle(banner.partition("\n")[0])
        _log.error("cannot print the banner: %s; %s", error.strerror, first)


def _banner_line(label: str, text: str) -> str:
    """Return a line of the banner; a URL that would not fit beside the label goes below it."""
    indent, first = " " * 15, f"{label:<15}"
    if len(indent) + max(map(len, text.split())) > columns():
        indent, first = "  ", f"{label}\n  "
    lines = wrap(text, indent, indent)[len(indent) :]
    if label in _BOLD:
        lines = re.sub(r"\S.*", lambda line: _bold(line[0]), lines)
    return first + lines


def _bold(text: str) -> str:
    return click.style(text, bold=True)


def _banner(settings: Settings, port: int, secret: str, library: Library) -> str:
    """Return the banner: URLs, keys, scenarios and a curl command, of which some are bold.

    :param secret: the generated token of the control API, or empty.
    """
    contracts = library.contracts
    root = settings.url(port) + settings.prefix
    lines = [("panel", _panel(settings, port, secret) or "off"), ("control token", secret)]
    if any(each.label != BUILT_IN_CONTRACT for each in contracts.all):
        from mockpets.cli import contract_lines  # the built-in contract needs none of it

        keys = contract_lines.keys(contracts, settings)
        lines = [*contract_lines.lines(contracts), *lines, ("key", keys)]
        command = contract_lines.curl(contracts, settings, root)
    else:
        key = settings.key
        is_any = settings.any_key
        keys = f"any bearer token, such as {key}" if is_any else ", ".join(settings.api_key)
        lines.append(("key", keys))
        command = curl_command([f"Authorization: Bearer {key}"], root + contracts.all[0].paths[0])
    lines += [("active", ", ".join(settings.scenario)), ("clock", settings.now)]
    if not on_terminal() and not settings.public:
        lines.append(("coding agents", f"run '{program()} skill' first"))
    overview = "\n".join(_banner_line(label, text) for label, text in lines if text)
    options = [("--contract", text) for text in settings.contract]
    options += [("--scenarios-dir", str(path)) for path in settings.scenarios_dir]
    listing = shlex.join([*shlex.split(program()), "scenarios", *chain(*options)])
    places = [f"{each.name} at {_bold(root + each.base)}" for each in contracts.all]
    serves = places[0] if len(places) == 1 else "\n  ".join([f"{len(places)} contracts:", *places])
    trial = f"Try it:\n  {command}\n\n" if command else ""
    return f"""mockpets {VERSION} serves {serves}

{overview}
{len(library.scenarios)} scenarios: {listing}

{trial}Press Ctrl-C to stop."""
