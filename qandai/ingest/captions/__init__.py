"""Caption and speech-to-text files in, words out.

content ─► formats (which parser) ─► draft (what the file claims) ─► repair (what holds) ─► Parsed
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from qandai.ingest.captions import facts, formats
from qandai.ingest.captions.repair import repaired
from qandai.model import Captions, Gap, Word

__all__ = ["Parsed", "parse"]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file in words. `segments` holds the position of each cue's first word; `repairs` counts words by reason.

    What the file says of its recording is None where it says nothing: `language` (a BCP 47 tag), `title`,
    `video_id`, `url`, `published` (an ISO date), `duration` (seconds).
    """

    format: str
    words: tuple[Word, ...]
    segments: tuple[int, ...]
    gaps: tuple[Gap, ...]
    repairs: Mapping[str, int]
    captions: Captions
    language: str | None
    title: str | None
    video_id: str | None
    url: str | None
    published: str | None
    duration: float | None

    @property
    def exact_share(self) -> float:
        return sum(word.exact for word in self.words) / len(self.words)


def parse(content: bytes, *, media_duration: float | None = None) -> Parsed:
    """The words of a caption or speech-to-text file; its format is told by its content.

    Raises TranscriptError, with line or segment and reason, for what cannot be read; NoSpeech for what holds no
    speech that can be used.
    """
    name, draft, document = formats.read(content)
    found = facts.found(document)
    result = repaired(draft, media_duration=media_duration)
    return Parsed(
        format=name,
        words=result.words,
        segments=result.segments,
        gaps=result.gaps,
        repairs=result.repairs,
        captions=draft.captions,
        language=draft.language or found.language,
        title=draft.title or found.title,
        video_id=draft.video_id or found.video_id,
        url=draft.url or found.url,
        published=draft.published or found.published,
        duration=draft.duration,
    )
