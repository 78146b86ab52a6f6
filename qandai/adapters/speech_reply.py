"""What a transcription service answers: verbose_json, read with care."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

from qandai.hearing import Heard, HeardSegment, HeardWord


def _number(value: object) -> float | None:
    """A number, also in quotes; None for what is none: a word without a time is still a word."""
    try:
        number = float(value) if isinstance(value, int | float | str) else None
    except ValueError:
        return None
    if number is None:
        return None
    return number if abs(number) < 1e7 else None  # also not NaN


Seconds = Annotated[float | None, BeforeValidator(_number)]


class _Word(BaseModel):
    word: str = Field(max_length=1000)
    start: Seconds = None
    end: Seconds = None


class _Segment(BaseModel):
    start: Seconds = None
    end: Seconds = None
    text: str = Field("", max_length=100_000)
    avg_logprob: Seconds = None
    no_speech_prob: Seconds = None
    compression_ratio: Seconds = None
    words: list[_Word] | None = None


class Reply(BaseModel):
    text: str = Field("", max_length=1_000_000)
    language: str | None = Field(None, max_length=100)
    words: list[_Word] | None = Field(None, max_length=100_000)
    segments: list[_Segment] | None = Field(None, max_length=100_000)


def heard(reply: Reply) -> Heard:
    listed = reply.segments or []
    nested = [word for segment in listed for word in segment.words or ()]
    segments: list[HeardSegment] = []
    passed = 0.0
    for segment in listed:
        start = passed if segment.start is None else max(0.0, segment.start)
        passed = start if segment.end is None else segment.end
        segments.append(
            HeardSegment(
                start, passed, segment.text, segment.avg_logprob, segment.no_speech_prob, segment.compression_ratio
            )
        )
    words = tuple(HeardWord(word.word, word.start, word.end) for word in reply.words or nested)
    return Heard(tuple(segments), words, reply.language)
