"""The story of one recording: listen, cut, ask for each piece, check that it came back whole, join.

recording ─► silences ─► pieces ─► what was heard ─► takes (repaired, checked) ─► one row of words
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from qandai.errors import AccessRefused, NoSpeech, ProviderError, TooLarge, TranscriptError
from qandai.hearing import Audio, HeardCache, Sound, Transcriber
from qandai.ingest.transcribe.asking import Asker, Order
from qandai.ingest.transcribe.coverage import Coverage, Loudness, coverage
from qandai.ingest.transcribe.plan import SECONDS, Piece, halves, plan, sizing
from qandai.ingest.transcribe.prompt import prompt
from qandai.ingest.transcribe.speech import Failure, Speech, error_of, failure_of, untranscribed
from qandai.ingest.transcribe.stitch import Stitched, spliced, stitch
from qandai.ingest.transcribe.take import Take, read
from qandai.model import Gap

ASKED_AGAIN = "pieces asked again"
"""Repair that counts pieces of which too little came back at first."""

MENDED = "holes heard again"
"""Repair that counts stretches of some seconds in which words were missing at first."""

_SHORT_HOLE = 2.5  # seconds of sound without a word, from which on a stretch is heard again
_WIDEST_HOLE = 20.0  # seconds; wider ones are the piece's
_AROUND = 12.0  # seconds before and after a hole that are heard, too
_MOST_MENDED = 0.2  # of the recording
_SMALLEST = 10.0  # seconds; no half is smaller


@dataclass(frozen=True, slots=True)
class _Heard:
    """What became of a planned piece: takes that follow each other, what failed, and whether it was asked again."""

    takes: tuple[Take, ...] = ()
    failures: tuple[Failure, ...] = ()
    again: bool = False


@dataclass(frozen=True, slots=True)
class _Recording:
    """One recording while it is transcribed."""

    order: Order
    sound: Sound
    loudness: Loudness

    def covered(self, takes: Sequence[Take], start: float, end: float) -> Coverage:
        words = [word for word in stitch(takes).words if start <= word.start < end]
        return coverage(words, start, end, self.loudness)


class Scribe:
    """Transcribes recordings with one transcriber. Threads share it."""

    def __init__(
        self,
        transcriber: Transcriber,
        audio: Audio,
        cache: HeardCache,
        *,
        asker: Asker | None = None,
        seconds: float = SECONDS,
    ) -> None:
        self._transcriber = transcriber
        self._audio = audio
        self._cache = cache
        self._asker = asker or Asker(transcriber, audio, cache)
        self._under_way: set[threading.Event] = set()
        self._stopped = False
        self._sizing = sizing(transcriber.limits.max_bytes, seconds=seconds)

    def transcribe(
        self,
        recording: Path,
        *,
        language: str | None = None,
        vocabulary: Sequence[str] = (),
        video_id: str | None = None,
        progress: Callable[[float, float], None] | None = None,
    ) -> Speech:
        """`language` is a BCP 47 tag, None to find out; `vocabulary` begins with the most important term; what is
        kept of the recording is forgotten with `video_id`; `progress` is told the seconds done and their total.

        Raises TranscriptError for a file without audio, NoSpeech where nobody is heard, ToolMissing, AccessRefused for
        a wrong key; ProviderError if no piece at all could be transcribed. A piece that fails alone becomes a gap.
        """
        digest = self._audio.digest(recording)
        sound = self._sound(recording, digest)
        if video_id is not None:
            self._cache.name(digest, video_id)
        base = language.split("-")[0].lower() if language else None
        order = Order(recording, digest, base, prompt(vocabulary), self._sizing.form)
        one = _Recording(order, sound, Loudness(sound.silences))
        pieces = plan(
            sound, self._sizing.seconds, quietest=lambda start, end: self._audio.quietest(recording, start, end)
        )
        with self._stoppable(order):
            return self._joined(one, self._all(one, pieces, progress))

    def stop(self) -> None:
        """For good: recordings under way end with what was heard of them so far."""
        self._stopped = True
        for stopped in tuple(self._under_way):
            stopped.set()

    @contextmanager
    def _stoppable(self, order: Order) -> Iterator[None]:
        self._under_way.add(order.stopped)
        try:
            if self._stopped:
                order.stopped.set()
            yield
        finally:
            self._under_way.discard(order.stopped)

    def _sound(self, recording: Path, digest: str) -> Sound:
        sound = self._cache.sound(digest)
        if sound is None:
            sound = self._audio.listen(recording)
            self._cache.keep_sound(digest, sound)
        return sound

    def _all(
        self, one: _Recording, pieces: Sequence[Piece], progress: Callable[[float, float], None] | None
    ) -> list[_Heard]:
        """In order of time, however they arrive. A wrong key stops them all."""
        done = 0.0
        lock = threading.Lock()

        def hear(piece: Piece) -> _Heard:
            nonlocal done
            heard = self._piece(one, piece)
            with lock:
                done += piece.until - piece.since
                if progress is not None:
                    progress(done, one.sound.duration)
            return heard

        threads = max(1, min(self._transcriber.limits.parallel, len(pieces)))
        with _stopping(ThreadPoolExecutor(threads), one.order) as pool:
            asked = [pool.submit(hear, piece) for piece in pieces]
            for answer in as_completed(asked):
                answer.result()  # raises at once what stops them all
            return [answer.result() for answer in asked]

    def _piece(self, one: _Recording, piece: Piece) -> _Heard:
        """A piece that came back with half its speech is asked for again in two halves; the fuller answer stays."""
        heard = self._ask(one, piece)
        if heard.failures:
            return heard
        found = one.covered(heard.takes, piece.since, piece.until)
        if found.is_whole or piece.duration < 2 * _SMALLEST:
            return heard
        again = self._ask_halves(one, piece)
        if again.failures or one.covered(again.takes, piece.since, piece.until).missing >= found.missing:
            again = heard
        return _Heard(again.takes, again=True)

    def _ask(self, one: _Recording, piece: Piece) -> _Heard:
        try:
            return _Heard((read(self._asker.ask(one.order, piece), piece, one.sound),))
        except AccessRefused:
            raise
        except TooLarge as exc:
            if piece.duration >= 2 * _SMALLEST:
                return self._ask_halves(one, piece)
            return _Heard(failures=(failure_of(piece, exc),))
        except (ProviderError, TranscriptError) as exc:
            return _Heard(failures=(failure_of(piece, exc),))

    def _ask_halves(self, one: _Recording, piece: Piece) -> _Heard:
        parts = [self._ask(one, half) for half in halves(piece, one.sound.silences)]
        return _Heard(
            tuple(take for part in parts for take in part.takes),
            tuple(failure for part in parts for failure in part.failures),
        )

    def _mended(self, one: _Recording, row: Stitched, dropped: Sequence[Gap]) -> tuple[Stitched, list[Take]]:
        """The row, and the takes that went into its holes: a recogniser drops a sentence now and then, most often the
        broken one at a cut, and hears it when it stands elsewhere in a piece."""
        added: list[Take] = []
        left_over = _MOST_MENDED * one.sound.duration + 4 * _AROUND
        for left, right, _ in coverage(row.words, 0.0, one.sound.duration, one.loudness, hole=_SHORT_HOLE).holes:
            if right - left > _WIDEST_HOLE or any(gap.start < right and left < gap.end for gap in dropped):
                continue
            piece = Piece(max(0.0, left - _AROUND), min(one.sound.duration, right + _AROUND), left, right)
            left_over -= piece.duration
            if left_over < 0:  # music, more likely than speech
                break
            takes = [t for t in self._ask(one, piece).takes if any(left <= word.start < right for word in t.words)]
            if takes:
                row = spliced(row, takes, left, right)
                added += takes
        return row, added

    def _joined(self, one: _Recording, heard: Sequence[_Heard]) -> Speech:
        takes = [take for part in heard for take in part.takes]
        failures = tuple(failure for part in heard for failure in part.failures)
        if failures and not takes:
            raise error_of(failures[0])
        dropped = [gap for take in takes for gap in take.gaps]
        row, added = self._mended(one, stitch(takes), dropped)
        repairs: Counter[str] = Counter(row.repairs)
        for take in (*takes, *added):
            repairs.update(take.repairs)
        repairs[ASKED_AGAIN] += sum(part.again for part in heard)
        repairs[MENDED] += len(added)
        gaps = [Gap(failure.start, failure.end, "untranscribed") for failure in failures] + dropped
        gaps += untranscribed(takes, row.words, dropped, one.loudness)
        if not row.words and not failures:
            raise NoSpeech("no speech is heard in the recording.")
        return Speech(
            duration=one.sound.duration,
            words=row.words,
            segments=row.segments,
            gaps=tuple(sorted(gaps, key=lambda gap: (gap.start, gap.end))),
            repairs=dict(+repairs),
            model=self._transcriber.model,
            failures=failures,
        )


@contextmanager
def _stopping(pool: ThreadPoolExecutor, order: Order) -> Iterator[ThreadPoolExecutor]:
    """On an error or Ctrl-C, what has not begun is not begun, and nobody waits for a limit any longer."""
    try:
        yield pool
    except BaseException:
        order.stopped.set()
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()
