"""Reload the library when its files change, scenarios and documents, outside of requests.

It polls, because a folder mounted into a container sends no file events.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from threading import Event, Lock, Thread
from time import thread_time
from typing import TYPE_CHECKING, Final

from mockpets.contract.pet_store import BUILT_IN
from mockpets.errors import InputError, printable
from mockpets.scenario.library import Binding, load_library

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from mockpets.contract.contract_model import Contracts
    from mockpets.scenario.contract_files import ContractFiles
    from mockpets.scenario.library import Library

_SHORTEST: Final = 0.08
"""Seconds between two checks for changed files: a saved file is active before a browser reloads."""
_LONGEST: Final = 0.5
_SHARE: Final = 0.05
"""The part of a processor that checks may take if `_LONGEST` allows it: 50 files take 1 ms, and
1,000 take 16."""

_log = logging.getLogger("mockpets")
_REJECTED: Final = "requests that name it return 422"


class Reloader:
    """The current library of some folders and contracts.

    :param on_change: called after a change, in the thread that polls the files.
    :raise InputError: the folders cannot be read.
    """

    def __init__(
        self,
        scenarios_dirs: Sequence[Path],
        fixtures_dirs: Sequence[Path],
        on_change: Callable[[], None] = lambda: None,
        contracts: ContractFiles | None = None,
    ) -> None:
        self._folders = (tuple(scenarios_dirs), tuple(fixtures_dirs))
        self.reloads = 0
        """The number of reloads after files changed."""
        self._on_change = on_change
        self._stopped = Event()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._contracts = contracts
        self.library: Library = load_library(*self._folders, contracts=self._current())

    def _current(self) -> Contracts:
        return BUILT_IN if self._contracts is None else self._contracts.current()

    def look(self) -> None:
        """Reload changed files; the last valid version of an invalid file stays active.

        Any thread may call this.
        """
        with self._lock:
            self._look()

    def _look(self) -> None:
        try:
            library = load_library(*self._folders, self.library, self._current())
        except InputError as error:
            if error.problems != self.library.folder_problems:
                self.library = replace(self.library, folder_problems=error.problems)
                self._on_change()
                _log.warning("%s (the loaded scenarios stay active)", error)
            return
        if library is self.library:
            return
        lines = changes(self.library, library)
        self.library = library
        self.reloads += 1
        self._on_change()
        for level, line in lines:
            _log.log(level, "%s", line)

    def start(self) -> None:
        """Poll the files in a thread until `stop`; log files that are invalid or replace others."""
        library = self.library
        for kind, sources in (("scenario", library.sources), ("fixture", library.fixtures)):
            for name, source in sources.items():
                if source.replaces:
                    _log.warning("%s", printable(f"{kind} '{name}' loaded: {source.place}"))
        for name in sorted(library.problems):
            for line in _invalid(name, library):
                _log.warning("%s", printable(line))
        self._stopped.clear()
        self._thread = Thread(target=self._run, name="mockpets-watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop polling, and wait until the thread ends."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        seconds = pause(0)
        while not self._stopped.wait(seconds):
            before = thread_time()
            self.look()
            seconds = pause(thread_time() - before)


def pause(spent: float) -> float:
    """Return the time until the next check of files, in seconds.

    :param spent: the processor time of the last one, in seconds.
    """
    return min(max(_SHORTEST, spent / _SHARE), _LONGEST)


def changes(before: Library, after: Library) -> list[tuple[int, str]]:
    """Return log levels and lines about the difference between two libraries."""
    good: list[str] = []
    bad: list[str] = []
    if before.contracts is not after.contracts:
        documents = [each.api.document.file for each in after.contracts.all if each.api]
        good.append(f"contracts reloaded: {', '.join(documents)}{_restarted(before, after)}")
    for name in sorted({*before.sources, *after.sources, *before.problems, *after.problems}):
        old, new = before.scenarios.get(name), after.scenarios.get(name)
        same_file = before.sources.get(name) == after.sources.get(name)
        if name not in after.sources:
            shown = before.sources[name].shown
            bad.append(
                f"scenario '{name}' no longer exists, since {shown} was deleted; {_REJECTED}"
            )
        elif name in after.problems:
            if same_file and name in before.problems:
                continue
            bad += _invalid(name, after)
        elif name in before.problems:
            good.append(f"scenario '{name}' is valid again")
        elif name not in before.sources:
            good.append(f"scenario '{name}' added: {after.sources[name].place}")
        elif old != new:
            good.append(f"scenario '{name}' reloaded: {after.sources[name].place}")
    levels = {logging.WARNING: bad, logging.INFO: good}
    return [(level, printable(line)) for level, lines in levels.items() for line in lines]


def _restarted(before: Library, after: Library) -> str:
    """Return which collections start again; empty if none does."""
    old, new = before.contracts.collections, after.contracts.collections
    names = [
        name
        for name in old.keys() & new.keys()
        if Binding(old[name]).digest != Binding(new[name]).digest
    ]
    if not names:
        return ""
    whose = "its schema has" if len(names) == 1 else "their schemas have"
    return f"; new records of {', '.join(sorted(names))}: {whose} changed"


def _invalid(name: str, library: Library) -> list[str]:
    """Return lines about an invalid scenario: what happens to it, and its problems."""
    is_active = name in library.scenarios
    effect = "its last valid version stays active" if is_active else _REJECTED
    return [f"scenario '{name}' is invalid; {effect}:", *map(str, library.problems[name])]
