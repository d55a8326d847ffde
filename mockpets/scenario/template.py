"""The scenario file that ``mockpets new`` writes: every key of a scenario, on one page."""

from __future__ import annotations

from typing import Final

from mockpets.faults import FAULTS


def new_scenario(name: str) -> str:
    """Return the text of a new scenario file."""
    example = next(fault for fault, kind in FAULTS.items() if kind.breaks == "body")
    return _TEMPLATE.format(name=name, faults=", ".join(FAULTS), example=example)


_TEMPLATE: Final = """\
# yaml-language-server: $schema=http://localhost:7387/__mockpets/schema/scenario.json
# `mockpets check {name}.yaml` tells what is wrong in here, with line and column.

# One line, shown in every list.
description: Pet 3 is missing, and now and then adding a pet fails.

# Take in another scenario's stubs, after the own ones:
# extends: slow

# Bring pets: a number, a fixture's name, or a list. Without it, the session's pets are used.
# pets: {{count: 40, seed: 3, locale: de_DE}}

# Tried in order; the first that answers ends the search. Then the real operation answers.
stubs:
  - name: gone
    # What a request must be like. Without `match`: every request.
    match:
      operation: getPet          # listPets, createPet, getPet, or a list of them
      petId: 3
    reply: {{error: pet_not_found}} # invalid_request, unauthorized or pet_not_found

  - name: unlucky
    match:
      operation: createPet
      body: {{name: {{present: true}}}} # or a value, contains, matches (* and ?), one_of
    after: 1                     # lets the first such request pass
    times: 10                    # then takes part in ten at the most
    probability: 0.25            # in one of four; the same seed gives the same ones again
    reply:
      status: 503
      headers: {{Retry-After: 2}}

  # Without a reply, the real operation answers, only later:
  # - delay: 2s                  # or {{min: 100ms, max: 2s}}, or {{p50: 200ms, p95: 1500ms}}

  # One after the other; then repeat: last (as here), cycle or none.
  # - sequence: [{{status: 503}}, pass]

  # What networks do: {faults}.
  # - fault: {example}

  # What the contract does not have must say that it is meant:
  # - match: {{operation: getPet}}
  #   reply: {{status: 410, body: {{code: gone, message: Removed., status: 410}}}}
  #   off_contract: true
"""
