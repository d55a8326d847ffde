"""The programs of npm packages that write generated files."""

import shutil

from generate import CannotGenerateError
from tests.programs import INSTALL_PACKAGES, NODE_MODULES


def npm_program(name: str) -> str:
    """Return the path of a program in an npm package.

    :raise CannotGenerateError: the package is missing.
    """
    program = shutil.which(name, path=NODE_MODULES / ".bin")
    if program is None:
        raise CannotGenerateError(f"{name} is not installed; to install it: {INSTALL_PACKAGES}")
    return program
