"""Serve an app from one event loop that can delay, throttle, break and drain responses.

The path of a request: `loop` waits for sockets with `poller`, `listener` accepts the connection,
`channel` parses the request with `mockpets.http` and calls the app, `task` writes the reply, and
`channel` sends it, at once or through `parking`. All of it happens on one thread, so nothing may
block or take long: long jobs go to `worker`. `mockpets.interface` is the interface with the app.
"""

from mockpets.server.runner import MockpetsServer, serve
from mockpets.server.sockets import bind

__all__ = ["MockpetsServer", "bind", "serve"]
