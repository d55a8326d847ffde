"""The rules of `mockpets report` and `mockpets compare`, from `rules.toml`.

`report.client_checks` and `report.compare_checks` find what breaks them.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mockpets.report.findings import Rule

if TYPE_CHECKING:
    from collections.abc import Mapping

_TEXT: Final = Path(__file__).with_name("rules.toml").read_text(encoding="utf-8")
_FILE: Final[Mapping[str, Any]] = tomllib.loads(_TEXT)


def _rules(kind: str) -> tuple[Rule, ...]:
    rules = []
    for row in _FILE[kind]:
        advice = _FILE["libraries"].get(row["name"], {}) if kind == "client" else {}
        fix = [row.get("fix"), _FILE["shared"].get(row.get("add"))]
        fix += [f"{library}: {text}." for library, text in advice.items()]
        texts = (row["name"], row["level"], row["title"], row["explanation"])
        rules.append(Rule(*texts, " ".join(filter(None, fix))))
    return tuple(rules)


CLIENT_RULES: Final = _rules("client")
COMPARE_RULES: Final = _rules("service")
