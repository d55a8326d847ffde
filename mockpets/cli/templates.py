"""The templates of `init` in `front_end/` and of `deploy` in `deployment/`."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def template(folder: str, name: str) -> str:
    return files("mockpets.cli").joinpath(folder, name).read_text(encoding="utf-8")


def fill(text: str, values: Mapping[str, str]) -> str:
    """Replace each ``{{name}}`` by its value.

    Those of Prometheus and Grafana stay: they have a space, as in ``{{ $labels.instance }}``.
    """
    return re.sub(r"\{\{(\w+)\}\}", lambda name: values.get(name[1], name[0]), text)
