"""Times for hand-made words, from the automatic words that they stand for or stand between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from qandai.ingest.agreement import Stretch, stretches
from qandai.model import Word
from qandai.text import fold, tokens
from qandai.words import spread

_SMALL = 12  # words of a stretch whose two sides are the same words, heard and written differently
_LOPSIDED = 3
_SLACK = 1.0  # seconds by which a cue may come early or stay late
_SHORTEST = 0.08  # seconds a word that is put in where there is a pause
_NEAR = 5.0  # seconds between the times of the same words, the clocks' difference aside
_DIGIT = 5  # characters that a digit is worth when it is spoken

_MONEY_SIGNS = "$€£¥"
_MONEY = frozenset(fold(w) for w in "dollar dollars euro euros pound pounds yen bucks ευρώ dólares".split())


@dataclass(slots=True)
class Placed:
    """Words in order of time; `written` holds for each its position in the hand-made text, None if only heard."""

    words: list[Word] = field(default_factory=list)
    written: list[int | None] = field(default_factory=list)

    def add(self, word: Word, written: int | None) -> None:
        """Never before the word that stands before it."""
        if self.words:
            last = self.words[-1]
            if word.start < last.start:
                word = replace(word, start=last.start, end=max(last.start, word.end), exact=False)
            if last.end > word.start:
                self.words[-1] = replace(last, end=word.start)
        self.words.append(word)
        self.written.append(written)


class Placer:
    """Lays one hand-made text onto one heard one. Turns are the hand-made text's where it marks any."""

    def __init__(self, heard: Sequence[Word], written: Sequence[Word]) -> None:
        self._heard = heard
        self._written = written
        self._turns_by_hand = any(word.turn for word in written)
        self.placed = Placed()

    def place(self, stretch: Stretch, following: float | None) -> None:
        """`following` is when the next heard word starts, None at the end."""
        heard, written = stretch.heard, stretch.written
        if not written and self._is_spelt(heard):
            self._stretch_last(heard)
        elif not written:
            self._keep(heard)
        elif not heard:
            self._between(written, stretch.offset, following)
        elif len(heard) == len(written) and (stretch.agreed or self._same_words(heard, written, stretch.offset)):
            for h, w in zip(heard, written, strict=True):
                self._say(w, self._heard[h].start, self._heard[h].end, self._heard[h].exact, self._heard[h])
        elif stretch.agreed or self._same_words(heard, written, stretch.offset):
            self._share(heard, written)
        else:
            self._by_cue(heard, written, stretch.offset, following)

    def _keep(self, heard: range) -> None:
        for h in heard:
            word = self._heard[h]
            self.placed.add(replace(word, turn=False) if word.turn and self._turns_by_hand else word, None)

    def _is_spelt(self, heard: range) -> bool:
        """Whether the sign of the hand-made word before says it already: "$5" for "five dollars"."""
        last = self.placed.words[-1].text if self.placed.words else ""
        money = any(sign in last for sign in _MONEY_SIGNS) and any(map(str.isdigit, last))
        return money and len(heard) > 0 and all(set(tokens(self._heard[h].text)) <= _MONEY for h in heard)

    def _stretch_last(self, heard: range) -> None:
        self.placed.words[-1] = replace(self.placed.words[-1], end=self._heard[heard.stop - 1].end)

    def _say(self, w: int, start: float, end: float, exact: bool, heard: Word | None = None) -> None:
        word = self._written[w]
        turn = word.turn or (heard is not None and heard.turn and not self._turns_by_hand)
        speaker = word.speaker or (heard.speaker if heard else None)
        self.placed.add(Word(word.text, start, max(start, end), exact, turn, speaker, word.glued), w)

    def _same_words(self, heard: range, written: range, offset: float) -> bool:
        """Whether both sides are the same words, written differently: about as much to say, at about one time."""
        if max(len(heard), len(written)) > _SMALL:
            return False
        begins = self._written[written.start].start + offset - self._heard[heard.start].start
        ends = self._written[written.stop - 1].end + offset - self._heard[heard.stop - 1].end
        said = sum(len(self._heard[h].text) for h in heard)
        spelt = sum(_weight(self._written[w].text) for w in written)
        return max(abs(begins), abs(ends)) <= _NEAR and said <= _LOPSIDED * spelt and spelt <= _LOPSIDED * said

    def _share(self, heard: range, written: range) -> None:
        """The hand-made words over the time of the heard ones: the first starts when theirs did, the rest are
        estimates."""
        first = self._heard[heard.start]
        edges = _edges([self._heard[h] for h in heard], [_weight(self._written[w].text) for w in written])
        for number, w in enumerate(written):
            exact = first.exact and number == 0
            self._say(w, edges[number], edges[number + 1], exact, first if number == 0 else None)

    def _between(self, written: range, offset: float, following: float | None) -> None:
        """Words that nobody heard: at their cue's time where that lies in the pause; without a pause they take the
        later part of the word before."""
        words = self.placed.words
        texts = [self._written[w].text for w in written]
        low = words[-1].end if words else 0.0
        high = following
        if high is not None and high - low < _SHORTEST * len(texts) and words:
            before = words[-1]
            low = _cut(before, high, texts)
            words[-1] = replace(before, end=low)
        start = min(max(self._written[written.start].start + offset, low), high if high is not None else float("inf"))
        last = self._written[written.stop - 1].end + offset
        if high is not None and (high - start < _SHORTEST * len(texts) or last > high):
            last = high
            start = min(start, max(low, high - sum(map(len, texts)) / 15))
        for w, (left, right) in zip(written, spread(texts, start, max(start, last)), strict=True):
            self._say(w, left, right, False)

    def _by_cue(self, heard: range, written: range, offset: float, following: float | None) -> None:
        """Two texts that have little in common: what was heard outside the cues stays, what was heard within them
        gives way to what was written."""
        begin = self._written[written.start].start + offset - _SLACK
        end = self._written[written.stop - 1].end + offset + _SLACK
        inside = [h for h in heard if begin <= self._heard[h].start < end]
        if not inside:
            split = next((h for h in heard if self._heard[h].start >= begin), heard.stop)
            inside_range = range(split, split)
        else:
            inside_range = range(inside[0], inside[-1] + 1)
        self._keep(range(heard.start, inside_range.start))
        after = self._heard[inside_range.stop].start if inside_range.stop < heard.stop else following
        if not inside_range:
            self._between(written, offset, after)
        else:
            self._within(inside_range, written, offset, after)
        self._keep(range(inside_range.stop, heard.stop))

    def _within(self, heard: range, written: range, offset: float, following: float | None) -> None:
        """Once more aligned, now that both are known to be of one time; what does not agree keeps its cue's time."""
        low, high = self._heard[heard.start].start, self._heard[heard.stop - 1].end
        parts = stretches(self._heard[heard.start : heard.stop], self._written[written.start : written.stop])
        if any(part.agreed and abs(part.offset - offset) <= _NEAR for part in parts):
            for part in parts:
                own_heard = range(heard.start + part.heard.start, heard.start + part.heard.stop)
                own_written = range(written.start + part.written.start, written.start + part.written.stop)
                after = self._heard[own_heard.stop].start if own_heard.stop < heard.stop else following
                if part.agreed or not own_heard or not own_written or self._same_words(own_heard, own_written, offset):
                    self.place(Stretch(own_heard, own_written, part.agreed, offset), after)
                else:
                    self._over(
                        own_written, offset, self._heard[own_heard.start].start, self._heard[own_heard.stop - 1].end
                    )
        else:
            self._over(written, offset, low, high)

    def _over(self, written: range, offset: float, low: float, high: float) -> None:
        """At their cues' times, between two seconds."""
        for w in written:
            start = min(max(self._written[w].start + offset, low), high)
            self._say(w, start, min(self._written[w].end + offset, high), False)


def _weight(text: str) -> int:
    """How much there is to say, in characters: digits stand for whole words."""
    return sum(_DIGIT if char.isdigit() else 1 for char in text)


def _edges(heard: Sequence[Word], weights: Sequence[int]) -> list[float]:
    """len(weights) + 1 times that cut the heard words in shares of `weights`, character by character."""
    total_said, total = sum(len(word.text) for word in heard), sum(weights)
    edges = [heard[0].start]
    passed = 0
    for weight in weights[:-1]:
        passed += weight
        edges.append(_time_at(heard, total_said * passed / total))
    return [*edges, max(heard[-1].end, edges[-1])]


def _time_at(heard: Sequence[Word], characters: float) -> float:
    """When the heard words have been said up to that many characters."""
    for word in heard:
        if characters <= len(word.text):
            return round(word.start + (word.end - word.start) * characters / len(word.text), 3)
        characters -= len(word.text)
    return heard[-1].end


def _cut(before: Word, high: float, texts: Sequence[str]) -> float:
    """Where a word ends that must share its time, up to `high`, with the words put in behind it."""
    share = len(before.text) / (len(before.text) + sum(map(len, texts)))
    return round(before.start + (max(high, before.start) - before.start) * share, 3)
