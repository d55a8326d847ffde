"""``mockpets serve --contract``: what is wrong with a document is one line, and the status is 2."""

import gc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, list[str], list[str]]]
GOOD = """\
openapi: 3.1.0
info: {title: A, version: "1"}
paths:
  /a: {get: {operationId: getA, responses: {"200": {description: ok}}}}
"""
STOPPED = "mockpets: the server did not start"


@pytest.fixture(autouse=True)
def files(here: Path) -> Iterator[None]:
    """Write files to the current folder. Afterwards, enable what the command disables."""
    texts = {
        "good.yaml": GOOD,
        "reference.yaml": GOOD.replace("{description: ok}", "{$ref: '#/components/responses/A'}"),
        "broken.yaml": "openapi: 3.1.0\npaths: [\n",
        "broken.json": '{"openapi": "3.0.0",',
        "swagger.yaml": 'swagger: "2.0"\ninfo: {title: A}\npaths: {}\n',
        "bare.yaml": "openapi: 3.1.0\npaths: {}\n",
        "empty.yaml": "",
        "text.yaml": "Hello\n",
        "corrected.yaml": GOOD,
        "corrected.mockpets.yaml": "operations:\n  getB: {example: true}\n",
    }
    for name, text in texts.items():
        (here / name).write_text(text, encoding="utf-8")
    (here / "folder").mkdir()
    yield
    gc.enable()


@pytest.mark.parametrize(
    ("contract", "line"),
    [
        ("missing.yaml", "--contract: must be an existing OpenAPI document, got 'missing.yaml'"),
        ("folder", "--contract: must be an existing OpenAPI document, got 'folder'"),
        ("/a=missing.yaml", "--contract: must be an existing OpenAPI document, got 'missing.yaml'"),
        ("a=good.yaml", "--contract: must be FILE or /PATH=FILE, got 'a=good.yaml'"),
        ("good.yaml,/~a=good.yaml", "--contract: must be FILE or /PATH=FILE, got '/~a=good.yaml'"),
    ],
)
def test_a_value_that_names_no_document(run: Run, contract: str, line: str) -> None:
    assert run("serve", "--port", "0", "--contract", contract) == (2, [], [f"mockpets: {line}"])


@pytest.mark.parametrize(
    ("contract", "line"),
    [
        (
            "reference.yaml",
            "reference.yaml:4:59: paths.'/a'.get.responses.200.$ref: the reference "
            "'#/components/responses/A' leads nowhere",
        ),
        ("broken.yaml", "broken.yaml:3:1: a bracket is never closed; add the closing bracket"),
        (
            "broken.json",
            "broken.json:1:21: is not valid JSON: "
            "expecting property name enclosed in double quotes",
        ),
        (
            "swagger.yaml",
            "swagger.yaml: is a Swagger 2.0 document; mockpets reads OpenAPI 3.0 and 3.1; "
            "convert it: npx swagger2openapi swagger.yaml -o openapi.yaml",
        ),
        (
            "bare.yaml",
            "bare.yaml:1:1: has no paths, so there is nothing to serve; "
            "add paths: {/posts: {get: ...}}",
        ),
        ("empty.yaml", "empty.yaml: is empty"),
        ("text.yaml", "text.yaml: is plain text, not an OpenAPI document; check the path"),
        (
            "corrected.yaml",
            "corrected.mockpets.yaml:2:3: operations: unknown operation 'getB'; "
            "did you mean 'getA'?",
        ),
        (
            "good.yaml,/=good.yaml",
            "--contract: /=good.yaml lies at /, as good.yaml does; "
            "give it another path: --contract /good=good.yaml",
        ),
    ],
)
def test_an_invalid_document(run: Run, contract: str, line: str) -> None:
    status, out, err = run("serve", "--port", "0", "--contract", contract)
    assert (status, out) == (2, [])
    assert err == [f"mockpets: {line}", STOPPED]


def test_corrections_without_a_document(run: Run) -> None:
    arguments = ("serve", "--port", "0", "--corrections", "corrected.mockpets.yaml")
    status, _, err = run(*arguments)
    assert status == 2
    assert err[0].startswith("mockpets: --corrections: is for one document, ")
