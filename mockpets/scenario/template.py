"""The scenario file that ``mockpets new`` writes, with an example of every key."""

from __future__ import annotations

from typing import Final

from mockpets.faults import FAULTS


def new_scenario(name: str) -> str:
    """Return the text of a new scenario file."""
    example = next(fault for fault, kind in FAULTS.items() if kind.breaks == "body")
    return _TEMPLATE.format(name=name, faults=", ".join(FAULTS), example=example)


_TEMPLATE: Final = """\
# yaml-language-server: $schema=http://localhost:7387/__mockpets/schema/scenario.json
# Run `mockpets check {name}.yaml` to list problems in this file, with line and column.

# One line, shown in every list.
description: Pet 3 is missing, and creating a pet sometimes fails.

# Add the stubs of another scenario after those of this one:
# extends: slow

# Provide pets: a number, a fixture name, or a list. By default, the session's pets are used.
# pets: {{count: 40, seed: 3, locale: de_DE}}

# Stubs, checked in order; the first one that responds ends the search. If none responds, the
# real operation does.
stubs:
  - name: gone
    # Conditions on the request; all must hold. Without `match`, the stub applies to every request.
    match:
      operation: getPet          # listPets, createPet, getPet, or a list of them
      petId: 3
    reply: {{error: pet_not_found}} # invalid_request, unauthorized or pet_not_found

  - name: unlucky
    match:
      operation: createPet
      body: {{name: {{present: true}}}} # or a value, contains, matches (* and ?), one_of
    after: 1                     # skip the first matching request
    times: 10                    # then apply to at most ten requests
    probability: 0.25            # apply to one request in four; a seed makes this repeatable
    reply:
      status: 503
      headers: {{Retry-After: 2}}

  # Delay the response of the real operation:
  # - delay: 2s                  # or {{min: 100ms, max: 2s}}, or {{p50: 200ms, p95: 1500ms}}

  # Respond in turn. `repeat` sets what follows: last (the default), cycle or none.
  # - match: {{operation: listPets}}
  #   sequence: [{{status: 503}}, pass]

  # A reply that is not in the contract requires off_contract:
  # - match: {{operation: getPet}}
  #   reply: {{status: 410, body: {{code: gone, message: Removed., status: 410}}}}
  #   off_contract: true

  # Break the response: {faults}.
  # - fault: {example}
"""
