"""The scenario file that ``mockpets new`` writes, with a commented-out example of every key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mockpets.constants import CONTRACT_ERRORS, OPERATIONS
from mockpets.faults import CONNECTION_FAULTS, FAULTS

if TYPE_CHECKING:
    from collections.abc import Iterable


def new_scenario(name: str) -> str:
    """Return the text of a new scenario file.

    Lines that begin with ``##`` explain; the lines that begin with ``#`` below them are an example.
    """
    words = {
        "NAME": name,
        "BASE": "slow" if name != "slow" else "retry",  # a scenario cannot extend itself
        "ERRORS": _listed(CONTRACT_ERRORS),
        "FAULTS": ", ".join(FAULTS),
        "BODY_FAULT": next(name for name in FAULTS if name not in CONNECTION_FAULTS),
        "CONNECTION_FAULT": next(name for name in FAULTS if name in CONNECTION_FAULTS),
        "OPERATIONS": _listed(OPERATIONS),
    }
    text = _TEMPLATE
    for placeholder, word in words.items():
        text = text.replace(f"<{placeholder}>", word)
    return text


def _listed(words: Iterable[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}"


_TEMPLATE: Final = """\
# yaml-language-server: $schema=http://localhost:7387/__mockpets/schema/scenario.json
## To use an example, remove the "# " from its lines. Lines with ## are comments and stay.
## `mockpets check <NAME>.yaml` lists problems in this file, with line and column.

## One line, shown in every list.
description: Pet 3 is missing, and adding a pet fails twice before it works.

## Add the stubs of another scenario, or of a list of them, after those of this one.
# extends: <BASE>

## Use 40 generated pets. By default, requests see the session's pets.
# pets: 40

## Generate pets from a seed of your own, with names of a locale.
# pets: {count: 40, seed: 3, locale: de_DE}

## Use the pets of a fixture, a file in fixtures/ or in a --fixtures-dir.
# pets: showroom

## Use these pets; [] is an empty store. The status is optional.
# pets:
#   - {id: 1, name: Miso, categoryId: 2, status: available}
#   - {id: 2, name: Juniper, categoryId: 4}

## Name the schema for an editor that does not read the first line; mockpets ignores it.
# $schema: http://localhost:7387/__mockpets/schema/scenario.json

## Stubs are tried in order. The first one that responds ends the search. If none responds, the
## real operation does.
stubs:
  - name: gone
    match: {operation: getPet, petId: 3}
    reply: {error: pet_not_found}

  - name: busy
    match: {operation: createPet}
    times: 2
    reply: {status: 503}

  ## --- Match: the requests that a stub applies to. Without it, all requests ---

  ## Match one operation or a list of them: <OPERATIONS>.
  # - match: {operation: [listPets, getPet]}
  #   reply: {error: unauthorized}

  ## Match pets by id.
  # - match: {operation: getPet, petId: [3, 7]}
  #   reply: {error: pet_not_found}

  ## Match a request that is not in the contract; a segment * or {name} is any one segment.
  # - match: {method: DELETE, path: /v1/pets/*}
  #   reply: {status: 204}
  #   off_contract: true

  ## Match query parameters; a plain value must be equal, as with equals.
  # - match: {query: {status: sold, limit: {equals: 5}}}
  #   delay: 1s

  ## Match a header that contains a text; names in any case.
  # - match: {headers: {accept-language: {contains: de}}}
  #   delay: 1s

  ## Match properties of a JSON body: a pattern (* and ?), one of some values, missing or not.
  # - match:
  #     operation: createPet
  #     body:
  #       name: {matches: "M*"}
  #       categoryId: {one_of: [1, 2]}
  #       status: {present: false}
  #   reply: {error: invalid_request}

  ## --- When: which of the matching requests ---

  ## Skip the first 2 matching requests, then apply to 3 at most.
  # - after: 2
  #   times: 3
  #   reply: {status: 500}

  ## Apply to one request in four; the session's seed makes this repeatable.
  # - probability: 0.25
  #   reply: {status: 503}

  ## --- Reply: the response of a stub ---

  ## Name a stub for the request log. By default, its name is its position.
  # - name: no-entry
  #   reply: {error: unauthorized}

  ## Send an error with a message of your own: <ERRORS>.
  # - match: {operation: createPet}
  #   reply: {error: invalid_request, message: The name is taken.}

  ## Send a status with headers; 429 and 5xx get an Error body.
  # - reply: {status: 429, headers: {Retry-After: 5}}

  ## Send a JSON body. A response that is not in the contract requires off_contract.
  # - match: {operation: getPet}
  #   reply: {status: 410, body: {code: gone, message: Removed., status: 410}}
  #   off_contract: true

  ## Send text as it is.
  # - reply: {status: 502, text: Bad Gateway}
  #   off_contract: true

  ## Send a page of pets, a fixture or a list, whatever the query is.
  # - match: {operation: listPets}
  #   reply: {page: showroom}

  ## Send the response of the real operation; stubs below are not tried.
  # - match: {operation: listPets}
  #   reply: pass

  ## Send several responses in turn; repeat what follows: last (the default), cycle or none.
  # - match: {operation: createPet}
  #   sequence: [{status: 503}, {fault: <CONNECTION_FAULT>}, pass]
  #   repeat: cycle

  ## The same, below reply.
  # - match: {operation: createPet}
  #   reply:
  #     sequence: [{status: 503}, pass]
  #     repeat: last

  ## --- Delay, throttle, break or hold the response, with a reply or of the real operation ---

  ## Delay it by a fixed time, at most 60s.
  # - delay: 300ms

  ## Delay it by a random time, evenly distributed.
  # - delay: {min: 100ms, max: 2s}

  ## Delay it as real networks do: p50 is the median, and one delay in twenty is above p95.
  # - delay: {p50: 200ms, p95: 1500ms}

  ## Send it slowly.
  # - throttle: 2 kB/s

  ## Break it: <FAULTS>.
  # - fault: <BODY_FAULT>

  ## Hold it until `mockpets gates open checkout`.
  # - match: {operation: createPet}
  #   hold: checkout
"""
