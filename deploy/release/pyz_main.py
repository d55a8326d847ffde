"""The start of mockpets.pyz: unpack the program into the user's cache, then run it.

The package finds its files by path, so it cannot run inside the archive. Keep the syntax that an
old Python 3 reads, since the message about its version comes from here.
"""

import os
import sys
from pathlib import Path

BUILD = "unbuilt"  # build.py writes the version and a digest of the contents here
CACHE = "LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME"


def unpack(archive, folder):
    """Unpack the archive; another process may do the same now."""
    import shutil
    import tempfile
    import zipfile

    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=str(folder.parent)))
    try:
        with zipfile.ZipFile(archive) as file:
            file.extractall(str(made))
        try:
            made.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
    finally:
        shutil.rmtree(str(made), ignore_errors=True)


def start():
    """Return the exit status of the program, or a message."""
    if sys.version_info < (3, 11):
        hint = "run this file with a newer one, such as python3.12"
        version = sys.version.split()[0]
        return "mockpets: this is Python " + version + ", and mockpets needs 3.11 or newer; " + hint
    folder = Path(os.environ.get(CACHE) or "~/.cache", "mockpets", BUILD)
    try:
        folder = folder.expanduser()
        if not folder.is_dir():
            unpack(sys.path[0], folder)
    except (OSError, RuntimeError) as error:  # RuntimeError: this user has no home
        reason = getattr(error, "strerror", None) or error
        hint = "set " + CACHE + " to a folder that you can write"
        return "mockpets: cannot unpack into {}: {}; {}".format(folder, reason, hint)
    except KeyboardInterrupt:
        return 130
    sys.path[0] = str(folder)
    from mockpets.__main__ import main

    return main()


sys.exit(start())
