"""Load and dump the values that the contract declares, and report every problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from mockpets.contract.schemas import (
    FIELDS,
    LIST_PARAMETERS,
    NEW_PET_FIELDS,
    PET_FIELDS,
    RESPONSES,
    ListQuery,
)
from mockpets.errors import MockpetsError, RequestError, did_you_mean
from mockpets.strict_json import dump_json
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mockpets.contract.schemas import Kind, NewPet, Pet
    from mockpets.contract.validation import ValueProblem


class InvalidPetError(MockpetsError):
    """A value is not a Pet."""

    def __init__(self, problems: list[ValueProblem]) -> None:
        super().__init__(_sentence(problems))
        self.problems = problems


def _load(kind: Kind, value: object, *, partial: bool = False) -> dict[str, Any] | None:
    """Return an object without properties that the contract does not have; None if it is invalid.

    :param partial: whether properties may be missing, and have no defaults.
    """
    if not isinstance(value, dict):
        return None
    result = {}
    for name, field in FIELDS[kind].items():
        if name in value:
            accepted = field.accept(value[name])
            if accepted is None:
                return None
            result[name] = accepted
        elif partial:
            continue
        elif field.required:
            return None
        elif field.default is not None:
            result[name] = field.default
    return result


def _problems(kind: Kind, value: object, *, partial: bool = False) -> list[ValueProblem]:
    if _load(kind, value, partial=partial) is not None:
        return []
    from mockpets.contract.validation import problems  # imports marshmallow: see there

    return problems(kind, value, partial=partial)


def _sentence(problems: list[ValueProblem]) -> str:
    return "; ".join(f"{'.'.join(map(str, path)) or 'the body'} {what}" for path, what in problems)


def load_pet(value: object) -> Pet:
    """Return a JSON value as a pet, with the properties of the contract in its order.

    :raise InvalidPetError: it is not a Pet.
    """
    pet = _load("Pet", value)
    if pet is None:
        raise InvalidPetError(_problems("Pet", value))
    return cast("Pet", pet)


def load_new_pet(value: object) -> NewPet:
    """Return the pet of a createPet body, or raise ``invalid_request`` with every problem."""
    new = _load("NewPet", value)
    if new is None:
        raise RequestError("invalid_request", _sentence(_problems("NewPet", value)))
    return cast("NewPet", new)


def load_pet_change(value: object) -> dict[str, object]:
    """Return the properties to set on a pet; those to remove are None.

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
    changes = _load("NewPet", changed, partial=True)
    if changes is None:
        problems += _problems("NewPet", changed, partial=True)
    if problems or changes is None:
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
    """Return the query of listPets, or raise ``invalid_request`` with every problem."""
    known = {name: values for name, values in parameters.items() if name in LIST_PARAMETERS}
    problems: list[ValueProblem] = [
        ((name,), f"must be sent only once, got {len(values)} values")
        for name, values in known.items()
        if len(values) > 1
    ]
    single = {name: values[0] for name, values in known.items() if len(values) == 1}
    query = _load("ListQuery", single)
    if query is None:
        problems += _problems("ListQuery", single)
    if problems or query is None:
        raise RequestError("invalid_request", _sentence(problems))
    return ListQuery(query["limit"], query.get("status"))


def body_problems(operation: str, status: int, value: object) -> list[ValueProblem]:
    """Return the problems of a response's body; an unlisted status needs an Error (part 7)."""
    kind = RESPONSES[operation].get(status, "Error")
    if kind == "Pets":
        if not isinstance(value, list):
            return [((), "must be an array of pets")]
        return [
            ((index, *path), what)
            for index, pet in enumerate(value)
            for path, what in _problems("Pet", pet)
        ]
    problems = _problems(kind, value)
    if kind == "Error" and not problems and cast("dict[str, Any]", value)["status"] != status:
        problems.append((("status",), f"must repeat the HTTP status, {status}"))
    return problems
