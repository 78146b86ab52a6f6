"""A passage as a Chroma record and back: its text is the document, the rest are flat metadata.

A video's first record also says what the list of videos needs, so that this list is read without the others.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from qandai.adapters import timings
from qandai.model import Row, SourceKind, Span, Video
from qandai.ports import Inside, Leaf, Place, Signs, Vectors

FORMAT = 3
"""Counts up when a record changes so that a reader of another format would misread it."""

Metadata = Mapping[str, str | int | float | bool]

HEADS = {"head": True}
"""The Chroma filter for the first record of every video."""


@dataclass(frozen=True, slots=True)
class Head:
    """What a video's first record says of the whole: `fingerprint` of the transcript that it was made from, how many
    `passages` it has, and the second at which its last word ends."""

    video: Video
    fingerprint: str
    passages: int
    end: float


def records(leaves: Sequence[Leaf], *, fingerprint: str) -> Iterator[tuple[str, str, Metadata]]:
    """(id, document, metadata) of each passage of one video, in order."""
    for number, leaf in enumerate(leaves):
        metadata: dict[str, str | int | float | bool | None] = {
            **_video(leaf.passage.video),
            "start": round(leaf.passage.start, 3),
            "end": round(leaf.passage.end, 3),
            "words": timings.encode(leaf.passage.words),
            "sentences": timings.write_numbers(sentence.last - sentence.first + 1 for sentence in leaf.sentences),
            "sentence_vectors": quantise(leaf.vectors),
            "word_signs": _write_signs(leaf.signs),
        }
        if number == 0:
            end = max(leaf.passage.end for leaf in leaves)
            metadata |= {**HEADS, "fingerprint": fingerprint, "passages": len(leaves), "last_end": round(end, 3)}
        present = {key: value for key, value in metadata.items() if value is not None}  # Chroma refuses None
        yield leaf.passage.id, leaf.passage.text, present


def read_head(metadata: Metadata) -> Head:
    """Raises ValueError for metadata that this program did not write."""
    fingerprint, passages, end = metadata.get("fingerprint"), metadata.get("passages"), metadata.get("last_end")
    if not isinstance(fingerprint, str) or not isinstance(passages, int) or not isinstance(end, float | int):
        raise ValueError("the head of a video is incomplete")
    return Head(_read_video(metadata), fingerprint, passages, float(end))


def read_place(record_id: str) -> Place:
    """The id is the place: VIDEO:first-last. Raises ValueError."""
    video_id, _, positions = record_id.rpartition(":")
    first, _, last = positions.partition("-")
    if not video_id or not (first.isdecimal() and last.isdecimal()):
        raise ValueError(f"{record_id!r} is not a passage id")
    return Place(video_id, int(first), int(last))


def read_leaf(video: Video, place: Place, document: str, metadata: Metadata, *, dimension: int) -> Leaf:
    """Raises ValueError where the parts do not fit together."""
    words = timings.decode(_text(metadata, "words"), document)
    if len(words) != place.last - place.first + 1:
        raise ValueError(f"{place.id} holds {len(words)} words")
    passage = Row(video, words, place.first).whole()
    spans: list[Span] = []
    at = place.first
    for length in timings.read_numbers(_text(metadata, "sentences")):
        spans.append(passage.row.span(at, at + length - 1))
        at += length
    if at != place.last + 1:
        raise ValueError(f"the sentences of {place.id} do not fill it")
    inside = read_inside(place, metadata, dimension=dimension)
    return Leaf(passage, tuple(spans), inside.sentences, inside.signs)


def read_inside(place: Place, metadata: Metadata, *, dimension: int) -> Inside:
    """What `read_leaf` gives, without its words. Raises ValueError."""
    lengths = list(timings.read_numbers(_text(metadata, "sentences")))
    if sum(lengths) != place.last - place.first + 1:
        raise ValueError(f"the sentences of {place.id} do not fill it")
    vectors = restore(_text(metadata, "sentence_vectors"), len(lengths), dimension)
    return Inside(vectors, _read_signs(_text(metadata, "word_signs")))


def _write_signs(signs: Signs) -> str:
    """`rows×bytes` and the rows, base64."""
    return f"{signs.shape[0]}x{signs.shape[1]}:" + base64.b64encode(signs.tobytes()).decode("ascii")


def _read_signs(text: str) -> Signs:
    shape, _, packed = text.partition(":")
    rows, columns = (int(part) if part.isdecimal() else -1 for part in shape.partition("x")[::2])
    try:
        raw = np.frombuffer(base64.b64decode(packed, validate=True), np.uint8)
        if min(rows, columns) < 0 or raw.size != rows * columns:
            raise ValueError(f"{raw.size} bytes are not {shape}")
        return raw.reshape(rows, columns)
    except ValueError as exc:  # also binascii's
        raise ValueError("the signs of the words are damaged") from exc


def quantise(vectors: Vectors) -> str:
    """A byte a number, base64. Rows are normalised again when they are read, so no scale is kept."""
    peaks = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), 1e-12)
    return base64.b64encode(np.round(vectors / peaks * 127).astype(np.int8).tobytes()).decode("ascii")


def restore(text: str, count: int, dimension: int) -> Vectors:
    """(count, dimension), normalised, each within a cosine of 0.01 of what was quantised. Raises ValueError."""
    try:
        raw = np.frombuffer(base64.b64decode(text, validate=True), np.int8)
    except binascii.Error as exc:
        raise ValueError("the sentence vectors are damaged") from exc
    if raw.size != count * dimension:
        raise ValueError("the sentence vectors do not fit the sentences")
    rows = raw.reshape(count, dimension).astype(np.float32)
    return cast(Vectors, rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))


def _video(video: Video) -> Metadata:
    named = {
        "video_id": video.id,
        "title": video.title,
        "media": video.source,
        "url": video.url,
        "published": video.published,
        "duration": video.duration,
        "channel": video.channel,
        "language": video.language,
    }
    return {key: value for key, value in named.items() if value is not None}


def _read_video(metadata: Metadata) -> Video:
    media, duration = metadata.get("media"), metadata.get("duration")
    if media not in (None, "youtube", "audio"):
        raise ValueError(f"unknown kind of media {media!r}")
    if duration is not None and not isinstance(duration, int | float):
        raise ValueError("a duration is not a number")
    return Video(
        id=_text(metadata, "video_id"),
        title=_text(metadata, "title"),
        source=cast("SourceKind | None", media),
        url=_text_or_none(metadata, "url"),
        published=_text_or_none(metadata, "published"),
        duration=duration,
        channel=_text_or_none(metadata, "channel"),
        language=_text_or_none(metadata, "language"),
    )


def _text(metadata: Metadata, key: str) -> str:
    value = metadata.get(key)
    if not isinstance(value, str):
        raise ValueError(f"{key!r} is missing")
    return value


def _text_or_none(metadata: Metadata, key: str) -> str | None:
    return _text(metadata, key) if key in metadata else None
