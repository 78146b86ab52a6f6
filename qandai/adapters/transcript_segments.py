"""The segments of a transcript file, checked and in words. An archive has a million words: the plain case is a lean
loop, and whatever is unusual in a segment goes the careful way, which also finds the reason for a refusal."""

from __future__ import annotations

from typing import Any, NoReturn

from qandai.errors import TranscriptError
from qandai.model import Word
from qandai.words import LATEST, Entry, Token, fill, glued, joins, said

_JITTER = 0.05  # seconds that a start may lie before the one before it: rounding, not disorder


class _Reader:
    """Takes one file's segments in turn."""

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.starts: list[int] = []
        self._speaker: str | None = None

    def take(self, item: Any, following: Any, number: int) -> None:
        """`following` is the next segment, unchecked; it bounds this one's words where they have no times."""
        if not isinstance(item, dict):
            _refuse(number, f"must be an object, not {type(item).__name__}")
        speaker = item.get("speaker")
        if speaker is not None and not isinstance(speaker, str):
            _refuse(number, "`speaker` must be a text")
        before = self.words[-1].start if self.words else 0.0
        words = _plain_words(item, speaker, before) or _careful_words(item, following, speaker, before, number)
        if not words:
            return
        self.starts.append(len(self.words))
        self._fit(words, item)
        self.words.extend(words)
        self._speaker = speaker or self._speaker

    def _fit(self, words: list[Word], item: dict[str, Any]) -> None:
        """What the first word owes to the segment before: a turn where the speaker changed, the missing space."""
        first = words[0]
        listed = item.get("words") or [{}]
        told = listed[0] if isinstance(listed[0], dict) else {}
        is_turn = bool(self.words) and first.speaker is not None and first.speaker != self._speaker
        turn = bool(told.get("turn", first.turn or is_turn))
        is_glued = bool(told.get("glued", bool(self.words) and joins(self.words[-1].text, first.text)))
        if (turn, is_glued) != (first.turn, first.glued):
            words[0] = Word(first.text, first.start, first.end, first.exact, turn, first.speaker, is_glued)


def read_segments(segments: Any) -> tuple[tuple[Word, ...], tuple[int, ...]]:
    """The words, and the position of each segment's first. Segments without `words` get times spread over them.

    Raises TranscriptError with the number of the segment (from 1) and the reason.
    """
    if not isinstance(segments, list):
        raise TranscriptError("`segments` must be a list.")
    reader = _Reader()
    for number, (item, following) in enumerate(zip(segments, [*segments[1:], None], strict=True), start=1):
        reader.take(item, following, number)
    return tuple(reader.words), tuple(reader.starts)


def _plain_words(item: dict[str, Any], speaker: str | None, before: float) -> list[Word] | None:
    """The words of a segment that lists them all with times in order; None for anything else."""
    listed = item.get("words")
    if not listed:
        return None
    words: list[Word] = []
    try:
        text = item["text"]
        texts = [entry["word"] for entry in listed]
        joined = " ".join(texts)
        if len(joined.split()) != len(texts):
            return None
        flags = [False] * len(texts) if joined == text else glued(texts, text)
        for entry, word, flag in zip(listed, texts, flags, strict=True):
            start, end = entry["start"], entry["end"]
            if not before <= start <= end <= LATEST:
                return None
            before = start
            if len(entry) == 3:
                words.append(Word(word, 0.0 + start, 0.0 + end, True, False, speaker, flag))
            else:
                is_glued = bool(entry.get("glued", flag))
                turn = bool(entry.get("turn"))
                words.append(Word(word, 0.0 + start, 0.0 + end, not entry.get("estimated"), turn, speaker, is_glued))
    except (KeyError, TypeError, AttributeError):
        return None
    return words


def _careful_words(item: dict[str, Any], following: Any, speaker: str | None, before: float, number: int) -> list[Word]:
    start, end = _bounds(item, following, before, number)
    listed = item.get("words")
    if listed:
        if not isinstance(listed, list):
            _refuse(number, "`words` must be a list")
        return fill(_entries(listed, item, speaker, max(start, before), number), max(start, before), end)
    text = item.get("text")
    if not isinstance(text, str):
        _refuse(number, "`text` must be a text" if "text" in item else "`text` is missing")
    return said(text, max(start, before), end, exact=not item.get("interpolated"), speaker=speaker)


def _bounds(item: dict[str, Any], following: Any, before: float, number: int) -> tuple[float, float | None]:
    """Start and end of a segment; the end None where nothing tells it."""
    start = _seconds(item, "start", number)
    if start is None:
        _refuse(number, "`start` is missing")
    if start < before - _JITTER:
        _refuse(
            number, f"starts at {start:g}, before the words at {before:g}; `qandai import` puts such files in order"
        )
    end = _seconds(item, "end", number)
    if end is None and (length := _seconds(item, "duration", number)) is not None:
        end = start + length
    if end is not None and end < start:
        _refuse(number, f"ends at {end:g}, before its start at {start:g}")
    after = following.get("start") if isinstance(following, dict) else None
    if isinstance(after, int | float) and after >= start and not item.get("words"):
        end = float(after) if end is None else min(end, float(after))
    return start, end


def _entries(listed: list[Any], item: dict[str, Any], speaker: str | None, before: float, number: int) -> list[Entry]:
    """`before` is the earliest that the first word may start."""
    texts: list[str] = []
    for position, entry in enumerate(listed, start=1):
        text = entry.get("word") if isinstance(entry, dict) else None
        if not isinstance(text, str):
            _refuse(number, f"word {position} has no `word`")
        texts.append(text.strip())
    written = item.get("text")
    flags = glued(texts, written if isinstance(written, str) else " ".join(texts))
    entries: list[Entry] = []
    for position, (entry, text, flag) in enumerate(zip(listed, texts, flags, strict=True), start=1):
        start, end = _word_times(entry, before, f"word {position} ({text!r})", number)
        before = before if start is None else start
        exact = start is not None and not entry.get("estimated")
        parts = text.split()
        for part in parts[:1]:
            token = Token(part, bool(entry.get("glued", flag)), bool(entry.get("turn")))
            entries.append(Entry(token, start, end if len(parts) == 1 else None, speaker, exact))
        entries.extend(Entry(Token(part), None, None, speaker) for part in parts[1:])
    return entries


def _word_times(entry: dict[str, Any], before: float, named: str, number: int) -> tuple[float | None, float | None]:
    start, end = _seconds(entry, "start", number), _seconds(entry, "end", number)
    if start is None:
        return None, None
    if start < before - _JITTER:
        _refuse(number, f"{named} starts at {start:g}, before {before:g}; `qandai import` puts files in order")
    if end is not None and end < start:
        _refuse(number, f"{named} ends at {end:g}, before its start at {start:g}")
    start = max(start, before)
    return start, None if end is None else max(start, end)


def _seconds(item: dict[str, Any], key: str, number: int) -> float | None:
    """None where the field is missing or null."""
    value = item.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        _refuse(number, f"`{key}` must be a number of seconds, not {value!r}")
    if not 0 <= value <= LATEST:
        _refuse(number, f"`{key}` is {value}; it must lie between 0 and {LATEST:g} seconds")
    return float(value)


def _refuse(number: int, reason: str) -> NoReturn:
    raise TranscriptError(f"segment {number}: {reason}.")
