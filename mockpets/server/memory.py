"""Return free memory to the operating system."""

from __future__ import annotations

import sys


def return_free_memory() -> None:
    """Return what was allocated for many connections or bodies, and freed again.

    The allocator of the GNU C library keeps free memory below memory in use, and a process would
    stay as large as an attack has made it. Other allocators return it themselves.
    """
    if sys.platform != "linux":
        return
    import ctypes  # rarely needed

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
