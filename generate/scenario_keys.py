"""Make the tables of keys of the scenario language, from its JSON Schema.

The schema explains each key to editors; the examples are here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mockpets.scenario.language.loader import scenario_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DEFINITIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "The file": ("",),
    "Data": ("GeneratedRecords", "PetInput"),
    "Stubs": ("Stub",),
    "Match": ("Match",),
    "Reply": ("ErrorReply", "StatusReply", "PageReply", "FaultReply"),
    "Resources": ("Resource",),
    "Random delays": ("DelayRange", "DelayPercentiles"),
}
"""Each section with a table to the definitions of the schema that have its keys."""

EXAMPLES: Final = {
    "The file": {
        "description": "description: Pet 3 is missing.",
        "group": "group: Errors",
        "extends": "extends: [retry, empty]",
        "data": "data: {pets: 40}",
        "stubs": "stubs: [{delay: 1s}]",
        "resources": "resources: [{path: /v1/store/orders}]",
        "$schema": "$schema: http://localhost:7387/__mockpets/schema/scenario.json",
    },
    "Data": {
        "count": "data: {pets: {count: 40}}",
        "seed": "data: {pets: {count: 40, seed: 3}}",
        "locale": "data: {pets: {count: 40, locale: de_DE}}",
        "id": "data: {pets: [{id: 1, name: Miso, categoryId: 2}]}",
        "name": "data: {pets: [{id: 1, name: Miso, categoryId: 2}]}",
        "categoryId": "data: {pets: [{id: 1, name: Miso, categoryId: 2}]}",
        "status": "data: {pets: [{id: 1, name: Miso, categoryId: 2, status: sold}]}",
    },
    "Stubs": {
        "name": "name: down, reply: {status: 503}",
        "match": "match: {operation: createPet}, delay: 1s",
        "after": "after: 2, reply: {status: 503}",
        "times": "times: 3, reply: {status: 503}",
        "probability": "probability: 0.25, reply: {status: 503}",
        "reply": "reply: {error: unauthorized}",
        "sequence": "sequence: [pass, {status: 503}, {fault: empty_reply}]",
        "repeat": "sequence: [{status: 503}, pass], repeat: cycle",
        "delay": "delay: 300ms",
        "throttle": "throttle: 2 kB/s",
        "fault": "fault: connection_reset",
        "hold": "hold: payment",
        "off_contract": "match: {operation: getPet}, reply: {status: 410}, off_contract: true",
    },
    "Match": {
        "operation": "match: {operation: [listPets, getPet]}",
        "params": "match: {operation: getPet, params: {petId: {one_of: [3, 7]}}}",
        "role": "match: {role: create}",
        "method": 'match: {method: DELETE, path: "/v1/pets/*"}',
        "path": 'match: {method: GET, path: "/v1/store/orders/{orderId}"}',
        "query": "match: {query: {status: sold}}",
        "headers": "match: {headers: {accept-language: {contains: de}}}",
        "body": "match: {operation: createPet, body: {name: Miso}}",
    },
    "Reply": {
        "error": "match: {operation: getPet}, reply: {error: pet_not_found}",
        "message": "match: {operation: createPet}, reply: {error: invalid_request, message: Taken}",
        "status": "reply: {status: 503}",
        "headers": "reply: {status: 503, headers: {Retry-After: 5}}",
        "body": "reply: {status: 500, body: {code: crashed, message: Try again., status: 500}}",
        "text": "reply: {status: 502, text: Bad Gateway}, off_contract: true",
        "page": "match: {operation: listPets}, reply: {page: sold-out}",
        "fault": "sequence: [{fault: connection_reset}, pass]",
    },
    "Resources": {
        "path": "resources: [{path: /v1/store/orders}]",
        "id": "resources: [{path: /v1/store/products, id: sku}]",
        "required": "resources: [{path: /v1/store/orders, required: [petId]}]",
        "filters": "resources: [{path: /v1/store/orders, filters: [petId]}]",
        "only": "resources: [{path: /v1/store/orders, only: [list, create, get]}]",
        "name": "resources: [{path: /v1/store/orders, name: shop-orders}]",
    },
    "Random delays": {
        "min": "delay: {min: 1s, max: 3s}",
        "max": "delay: {min: 1s, max: 3s}",
        "p50": "delay: {p50: 200ms, p95: 2s}",
        "p95": "delay: {p50: 200ms, p95: 2s}",
    },
}
"""An example of each key: a line of the file, or keys of a stub."""


def rows(section: str) -> Iterator[tuple[str, str, str]]:
    """Yield each key of a section with its description and an example.

    :raise KeyError: a key has no description or no example.
    """
    for name in DEFINITIONS[section]:
        required = definition(name).get("required", [])
        for key, schema in definition(name)["properties"].items():
            if "$ref" in schema:
                schema = definition(schema["$ref"].rpartition("/")[2])
            text = schema["description"]
            if key == "fault":
                text = "How the response [breaks](#faults)."
            if name in ("", "PetInput") and key in required:
                text += " Required."
            yield key, text, EXAMPLES[section][key]


def definition(name: str) -> Mapping[str, Any]:
    """Return a definition of the schema; without a name, the one of the file."""
    schema: Any = scenario_schema()
    found: Mapping[str, Any] = schema["$defs"][name] if name else schema
    return found
