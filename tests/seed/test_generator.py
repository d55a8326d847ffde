"""Generated pets: the same bytes forever, and a fair mix in every block."""

import hashlib
import json
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random

import pytest
from faker import Faker, Generator
from hypothesis import given
from hypothesis import strategies as st

import mockpets
from mockpets.constants import INT64_MAX
from mockpets.contract.contract_model import Record
from mockpets.contract.pet_store import PET_STORE
from mockpets.seed.generator import BLOCK, PetProvider, generate
from mockpets.seed.names import CATEGORIES, DEFAULT_LOCALE, LOCALES

STATUSES = tuple(PET_STORE.document["components"]["schemas"]["PetStatus"]["enum"])
PET = PET_STORE.schemas["Pet"]

SEEDS = st.integers(min_value=0, max_value=INT64_MAX)
LOCALE_NAMES = st.sampled_from(sorted(LOCALES))
COUNTS = st.integers(min_value=0, max_value=5 * BLOCK)

DEFAULT_PETS = b"""\
{"id":1,"name":"Buster","categoryId":1,"status":"sold"}
{"id":2,"name":"Diesel","categoryId":3,"status":"available"}
{"id":3,"name":"Peanut","categoryId":1,"status":"available"}
{"id":4,"name":"Bella","categoryId":3,"status":"pending"}
{"id":5,"name":"Rusty","categoryId":5,"status":"pending"}
{"id":6,"name":"Rocky","categoryId":2}
{"id":7,"name":"Tank","categoryId":1,"status":"available"}
{"id":8,"name":"Mittens","categoryId":2,"status":"pending"}
{"id":9,"name":"Gizmo","categoryId":6,"status":"available"}
{"id":10,"name":"Gracie","categoryId":1,"status":"available"}
{"id":11,"name":"Gus","categoryId":2,"status":"sold"}
{"id":12,"name":"Midnight","categoryId":4,"status":"available"}
{"id":13,"name":"Snickers","categoryId":2}
{"id":14,"name":"Casper","categoryId":6,"status":"available"}
{"id":15,"name":"Abby","categoryId":5,"status":"sold"}
{"id":16,"name":"Bear","categoryId":4,"status":"available"}"""


def written(pets: Iterable[Record]) -> bytes:
    return b"\n".join(map(PET.dump, pets))


def sha256(pets: Iterable[Record]) -> str:
    return hashlib.sha256(written(pets)).hexdigest()


def dealt(generator: Generator, seed: int, locale: str, count: int) -> tuple[Record, ...]:
    generator.random = Random(seed)
    provider = PetProvider(generator, locale)
    return tuple(provider.pet(number) for number in range(1, count + 1))


def blocks(pets: tuple[Record, ...]) -> list[tuple[Record, ...]]:
    return [pets[start : start + BLOCK] for start in range(0, len(pets), BLOCK)]


# --- The same bytes forever -------------------------------------------------------------------


PETS_OF_A_BUILD = """
import json, sys
from mockpets.contract.pet_store import PET_STORE
from mockpets.seed.generated_records import generate
[pets] = PET_STORE.collections.values()
for count, seed, locale in json.loads(sys.argv[1]):
    print(json.dumps(generate(pets, count, seed, locale)), "faker" in sys.modules)
"""


def test_a_build_has_the_default_pets_and_generates_the_others(of_build: Mapping[str, str]) -> None:
    default, others = [0, 1, 16, 50, 64], [(65, 1, "en_US"), (16, 2, "en_US"), (16, 1, "de_DE")]
    cases = [*((count, 1, DEFAULT_LOCALE) for count in default), *others]
    done = subprocess.run(
        [sys.executable, "-c", PETS_OF_A_BUILD, json.dumps(cases)],
        env=of_build,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.splitlines() == [
        f"{json.dumps(generate(*case))} {case in others}" for case in cases
    ]


def test_the_default_pets_are_these() -> None:
    assert written(generate(16, 1, DEFAULT_LOCALE)) == DEFAULT_PETS


@pytest.mark.parametrize(("count", "seed", "locale", "digest", "names"), [
    (16, 0, "ja_JP", "efcd4086998be0bf9f83e9d516f485664837f52a416785a7422651efc20ac015",
     ["ジャック", "だいず", "クッキー"]),
    (1_000, 7, "de_DE", "cf98bddb229709560882ec8bb00efdd899245318dd0365213fb403e165c085dd",
     ["Hansi", "Bello", "Anton"]),
    (500, INT64_MAX, "ar_SA", "ec0fcafaf641a63c039f1f481954c19b9478ed02c4b57304bcd3d8c9586c7da3",
     ["وردة", "رمانة", "كوكو"]),
    (10_000, 42, "he_IL", "ed066cac976c2b581754ae1f6afb5436eddf9dd8eab8dbe09cfadef74a8f5f04",
     ["עוגי", "דבש", "שושי"]),
], ids=["ja_JP", "de_DE", "ar_SA", "he_IL"])  # fmt: skip
def test_golden(count: int, seed: int, locale: str, digest: str, names: list[str]) -> None:
    pets = generate(count, seed, locale)
    assert [pet["name"] for pet in pets[:3]] == names
    assert sha256(pets) == digest


def test_every_locale_is_pinned() -> None:
    every = (pet for locale in sorted(LOCALES) for pet in generate(64, 5, locale))
    assert sha256(every) == "c476f9dc1038fdcc37c3d87d24c99ae3669f2586a2f390a3f9e19415d29d62b3"


@pytest.mark.parametrize("generator", [
    # Klingon is unknown to Faker. (Its type hint for **config covers the whole mapping.)
    Generator(locale="tlh_QO"),  # type: ignore[arg-type]
    Generator(),
    Faker("ja_JP", use_weighting=False).factories[0],
    Faker("de_DE", use_weighting=True).factories[0],
], ids=["unknown locale", "default locale", "Japanese", "German, weighted"])  # fmt: skip
def test_the_faker_instance_does_not_matter(generator: Generator) -> None:
    assert dealt(generator, 3, "sv_SE", 100) == generate(100, 3, "sv_SE")


def test_a_faker_without_any_data_gives_the_same_pets(tmp_path: Path) -> None:
    stand_in = tmp_path / "faker"
    (stand_in / "providers").mkdir(parents=True)
    (stand_in / "__init__.py").write_text("class Generator: pass\n", encoding="utf-8")
    (stand_in / "providers" / "__init__.py").write_text(
        "class BaseProvider:\n    def __init__(self, generator): self.generator = generator\n",
        encoding="utf-8",
    )
    program = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "import faker; assert not hasattr(faker, 'Faker'), 'this is the real one'\n"
        "from mockpets.contract.pet_store import PET_STORE\n"
        "from mockpets.seed.generator import generate\n"
        "dump = PET_STORE.collections['pets'].schema.dump\n"
        "sys.stdout.buffer.write(b'\\n'.join(map(dump, generate(16, 1, 'en_US'))))\n"
    )
    package = Path(mockpets.__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, str(tmp_path), str(package)],
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.stderr, done.stdout) == (b"", DEFAULT_PETS)


@given(short=COUNTS, long=COUNTS, seed=SEEDS, locale=LOCALE_NAMES)
def test_a_higher_count_only_appends_pets(short: int, long: int, seed: int, locale: str) -> None:
    short, long = sorted((short, long))
    assert generate(short, seed, locale) == generate(long, seed, locale)[:short]


# --- A fair mix -------------------------------------------------------------------------------


@given(seed=SEEDS, locale=LOCALE_NAMES, many=st.integers(min_value=1, max_value=9))
def test_every_block_has_every_status_and_category(seed: int, locale: str, many: int) -> None:
    for block in blocks(generate(many * BLOCK, seed, locale)):
        statuses = Counter(pet.get("status") for pet in block)
        assert statuses == {"available": 8, "pending": 3, "sold": 3, None: 2}
        assert {pet["categoryId"] for pet in block} == set(CATEGORIES)
        assert len({pet["name"] for pet in block}) == BLOCK


@given(seed=SEEDS, locale=LOCALE_NAMES)
def test_names_repeat_only_after_all_have_been_used(seed: int, locale: str) -> None:
    names = LOCALES[locale]
    assert {pet["name"] for pet in generate(len(names), seed, locale)} == set(names)


@given(count=COUNTS, seed=SEEDS, locale=LOCALE_NAMES)
def test_generated_pets_are_valid_with_ids_from_one(count: int, seed: int, locale: str) -> None:
    pets = generate(count, seed, locale)
    assert [pet["id"] for pet in pets] == list(range(1, count + 1))
    assert [PET_STORE.operations["getPet"].body_problems(200, pet) for pet in pets] == [[]] * count


@given(seed=SEEDS, one=LOCALE_NAMES, other=LOCALE_NAMES)
def test_a_locale_changes_only_names(seed: int, one: str, other: str) -> None:
    def nameless(locale: str) -> list[tuple[int, str | None]]:
        return [(pet["categoryId"], pet.get("status")) for pet in generate(40, seed, locale)]

    assert nameless(one) == nameless(other)


def test_each_position_gets_each_status() -> None:
    """A biased shuffle would start every shop with the same statuses, whatever the seed."""
    firsts = Counter(generate(1, seed, DEFAULT_LOCALE)[0].get("status") for seed in range(1_600))
    assert 700 < firsts["available"] < 900
    assert 100 < firsts[None] < 300
    assert set(firsts) == {*STATUSES, None}


# --- The names --------------------------------------------------------------------------------

SCRIPTS = {
    "ja_JP": ("HIRAGANA", "KATAKANA", "CJK"),
    "zh_CN": ("CJK",),
    "ko_KR": ("HANGUL",),
    "ar_SA": ("ARABIC",),
    "he_IL": ("HEBREW",),
}
"""For each locale with another script: the start of the Unicode names of its letters."""


@pytest.mark.parametrize("locale", sorted(LOCALES))
def test_names_of(locale: str) -> None:
    names = LOCALES[locale]
    assert len(names) >= 48
    assert len(names) % BLOCK == 0  # otherwise a deck could end inside a block, and a name repeat
    assert len(set(names)) == len(names)
    starts = SCRIPTS.get(locale, ("LATIN",))
    for name in names:
        assert name == unicodedata.normalize("NFC", name)
        assert all(unicodedata.name(sign).startswith(starts) for sign in name if sign != "々")
