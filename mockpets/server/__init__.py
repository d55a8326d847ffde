"""Serve any WSGI app: waitress made into one event loop that can delay, break, survive and drain.

The way of a request: `loop` waits for sockets, `listener` accepts, `channel` reads with `parser`,
`task` runs the app and makes the answer, and `channel` sends it, at once or through `waiting`. All
of it happens on one thread, so nothing may block or take long; `helper` is for what takes long.
`mockpets.handover` is the border with the app, and `leaned_on` the list of all that is waitress'.
"""

from mockpets.server.run import MockpetsServer, bind, serve

__all__ = ["MockpetsServer", "bind", "serve"]
