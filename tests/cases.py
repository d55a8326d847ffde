"""A loop over the cases of a test, which reports all cases that fail."""

import functools
import inspect
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

Test = Callable[..., None]

START = Path.cwd()
PREFIX = "case-"
"""How the names of the cases' folders begin."""


def each(names: str, cases: Iterable[Any]) -> Callable[[Test], Test]:
    """Run a test for each case, as `pytest.mark.parametrize` does, but as one test.

    For cases that need no new fixture each: a server with a module's scope, or none. A test of 400
    cases then counts as one, in the list of tests and in the time that pytest takes to run it.
    Each case has its own `monkeypatch`, and a copy of the test's temporary folder as its own.

    :param names: the test's parameters that a case sets, separated by commas.
    :param cases: the values, as tuples if there are several names.
    """
    arguments = [name.strip() for name in names.split(",")]
    table = [tuple(case) if len(arguments) > 1 else (case,) for case in cases]
    assert table, f"no cases for {names}"

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run_all(**fixtures: Any) -> None:
            failed = []
            for values in table:
                try:
                    _run(test, dict(zip(arguments, values, strict=True)), fixtures)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - reported below
                    own = error.with_traceback(error.__traceback__ and error.__traceback__.tb_next)
                    report = pytest.ExceptionInfo.from_exception(own).getrepr(style="short")
                    label = ", ".join(f"{value!r:.200}" for value in values)
                    failed.append(f"--- {names} = {label}\n{report}")
            if failed:
                text = "\n".join(failed)
                pytest.fail(f"{len(failed)} of {len(table)} cases:\n{text}", pytrace=False)

        signature = inspect.signature(test)
        fixtures = [value for name, value in signature.parameters.items() if name not in arguments]
        run_all.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]  # for pytest
        return run_all

    return decorate


def _run(test: Test, values: dict[str, Any], fixtures: dict[str, Any]) -> None:
    own = {**fixtures, **values}
    with pytest.MonkeyPatch.context() as patch:
        if "monkeypatch" in own:
            own["monkeypatch"] = patch
        if "capsys" in own:
            own["capsys"].readouterr()  # what a case that failed has printed
        here = Path.cwd()
        for base in {here, own.get("tmp_path", here)} - {START}:
            folder = Path(mkdtemp(prefix=PREFIX, dir=base))
            ignored = shutil.ignore_patterns(f"{PREFIX}*")
            shutil.copytree(base, folder, symlinks=True, ignore=ignored, dirs_exist_ok=True)
            own |= {name: folder for name, value in own.items() if value == base}
            if here == base:
                patch.chdir(folder)
        test(**own)
