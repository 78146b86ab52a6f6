"""From what a file claims to a row of words whose order and times hold. Everything that moves or goes is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from qandai.errors import NoSpeech
from qandai.ingest.captions import loops, order, silence
from qandai.ingest.captions.draft import Draft
from qandai.model import Gap, Word
from qandai.words import LATEST, joins


@dataclass(frozen=True, slots=True)
class Repaired:
    """`segments` are the positions of each cue's first word; `repairs` counts words by reason."""

    words: tuple[Word, ...]
    segments: tuple[int, ...]
    gaps: tuple[Gap, ...]
    repairs: dict[str, int]


def repaired(draft: Draft, *, media_duration: float | None = None, is_piece: bool = False) -> Repaired:
    """`media_duration` in seconds, if known. Raises NoSpeech if nothing or less than half of it was said (of a piece
    of a recording, whatever was said is kept), TranscriptError if the times cannot be trusted."""
    repairs: Counter[str] = Counter(draft.repairs)
    gaps: list[Gap] = []
    segments = draft.segments
    if draft.recognised:
        segments, gaps, counted = silence.without(segments)
        repairs += counted
    words = [word for segment in segments for word in segment.words]
    owners = [number for number, segment in enumerate(segments) for _ in segment.words]
    heard = len(words) + sum(repairs[reason] for reason in ("no speech", "silence phrases"))

    if dropped := order.doubled(words):
        repairs["doubled words"] += len(dropped)
        words, owners = _without(words, owners, dropped)
    words, counted = order.retimed(words)
    repairs += counted
    words, past = order.within(words, LATEST if media_duration is None else media_duration)
    owners = owners[: len(words)]
    repairs["times past the end"] += past
    if draft.recognised:
        stuck = loops.loops(words, [segments[owner].repeats for owner in owners])
        dropped = {number for row in stuck for number in range(row.first, row.last + 1)}
        gaps += [Gap(words[row.first].start, words[row.last].end, "loop") for row in stuck]
        repairs["loops"] += len(dropped)
        words, owners = _without(words, owners, dropped)
    if not is_piece:
        _refuse_noise(len(words), heard, repairs)
    starts = _starts(words, owners)
    return Repaired(_glued(words, starts), starts, _merged(gaps), dict(+repairs))


def _without(words: Sequence[Word], owners: Sequence[int], dropped: set[int]) -> tuple[list[Word], list[int]]:
    kept = [number for number in range(len(words)) if number not in dropped]
    return [words[number] for number in kept], [owners[number] for number in kept]


def _refuse_noise(kept: int, heard: int, repairs: Counter[str]) -> None:
    if repairs["loops"] and kept * 2 < heard:
        raise NoSpeech(
            f"loops: {repairs['loops']} of {heard} words are the same few, again and again.",
            hint="The recogniser was stuck; transcribe the recording again.",
        )
    if kept == 0 or ((repairs["no speech"] or repairs["silence phrases"]) and kept * 2 < heard):
        raise NoSpeech("no speech: " + ("nothing in it was said." if heard else "it holds no words."))


def _starts(words: Sequence[Word], owners: Sequence[int]) -> tuple[int, ...]:
    """A segment begins with each cue, and within one where the speaker changes."""
    return tuple(
        number
        for number, (word, owner) in enumerate(zip(words, owners, strict=True))
        if number == 0 or owner != owners[number - 1] or word.speaker != words[number - 1].speaker
    )


def _glued(words: list[Word], starts: Sequence[int]) -> tuple[Word, ...]:
    """Chinese and Japanese go on without a space from cue to cue; the very first word follows nothing."""
    for number in starts:
        is_glued = number > 0 and (words[number].glued or joins(words[number - 1].text, words[number].text))
        if words[number].glued != is_glued:
            words[number] = replace(words[number], glued=is_glued)
    return tuple(words)


def _merged(gaps: Sequence[Gap]) -> tuple[Gap, ...]:
    """In order of time, neighbours of the same kind in one."""
    found: list[Gap] = []
    for gap in sorted(gaps, key=lambda gap: (gap.start, gap.end)):
        if found and found[-1].reason == gap.reason and gap.start - found[-1].end < 1.0:
            found[-1] = replace(found[-1], end=max(found[-1].end, gap.end))
        else:
            found.append(gap)
    return tuple(found)
