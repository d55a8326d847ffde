"""mockpets: a mock server for the pet store service, exact, stateful, able to misbehave.

The public names are looked up when they are first used (PEP 562): importing the package, as the
command line does, loads neither Flask nor waitress.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mockpets.server import MockpetsServer
    from mockpets.settings import Settings
    from mockpets.web.app import create_app

    __version__: str
else:
    _HOMES = {
        "MockpetsServer": "mockpets.server",
        "Settings": "mockpets.settings",
        "create_app": "mockpets.web.app",
    }

    def __getattr__(name: str) -> object:
        """Return a public name; hidden from type checkers, which would take any name then.

        :raise AttributeError: the package has no such name.
        """
        import importlib

        if name in _HOMES:
            value = getattr(importlib.import_module(_HOMES[name]), name)
        elif name == "__version__":
            value = importlib.import_module("importlib.metadata").version("mockpets")
        else:
            raise AttributeError(f"module 'mockpets' has no attribute '{name}'")
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


__all__ = ["MockpetsServer", "Settings", "__version__", "create_app"]
