"""Builders of values that tests start from: said("so I sold it", at=12.0)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from eval.shelf import MemoryShelf
from qandai.model import Excerpt, Hit, Row, Sentence, Transcript, Video, Word
from qandai.passages import cut
from qandai.passages import sentences as units
from qandai.ports import Embedder, Leaf
from qandai.signs import pack
from qandai.text import tokens

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


def shelf(*rows: Row, embedder: Embedder, chars: int = 300, language: str = "en") -> MemoryShelf:
    """The rows cut and embedded, ordered by video and position as a store keeps them."""
    passages = [passage for one in rows for passage in cut(one, chars=chars, language=language)]
    passages.sort(key=lambda passage: (passage.span.video.id, passage.span.first))
    read = embedder.read_passages([passage.span.text for passage in passages])
    leaves = [
        Leaf(
            passage.span,
            passage.sentences,
            embedder.passages([unit.text for unit in passage.sentences]),
            pack(reading.words),
        )
        for passage, reading in zip(passages, read, strict=True)
    ]
    return MemoryShelf(leaves, np.stack([reading.vector for reading in read]))


def excerpt(
    *turns: tuple[str | None, str],
    question: str,
    embedder: Embedder,
    at: float = 0.0,
    each: float = 0.4,
    video: Video = AUDIO,
    score: float = 0.5,
    number: int = 1,
) -> Excerpt:
    """What a retriever would hand over of a recording in which `turns`, each a speaker and words, follow each other."""
    words: list[Word] = []
    for speaker, text in turns:
        begin = words[-1].end if words else at
        spoken = said(text, at=begin, each=each)
        words.append(replace(spoken[0], speaker=speaker, turn=bool(words)))
        words.extend(replace(word, speaker=speaker) for word in spoken[1:])
    whole = Row(video, tuple(words))
    asked = embedder.query(question)
    sentences = tuple(Sentence(span, float(embedder.query(span.text) @ asked)) for span in units(whole))
    near = max(sentence.likeness for sentence in sentences)
    terms = {word: 1.0 if len(word) < 4 else 3.0 for word in tokens(question)}
    return Excerpt(number, whole, whole.whole(), Hit(0, number, score, near), sentences, terms)
