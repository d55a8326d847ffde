"""A schema's quick acceptance agrees with marshmallow's, which reports the problems."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets.contract.contract_model import Schema
from mockpets.contract.fields import INVALID
from mockpets.contract.pet_store import PET_STORE

SCHEMAS = {
    **PET_STORE.schemas,
    **{f"query of {name}": each.query for name, each in PET_STORE.operations.items()},
    **{f"path of {name}": each.parameters for name, each in PET_STORE.operations.items()},
}
NUMBERS = st.integers(-(2**64), 2**64) | st.floats(allow_nan=False) | st.decimals(allow_nan=False)
WORDS = ("sold", "Sold", "7", "100", "101", "-1", "٣", "\ud800")
TEXTS = st.text(max_size=3) | st.sampled_from(WORDS)
VALUES: Any = st.none() | st.booleans() | NUMBERS | TEXTS | st.just([]) | st.just({"a": 1})
NAMES = [*sorted({name for schema in SCHEMAS.values() for name in schema.fields}), "other"]
VALID = {"id": 7, "name": "Miso", "categoryId": 2, "status": "sold", "code": "x", "message": "y"}
SOME: Any = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=3)
OBJECTS: Any = SOME | SOME.map(lambda some: {**VALID, **some}) | VALUES


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
@given(value=OBJECTS, partial=st.booleans())
def test_a_value_is_accepted_if_marshmallow_finds_no_problem(
    schema: Schema, value: object, partial: bool
) -> None:
    accepted = schema.accept(value, partial=partial)
    problems = schema._validate(value, partial=partial)

    assert (accepted is INVALID) == bool(problems)
