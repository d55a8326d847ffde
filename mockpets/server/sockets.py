"""Open the listening sockets that the settings describe."""

from __future__ import annotations

import errno
import os
import socket
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import HEALTH_PATH
from mockpets.errors import InputError, Problem
from mockpets.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

BACKLOG: Final = 1024
"""Maximum number of connections that wait to be accepted."""

_UNSENT_BYTES: Final = 16 * 1024
"""How much the kernel may take of a response beyond what the network and the client can take. By
default it is megabytes, and the loop would not see that a client reads nothing."""
_PROBE_SECONDS: Final = 0.5
"""Time limit of each step of checking which program uses a port."""
_FREE_PORT_TRIES: Final = 20
"""Attempts to find a port that is free on IPv4 and IPv6."""
_NO_ADDRESS: Final = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT)
_HOST_HINT: Final = "omit --host to listen on loopback, or use 0.0.0.0 for all addresses"
_Address = tuple[str, int, tuple[Any, ...], bool]
"""The host as given, the family, the address, and whether it may be missing."""


def bind(settings: Settings) -> list[socket.socket]:
    """Return listening sockets for all addresses of the hosts, on one port.

    A default address, or one of several addresses of a name, may be missing on this machine: IPv6
    is often disabled.

    :raise InputError: listening on an address fails; one line with the option and how to fix it.
    """
    addresses = _resolve(settings)
    port = settings.port
    for _ in range(_FREE_PORT_TRIES - 1):
        try:
            return _bind_all(addresses, port)
        except InputError as error:
            # A port that is free on the first address may be in use on the second.
            if port or getattr(error.__cause__, "errno", None) != errno.EADDRINUSE:
                raise
    return _bind_all(addresses, port)


def _resolve(settings: Settings) -> list[_Address]:
    """Return the addresses of all hosts without duplicates."""
    default = settings.host == Settings().host
    addresses: dict[tuple[Any, ...], _Address] = {}
    for host in settings.host:
        try:
            known = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        except (OSError, UnicodeError) as error:
            problem = Problem(f"--host {host}", 0, 0, "", "unknown host", _HOST_HINT)
            raise InputError([problem]) from error
        optional = default or len(known) > 1
        for family, _, _, _, address in known:
            addresses.setdefault(address, (host, family, address, optional))
    return list(addresses.values())


def _bind_all(addresses: Sequence[_Address], port: int) -> list[socket.socket]:
    """Return a listening socket for each address, all on the port of the first."""
    sockets: list[socket.socket] = []
    missing: list[InputError] = []
    for host, family, resolved, optional in addresses:
        same_port = sockets[0].getsockname()[1] if sockets else port
        address = (resolved[0], same_port, *resolved[2:])
        try:
            sockets.append(_listen(family, address))
        except OSError as error:
            in_use = port != 0 and error.errno == errno.EADDRINUSE
            by_mockpets = in_use and _is_mockpets(family, address)
            problem = InputError([_problem(error, host, same_port, by_mockpets=by_mockpets)])
            if optional and error.errno in _NO_ADDRESS:
                missing.append(problem)
                continue
            for sock in sockets:
                sock.close()
            raise problem from error
    if not sockets:
        raise missing[0]
    return sockets


def _listen(family: int, address: tuple[Any, ...]) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # on Windows it would let two servers share a port
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        if hasattr(socket, "TCP_NOTSENT_LOWAT"):  # accepted sockets inherit it
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT_BYTES)
        sock.bind(address)
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    return sock


def _is_mockpets(family: int, address: tuple[Any, ...]) -> bool:
    """Return whether another mockpets responds on an address."""
    loopback = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared, not bound
    request = f"GET {HEALTH_PATH} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    try:
        with socket.socket(family, socket.SOCK_STREAM) as sock:
            sock.settimeout(_PROBE_SECONDS)
            sock.connect((loopback.get(address[0], address[0]), *address[1:]))
            sock.sendall(request.encode())
            return b"\r\nServer: mockpets\r\n" in sock.recv(4096)
    except OSError:
        return False


def _problem(error: OSError, host: str, port: int, *, by_mockpets: bool) -> Problem:
    """Return the problem for an address on which listening fails, and how to fix it."""
    flag = f"--port {port}"
    if error.errno == errno.EADDRINUSE:
        what, other = f"already in use on {host}", "the other program"
        if by_mockpets:
            what, other = f"{what}: another mockpets is running there", "it"
        hint = f"stop {other}, or choose another port with --port (0 for any free port)"
        return Problem(flag, 0, 0, "", what, hint)
    if error.errno == errno.EACCES:
        what = f"not permitted on {host}: low ports require privileges"
        return Problem(flag, 0, 0, "", what, "choose another port with --port")
    if error.errno in _NO_ADDRESS:
        what = f"--host {host} is not an address of this machine"
        return Problem("", 0, 0, "", what, _HOST_HINT)
    return Problem(flag, 0, 0, "", f"cannot listen on {host}: {error.strerror}")
