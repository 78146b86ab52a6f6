"""Builders of values that tests start from: said("so I sold it", at=12.0)."""

from __future__ import annotations

from qandai.model import Row, Transcript, Video, Word

AUDIO = Video("talk1", "A first talk", "audio", "audio/ann/talk1.m4a", "2026-03-03", 60.0, language="en")


def said(text: str, *, at: float = 0.0, each: float = 0.5, exact: bool = True) -> tuple[Word, ...]:
    """The words of `text`, one after the other from second `at`, each lasting `each` seconds."""
    return tuple(
        Word(word, round(at + place * each, 3), round(at + (place + 1) * each, 3), exact)
        for place, word in enumerate(text.split())
    )


def row(text: str, *, video: Video = AUDIO, at: float = 0.0, each: float = 0.5, offset: int = 0) -> Row:
    return Row(video, said(text, at=at, each=each), offset)


def talk(video_id: str, *sentences: str, title: str = "A talk", each: float = 0.4) -> Transcript:
    """A recording in which the sentences are said one after the other, half a second apart."""
    words: list[Word] = []
    segments: list[int] = []
    for sentence in sentences:
        segments.append(len(words))
        words.extend(said(sentence, at=words[-1].end + 0.5 if words else 0.0, each=each))
    video = Video(video_id, title, "audio", f"audio/ann/{video_id}.m4a", "2026-03-03", words[-1].end + 1, language="en")
    return Transcript(video, tuple(words), segments=tuple(segments))
