"""The contract tests of `tests/web`, for callers that reach the server through a proxy."""

import inspect
from collections.abc import Callable, Mapping
from itertools import product

import pytest

from tests.http_client import Client, Response, Transport
from tests.web import test_contract


class Through:
    """Sends requests through a proxy; what the proxy rejects itself goes to the server too.

    :param rejected: whether the proxy rejects a request with this method and target.
    """

    def __init__(
        self, proxy: Transport, server: Transport, rejected: Callable[[str, str], bool]
    ) -> None:
        self._proxy, self._server, self._rejected = proxy, server, rejected

    def ask(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | None
    ) -> Response:
        response = self._proxy.ask(method, target, headers, body)
        if self._rejected(method, target):
            assert response.header("Mockpets-Session") is None, f"the proxy passed {target!r}"
            return self._server.ask(method, target, headers, body)
        return response


def cases_of(test: Callable[..., None]) -> list[dict[str, object]]:
    """Return the arguments of each case of a test, without fixtures."""
    cases: list[dict[str, object]] = [{}]
    for mark in getattr(test, "pytestmark", ()):
        assert mark.name == "parametrize", mark
        names, table = mark.args
        rows = [(row,) for row in table] if isinstance(names, str) else table
        names = [names] if isinstance(names, str) else names
        cases = [case | dict(zip(names, row, strict=True)) for case, row in product(cases, rows)]
    return cases


def check_contract(call: Client) -> None:
    """Run all contract tests with a caller; fail with all of their failures."""
    failures: dict[str, BaseException] = {}
    ran = 0
    for name, test in inspect.getmembers(test_contract, inspect.isfunction):
        if name.startswith("test_"):
            for case in cases_of(test):
                ran += 1
                try:
                    test(call=call, **case)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - reported below
                    failures[f"{name} {case}"] = error
    assert ran > 200, "the contract tests were not found"
    if failures:
        raise BaseExceptionGroup("\n".join(failures), [*failures.values()])
