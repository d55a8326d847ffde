"""Connect to the server that the options of a command select."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from mockpets.settings.sources import load_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.client import ControlClient


def connect(options: Mapping[str, Any], timeout: float = 10.0) -> ControlClient:
    """Return a client for the server that a command's options select.

    :param options: ``url``, ``token``, ``session``, ``host``, ``port`` and ``config``, if given.
    :param timeout: seconds for each step of a call.
    :raise InputError: an option or a setting is invalid.
    """
    from mockpets.client import ControlClient  # not needed for the help

    url, token = options.get("url"), options.get("token")
    if url is None:
        flags = {name: options.get(name) for name in ("host", "port")}
        settings = load_settings(flags, os.environ, options.get("config"))
        url = settings.url() + settings.prefix
        token = token or settings.control_token
    # `requests --follow` continues after a restart.
    return ControlClient(url, options.get("session"), token, timeout, any_session=True)
