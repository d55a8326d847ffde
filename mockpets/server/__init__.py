"""Serve any WSGI app from one event loop that can delay, throttle, break and drain responses.

A request goes this way: `loop` waits for sockets, `listener` accepts, `channel` reads with
`http.request_parser`, `task` runs the app and makes the response, and `channel` sends it, at once
or through `parking`. All of it happens on one thread, so nothing may block or take long; `worker`
is for what takes long. `mockpets.wsgi_extension` is the interface with the app.
"""

from mockpets.server.runner import MockpetsServer, serve
from mockpets.server.sockets import bind

__all__ = ["MockpetsServer", "bind", "serve"]
