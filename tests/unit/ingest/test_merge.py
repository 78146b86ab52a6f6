"""Hand-made captions on automatic ones: whose spelling, whose times, and what is never speech."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from qandai.ingest.merge import merged, without_credits
from qandai.model import Transcript, Video, Word
from tests.build import said
from tests.degrade import kept, typed

VIDEO = Video("v", "A talk")


def auto(text: str, *, at: float = 0.0, each: float = 0.4) -> Transcript:
    words = said(text, at=at, each=each)
    return Transcript(VIDEO, words, segments=tuple(range(0, len(words), 6)))


def hand(*cues: tuple[float, str]) -> Transcript:
    words: list[Word] = []
    segments: list[int] = []
    for start, text in cues:
        segments.append(len(words))
        words += [Word(w.text, w.start, w.end, number == 0) for number, w in enumerate(said(text, at=start, each=0.35))]
    return Transcript(VIDEO, tuple(words), segments=tuple(segments))


def line(transcript: Transcript) -> str:
    return " ".join(word.text for word in transcript.words)


def at(transcript: Transcript, text: str) -> Word:
    return next(word for word in transcript.words if word.text == text)


def test_words_take_the_spelling_and_keep_their_times() -> None:
    heard = auto("so we moved everything to cubes last year and it worked")
    result = merged(heard, hand((0.3, "So, we moved everything"), (2.0, "to Qubes last year, and it worked.")))
    assert line(result.transcript) == "So, we moved everything to Qubes last year, and it worked."
    assert [word.start for word in result.transcript.words] == [word.start for word in heard.words]
    assert result.transcript.exact_share == 1.0
    assert result.transcript.provenance.captions == "merged"
    assert result.note == ""


def test_digits_keep_the_span_of_the_words_that_were_spoken() -> None:
    heard = auto("it cost a hundred and twenty thousand dollars in twenty seventeen we said")
    result = merged(heard, hand((0.2, "It cost $120,000 in 2017, we said.")))
    assert line(result.transcript) == "It cost $120,000 in 2017, we said."
    price, year = at(result.transcript, "$120,000"), at(result.transcript, "2017,")
    assert (price.start, price.end) == (heard.words[2].start, heard.words[7].end)
    assert (year.start, year.end) == (heard.words[9].start, heard.words[10].end)
    assert price.exact
    assert year.exact


def test_spoken_digits_spelt_out_share_their_time() -> None:
    heard = auto("we met 120 people there today and that was enough")
    result = merged(heard, hand((0.2, "We met a hundred and twenty people there today and that was enough.")))
    number = [word for word in result.transcript.words if word.text in ("a", "hundred", "and", "twenty")][:4]
    assert number[0].exact
    assert not any(word.exact for word in number[1:])
    assert heard.words[2].start <= number[0].start <= number[-1].end <= heard.words[3].start


def test_a_word_only_written_lies_between_its_neighbours_and_is_an_estimate() -> None:
    heard = auto("i think that works for everybody here")
    result = merged(heard, hand((0.2, "I really think that works for everybody here.")))
    really = at(result.transcript, "really")
    assert not really.exact
    assert heard.words[0].start <= really.start <= really.end <= heard.words[1].start


def test_words_only_heard_stay_but_for_fillers() -> None:
    heard = auto("well um it works you know for everybody here today")
    result = merged(heard, hand((0.2, "Well, it works for everybody here today.")))
    assert line(result.transcript) == "Well, it works you know for everybody here today."
    assert result.transcript.repairs == {"fillers": 1}


def test_speech_outside_the_cues_stays_as_it_was_heard() -> None:
    start = auto("good evening and welcome to the second part of our show")
    later = auto("now we begin with the first question of tonight", at=60.0)
    heard = Transcript(VIDEO, start.words + later.words, segments=(0, len(start.words)))
    result = merged(heard, hand((60.2, "Now we begin with the first question of tonight.")))
    assert line(result.transcript).startswith("good evening and welcome")
    assert line(result.transcript).endswith("Now we begin with the first question of tonight.")


def test_another_text_is_set_aside_with_the_reason() -> None:
    heard = auto("the weather in the north was cold and we stayed at home all day long")
    result = merged(heard, hand((0.2, "Das Wetter im Norden war kalt und wir blieben den ganzen Tag zu Hause.")))
    assert result.transcript is heard
    assert "set aside" in result.note
    assert "%" in result.note


def test_a_credit_never_becomes_speech_but_a_speaker_may_say_one() -> None:
    heard = auto("thank you and goodbye to all of you out there")
    written = hand(
        (0.2, "Thank you and goodbye to all of you out there."), (9.0, "Subtitles by the Amara.org community")
    )
    result = merged(heard, written)
    assert "Amara" not in line(result.transcript)
    assert result.transcript.repairs["credits"] == 5
    assert "Amara" not in line(without_credits(written))
    spoken = auto("these captions by the way were written by my sister in law")
    own = merged(spoken, hand((0.2, "These captions, by the way,"), (2.0, "were written by my sister-in-law.")))
    assert "captions" in line(own.transcript)


def test_turns_and_names_come_along() -> None:
    heard = auto("what is it about it is about time and nothing else")
    written = hand((0.1, "What is it about?"), (1.7, "It is about time and nothing else."))
    words = list(written.words)
    words[4] = Word("It", words[4].start, words[4].end, True, True, "Ann")
    result = merged(heard, Transcript(VIDEO, tuple(words), segments=written.segments))
    it = at(result.transcript, "It")
    assert (it.turn, it.speaker) == (True, "Ann")


def test_a_repeated_sentence_keeps_each_its_own_time() -> None:
    opening = auto("good evening and welcome to the show of tonight")
    twice = auto("we are here to stay", at=20.0).words + auto("we are here to stay", at=60.0).words
    heard = Transcript(VIDEO, opening.words + twice, segments=(0, 9))
    written = hand((0.3, "Good evening, and welcome to the show of tonight."), (60.3, "We are here to stay."))
    words = merged(heard, written).transcript.words
    assert [(word.text, word.start) for word in words[9:14]] == [(w.text, w.start) for w in twice[:5]]
    assert [word.text for word in words[14:]] == "We are here to stay.".split()
    assert [(word.start, word.exact) for word in words[14:]] == [(w.start, True) for w in twice[5:]]


VOCABULARY = "the a of and cubes harbour twenty hundred is not it really um lantern seven go went there here".split()


@settings(deadline=None)
@given(st.lists(st.sampled_from(VOCABULARY), min_size=30, max_size=400), st.integers(0, 1000))
def test_times_never_run_backwards_and_most_are_kept(texts: list[str], seed: int) -> None:
    pair = typed(auto(" ".join(texts)), seed=seed)
    result = merged(pair.heard, pair.written).transcript
    starts = [word.start for word in result.words]
    assert starts == sorted(starts)
    assert all(word.end >= word.start for word in result.words)
    assert result.segments == tuple(sorted(set(result.segments)))
    assert kept(pair, result) > 0.8
