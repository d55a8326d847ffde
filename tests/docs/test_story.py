"""The stories of the README and of an API of your own: animations, and still pictures.

Those who start with their API see a picture, and select it to play the animation.
"""

import re
from struct import unpack_from

import pytest

from tests.docs.page import ROOT

FOLDER = ROOT / "docs" / "screenshots"


def chunks(animation: bytes) -> list[tuple[bytes, bytes]]:
    """Return the name and content of each RIFF chunk of a WebP file."""
    result, position = [], 12
    while position < len(animation):
        name, size = unpack_from("<4sI", animation, position)
        result.append((name, animation[position + 8 : position + 8 + size]))
        position += 8 + size + size % 2
    return result


def test_the_readme_shows_the_animation_or_on_phones_and_without_motion_a_picture() -> None:
    [picture] = re.findall(
        "<picture>.*?</picture>", (ROOT / "README.md").read_text("utf-8"), re.DOTALL
    )

    assert re.findall("<source (.*)>", picture) == [
        'media="(max-width:600px)" srcset="docs/screenshots/story-phone.png"',
        'media="(prefers-reduced-motion: reduce)" srcset="docs/screenshots/story.png"',
    ]
    assert re.findall('<img src="(.*?)"', picture) == ["docs/screenshots/story.webp"]
    assert "503" in re.findall('alt="(.*?)"', picture)[0]


@pytest.mark.parametrize(
    ("name", "seconds", "size"), [("story", 20, 200_000), ("clinic-story", 90, 400_000)]
)
def test_the_animation_is_short_and_small(name: str, seconds: int, size: int) -> None:
    animation = (FOLDER / f"{name}.webp").read_bytes()
    frames = [content for name, content in chunks(animation) if name == b"ANMF"]
    milliseconds = [int.from_bytes(frame[12:15], "little") for frame in frames]

    assert len(animation) <= size
    assert sum(milliseconds) == 1000 * seconds
    assert min(milliseconds) >= 800


def test_a_picture_with_a_text_leads_from_your_own_api_to_the_animation() -> None:
    page = (ROOT / "docs/start/your-own-api.md").read_text("utf-8")
    [(animation, picture, text)] = re.findall(
        '<a href="(.*?)"><img src="(.*?)" alt="(.*?)"></a>', page
    )

    assert len(text.split()) >= 8
    assert picture == "../screenshots/clinic-story.png"
    assert animation == "../screenshots/clinic-story.webp"


def test_the_pictures_have_two_pixels_for_each_of_a_page_and_at_most_300_kb() -> None:
    animation = chunks((FOLDER / "story.webp").read_bytes())
    [canvas] = [content for name, content in animation if name == b"VP8X"]
    still, phone = ((FOLDER / f"{name}.png").read_bytes() for name in ("story", "story-phone"))
    size = tuple(int.from_bytes(canvas[start : start + 3], "little") + 1 for start in (4, 7))

    assert size == unpack_from(">II", still, 16)
    assert (size[0], *unpack_from(">I", phone, 16)) == (2 * 700, 2 * 390)
    assert max(len(still), len(phone)) <= 300_000
