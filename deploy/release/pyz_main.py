"""The start of mockpets.pyz: unpack the program into the user's cache, then run it.

The package finds its files by path, so it cannot run inside the archive. Keep the syntax that an
old Python 3 reads, since the message about its version comes from here.
"""

import os
import sys

if sys.argv[1:2] == ["serve"]:
    import _signal

    # Before anything else, as `mockpets.__main__` does: unpacking takes time.
    _signal.signal(_signal.SIGTERM, lambda *_: os._exit(0))

from pathlib import Path
from time import time

BUILD = "unbuilt"  # build.py writes the version and a digest of the contents here
MARK = "complete"
"""The first file of a folder, which nothing reads: what deletes unused files from caches deletes it
before, or together with, any other."""
MAIN = "__main__.py"
PROGRAM = "mockpets/__main__.py"
CACHE = "LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME"
OLD_SECONDS = 600
"""Unpacking takes less."""
LIFELINE = "_MOCKPETS_LIFELINE"
"""The variable with the number of a pipe whose other end only the npm command has."""


def unpack(archive, folder):
    """Unpack the files that are missing; another process may do the same now."""
    import shutil
    import tempfile
    import zipfile

    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=str(folder.parent)))
    try:
        (made / MARK).touch()
        with zipfile.ZipFile(archive) as file:
            file.extractall(str(made))
        try:
            made.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
            move_missing(made, folder)
            (made / MARK).replace(folder / MARK)
    finally:
        shutil.rmtree(str(made), ignore_errors=True)


def move_missing(made, folder):
    """Move the files that a folder lacks, but none that another process may be reading."""
    for source in sorted(made.rglob("*")):
        target = folder / source.relative_to(made)
        if source.is_dir():
            target.mkdir(exist_ok=True)
        elif source != made / MARK and not target.exists():
            source.replace(target)


def lacks_files(archive, folder):
    """Return whether a file was deleted without the mark."""
    import zipfile

    with zipfile.ZipFile(archive) as file:
        return not all((folder / name).is_file() for name in file.namelist() if name != MAIN)


def remove_leftovers(parent):
    """Remove what processes left behind that were killed while they unpacked."""
    for made in parent.glob("tmp*"):
        try:
            is_old = time() - made.stat().st_mtime > OLD_SECONDS
        except OSError:
            continue  # another process has removed it
        if is_old:
            import shutil

            shutil.rmtree(str(made), ignore_errors=True)


def end_with_the_npm_command(pipe):
    """End this process like SIGTERM if the npm command is killed, which then cannot pass a signal.

    A thread that waits for the end of the pipe costs nothing while the program runs.
    """
    import _signal
    import _thread
    from stat import S_ISFIFO, S_ISSOCK

    try:
        mode = os.fstat(pipe).st_mode
    except OSError:
        return
    if not (S_ISSOCK(mode) or S_ISFIFO(mode)):
        return  # what ran between the npm command and this process has closed the pipe
    os.set_inheritable(pipe, False)
    program = _thread.get_ident()

    def wait():
        try:
            while os.read(pipe, 1):
                pass
        except OSError:
            return
        # To this thread, since a signal must interrupt what it waits for.
        _signal.pthread_kill(program, _signal.SIGTERM)

    _thread.start_new_thread(wait, ())


def start():
    """Return the exit status of the program, or a message."""
    if sys.version_info < (3, 11):
        hint = "run this file with a newer one, such as python3.12"
        version = sys.version.split()[0]
        return "mockpets: this is Python " + version + ", and mockpets needs 3.11 or newer; " + hint
    pipe = os.environ.pop(LIFELINE, "")  # other programs must not inherit it
    if pipe.isdigit() and os.name != "nt":
        end_with_the_npm_command(int(pipe))
    if not os.environ.get("HOME", "unset"):
        del os.environ["HOME"]  # with an empty one, the cache would be in the root folder
    archive = sys.path[0]
    folder = Path(os.environ.get(CACHE) or "~/.cache", "mockpets", BUILD)
    try:
        folder = folder.expanduser()
        if not ((folder / MARK).is_file() and (folder / PROGRAM).is_file()):
            unpack(archive, folder)
        remove_leftovers(folder.parent)
    except (OSError, RuntimeError) as error:  # RuntimeError: this user has no home
        reason = getattr(error, "strerror", None) or error
        hint = "set " + CACHE + " to a folder that you can write"
        return "mockpets: cannot unpack into {}: {}; {}".format(folder, reason, hint)
    except KeyboardInterrupt:
        return 130
    sys.path[0] = str(folder)
    try:
        from mockpets.__main__ import main

        return main()
    except ImportError:
        if not lacks_files(archive, folder):
            raise
        hint = "delete this folder, then run the command again"
        return "mockpets: files are missing in {}; {}".format(folder, hint)


sys.exit(start())
