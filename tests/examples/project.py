"""A copy of an example: install its packages, change it, and run its Playwright tests."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.programs import free_port, need, run, run_within

EXAMPLES = Path(__file__).parents[2] / "examples"
REPEAT = int(os.environ.get("REPEAT_EACH", "1"))
"""How often each test of an example runs; `.ci/long` sets it."""
COMMANDS = Path(sys.executable).parent  # has `mockpets`


def install(name: str, folder: Path) -> Path:
    """Copy an example, as git has it, into a folder; run `npm install`; return the folder."""
    example = EXAMPLES / name
    listed = subprocess.run(
        [need("git"), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=example,
        check=True,
        capture_output=True,
        text=True,
    )
    for path in filter(None, listed.stdout.split("\0")):
        if (example / path).is_file():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(example / path, folder / path)
    options = ["--no-package-lock", "--no-audit", "--no-fund", "--silent"]
    subprocess.run([need("npm"), "install", *options], cwd=folder, check=True, timeout=300)
    return folder


def copy(installed: Path, folder: Path) -> Path:
    """Copy an installed example to a folder that a test may change; return the folder."""
    modules = "node_modules"
    shutil.copytree(installed, folder, ignore=shutil.ignore_patterns(modules))
    # Hard links: the bundler of Next rejects a symbolic link to another folder.
    shutil.copytree(installed / modules, folder / modules, symlinks=True, copy_function=os.link)
    return folder


def playwright(folder: Path, *options: str, **variables: str) -> tuple[int, str]:
    """Run the Playwright tests of a copy on free ports; return the exit status and the output."""
    variables = {
        "HOME": str(folder),  # for Chromium
        "CHROMIUM": need("chromium-headless-shell"),
        "MOCKPETS_URL": f"http://localhost:{free_port()}",
        "PORT": str(free_port()),
        **variables,
    }
    seconds = 600 * REPEAT
    # Playwright stops its servers when its time is over; the end of `run_within` would leave them.
    command = (need("npx"), "playwright", "test", f"--global-timeout={1000 * seconds}", *options)
    done = run_within(seconds + 60, folder, *command, **variables)
    return done.returncode, done.stdout + done.stderr


def outcomes(output: str) -> list[str]:
    """Return the counts that Playwright reports, such as ``10 passed``."""
    return re.findall(r"^ +(\d+ (?:passed|failed|flaky|skipped|did not run))", output, re.MULTILINE)


def share_one_session(folder: Path) -> None:
    """Change the kit of a copy so that all tests have the same session."""
    client = folder / "tests" / "mockpets" / "client.js"
    text = client.read_text(encoding="utf-8")
    shared, replaced = re.subn(r"(static slug\(.*\) \{)\n", r'\1\n    return "shared";\n', text)
    assert replaced == 1
    client.write_text(shared, encoding="utf-8")


def check_kit(name: str, *options: str) -> tuple[int, str]:
    """Run `mockpets kit --check` in an example; return the exit status and the errors."""
    done = run(EXAMPLES / name, "mockpets", "kit", "--check", *options)
    return done.returncode, done.stderr
