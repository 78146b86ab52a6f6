"""Memory that the program has freed and the system has not got back."""

from __future__ import annotations

import ctypes
import sys


def give_back() -> None:
    """Hands freed memory to the system, where the C library keeps it by itself (glibc). Takes some milliseconds.

    For after something big was made: what loading two models, opening 10,000 passages and indexing their words left
    behind was an eighth of a serving process.
    """
    if sys.platform != "linux":
        return
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
    if trim is not None:
        trim(0)
