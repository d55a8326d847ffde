"""Load and dump the values that the contract declares, and report every problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from marshmallow import ValidationError

from mockpets.contract.schemas import (
    FILTERS,
    LIST_PARAMETERS,
    NEW_PET_FIELDS,
    PET_FIELDS,
    RESPONSES,
    ErrorSchema,
    ListQuery,
    ListQuerySchema,
    NewPetSchema,
    PetSchema,
)
from mockpets.errors import MockpetsError, RequestError, did_you_mean
from mockpets.strict_json import dump_json
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mockpets.contract.schemas import NewPet, Pet

_NEW_PET: Final = NewPetSchema()
_PET: Final = PetSchema()
_PETS: Final = PetSchema(many=True)
_ERROR: Final = ErrorSchema()
_LIST_QUERY: Final = ListQuerySchema()

ValueProblem = tuple[tuple[str | int, ...], str]
"""The path to an invalid value, as keys and indexes from the root, and what is wrong with it."""


class InvalidPetError(MockpetsError):
    """A value is not a Pet."""

    def __init__(self, problems: list[ValueProblem]) -> None:
        super().__init__(_sentence(problems))
        self.problems = problems


def _problems(
    messages: Mapping[Any, Any] | list[Any], path: tuple[str | int, ...] = ()
) -> list[ValueProblem]:
    """Return marshmallow's nested messages as a flat list of problems, in the same order."""
    if isinstance(messages, list):
        return [(path, str(text)) for text in messages]
    return [
        problem
        for key, value in messages.items()
        for problem in _problems(value, path if key == "_schema" else (*path, key))
    ]


def _sentence(problems: list[ValueProblem]) -> str:
    return "; ".join(f"{'.'.join(map(str, path)) or 'the body'} {what}" for path, what in problems)


def load_pet(value: object) -> Pet:
    """Return a JSON value as a pet, without properties that the contract does not have.

    Its properties are in the order of the contract, the id first.

    :raise InvalidPetError: it is not a Pet.
    """
    try:
        pet = _PET.load(value)  # type: ignore[arg-type]  # marshmallow checks the type
    except ValidationError as error:
        raise InvalidPetError(_problems(error.messages)) from error
    return cast("Pet", {name: pet[name] for name in PET_FIELDS if name in pet})


def load_new_pet(value: object) -> NewPet:
    """Return the pet of a createPet body, without properties that the contract does not have.

    :raise RequestError: ``invalid_request``; the message lists every invalid property.
    """
    try:
        new: NewPet = _NEW_PET.load(value)  # type: ignore[arg-type]  # as in `load_pet`
    except ValidationError as error:
        raise RequestError("invalid_request", _sentence(_problems(error.messages))) from error
    return new


def load_pet_change(value: object) -> dict[str, object]:
    """Return the properties to set on a pet; those to remove are None.

    Only optional properties can be removed, and the id cannot be changed.

    :raise RequestError: ``invalid_request``; the message lists every invalid property.
    """
    if not isinstance(value, dict) or not value:
        what = f"the body must be an object with at least one of {', '.join(NEW_PET_FIELDS)}"
        raise RequestError("invalid_request", what)
    problems: list[ValueProblem] = []
    removed: dict[str, object] = {}
    changed = {}
    for name, wanted in value.items():
        if name in PET_FIELDS.keys() - NEW_PET_FIELDS.keys():
            problems.append(((name,), "cannot be changed"))
        elif name not in NEW_PET_FIELDS:
            known = f"known properties: {', '.join(NEW_PET_FIELDS)}"
            hint = did_you_mean(name, NEW_PET_FIELDS) or known
            problems.append((("unknown property",), f"{quote(name)}; {hint}"))
        elif wanted is None and not NEW_PET_FIELDS[name].required:
            removed[name] = None
        else:
            changed[name] = wanted
    try:
        changes: dict[str, object] = _NEW_PET.load(changed, partial=True)
    except ValidationError as error:
        problems += _problems(error.messages)
    if problems:
        raise RequestError("invalid_request", _sentence(problems))
    return changes | removed


def dump_pet(pet: Pet) -> bytes:
    """Return a pet as JSON, its properties in the order of the contract with the id first."""
    values: Mapping[str, object] = pet
    return dump_json({name: values[name] for name in PET_FIELDS if name in values})


def dump_pets(pets: Iterable[Pet]) -> bytes:
    """Return pets as a JSON array."""
    return b"[" + b",".join(map(dump_pet, pets)) + b"]"


def load_list_query(parameters: Mapping[str, list[str]]) -> ListQuery:
    """Return the query of listPets, without parameters that the contract does not have.

    :raise RequestError: ``invalid_request``; the message lists every invalid parameter.
    """
    known = {name: values for name, values in parameters.items() if name in LIST_PARAMETERS}
    problems: list[ValueProblem] = [
        ((name,), f"must be sent only once, got {len(values)} values")
        for name, values in known.items()
        if len(values) > 1
    ]
    single = {name: values[0] for name, values in known.items() if len(values) == 1}
    try:
        query = _LIST_QUERY.load(single)
    except ValidationError as error:
        problems += _problems(error.messages)
    if problems:
        raise RequestError("invalid_request", _sentence(problems))
    filters = [(field.compares, query[name]) for name, field in FILTERS.items() if name in query]
    return ListQuery(query["limit"], tuple(filters))


def body_problems(operation: str, status: int, value: object) -> list[ValueProblem]:
    """Return the problems of a value as the body that the contract defines for a response.

    :param status: if the contract does not list it, an error, which has the Error body (part 7).
    """
    kind = RESPONSES[operation].get(status, "Error")
    if kind == "Pets":
        if not isinstance(value, list):
            return [((), "must be an array of pets")]
        return _problems(_PETS.validate(value))
    schema = _PET if kind == "Pet" else _ERROR
    problems = _problems(schema.validate(cast("Any", value)))
    if kind == "Error" and not problems and cast("dict[str, Any]", value)["status"] != status:
        problems.append((("status",), f"must repeat the HTTP status, {status}"))
    return problems
