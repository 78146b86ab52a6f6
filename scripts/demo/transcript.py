"""The demo's transcript files: format 1, one segment a sentence."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.demo.talk import Talk
from scripts.demo.words import TimedWord


@dataclass(frozen=True, slots=True)
class Spoken:
    """A sentence and its words; all times are seconds of the recording."""

    text: str
    start: float
    end: float
    words: tuple[TimedWord, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """What a transcript says about its recording. `origin` names the talk's text as it was when spoken."""

    id: str
    url: str
    duration: float
    language: str
    model: str
    origin: str


def write(folder: Path, talk: Talk, recording: Recording, spoken: Sequence[Spoken]) -> Path:
    """One line a sentence, so that a change reads well in a diff. Replaces the recording's older transcript."""
    words = [word for sentence in spoken for word in sentence.words]
    video = {
        "id": recording.id,
        "title": talk.title,
        "source": "audio",
        "url": recording.url,
        "published": talk.published,
        "duration": round(recording.duration, 3),
        "channel": "Q&AI",
        "language": recording.language,
    }
    provenance = {
        "captions": "imported",
        "model": recording.model,
        "origin": recording.origin,
        "exact_share": round(sum(word.exact for word in words) / len(words), 4),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for path, old in read(folder).items():
        if old.url == recording.url:
            path.unlink()
    head = json.dumps({"format": 1, "video": video, "provenance": provenance}, ensure_ascii=False, indent=1)
    segments = ",\n  ".join(json.dumps(_segment(sentence), ensure_ascii=False) for sentence in spoken)
    target = folder / f"{recording.id}.json"
    target.write_text(f'{head[:-2]},\n "segments": [\n  {segments}\n ]\n}}\n', encoding="utf-8")
    return target


def _segment(spoken: Spoken) -> dict[str, object]:
    words = [
        {"word": w.text, "start": round(w.start, 3), "end": round(w.end, 3), **({} if w.exact else {"estimated": True})}
        for w in spoken.words
    ]
    return {"start": round(spoken.start, 3), "end": round(spoken.end, 3), "text": spoken.text, "words": words}


@dataclass(frozen=True, slots=True)
class Kept:
    """A transcript on disk, as far as making and measuring need it."""

    url: str
    origin: str
    starts: tuple[float, ...]
    words: tuple[tuple[str, float], ...]
    exact_share: float


def read(folder: Path) -> dict[Path, Kept]:
    """The folder's transcripts by path."""
    found: dict[Path, Kept] = {}
    for path in sorted(folder.glob("*.json")):
        made = json.loads(path.read_text(encoding="utf-8"))
        found[path] = Kept(
            url=made["video"]["url"],
            origin=made["provenance"]["origin"],
            starts=tuple(segment["start"] for segment in made["segments"]),
            words=tuple((word["word"], word["start"]) for segment in made["segments"] for word in segment["words"]),
            exact_share=made["provenance"]["exact_share"],
        )
    return found
