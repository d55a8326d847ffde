"""Write a scenario as YAML, as a person would: what fits into a line is on one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import yaml

from mockpets.scenario.language.text import INVISIBLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LINE: Final = 100
"""The longest line in characters, where the values allow it."""


def text_of(document: Mapping[str, Any]) -> str:
    """Return a scenario as YAML that reads as the same scenario."""
    is_visible = not INVISIBLE.search(json.dumps(document, ensure_ascii=False))
    text = yaml.dump(
        document, Dumper=_Dumper, sort_keys=False, allow_unicode=is_visible, width=_LINE
    )
    return str(text)


class _Dumper(yaml.SafeDumper):
    """Writes short values in one line, but no stub and no scenario, and repeats equal values."""

    def ignore_aliases(self, _: object) -> bool:
        return True

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> Any:
        node = super().represent_mapping(tag, mapping, flow_style)
        is_scenario = "description" in mapping or "stubs" in mapping
        node.flow_style = not is_scenario and _fits(sum(node.value, ()))
        for key, value in node.value:
            if key.value == "stubs":
                for block in (value, *value.value):
                    block.flow_style = False
        return node

    def represent_sequence(self, tag: str, sequence: Any, flow_style: bool | None = None) -> Any:
        node = super().represent_sequence(tag, sequence, flow_style)
        is_plain = all(isinstance(part, yaml.ScalarNode) for part in node.value)
        # Long lists of objects are easier to compare in lines of their own.
        node.flow_style = _fits(node.value, _LINE - 15 if is_plain else _LINE // 2)
        return node


def _fits(nodes: Iterable[yaml.Node], room: int = _LINE - 15) -> bool:
    """Return whether values are short enough, together, for one line."""
    return sum(map(_width, nodes)) <= room


def _width(node: yaml.Node) -> int:
    if isinstance(node, yaml.ScalarNode):
        return len(node.value) + 3
    if not isinstance(node, yaml.CollectionNode) or not node.flow_style:
        return _LINE
    parts = node.value if isinstance(node, yaml.SequenceNode) else sum(node.value, ())
    return 2 + sum(map(_width, parts))
