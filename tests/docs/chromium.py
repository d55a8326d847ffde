"""Make a Playwright of any version use the Chromium of this machine.

Standard input is what `playwright install --dry-run chromium` prints.
"""

import re
import shutil
import sys
from pathlib import Path

CHROMIUM = shutil.which("chromium-headless-shell")
PROGRAMS = {"chromium": "chrome", "chromium_headless_shell": "chrome-headless-shell"}

if CHROMIUM is None:
    sys.exit("the program chromium-headless-shell is not installed")
for location in re.findall(r"Install location: +(\S+)", sys.stdin.read()):
    program = PROGRAMS.get(Path(location).name.partition("-")[0])
    if program:
        path = Path(location) / f"{program}-linux64" / program
        path.parent.mkdir(parents=True)
        path.write_text(f'#!/bin/sh\nexec {CHROMIUM} "$@"\n')
        path.chmod(0o755)
