"""Write all generated files of this repository: ``python -m generate``.

With ``--check``, write nothing and exit with status 1 if a file is out of date. Files that need a
missing program, and pictures, are reported and do not change the status.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Final

from generate import (
    ROOT,
    CannotGenerateError,
    bundle,
    compiled_contract,
    copies,
    declarations,
    reference,
)
from mockpets.errors import InputError
from tests.cli import terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

PARTS: Final[Mapping[str, Callable[[], Mapping[Path, str]]]] = {
    "mockpets/contract/compiled.py": compiled_contract.files,
    "kit/contract.d.ts, kit/scenarios.d.ts and kit/scenarios.js": declarations.scenarios,
    "kit/control.js": declarations.constants,
    "kit/control.d.ts": declarations.control,
    "the declarations in kit/": declarations.modules,
    "kit/toolbar.js": bundle.toolbar,
    "the kit in examples/": copies.kits,
    "docs/, README.md and llms.txt": reference.files,
    "tests/cli/golden/": terminal.files,
}
"""What each part writes, in an order in which none reads what a later one writes."""
PICTURES: Final = (
    "docs/screenshots/: run generate.story, generate.clinic_story, generate.screenshots or "
    "generate.gallery"
)


def main(arguments: list[str]) -> int:
    """Write or check the files; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m generate", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only report what is out of date")
    check: bool = parser.parse_args(arguments).check
    changed = failed = 0
    for name, files in PARTS.items():
        try:
            texts = files()
        except CannotGenerateError as error:
            print(f"not {'checked' if check else 'written'}: {name}: {error}")
            continue
        except InputError as error:
            print(*error.problems, sep="\n", file=sys.stderr)
            failed += 1
            continue
        for path, text in texts.items():
            data = text.encode()
            if path.exists() and path.read_bytes() == data:
                continue
            changed += 1
            print(f"{'out of date' if check else 'wrote'}: {path.relative_to(ROOT)}")
            if not check:
                path.write_bytes(data)
    print(f"not {'checked' if check else 'written'}: {PICTURES}")
    if check and changed:
        print("to write these files, run: .venv/bin/python -m generate")
    elif not changed and not failed:
        print("all other generated files are up to date")
    return 1 if failed or (check and changed) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
