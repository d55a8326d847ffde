"""Run the curl commands of our documentation in Python, so that their tests need no curl."""

from __future__ import annotations

import shlex
from http.client import HTTPConnection
from string import Template
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def run_curl(block: str, port: int, variables: Mapping[str, str] | None = None) -> str:
    """Send the request of a shell block to a port of this machine; return what the block prints.

    :param block: one curl command, which may be piped into ``cut -c 1-NUMBER``.
    :param variables: the shell variables that the command uses.
    :raise ValueError: it has an option or a program that is not known here.
    """
    lexer = shlex.shlex(block.replace("\\\n", " "), posix=True, punctuation_chars="|")
    lexer.whitespace_split = True
    program, *words = list(lexer)
    method, url, body, headers = "", "", None, {}
    cut = None
    position = iter(words)
    for word in position:
        if word == "-X":
            method = next(position)
        elif word == "-H":
            name, value = Template(next(position)).substitute(variables or {}).split(": ")
            headers[name] = value
        elif word == "-d":
            body = next(position)
        elif word == "|":
            *command, columns = position
            if command != ["cut", "-c"]:
                raise ValueError(f"not a known program: {command}")
            cut = int(columns.removeprefix("1-"))
        elif word.startswith("http://localhost"):
            url = word
        elif word != "-s":
            raise ValueError(f"not a known option: {word}")
    if program != "curl" or not url:
        raise ValueError(f"not a curl command: {block}")
    connection = HTTPConnection("localhost", port, timeout=20)
    try:
        target = "/" + url.removeprefix("http://").partition("/")[2]
        connection.request(method or ("POST" if body else "GET"), target, body, headers)
        text = connection.getresponse().read().decode()
    finally:
        connection.close()
    return text if cut is None else "".join(line[:cut] + "\n" for line in text.splitlines())
