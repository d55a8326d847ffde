"""The command `skill`: print the skill for coding agents, or write it into a repository."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from mockpets.cli.commands import report, writing
from mockpets.cli.options import flag, option
from mockpets.errors import printable
from mockpets.skill_files import SKILL, skill_files

_FOLDER: Final = Path(".agents/skills")
_NAME: Final = "mockpets"


@click.command()
@option(
    "--install DIR",
    f"Write the skill into the folder mockpets of DIR.  [default: {_FOLDER}]",
    dest="folder",
    is_flag=False,
    flag_value=str(_FOLDER),
    type=click.Path(path_type=Path, file_okay=False),
)
@flag("--check", text="Write nothing; exit with status 1 if a file is out of date.")
def skill(folder: Path | None, check: bool) -> int:
    """With --install, writes the skill and the pages that it links to, for agents that look for
    skills in a repository.
    """
    texts = skill_files()
    if folder is None and not check:
        click.echo(texts[SKILL].rstrip())
        return 0
    root = (folder or _FOLDER) / _NAME
    changed = [name for name, text in texts.items() if _read(root / name) != text]
    if check:
        report(f"{root / name}: is out of date; run 'mockpets skill --install'" for name in changed)
        return 1 if changed else 0
    with writing(root):
        for name in changed:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(texts[name], encoding="utf-8")
    done = f"wrote {len(changed)} of {len(texts)} files" if changed else "is up to date"
    click.echo(printable(f"{root}: {done}"))
    return 0


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None
