"""A stateful mock server for HTTP APIs that can also delay, break and fail responses.

The public names are imported when they are first used (PEP 562), so importing the package, as the
command line does, loads neither Flask nor waitress.
"""

TYPE_CHECKING = False  # as in `typing`, whose import would delay the handler in `__main__`

if TYPE_CHECKING:
    from mockpets.server import MockpetsServer
    from mockpets.settings import Settings
    from mockpets.web.app import create_app

    __version__: str
else:
    _MODULES = {
        "MockpetsServer": "mockpets.server",
        "Settings": "mockpets.settings",
        "create_app": "mockpets.web.app",
    }

    def __getattr__(name: str) -> object:
        """Return a public name.

        Type checkers do not see this function: with it, they would accept any name.

        :raise AttributeError: the package does not define the name.
        """
        import importlib

        if name == "__version__":
            value = importlib.import_module("mockpets.constants").VERSION
        elif name in _MODULES:
            value = getattr(importlib.import_module(_MODULES[name]), name)
        else:
            raise AttributeError(f"module 'mockpets' has no attribute '{name}'")
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


__all__ = ["MockpetsServer", "Settings", "__version__", "create_app"]
