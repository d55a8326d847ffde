"""Keep the library as its files are: look at them every so often, off the request path.

By looking, not by being told: a folder mounted into a container sends no events. What a look
finds is logged once; requests read `Reloader.library`, which is always a whole library.
"""

from __future__ import annotations

import logging
from threading import Event, Thread
from typing import TYPE_CHECKING

from mockpets.constants import WATCH_SECONDS
from mockpets.errors import InputError, printable
from mockpets.scenario.library import load_library

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from mockpets.scenario.library import Library

_log = logging.getLogger("mockpets")


class Reloader:
    """The library of some folders, as it is now.

    :param on_change: called after the library has changed, by the thread that polls the files.
    :raise InputError: the folders cannot be read.
    """

    def __init__(
        self,
        scenarios_dirs: Sequence[Path],
        fixtures_dirs: Sequence[Path],
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self._folders = (tuple(scenarios_dirs), tuple(fixtures_dirs))
        self._trouble = ""
        self.reloads = 0
        """How often files had changed and were read again."""
        self._on_change = on_change
        self._stopped = Event()
        self._thread: Thread | None = None
        self.library: Library = load_library(*self._folders)

    def look(self) -> None:
        """Read again what has changed; what is no good leaves the last good one in force."""
        try:
            library = load_library(*self._folders, before=self.library)
        except InputError as error:
            if str(error) != self._trouble:
                self._trouble = str(error)
                _log.warning("%s (scenarios stay as they were)", error)
            return
        self._trouble = ""
        if library is self.library:
            return
        said = changes(self.library, library)
        self.library = library
        self.reloads += 1
        self._on_change()
        for line in said:
            _log.warning("%s", line)

    def start(self) -> None:
        """Look every `WATCH_SECONDS` on a thread of its own, until `stop`."""
        self._stopped.clear()
        self._thread = Thread(target=self._run, name="mockpets-watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop looking, and wait until the last look is over."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while not self._stopped.wait(WATCH_SECONDS):
            self.look()


def changes(before: Library, after: Library) -> list[str]:
    """Return what a person should know of the difference, a line each."""
    lines: list[str] = []
    for name in sorted({*before.sources, *after.sources, *before.problems, *after.problems}):
        old, new = before.scenarios.get(name), after.scenarios.get(name)
        problems = after.problems.get(name, ())
        same_file = before.sources.get(name) == after.sources.get(name)
        if name not in after.sources:
            shown = before.sources[name].shown
            lines.append(f"scenario '{name}' is gone, and refused with 422: {shown} was deleted")
        elif problems and not (same_file and name in before.problems):
            state = "its last good version stays in force" if new else "it cannot be used"
            lines += [f"scenario '{name}' has problems, {state}:", *map(str, problems)]
        elif problems:
            continue
        elif name in before.problems:
            lines.append(f"scenario '{name}' is good again")
        elif name not in before.sources:
            lines.append(f"scenario '{name}' is new: {after.sources[name].shown}")
        elif old != new:
            lines.append(f"scenario '{name}' was read again: {after.sources[name].shown}")
    return [printable(line) for line in lines]
