"""What a look at this machine finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """`state`: ok, note (worth knowing) or fault (something does not work). `remedy` is one thing to do."""

    about: str
    state: Literal["ok", "note", "fault"]
    said: str
    remedy: str = ""
