"""JSON Patch (RFC 6902): a list of changes of a JSON value."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from mockpets.strict_json import same_json


def json_patch(target: object, changes: Any) -> object:
    """Return a value after a list of changes: add, replace, remove and test.

    :raise ValueError: the list is malformed; LookupError: a change does not fit the value.
    """
    holder: Any = {"": deepcopy(target)}
    for change in changes if isinstance(changes, list) else [changes]:
        kind, path = (change.get("op"), change.get("path")) if isinstance(change, dict) else ("", 0)
        if kind not in ("add", "replace", "remove", "test"):
            raise ValueError("op must be add, replace, remove or test")
        if not isinstance(path, str) or path[:1] not in ("", "/"):
            raise ValueError("path must be a JSON pointer, such as /name")
        if kind != "remove" and "value" not in change:
            raise ValueError(f"{kind} needs a value")
        *way, last = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")]
        place = holder
        for name in way:
            place = place[_key(place, name)]
        key, new = _key(place, last, is_new=kind == "add"), deepcopy(change.get("value"))
        if kind == "test":
            if not same_json(place[key], new):
                raise LookupError(f"the value at {path} is another one")
        elif kind == "remove":
            del place[key]
        elif kind == "add" and isinstance(place, list):
            place.insert(key, new)
        else:
            place[key] = new
    return holder.get("")


def _key(place: Any, name: str, *, is_new: bool = False) -> Any:
    """Return the key, or the index, that a name has in an object or a list."""
    if isinstance(place, dict) and (is_new or name in place):
        return name
    if isinstance(place, list):
        index = int(name) if name.isdecimal() and len(name) < 9 else -1
        if is_new and name == "-":
            return len(place)
        if 0 <= index < len(place) + is_new:
            return index
    raise LookupError(f"there is nothing at {name}")
