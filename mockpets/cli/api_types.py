"""Find openapi-typescript's types of the contracts in a front-end repository."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.cli.app_source import source_files
from mockpets.errors import InputError, did_you_mean, problem_with
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mockpets.contract.contract_model import Contract, Contracts

NONE: Final = "none"
"""In place of a file: the kit writes all types itself."""
_WRITTEN_BY: Final = "openapi-typescript"
_HEAD: Final = 1000
"""The characters at the beginning of a file that say what has written it."""
_PATHS: Final = re.compile(r"export (?:interface|type) paths\b")
_PATH: Final = re.compile(r"""^\s*["'](/[^"'\n]*)["']\s*:""", re.MULTILINE)


class _Types(NamedTuple):
    """A file with types: the text of each path."""

    file: Path
    paths: Mapping[str, str]

    def lacks(self, contract: Contract) -> str:
        """Return an operation that the file lacks, as ``GET /pets``; empty if it has all."""
        api = contract.api
        for each in api.described if api else ():
            has_method = rf"^\s*{each.method.lower()}\??:(?!\s*never)"
            text = self.paths.get(each.path, "")
            if not each.not_served and not re.search(has_method, text, re.MULTILINE):
                return f"{each.method} {each.path}"
        return ""


def modules_of(contracts: Contracts, given: Sequence[str]) -> tuple[Mapping[str, Path], list[str]]:
    """Return the file with the types of each contract that has one, by label, and warnings.

    :param given: the files that the user names, or `NONE`; empty to look for them.
    :raise InputError: a file that the user names cannot be read, or lacks an operation.
    """
    documents = [each for each in contracts.all if each.api is not None]
    if given == (NONE,) or not documents:
        return {}, []
    files = [*_named(given)] if given else [*_found()]
    result: dict[str, Path] = {}
    lacking: dict[Path, str] = {}
    for contract in documents:
        for each in files:
            if not (lack := each.lacks(contract)):
                result.setdefault(contract.label, each.file)
            elif len(documents) == 1 or len(each.paths.keys() & _paths(contract)) > 1:
                lacking[each.file] = f"it lacks {lack} of {contract.label}"
    unused = {file: what for file, what in lacking.items() if file not in result.values()}
    if given and unused:
        hint = f"write it again with {_WRITTEN_BY}, or pass --api-types {NONE}"
        raise InputError([problem_with(str(file), what, hint) for file, what in unused.items()])
    return result, [
        f"{file} is not used for the types: {what}; write it again with {_WRITTEN_BY}"
        for file, what in unused.items()
    ]


def _paths(contract: Contract) -> set[str]:
    return {each.path for each in contract.api.described} if contract.api else set()


def _named(given: Sequence[str]) -> Iterator[_Types]:
    for name in given:
        try:
            if Path(name).is_char_device() or Path(name).is_fifo():  # reading would not end
                raise OSError(None, "it is not a regular file")
            text = Path(name).read_text(encoding="utf-8")
        except (OSError, UnicodeError) as error:
            near = did_you_mean(name, [NONE])
            what = f"cannot read this file: {getattr(error, 'strerror', None) or error}"
            raise InputError([problem_with(name, what, near)]) from error
        if not _PATHS.search(text):
            what = f"has no type {quote('paths')}, as {_WRITTEN_BY} writes it"
            raise InputError([problem_with(name, what, f"pass its file, or {NONE}")])
        yield _types(Path(name), text)


def _found() -> Iterator[_Types]:
    """Yield the files of the app that openapi-typescript has written."""
    for path in source_files():
        try:
            if not path.name.endswith((".ts", ".mts")) or not path.is_file():
                continue
            with path.open(encoding="utf-8") as file:
                text = file.read(_HEAD)
                if _WRITTEN_BY in text:
                    text += file.read()
        except (OSError, UnicodeError):
            continue
        if _WRITTEN_BY in text and _PATHS.search(text):
            yield _types(path, text)


def _types(path: Path, text: str) -> _Types:
    found = [*_PATH.finditer(text)]
    ends = [*(each.start() for each in found[1:]), len(text)]
    paths: dict[str, str] = {}
    for each, end in zip(found, ends, strict=True):
        paths.setdefault(each[1], text[each.start() : end])
    return _Types(path, paths)
