"""Words as a recogniser's service lists them, one after the other, made into segments: what the parsers of such
services share."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from qandai.ingest.captions.draft import Draft, Json, seconds, text_of
from qandai.ingest.captions.segments import read_segments

_PAUSE = 1.0  # seconds; a longer one begins a segment
_LONGEST = 60  # words


@dataclass(slots=True)
class Heard:
    """A word; `start` None where it was not timed."""

    text: str
    start: float | None
    end: float | None
    speaker: str | None = None


def draft(words: Sequence[Heard], *, language: str | None = None, duration: float | None = None) -> Draft:
    """Segments end with a sentence, at a pause, and where the speaker changes. They only shape the file."""
    segments, repairs = read_segments([_segment(group) for group in _groups(words)])
    return Draft(segments, language=language, duration=duration, repairs=dict(repairs))


def attach(words: list[Heard], mark: str) -> None:
    """Punctuation that a service lists as a word of its own belongs to the word before."""
    if words:
        words[-1].text += mark.strip()


class Speakers:
    """Who speaks when, from stretches (start in seconds, name)."""

    def __init__(self, stretches: Iterable[tuple[float | None, str]]) -> None:
        known = sorted((start, name) for start, name in stretches if start is not None and name)
        self._starts = [start for start, _ in known]
        self._names = [name for _, name in known]

    def at(self, start: float | None) -> str | None:
        """The speaker of the last stretch that has begun by then."""
        place = bisect_right(self._starts, start + 0.005) if start is not None else 0
        return self._names[place - 1] if place else None


def objects(listed: Json) -> list[Mapping[str, Json]]:
    """The objects of a list; nothing where it is none."""
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []


def best(item: Mapping[str, Json]) -> Mapping[str, Json]:
    """The recogniser's first choice among its alternatives."""
    return next(iter(objects(item.get("alternatives"))), {})


def label(value: Json) -> str | None:
    """A speaker as services number them: 1, "spk_0", "S1"."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"Speaker {value}"
    return text_of(value).strip() or None


def _groups(words: Sequence[Heard]) -> list[list[Heard]]:
    groups: list[list[Heard]] = []
    for word in words:
        last = groups[-1][-1] if groups else None
        pause = last is not None and None not in (last.end, word.start) and _gap(last, word) > _PAUSE
        ended = last is not None and last.text.endswith((".", "?", "!", "…", "。", "؟"))
        if last is None or ended or pause or word.speaker != last.speaker or len(groups[-1]) >= _LONGEST:
            groups.append([])
        groups[-1].append(word)
    return groups


def _gap(last: Heard, word: Heard) -> float:
    return (word.start or 0.0) - (last.end or 0.0)


def _segment(group: Sequence[Heard]) -> dict[str, Json]:
    words: list[Json] = [
        {"word": word.text, "start": word.start, "end": word.end, "speaker": word.speaker} for word in group
    ]
    starts = [word.start for word in group if word.start is not None]
    ends = [word.end for word in group if word.end is not None]
    text = " ".join(word.text for word in group)
    return {"start": min(starts, default=None), "end": max(ends, default=None), "text": text, "words": words}


def times(item: Mapping[str, Json], start: str, end: str) -> tuple[float | None, float | None]:
    return seconds(item.get(start)), seconds(item.get(end))
