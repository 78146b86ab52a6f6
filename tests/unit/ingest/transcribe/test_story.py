"""One recording, transcribed: nothing lost, nothing doubled, nothing paid for twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from threading import Event
from time import monotonic

import pytest

from qandai.errors import AccessRefused, NoSpeech, ProviderError, Refused, Throttled, TooLarge
from qandai.hearing import Heard, HeardSegment, HeardWord, Sound, TranscriberLimits
from qandai.ingest.transcribe.asking import Asker
from qandai.ingest.transcribe.speech import Speech
from qandai.ingest.transcribe.story import ASKED_AGAIN, MENDED, Scribe
from qandai.model import Video
from tests.fakes import ListeningTranscriber, MemoryHeard, PlannedAudio

HOUR = Sound(1860.0, ((599.0, 601.0),))  # pieces 0-600, 600-1205, 1195-1860
FILE = Path("talk.mp3")
Hear = Callable[[float, float], Heard]


def speech(start: float, end: float) -> Heard:
    """Somebody says one number a second, from 0 on: what a piece from `start` to `end` hears of it."""
    said = [n for n in range(int(start), int(end)) if n >= start and n + 0.9 <= end]
    words = tuple(HeardWord(f"w{n}", n - start, n + 0.9 - start) for n in said)
    segments = tuple(
        HeardSegment(
            words[at].start or 0.0,
            words[min(at + 9, len(words) - 1)].end or 0.0,
            " ".join(w.text for w in words[at : at + 10]),
        )
        for at in range(0, len(words), 10)
    )
    return Heard(segments, words, "english")


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def scribe(
    hear: Hear,
    *,
    sound: Sound = HOUR,
    cache: MemoryHeard | None = None,
    model: str = "ears",
    clock: Clock | None = None,
    parallel: int = 1,
    patience: float = 3600.0,
) -> tuple[Scribe, ListeningTranscriber, PlannedAudio]:
    transcriber = ListeningTranscriber(hear, model=model, limits=TranscriberLimits(parallel=parallel))
    audio, kept, time = PlannedAudio(sound), cache or MemoryHeard(), clock or Clock()
    asker = Asker(transcriber, audio, kept, clock=time, sleep=time.sleep, patience=patience)
    return Scribe(transcriber, audio, kept, asker=asker), transcriber, audio


def texts(found: Speech) -> list[str]:
    return [word.text for word in found.words]


def after(failures: Iterator[Exception | None], hear: Hear = speech) -> Hear:
    def answer(start: float, end: float) -> Heard:
        failure = next(failures, None)
        if failure is not None:
            raise failure
        return hear(start, end)

    return answer


EVERY_WORD = [f"w{n}" for n in range(1860)]


@pytest.mark.parametrize("parallel", [1, 3])
def test_each_word_is_there_once_at_its_own_second(parallel: int) -> None:
    found = scribe(speech, parallel=parallel)[0].transcribe(FILE, language="en-GB")
    assert texts(found) == EVERY_WORD
    assert all(word.start == int(word.text[1:]) for word in found.words)
    assert found.gaps == ()
    assert found.failures == ()
    assert found.model == "ears"


def test_language_and_vocabulary_reach_every_piece() -> None:
    story, transcriber, _ = scribe(speech)
    story.transcribe(FILE, language="pt-BR", vocabulary=["Qubes", "Tor"])
    assert {asked[2:] for asked in transcriber.asked} == {("pt", "Tor, Qubes")}
    assert [asked[:2] for asked in transcriber.asked] == [(0.0, 600.0), (600.0, 1205.0), (1195.0, 1860.0)]


def test_what_was_heard_is_not_asked_for_again() -> None:
    cache = MemoryHeard()
    scribe(speech, cache=cache)[0].transcribe(FILE, language="en")
    story, transcriber, audio = scribe(speech, cache=cache)
    found = story.transcribe(FILE, language="en")
    assert texts(found) == EVERY_WORD
    assert transcriber.asked == []
    assert audio.listened == 0


@pytest.mark.parametrize(
    "changed", [{"vocabulary": ["Tor"]}, {"language": "de"}, {"model": "ears2"}, {"digest": "cd" * 32}]
)
def test_another_prompt_language_model_or_recording_asks_anew(changed: dict[str, object]) -> None:
    cache = MemoryHeard()
    scribe(speech, cache=cache)[0].transcribe(FILE, language="en", vocabulary=["Qubes"])
    transcriber = ListeningTranscriber(speech, model=str(changed.get("model", "ears")))
    audio = PlannedAudio(HOUR, digest=str(changed.get("digest", "ab" * 32)))
    vocabulary = ["Tor"] if "vocabulary" in changed else ["Qubes"]
    Scribe(transcriber, audio, cache).transcribe(
        FILE, language=str(changed.get("language", "en")), vocabulary=vocabulary
    )
    assert len(transcriber.asked) == 3


def test_terms_that_do_not_fit_change_nothing() -> None:
    cache = MemoryHeard()
    many = [f"Name{n} Surname{n}" for n in range(100)]
    scribe(speech, cache=cache)[0].transcribe(FILE, vocabulary=many)
    story, transcriber, _ = scribe(speech, cache=cache)
    story.transcribe(FILE, vocabulary=[*many, "One more"])
    assert transcriber.asked == []


def test_another_cut_keeps_the_pieces_that_it_shares() -> None:
    cache = MemoryHeard()
    scribe(speech, cache=cache)[0].transcribe(FILE)
    transcriber = ListeningTranscriber(speech)
    recut = PlannedAudio(replace(HOUR, silences=((599.0, 601.0), (1190.0, 1192.0))))
    other = MemoryHeard()
    other._heard = cache._heard
    Scribe(transcriber, recut, other).transcribe(FILE)
    assert [asked[:2] for asked in transcriber.asked] == [(600.0, 1191.0), (1191.0, 1860.0)]


def test_one_failed_piece_never_loses_the_others() -> None:
    def deaf(start: float, end: float) -> Heard:
        if start == 600.0:
            raise Refused("it will not")
        return speech(start, end)

    found = scribe(deaf, parallel=2)[0].transcribe(FILE)
    assert texts(found) == [word for word in EVERY_WORD if not 600 <= int(word[1:]) < 1195]
    assert [(gap.start, gap.end, gap.reason) for gap in found.gaps] == [(600.0, 1200.0, "untranscribed")]
    (failure,) = found.failures
    assert (failure.start, failure.end, failure.reason, failure.passing) == (600.0, 1200.0, "it will not", False)


def test_a_failure_that_passes_is_tried_again_with_growing_waits() -> None:
    clock = Clock()
    story, transcriber, _ = scribe(after(iter([ProviderError("502")] * 3)), clock=clock)
    assert texts(story.transcribe(FILE)) == EVERY_WORD
    assert clock.slept == [2.0, 4.0, 8.0]
    assert len(transcriber.asked) == 6


def test_a_failure_that_stays_is_given_up_and_said_to_pass() -> None:
    def broken(start: float, end: float) -> Heard:
        if start == 0.0:
            raise ProviderError("502")
        return speech(start, end)

    found = scribe(broken)[0].transcribe(FILE)
    assert found.failures[0].passing
    assert found.gaps[0].reason == "untranscribed"


def test_a_second_run_pays_only_for_what_failed() -> None:
    cache = MemoryHeard()

    def broken(start: float, end: float) -> Heard:
        if start == 0.0:
            raise ProviderError("502")
        return speech(start, end)

    scribe(broken, cache=cache)[0].transcribe(FILE)
    story, transcriber, _ = scribe(speech, cache=cache)
    assert texts(story.transcribe(FILE)) == EVERY_WORD
    assert [asked[:2] for asked in transcriber.asked] == [(0.0, 600.0)]


@pytest.mark.parametrize(("wait", "slept"), [(2.0, 2.0), (61.0, 61.0), (None, 20.0)])
def test_a_limit_is_waited_out_in_full(wait: float | None, slept: float) -> None:
    clock = Clock()
    story, transcriber, _ = scribe(after(iter([Throttled("slow down", wait=wait)])), clock=clock)
    assert texts(story.transcribe(FILE)) == EVERY_WORD
    assert clock.slept == [slept]
    assert len(transcriber.asked) == 4


def test_a_limit_holds_back_all_pieces() -> None:
    clock = Clock()
    told: list[float] = []

    def answer(start: float, end: float) -> Heard:
        told.append(clock.now)
        if len(told) == 1:
            raise Throttled("slow down", wait=30.0)
        return speech(start, end)

    scribe(answer, clock=clock)[0].transcribe(FILE)
    assert told == [0.0, 30.0, 30.0, 30.0]


def test_a_limit_beyond_patience_leaves_the_rest_for_another_run() -> None:
    cache = MemoryHeard()
    clock = Clock()
    story, transcriber, _ = scribe(
        after(iter([None, *[Throttled("the day's quota", wait=7200.0)] * 9])), cache=cache, clock=clock
    )
    found = story.transcribe(FILE)
    assert clock.slept == []
    assert len(transcriber.asked) == 2  # the third piece does not even ask
    assert [(failure.start, failure.end, failure.passing) for failure in found.failures] == [
        (600.0, 1200.0, True),
        (1200.0, 1860.0, True),
    ]
    assert found.failures[0].wait == pytest.approx(7200.0)
    assert texts(found) == EVERY_WORD[:600]


def test_a_refused_key_stops_everything() -> None:
    story, transcriber, _ = scribe(after(iter([AccessRefused("bad key")] * 9)))
    with pytest.raises(AccessRefused):
        story.transcribe(FILE)
    assert len(transcriber.asked) <= 2


def test_a_refused_key_wakes_those_who_wait_for_a_limit() -> None:
    asked, waiting = Event(), Event()

    def answer(start: float, end: float) -> Heard:
        if start == 0.0:
            asked.wait(30)
            waiting.set()
            raise Throttled("an hour", wait=3000.0)
        asked.set()
        waiting.wait(30)
        raise AccessRefused("bad key")

    transcriber = ListeningTranscriber(answer, limits=TranscriberLimits(parallel=2))
    story = Scribe(transcriber, PlannedAudio(HOUR), MemoryHeard())  # with the real clock
    begun = monotonic()
    with pytest.raises(AccessRefused):
        story.transcribe(FILE)
    assert monotonic() - begun < 60


def test_nothing_at_all_transcribed_is_an_error() -> None:
    with pytest.raises(ProviderError, match="it will not"):
        scribe(after(iter([Refused("it will not")] * 9)))[0].transcribe(FILE)


def test_a_piece_too_large_is_halved() -> None:
    def small_ears(start: float, end: float) -> Heard:
        if end - start > 400:
            raise TooLarge("413")
        return speech(start, end)

    found = scribe(small_ears)[0].transcribe(FILE)
    assert texts(found) == EVERY_WORD
    assert found.failures == ()


def partly(start: float, end: float) -> Heard:
    """Of long pieces, the first 240 seconds only."""
    return speech(start, min(end, start + 240)) if end - start > 400 else speech(start, end)


def test_a_piece_that_returns_half_the_speech_is_asked_again_in_halves() -> None:
    story, transcriber, _ = scribe(partly)
    found = story.transcribe(FILE)
    assert texts(found) == EVERY_WORD
    assert found.repairs[ASKED_AGAIN] == 3
    assert found.gaps == ()
    assert len(transcriber.asked) == 9


def test_a_join_at_which_both_pieces_stumble_is_heard_again() -> None:
    def stumbling(start: float, end: float) -> Heard:
        """Drops the broken sentence at a piece's end, and begins late after its start."""
        heard = speech(start, end)
        words = tuple(word for word in heard.words if 7.0 <= (word.start or 0.0) <= end - start - 7.0)
        segment = HeardSegment(7.0, end - start - 7.0, " ".join(word.text for word in words))
        return Heard((segment,), words)

    sound = Sound(1230.0, ((0.0, 7.0), (1223.0, 1230.0)))
    story, transcriber, _ = scribe(stumbling, sound=sound)
    found = story.transcribe(FILE)
    assert texts(found) == EVERY_WORD[7:1224]
    assert found.repairs[MENDED] == 1
    assert [asked[:2] for asked in transcriber.asked][-1] == (586.9, 614.0)


def without(heard: Heard, wanted: Callable[[float], bool]) -> Heard:
    """Only the words that start at such seconds of the piece."""
    words = tuple(word for word in heard.words if wanted(word.start or 0.0))
    return Heard((HeardSegment(0.0, 600.0, " ".join(word.text for word in words)),), words)


def test_a_sentence_that_was_dropped_is_heard_again() -> None:
    def dropping(start: float, end: float) -> Heard:
        return speech(start, end) if end - start < 100 else without(speech(start, end), lambda at: not 100 <= at < 105)

    story, transcriber, _ = scribe(dropping)
    found = story.transcribe(FILE)
    assert texts(found) == EVERY_WORD
    assert found.repairs[MENDED] == 3
    assert [asked[:2] for asked in transcriber.asked][3] == (87.9, 117.0)


def test_what_is_no_speech_is_not_heard_again_for_ever() -> None:
    """A word, then five seconds of a tune, all along."""

    def tuneful(start: float, end: float) -> Heard:
        return without(speech(start, end), lambda at: int(start + at) % 10 < 5)

    story, transcriber, _ = scribe(tuneful)
    found = story.transcribe(FILE)
    extra = [asked for asked in transcriber.asked if asked[1] - asked[0] < 100]
    assert sum(end - start for start, end, *_ in extra) <= 0.2 * HOUR.duration + 48
    assert MENDED not in found.repairs


def test_what_stays_missing_is_marked_untranscribed() -> None:
    def lazy(start: float, end: float) -> Heard:
        return speech(start, min(end, 240.0)) if start < 240 else speech(start, end) if start >= 600 else Heard(())

    found = scribe(lazy)[0].transcribe(FILE)
    (gap,) = found.gaps
    assert gap.reason == "untranscribed"
    assert gap.start == pytest.approx(240, abs=1)
    assert gap.end == 600.0
    assert texts(found) == [word for word in EVERY_WORD if not 240 <= int(word[1:]) < 600]


def test_six_words_for_ten_minutes_are_asked_again_only_once() -> None:
    six = Heard(
        (HeardSegment(0.0, 3.0, "thank you all and good bye"),),
        tuple(HeardWord(text, n / 2, n / 2 + 0.4) for n, text in enumerate("thank you all and good bye".split())),
    )
    story, transcriber, _ = scribe(lambda start, end: six if start < 600 else speech(start, end))
    found = story.transcribe(FILE)
    assert len([asked for asked in transcriber.asked if asked[0] < 600]) == 3
    assert sum(gap.end - gap.start for gap in found.gaps if gap.reason == "untranscribed") > 550


def test_silence_is_no_reason_to_ask_again() -> None:
    sound = Sound(1860.0, ((240.0, 601.0),))
    story, transcriber, _ = scribe(
        lambda start, end: speech(start, min(end, 240.0)) if start < 240 else speech(start, end), sound=sound
    )
    found = story.transcribe(FILE)
    assert len(transcriber.asked) == len({asked[:2] for asked in transcriber.asked}) <= 4
    assert ASKED_AGAIN not in found.repairs
    assert found.gaps == ()


def test_a_recording_in_which_nobody_speaks_has_no_speech() -> None:
    with pytest.raises(NoSpeech):
        scribe(lambda start, end: Heard(()), sound=Sound(3.0))[0].transcribe(FILE)


def test_progress_is_told_in_seconds() -> None:
    told: list[tuple[float, float]] = []
    scribe(speech)[0].transcribe(FILE, progress=lambda done, total: told.append((done, total)))
    assert told == [(600.0, 1860.0), (1200.0, 1860.0), (1860.0, 1860.0)]


def test_a_transcript_says_who_listened_and_what_is_missing() -> None:
    found = scribe(partly)[0].transcribe(FILE)
    made = found.transcript(Video("a1", "A talk"), fetched_at="2026-03-03T10:00:00+00:00")
    assert made.provenance.captions == "whisper"
    assert made.provenance.model == "ears"
    assert made.repairs[ASKED_AGAIN] == 3
    assert all(before < after for before, after in pairwise(made.segments))
