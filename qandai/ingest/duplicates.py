"""The same speech under two ids: re-uploads, and excerpts of a longer talk, found by the runs of words they share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from zlib import crc32

from qandai.model import Transcript
from qandai.text import tokens

SHINGLE = 5
"""Tokens in a run. Two recognitions of one recording differ in a few words of a hundred: most runs of five survive."""

_EVERY = 2  # of the runs one is looked at, always the same ones: a year of speech fits in memory
_SHARED = 0.6  # of a recording's runs that stand in fuller ones
_SAME = 0.8  # of the fuller one's length: the same recording rather than an excerpt
_FEWEST = 6  # runs looked at, below which a likeness may be chance (about 16 words)
_COMMON = 5  # recordings that share a run before it counts as a greeting or a jingle


@dataclass(frozen=True, slots=True)
class Print:
    """What is compared of a recording. `runs` are hashes; of two copies the one with more `words` is the fuller, with
    a higher `exact` share the better timed, with the earlier date the original."""

    id: str
    title: str
    runs: frozenset[int]
    words: int
    exact: float
    published: str


@dataclass(frozen=True, slots=True)
class Duplicate:
    """`of` are the recordings that hold it all, the largest share first."""

    id: str
    of: tuple[str, ...]
    reason: str


def print_of(transcript: Transcript) -> Print:
    said = [token for word in transcript.words for token in tokens(word.text)]
    runs = (crc32(" ".join(said[at : at + SHINGLE]).encode()) for at in range(len(said) - SHINGLE + 1))
    return Print(
        transcript.video.id,
        transcript.video.title,
        frozenset(run for run in runs if run % _EVERY == 0),
        len(transcript.words),
        transcript.exact_share,
        transcript.video.published or "9999",
    )


def duplicates(prints: Iterable[Print]) -> Mapping[str, Duplicate]:
    """By id, the recordings to leave out. The fullest is kept; among copies of one length the best timed, then the
    oldest. A medley is left out too where fuller recordings hold it all."""
    shown = sorted(prints, key=lambda one: (-one.words, one.id))
    common = Counter(run for one in shown for run in one.runs)
    most = max(_COMMON, len(shown) // 10)
    shown = [replace(one, runs=frozenset(run for run in one.runs if common[run] <= most)) for one in shown]
    holder: dict[int, Print] = {}  # which kept recording said a run first
    found: dict[str, Duplicate] = {}
    for one in _ranked(shown):
        holders = Counter(holder[run].id for run in one.runs if run in holder)
        if len(one.runs) >= _FEWEST and holders.total() >= _SHARED * len(one.runs):
            of = tuple(video_id for video_id, shared in holders.most_common() if shared >= 0.1 * len(one.runs))
            fuller = next(other for other in shown if other.id == of[0])
            found[one.id] = Duplicate(one.id, of, _reason(one, fuller, of))
        else:
            for run in one.runs:
                holder.setdefault(run, one)
    return found


def _ranked(shown: Sequence[Print]) -> list[Print]:
    """Fullest first; copies whose lengths lie within a fifth of each other by their times and dates."""
    says: dict[int, list[int]] = {}
    for number, one in enumerate(shown):
        for run in one.runs:
            says.setdefault(run, []).append(number)
    ranked: dict[int, Print] = {}
    for number, longest in enumerate(shown):
        if number in ranked:
            continue
        shared = Counter(other for run in longest.runs for other in says[run])
        copies = [number] + [
            other
            for other, runs in shared.items()
            if other not in ranked
            and other != number
            and shown[other].words >= _SAME * longest.words
            and runs >= _SHARED * len(shown[other].runs)
        ]
        ranked |= {other: shown[other] for other in sorted(copies, key=lambda other: _preferred(shown[other]))}
    return list(ranked.values())


def _preferred(one: Print) -> tuple[float, str, int, str]:
    return -round(one.exact, 1), one.published, -one.words, one.id


def _reason(one: Print, fuller: Print, of: tuple[str, ...]) -> str:
    if len(of) > 1:
        return f"made of {', '.join(of[:3])}"
    kind = "the same as" if one.words >= _SAME * fuller.words else "an excerpt of"
    return f"{kind} {fuller.id} ({fuller.title[:60]})"
