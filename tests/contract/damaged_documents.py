"""A clinic's API as a document in YAML and in JSON, and damaged versions of both."""

import json
import random
import re
from copy import deepcopy
from typing import Any

from mockpets.contract.reading import read
from mockpets.strict_json import dump_json

CLINIC_YAML = """\
openapi: 3.1.0
info: {title: Clinic, version: 1.0.0}
servers:
  - url: https://{host}/clinic
    variables: {host: {default: api.example.com}}
security:
  - token: []
paths:
  /owners:
    get:
      operationId: listOwners
      parameters:
        - $ref: '#/components/parameters/limit'
        - {name: sort, in: query, schema: {type: string, enum: [name, -name]}}
      responses:
        200:
          description: A page of owners.
          headers:
            X-Total: {schema: {type: integer}}
          content:
            application/json:
              schema:
                type: object
                required: [owners]
                properties:
                  owners: {type: array, items: {$ref: '#/components/schemas/Owner'}}
                  total: {type: integer, minimum: 0}
        default: {$ref: '#/components/responses/Problem'}
    post: &post
      operationId: createOwner
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: '#/components/schemas/Owner'}}}
      responses: &responses
        201:
          description: The owner.
          content: {application/json: {schema: {$ref: '#/components/schemas/Owner'}}}
        4XX: {$ref: '#/components/responses/Problem'}
  /owners/{ownerId}:
    parameters:
      - {name: ownerId, in: path, required: true, schema: {type: integer, format: int64}}
    get:
      operationId: getOwner
      responses:
        200:
          description: ok
          content: {application/json: {schema: {$ref: '#/components/schemas/Owner'}}}
    put:
      <<: *post
      operationId: replaceOwner
      responses: *responses
    delete:
      responses: {204: {description: gone}}
  /owners/{ownerId}/animals:
    parameters:
      - {name: ownerId, in: path, required: true, schema: {type: integer, format: int64}}
    get:
      operationId: listAnimals
      responses:
        200:
          description: The animals.
          content:
            application/json:
              schema: {type: array, items: {$ref: '#/components/schemas/Animal'}}
              examples:
                two: {value: [{name: Luna, kind: cat, born: 2030-12-05, opens: 18:00}]}
  /login:
    post:
      operationId: login
      security: []
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties: {user: {type: string}, password: {type: string, writeOnly: true}}
      responses: {200: {description: ok, content: {application/json: {schema: {type: object}}}}}
  /logout:
    post: {responses: {204: {description: bye}}}
components:
  securitySchemes:
    token: {type: http, scheme: bearer}
  parameters:
    limit: {name: limit, in: query, schema: {type: integer, minimum: 1, maximum: 100, default: 20}}
  responses:
    Problem:
      description: What is wrong.
      content:
        application/problem+json:
          schema: {type: object, properties: {detail: {type: string}}}
  schemas:
    Owner:
      type: object
      required: [name]
      properties:
        id: {type: integer, format: int64, readOnly: true}
        name: {type: string, minLength: 1, pattern: '^[A-Z]'}
        phone: {type: [string, 'null']}
        animals: {type: array, items: {$ref: '#/components/schemas/Animal'}}
    Animal:
      allOf:
        - {$ref: '#/components/schemas/Named'}
        - type: object
          properties:
            kind: {enum: [cat, dog]}
            born: {type: string, format: date}
            owner: {$ref: '#/components/schemas/Owner'}
    Named: {type: object, properties: {name: {type: string, example: Luna}}, required: [name]}
"""


def _plain() -> Any:
    """Return the document as plain values; it has no number that a float would change."""
    root: Any = read(CLINIC_YAML, "clinic.yaml")
    return json.loads(dump_json(root))


ROOT: dict[str, Any] = _plain()
CLINIC = {"clinic.yaml": CLINIC_YAML, "clinic.json": json.dumps(ROOT, indent=2)}

_VALUES: list[Any] = [
    *(None, True, 0, -1, 10**50, 1.5, "", "text", "$ref", "\ud800", "\u202e", [], {}, [[]]),
    *({"$ref": "#"}, {"$ref": "#/nowhere"}, {"$ref": 5}, {"$ref": "clinic.yaml"}, ["a", None]),
    *(
        {"$ref": "#/components/schemas/Owner"},
        {"$ref": "../x"},
        {"$ref": "http://x"},
        [{}],
        {"": {}},
    ),
    *({"$ref": "#/paths/~1owners"}, {"$ref": "#/components/schemas/Owner/properties/id/x"}),
]
_PIECES = [
    *("{", "}", "[", "]", ":", ",", "-", "\n", "\t", "  ", '"', "'", "&a ", "*a", "<<: ", "!!x "),
    *("\0", "\x85", "#", "|", ">", "? ", "%", "@", "---\n", "...\n", "\xff", "1e9999", "{{", "\\"),
]


def damaged(number: int) -> tuple[str, bytes]:
    """Return the name and the content of one of many damaged documents, always the same."""
    generator = random.Random(number)
    name = generator.choice([*CLINIC])
    kind = generator.choice(["value", "value", "value", "values", "text", "cut", "bytes", "nested"])
    if kind in ("value", "values"):
        root = json.loads(CLINIC["clinic.json"])
        for _ in range(1 if kind == "value" else generator.randint(2, 30)):
            _replace_one(root, generator)
        # JSON is also YAML, but for surrogates, which `dumps` escapes.
        return name, json.dumps(root, indent=generator.choice([None, 1])).encode()
    text = CLINIC[name]
    position = generator.randrange(len(text))
    if kind == "text":
        for _ in range(generator.randint(1, 5)):
            position = generator.randrange(len(text))
            end = position + generator.choice([0, 0, 1, 5, 50])
            text = text[:position] + generator.choice(_PIECES) + text[end:]
    elif kind == "cut":
        text = text[:position]
    elif kind == "nested":
        depth = generator.choice([10, 150, 300, 5000])
        opening, closing = generator.choice([("[", "]"), ('{"a":', "}"), ("{a: ", "}"), ("- ", "")])
        nested = opening * depth + "1" + closing * generator.choice([depth, 0])
        position = generator.choice([found.end() for found in re.finditer(r": ", text)])
        text = text[:position] + nested + text[position:]
    data = text.encode()
    if kind == "bytes":
        position = generator.randrange(len(data))
        wrong = bytes(generator.randrange(256) for _ in range(generator.randint(1, 4)))
        data = data[:position] + wrong + data[position + len(wrong) :]
    return name, data


def _replace_one(root: Any, generator: random.Random) -> None:
    """Replace, remove or rename one value anywhere in a document."""
    holder: Any = root
    while True:
        keys = [*holder] if isinstance(holder, dict) else [*range(len(holder))]
        if not keys:
            return
        key = generator.choice(keys)
        child = holder[key]
        if isinstance(child, (dict, list)) and child and generator.random() < 0.85:
            holder = child
            continue
        action = generator.random()
        if action < 0.7:
            holder[key] = deepcopy(generator.choice(_VALUES))
        elif action < 0.85:
            del holder[key]
        elif isinstance(holder, dict):
            holder[generator.choice(["x", "200", "", "get", "$ref", "type", key + "s"])] = (
                holder.pop(key)
            )
        return
