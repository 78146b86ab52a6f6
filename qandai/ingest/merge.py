"""Hand-made captions laid onto automatic ones: the spelling of the first, the times of the second."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from qandai.alignment.wording import FILLERS
from qandai.ingest.agreement import Stretch, stretches
from qandai.ingest.credits import is_credit
from qandai.ingest.placing import Placed, Placer
from qandai.model import Transcript, Word, join
from qandai.text import tokens

LEAST_AGREEMENT = 0.4
"""Share of the hand-made words below which they are another text: a translation, another cut, a summary."""

_OWN_SEGMENT = 8  # words only heard that are no remark within somebody else's sentence


@dataclass(frozen=True, slots=True)
class Merge:
    """`agreement` is the share of hand-made words that were heard. `note` says why their spelling was not taken."""

    transcript: Transcript
    agreement: float
    note: str = ""


def merged(heard: Transcript, written: Transcript) -> Merge:
    """`heard` has the times (automatic captions), `written` the spelling (hand-made ones) of the same recording.

    A word of both keeps its own time; a word only written lies between its neighbours and is an estimate; a word only
    heard stays as it was heard. Below LEAST_AGREEMENT all of `heard` stays.
    """
    cut = stretches(heard.words, written.words)
    credits = _credits(cut, written)
    spoken = len(written.words) - len(credits)
    agreed = sum(len(stretch.written) for stretch in cut if stretch.agreed)
    agreement = agreed / spoken if spoken else 0.0
    if agreement < LEAST_AGREEMENT:
        share = f"{agreement:.0%}"
        return Merge(heard, agreement, f"hand-made captions set aside: they agree with the speech in {share} of words")
    placer = Placer(heard.words, written.words)
    fillers = 0
    for number, stretch in enumerate(cut):
        following = _following(cut, number, heard.words)
        for part in _without(stretch, credits):
            trimmed = part if part.agreed else _trimmed(part, heard.words)
            fillers += len(part.heard) - len(trimmed.heard)
            placer.place(trimmed, following)
    counted = Counter(heard.repairs) + Counter({"credits": len(credits), "fillers": fillers})
    transcript = replace(
        heard,
        words=tuple(placer.placed.words),
        segments=_segments(placer.placed, written),
        provenance=replace(heard.provenance, captions="merged"),
        repairs=dict(counted),
    )
    return Merge(transcript, agreement)


def without_credits(written: Transcript) -> Transcript:
    """For captions that nothing was heard beside."""
    credits = _credits([Stretch(range(0), range(len(written.words)), agreed=False)], written)
    if not credits:
        return written
    kept = [at for at in range(len(written.words)) if at not in credits]
    new_place = {at: number for number, at in enumerate(kept)}
    return replace(
        written,
        words=tuple(written.words[at] for at in kept),
        segments=tuple(new_place[at] for at in written.segments if at in new_place),
        repairs=dict(Counter(written.repairs) + Counter({"credits": len(credits)})),
    )


def _credits(cut: Sequence[Stretch], written: Transcript) -> frozenset[int]:
    """Positions of words whose whole cue is a credit that nobody was heard to say."""
    said = {at for stretch in cut if stretch.agreed for at in stretch.written}
    starts = [*(written.segments or (0,)), len(written.words)]
    found: set[int] = set()
    for first, after in pairwise(starts):
        cue = range(first, after)
        heard = sum(at in said for at in cue)
        if cue and 2 * heard < len(cue) and is_credit(join(written.words[first:after])):
            found.update(at for at in cue if at not in said)
    return frozenset(found)


def _without(stretch: Stretch, credits: frozenset[int]) -> list[Stretch]:
    """The stretch without its credits, which may split what was written in two."""
    if stretch.agreed or not any(at in credits for at in stretch.written):
        return [stretch]
    kept = [at for at in stretch.written if at not in credits]
    parts: list[Stretch] = []
    for at in kept:
        if parts and parts[-1].written.stop == at:
            parts[-1] = parts[-1]._replace(written=range(parts[-1].written.start, at + 1))
        else:
            end = stretch.heard.stop
            parts.append(stretch._replace(heard=range(end, end), written=range(at, at + 1)))
    if not parts:
        return [stretch._replace(written=range(0))] if stretch.heard else []
    parts[0] = parts[0]._replace(heard=stretch.heard)
    return parts


def _following(cut: Sequence[Stretch], number: int, heard: Sequence[Word]) -> float | None:
    """When the first word after this stretch is heard."""
    at = cut[number].heard.stop
    return heard[at].start if at < len(heard) else None


def _trimmed(stretch: Stretch, heard: Sequence[Word]) -> Stretch:
    """Without the fillers at its borders: sounds that a hand-made text leaves out on purpose."""
    first, after = stretch.heard.start, stretch.heard.stop
    while first < after and _is_filler(heard[first]):
        first += 1
    while first < after and _is_filler(heard[after - 1]):
        after -= 1
    return stretch._replace(heard=range(first, after))


def _is_filler(word: Word) -> bool:
    return all(token in FILLERS for token in tokens(word.text))


def _segments(placed: Placed, written: Transcript) -> tuple[int, ...]:
    """A segment a cue, and one for each longer stretch that only the automatic captions have."""
    found: list[int] = []
    current = -1
    alone = 0
    for place, at in enumerate(placed.written):
        if at is None:
            alone += 1
            if alone == _OWN_SEGMENT:
                found.append(place - _OWN_SEGMENT + 1)
                current = -1
        else:
            alone = 0
            cue = bisect_right(written.segments, at)
            if cue != current:
                found.append(place)
                current = cue
    return tuple(sorted({0, *found})) if placed.words else ()
