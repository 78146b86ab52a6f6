"""What SRT and VTT share: a timing line, then text until an empty line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from qandai.ingest.captions.draft import clock


@dataclass(slots=True)
class Block:
    """One cue. `start` None: its timing line cannot be read."""

    start: float | None
    end: float | None
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def is_timing(line: str) -> bool:
    return "-->" in line


def read(lines: Sequence[str], *, keep_strays: bool) -> list[Block]:
    """`keep_strays`: text behind an empty line still belongs to the cue (SRT files break their own rule); else it
    is a comment, a style or a cue's name."""
    found: list[Block] = []
    strays: list[str] = []
    is_open = False
    for line in lines:
        if is_timing(line):
            pending = strays if strays or not found else found[-1].lines
            if pending and pending[-1].strip().isdigit():
                pending.pop()  # this cue's number
            if keep_strays and found:
                found[-1].lines.extend(strays)
            strays, is_open = [], True
            found.append(_block(line))
        elif not line:
            is_open = False
        elif is_open:
            found[-1].lines.append(line)
        else:
            strays.append(line)
    if keep_strays and found:
        found[-1].lines.extend(strays)
    return found


def _block(line: str) -> Block:
    left, _, right = line.partition("-->")
    ends = right.split()  # behind the end time VTT writes where the cue stands on the screen
    return Block(clock(left), clock(ends[0]) if ends else None)
