"""Two sessions of the clinic whose server is killed: the state file has what was saved."""

import sys
from copy import deepcopy
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis.stateful import invariant, precondition, rule, run_state_machine_as_test

from mockpets import MockpetsServer, Settings
from mockpets.storage import saver
from tests.cli.test_main import wait_until
from tests.http_client import Client, OverSocket
from tests.web.checked_client import CLINIC, Checked
from tests.web.test_stateful_model import CONTENTS, ClinicMachine, Model

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform == "win32", reason="sends signals")]
KILLS = 3
"""The most kills of one example."""


def serve(file: str, urls: Connection) -> None:
    """Serve the clinic until killed; send the URL."""
    saver.SAVE_SECONDS = 0.3  # type: ignore[misc]  # so that kills hit saves
    with MockpetsServer(Settings(port=0, contract=(str(CLINIC),), state=file)) as server:
        urls.send(server.url)
        urls.poll(None)  # until the tests end


class Killed:
    """A server of the clinic with a state file, in a process of its own."""

    context: ClassVar = get_context("forkserver")  # which has imported the server once

    def __init__(self) -> None:
        self.folder = TemporaryDirectory()
        self.file = str(Path(self.folder.name) / "clinic.state")
        self.call = Checked(CLINIC)
        self.context.set_forkserver_preload([__name__])

    def start(self) -> None:
        self.pipe, there = self.context.Pipe()
        self.process = self.context.Process(target=serve, args=(self.file, there), daemon=True)
        self.process.start()
        assert self.pipe.poll(30)
        self.call.call = Client(OverSocket(self.pipe.recv()))

    def kill(self) -> None:
        self.process.kill()
        self.process.join()

    def stop(self) -> None:
        self.kill()
        self.folder.cleanup()

    def save(self) -> None:
        """Wait until the file has all changes so far."""
        begun = self.progress()["begun"]
        assert wait_until(lambda: self.progress()["saved"] > begun)

    def progress(self) -> dict[str, Any]:
        found: dict[str, Any] = self.call.control("GET", "state")["state_file"]
        return found


class KilledClinic(ClinicMachine):
    """The clinic's machine, whose server is killed now and then."""

    server: ClassVar[Killed]

    def __init__(self) -> None:
        self.call = self.server.call
        super().__init__()
        self.kills = 0
        self.ids = self.session_ids()
        self.saved()

    def saved(self) -> None:
        self.server.save()
        self.versions = [deepcopy(self.models)]
        """What the sessions had since the last save."""

    def session_ids(self) -> set[str]:
        listed = self.call.control("GET", "sessions")["sessions"]
        return {each["id"] for each in listed if each["name"] in self.models}

    @rule()
    def save(self) -> None:
        self.saved()

    @precondition(lambda self: self.kills < KILLS)
    @rule()
    def kill(self) -> None:
        self.kills += 1
        self.kill_server()

    def kill_server(self) -> None:
        """Kill the server, and compare what the next one has with what was saved."""
        self.server.kill()
        self.server.start()
        for session in self.models:
            self.restore(session)
        assert not self.ids & self.session_ids(), "changes may be lost, so the IDs are new"
        self.ids = self.session_ids()
        self.versions = [deepcopy(self.models)]  # the file has what was restored

    def teardown(self) -> None:
        self.kill_server()

    def restore(self, session: str) -> None:
        """Let the model be what the file has, which must be one of the versions."""
        model = self.models[session]
        versions = [each[session] for each in self.versions]
        kept = {name: self.found(session, name) for name in CONTENTS}
        fitting = [each for each in versions if has(each, kept)]
        assert fitting, (session, kept, versions)
        # No key is given twice, not even that of a record that is lost.
        next_keys = model.next_owner, model.next_animal
        self.models[session] = model = deepcopy(fitting[-1])
        model.next_owner, model.next_animal = next_keys

    @invariant()
    def remember(self) -> None:
        self.versions.append(deepcopy(self.models))


def has(model: Model, kept: dict[str, Any]) -> bool:
    """Return whether a session has the records of a model."""
    animals = {key: model.animal(key, "nobody") for key in model.animals}
    expected = (model.owners, animals, model.members, model.appointments)
    return kept == dict(zip(CONTENTS, expected, strict=True))


def test_a_killed_server_has_what_was_saved() -> None:
    KilledClinic.server = Killed()
    KilledClinic.server.start()
    examples = settings().max_examples // 3
    try:
        run_state_machine_as_test(
            KilledClinic, settings=settings(max_examples=examples, stateful_step_count=20)
        )
    finally:
        KilledClinic.server.stop()
