"""Corrections are read from the document and from the file beside it, or have problems."""

from contextlib import chdir
from pathlib import Path

import pytest

from mockpets.contract.corrections import Corrections, corrections_beside
from mockpets.contract.openapi_loader import load
from mockpets.errors import InputError
from mockpets.scenario.language.corrections_file import load_corrections

BLOG = """\
openapi: 3.1.0
paths:
  /articles:
    get:
      operationId: listArticles
      responses:
        200:
          content:
            application/json:
              schema: {type: array, items: {$ref: '#/components/schemas/Article'}}
  /articles/{slug}/favorite:
    parameters: [{name: slug, in: path}]
    post: {operationId: favorite}
  /tags:
    get: {}
components:
  schemas:
    Article:
      properties:
        title: {type: string}
        tagList: {type: array, items: {type: string}}
        status: {type: string}
        author: {properties: {following: {type: boolean}}}
"""
CORRECTIONS = """\
operations:
  listArticles: {list: articles, where: {author.following: true}, sort: -title}
  favorite: {act: articles, set: {status: liked, author: {from: me}}}
  GET /tags: {values: articles.tagList}
collections:
  articles: {id: slug, set: {title: {slugify: status}}, sort: title}
  profiles: {shows: users, parent: articles}
security: {prefix: Token}
"""


def corrections(folder: Path, beside: str = "", inside: str = "", name: str = "") -> Corrections:
    (folder / "api").mkdir(exist_ok=True)
    with chdir(folder):
        path = Path("api/blog.yaml")
        path.write_text(BLOG + inside, encoding="utf-8")
        if beside:
            Path("api", name or "blog.mockpets.yaml").write_text(beside, encoding="utf-8")
        other = Path("api", name) if name else corrections_beside(path)
        return load_corrections(load(path, str(path)), other)


def problems(folder: Path, beside: str = "", inside: str = "", name: str = "") -> list[str]:
    with pytest.raises(InputError) as caught:
        corrections(folder, beside, inside, name)
    return str(caught.value).splitlines()


def check(found: Corrections) -> None:
    assert {name: tuple(each[:6]) for name, each in found.operations.items()} == {
        "listArticles": ("list", "articles", "", {"author.following": True}, {}, "-title"),
        "favorite": ("act", "articles", "", {}, {"status": "liked", "author": {"from": "me"}}, ""),
        "get-tags": ("values", "articles", "tagList", {}, {}, ""),
    }
    assert {name: tuple(each[:5]) for name, each in found.collections.items()} == {
        "articles": ("slug", "", "", {"title": {"slugify": "status"}}, "title"),
        "profiles": ("", "articles", "users", {}, ""),
    }
    assert found.prefix == "Token"


def test_corrections_beside_the_document(tmp_path: Path) -> None:
    found = corrections(tmp_path, CORRECTIONS)

    check(found)
    assert found.operations["favorite"].place == ("api/blog.mockpets.yaml", 3, 13)


def test_corrections_in_the_document(tmp_path: Path) -> None:
    lines = "".join(f"  {line}\n" for line in CORRECTIONS.splitlines())

    check(corrections(tmp_path, inside=f"x-mockpets:\n{lines}"))


def test_corrections_at_another_place(tmp_path: Path) -> None:
    check(corrections(tmp_path, CORRECTIONS, name="other.yaml"))


def test_corrections_in_json(tmp_path: Path) -> None:
    found = corrections(tmp_path, '{"security": {"prefix": "Key"}}', name="blog.mockpets.json")

    assert found == Corrections(prefix="Key")


def test_entries_of_the_file_replace_those_of_the_document(tmp_path: Path) -> None:
    inside = "x-mockpets: {operations: {favorite: {example: true}, listArticles: {list: a}}}\n"

    found = corrections(tmp_path, "operations: {favorite: {one: b}}", inside)

    roles = {name: (each.role, each.collection) for name, each in found.operations.items()}
    assert roles == {"favorite": ("one", "b"), "listArticles": ("list", "a")}


def test_without_corrections(tmp_path: Path) -> None:
    assert corrections(tmp_path) == Corrections()


BAD = [
    ("operation: {}", ["1:1: unknown key 'operation'; did you mean 'operations'?"]),
    (
        "operations:\n  listArticle: {list: articles}\n  x: {}",
        [
            "2:3: operations: unknown operation 'listArticle'; did you mean 'listArticles'?",
            "3:3: operations: unknown operation 'x'; mockpets contract lists them",
        ],
    ),
    (
        "operations: {favorite: {lst: articles}}",
        ["1:25: operations.favorite: unknown key 'lst'; did you mean 'list'?"],
    ),
    (
        "operations: {favorite: {act: articles, toggle: articles}}",
        [
            "1:24: operations.favorite: 'toggle' and 'act' cannot be combined; an operation has "
            "one role; remove one of them"
        ],
    ),
    (
        "operations: {favorite: {act: 5}}",
        ['1:30: operations.favorite.act: must be the name of a collection, got 5; quote it: "5"'],
    ),
    (
        "operations: {favorite: {example: false}}",
        ["1:34: operations.favorite.example: must be true, got false; remove it, or name the role"],
    ),
    (
        "operations: {get-tags: {values: tagList}}",
        [
            "1:33: operations.get-tags.values: must be a property of a collection, such as "
            "articles.tagList, got 'tagList'"
        ],
    ),
    (
        "operations: {get-tags: {values: articles.taglist}}",
        ["1:33: operations.get-tags.values: unknown property 'taglist'; did you mean 'tagList'?"],
    ),
    (
        "operations: {listArticles: {where: {author.followin: true}, sort: -tite, set: {x: 1}}}",
        [
            "1:37: operations.listArticles.where.'author.followin': unknown property 'followin'; "
            "did you mean 'following'?",
            "1:67: operations.listArticles.sort: unknown property 'tite'; did you mean 'title'?",
            "1:80: operations.listArticles.set.x: unknown property 'x'; no schema of the contract "
            "has it",
        ],
    ),
    (
        "operations: {listArticles: {}, GET /articles: {}}",
        ["1:32: operations: the operation 'listArticles' is corrected twice"],
    ),
    (
        "collections: {articles: {set: {title: {slugify: titel}}, parent: [a], ids: a}}",
        [
            "1:49: collections.articles.set.title.slugify: unknown property 'titel'; did you mean "
            "'title'?",
            "1:66: collections.articles.parent: must be the name of a collection, got a list",
            "1:71: collections.articles: unknown key 'ids'; did you mean 'id'?",
        ],
    ),
    (
        "security: {prefix: a b}",
        ["1:20: security.prefix: must be one word, such as Token, got 'a b'"],
    ),
    ("- a", ["1:1: must be a mapping, got a list"]),
    ("a: [1", ["1:4: a bracket is never closed; add the closing bracket"]),
    ("# nothing", [" is empty"]),
]


@pytest.mark.parametrize(("text", "expected"), BAD)
def test_bad_corrections(tmp_path: Path, text: str, expected: list[str]) -> None:
    file = "api/blog.mockpets.yaml"

    assert problems(tmp_path, text) == [f"{file}:{line}" for line in expected]


def test_bad_corrections_in_the_document(tmp_path: Path) -> None:
    inside = "x-mockpets:\n  operations:\n    favorit: {act: articles}\n    favorite: {act: }\n"

    assert problems(tmp_path, inside=inside) == [
        "api/blog.yaml:26:5: x-mockpets.operations: unknown operation 'favorit'; did you mean "
        "'favorite'?",
        "api/blog.yaml:27:21: x-mockpets.operations.favorite.act: must be the name of a "
        "collection, got null; add a value or remove the key",
    ]


def test_a_missing_file_that_is_named(tmp_path: Path) -> None:
    [problem] = problems(tmp_path, name="other.yaml")

    assert problem.endswith("other.yaml: file not found; check the path")
