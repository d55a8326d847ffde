"""Write a scenario as YAML, as a person would: what fits into a line is on one."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import yaml

from mockpets.scenario.language.yaml_scalars import read_scalar
from mockpets.text_files import INVISIBLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LINE: Final = 100
"""The longest line in characters, where the values allow it."""
_TAG: Final = "tag:yaml.org,2002:"
_TAGS: Final[dict[type, str]] = {
    str: "str",
    bool: "bool",
    int: "int",
    Decimal: "float",
    type(None): "null",
}


def text_of(document: Mapping[str, Any]) -> str:
    """Return a scenario as YAML that reads as the same scenario."""
    text = _dumped(document, is_visible=True)
    return _dumped(document, is_visible=False) if INVISIBLE.search(text) else text


def _dumped(document: Mapping[str, Any], *, is_visible: bool) -> str:
    return str(
        yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=is_visible, width=_LINE)
    )


class _Dumper(yaml.SafeDumper):
    """Writes short values in one line, but no stub and no scenario, and repeats equal values."""

    def ignore_aliases(self, _: object) -> bool:
        return True

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        """Return the tag that an unquoted scalar has by our rules, which are not YAML's.

        PyYAML quotes a text whose tag is another one.
        """
        if kind is not yaml.ScalarNode or not implicit[0]:
            return super().resolve(kind, value, implicit)  # type: ignore[no-untyped-call]  # PyYAML
        try:
            return _TAG + _TAGS[type(read_scalar(value))]
        except ValueError:  # ambiguous
            return ""

    def represent_decimal(self, value: Decimal) -> Any:
        return self.represent_scalar(f"{_TAG}float", str(value))

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> Any:
        node = super().represent_mapping(tag, mapping, flow_style)
        is_scenario = "description" in mapping or "stubs" in mapping
        node.flow_style = not is_scenario and _fits(sum(node.value, ()))
        for key, value in node.value:
            if key.value == "stubs" and isinstance(value, yaml.SequenceNode):
                for block in (value, *value.value):
                    if isinstance(block, yaml.CollectionNode):
                        block.flow_style = False
        return node

    def represent_sequence(self, tag: str, sequence: Any, flow_style: bool | None = None) -> Any:
        node = super().represent_sequence(tag, sequence, flow_style)
        is_plain = all(isinstance(part, yaml.ScalarNode) for part in node.value)
        # Long lists of objects are easier to compare in lines of their own.
        node.flow_style = _fits(node.value, _LINE - 15 if is_plain else _LINE // 2)
        return node


_Dumper.add_representer(Decimal, _Dumper.represent_decimal)


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
