from __future__ import annotations

import os
import platform
from pathlib import Path

import pytest

from qandai.memory import give_back


def resident() -> int:
    """Bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps what was freed")
def test_what_was_freed_below_something_that_stays_goes_back_to_the_system() -> None:
    blocks = [bytearray(b"x") * 64 * 1024 for _ in range(1000)]
    stays = blocks.pop()  # above the others: by itself the library only gives back what lies at the end
    del blocks
    before = resident()
    give_back()
    assert before - resident() > 32e6
    assert stays


def test_it_may_be_called_whenever_and_wherever() -> None:
    give_back()
    give_back()
