"""Values are written as compact JSON, also without the encoder in C."""

import json

import pytest

from mockpets import strict_json
from mockpets.strict_json import dump_json


def test_json_is_compact_and_unicode() -> None:
    raw = dump_json({"a": [1, 2.5, True, None, {}], "é": 'x "y"\n'})

    assert raw.decode() == '{"a":[1,2.5,true,null,{}],"é":"x \\"y\\"\\n"}'


@pytest.mark.parametrize("value", [{}, [], "x", 7, None, {"a": [1, 2.5, {"é": 'x "y"\n'}]}])
def test_json_is_written_alike_without_the_encoder_in_c(
    value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json.encoder, "c_make_encoder", None)

    assert "".join(strict_json._encoder()(value, 0)).encode() == dump_json(value)


def test_a_number_that_json_cannot_represent_is_rejected() -> None:
    with pytest.raises(ValueError, match="JSON"):
        dump_json({"a": float("nan")})
