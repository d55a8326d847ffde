"""The pictures of the documentation: each is shown, and none but an animation is large."""

import re

import pytest

from tests.docs.page import PAGES, ROOT

FOLDER = ROOT / "docs" / "screenshots"


def test_every_picture_is_shown_and_no_larger_than_200_kb() -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES)
    shown = set(re.findall(r"screenshots/([\w/-]+\.\w+)", text))
    sizes = {
        path.relative_to(FOLDER).as_posix(): path.stat().st_size
        for path in FOLDER.rglob("*.*")
        if path.is_file()
    }

    assert shown == sizes.keys()
    sizes.pop("clinic-story.webp")  # which takes ninety seconds: see test_story.py
    assert {name: size for name, size in sizes.items() if size > 200_000} == {}


@pytest.mark.parametrize("app", ["pet-store", "clinic"])
def test_the_gallery_has_twelve_states_of_an_app_of_at_most_40_kb(app: str) -> None:
    page = (ROOT / "docs/bugs/every-state.md").read_text("utf-8")
    shown = re.findall(rf"screenshots/states/{app}/([\w-]+)\.png", page)
    sizes = {path.stem: path.stat().st_size for path in (FOLDER / "states" / app).iterdir()}

    assert len(shown) == 12
    assert {*shown} == sizes.keys()
    assert {name: size for name, size in sizes.items() if size > 40_000} == {}
