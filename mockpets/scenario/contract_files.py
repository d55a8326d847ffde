"""Load the contracts that a server has: documents, and the built-in one."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote

from mockpets.constants import (
    BASE_MARK,
    BUILT_IN_CONTRACT,
    CONTRACT_EXTENSION,
    CONTROL_PREFIX,
)
from mockpets.contract.contract_model import Contract, Contracts
from mockpets.contract.pet_store import BUILT_IN, PET_STORE
from mockpets.errors import InputError, Problem, problem_with
from mockpets.scenario.folders import source_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_DAY: Final = 24 * 3600
"""In seconds."""


class Given(NamedTuple):
    """A contract as a user names it.

    :param base: the path under which it lies; None for that of its first server.
    :param file: its document; None for the built-in one.
    :param text: as the user wrote it.
    """

    base: str | None
    file: Path | None
    text: str


def parse(text: str) -> Given:
    """Return what ``FILE``, ``/PATH=FILE`` or the name of the built-in contract means."""
    found = re.fullmatch(r"(/[^=]*)=(.+)", text)
    base, name = (found[1].rstrip("/"), found[2]) if found else (None, text)
    return Given(base, None if name == BUILT_IN_CONTRACT else Path(name), text)


def load_contracts(texts: Sequence[str], corrections: Path | None = None) -> Contracts:
    """Return the contracts that texts name; the built-in one if there are none.

    :param corrections: the file with those of the only document; by default that beside it.

    :raise InputError: a document is invalid, or two contracts lie at one path.
    """
    given = [parse(text) for text in texts]
    contracts: list[Contract] = []
    problems: list[Problem] = []
    files = sum(each.file is not None for each in given)
    if corrections is not None and files != 1:
        what = f"is for one document, and --contract names {files or 'none'}"
        hint = "name one, or put each file beside its document, as blog.mockpets.yaml"
        raise InputError([problem_with("--corrections", what, hint)])
    if not texts:
        return BUILT_IN
    for each in given:
        try:
            contracts.append(load_contract(each, corrections))
        except InputError as error:
            problems += error.problems
    problems = problems or [*_at_one_path(given, contracts)]
    if problems:
        raise InputError(problems)
    return Contracts(*_distinct(_labelled(contracts)))


def _at_one_path(given: Sequence[Given], contracts: Sequence[Contract]) -> Iterator[Problem]:
    """Yield a problem for each contract at the path of an earlier one, or of mockpets itself."""
    first: dict[str, Given] = {}
    for each, contract in zip(given, contracts, strict=True):
        base = contract.base
        other = first.setdefault(base, each)
        what = _reserved(base) if other is each else f"as {other.text} does"
        if not what:
            continue
        # The built-in contract has only one path.
        document, it = (each.file, "it") if each.file else (other.file, other.text)
        hint = "name it once"
        if document:
            hint = f"give {it} another path: --contract /{_label(document)}={document}"
        what = f"{each.text} lies at {base or '/'}, {what}"
        yield problem_with("--contract", what, hint)


def _reserved(base: str) -> str:
    """Return why no document can lie at a path; empty if one can."""
    if f"{base}/".startswith((f"{CONTROL_PREFIX}/", f"/{BASE_MARK}")):
        return "which is for mockpets itself"
    return ""


def load_contract(given: Given, corrections: Path | None = None) -> Contract:
    """Return a contract, or raise InputError as `load_contracts`."""
    if given.file is None:
        if given.base not in (None, PET_STORE.base):
            what = f"{BUILT_IN_CONTRACT} lies at {PET_STORE.base}, not at {given.base or '/'}"
            hint = f"write --contract {BUILT_IN_CONTRACT}"
            raise InputError([problem_with("--contract", what, hint)])
        return PET_STORE
    # Imported here, because many servers have the built-in one alone.
    from mockpets.contract.any_document import contract_of
    from mockpets.contract.corrections import Corrections, corrections_beside
    from mockpets.contract.details import Api
    from mockpets.contract.openapi_loader import base_path, load

    document = load(given.file, str(given.file))
    corrections = corrections or corrections_beside(given.file)
    corrected = Corrections()
    if corrections is not None or CONTRACT_EXTENSION in document.root:
        # Importing the language of scenario files takes as long as reading a short document.
        from mockpets.scenario.language.corrections_file import load_corrections

        corrected = load_corrections(document, corrections)
    today = int(time() // _DAY * _DAY * 1000)
    api = Api(document, corrected, today)
    base = unquote(base_path(document)) if given.base is None else given.base
    return contract_of(api, _label(given.file), base)


def _label(file: Path) -> str:
    """Return the name of a document in the names of its parts: ``blog`` for ``blog.v2.yaml``."""
    label = re.sub("[^a-z0-9]+", "-", file.name.partition(".")[0].lower()).strip("-") or "api"
    return f"{label}-api" if label == BUILT_IN_CONTRACT else label


def _labelled(contracts: Sequence[Contract]) -> list[Contract]:
    """Return contracts with different labels: the second ``blog`` is ``blog-2``."""
    labels: set[str] = set()
    result = []
    for each in contracts:
        candidates = chain([each.label], (f"{each.label}-{number}" for number in count(2)))
        label = next(label for label in candidates if label not in labels)
        labels.add(label)
        result.append(each._replace(label=label))
    return result


def _distinct(contracts: Sequence[Contract]) -> Iterator[Contract]:
    """Yield contracts whose operations and collections have different names.

    What several contracts have gets the contract's name before its own: ``blog.users``.
    """
    operations = Counter(name.lower() for each in contracts for name in each.operations)
    collections = Counter(name for each in contracts for name in each.collections)
    for each in contracts:
        names = {name: f"{each.label}.{name}" for name in each.collections if collections[name] > 1}
        labelled = {
            name: replace(collection, name=names.get(name, name), renamed=(*names.items(),))
            for name, collection in each.collections.items()
        }
        known = []
        for name, operation in each.operations.items():
            own = operation.collection and labelled[operation.collection.name]
            full = f"{each.label}.{name}" if operations[name.lower()] > 1 else name
            known.append(replace(operation, name=full, collection=own))
        yield each._replace(
            operations={operation.name: operation for operation in known},
            collections={collection.name: collection for collection in labelled.values()},
        )


class ContractFiles:
    """The contracts that texts name, which are loaded again after one of their files changed.

    :param texts: as for `load_contracts`, as are the corrections.
    :raise InputError: that of `load_contracts`.
    """

    def __init__(self, texts: Sequence[str] = (), corrections: Path | None = None) -> None:
        self._texts = texts
        self._corrections = corrections
        self._contracts = load_contracts(texts, corrections)
        self._error: InputError | None = None
        self._signature = self._sign()

    def current(self) -> Contracts:
        """Return the contracts: the same object while no file changes.

        :raise InputError: a file is invalid now.
        """
        signature = self._sign() if self._signature else ()
        if signature != self._signature:
            self._signature = signature
            self._error = None
            try:
                self._contracts = load_contracts(self._texts, self._corrections)
            except InputError as error:
                self._error = error
            else:
                self._signature = self._sign()  # it may consist of other files now
        if self._error is not None:
            raise self._error
        return self._contracts

    def _sign(self) -> tuple[object, ...]:
        """Return the versions of all files; nothing without a document."""
        documents = [each.api.document for each in self._contracts.all if each.api is not None]
        if not documents:
            return ()
        from mockpets.contract.corrections import corrections_beside

        own = [self._corrections] if self._corrections else []
        beside = [corrections_beside(each.paths[0]) for each in documents] if not own else []
        files = [*(path for each in documents for path in each.paths), *own, *filter(None, beside)]
        return tuple(source_of(path, str(path)) for path in files)
