"""Where in each excerpt the question is answered: the second at which to begin, and the words to end with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from qandai.answering.echo import echo
from qandai.answering.evidence import Evidence, Values
from qandai.answering.questions import is_question
from qandai.answering.turns import Speech, Turn, asks, interviewers, turns
from qandai.model import Excerpt, Sentence, Span
from qandai.passages import ends_sentence


@dataclass(frozen=True, slots=True)
class Rules:
    """Chosen by measuring all sets of questions of eval.everything; seconds where nothing else is said."""

    telling: Mapping[str, float] = field(
        default_factory=lambda: {"likeness": 1.0, "coverage": 0.2, "around": 0.3, "inside": 0.08}
    )
    nearly: float = 0.9  # the sentence before begins the answer if it tells so large a share of what the best one tells
    reach_back: float = 30.0  # an answer that its speaker began so shortly before is played from its beginning
    read_aloud: float = 0.5  # so telling a question just before the answer is the one that was asked
    echo: float = 0.3  # share of the question that is said again where somebody reads it aloud
    fading: float = 0.3  # sentences that tell so much less than the best one show that the answer is over
    ahead: int = 3  # so many of them in a row
    settled: float = 15.0  # and never before that
    shortest: float = 6.0  # whoever speaks next
    briefest: float = 2.5  # before the next question, as it is all that there is
    longest: float = 60.0


def moments(excerpts: Sequence[Excerpt], speech: Speech, rules: Rules | None = None) -> tuple[Span, ...]:
    """What would be played of each excerpt, in their order."""
    rules = rules or Rules()
    heard = [(excerpt, turns(excerpt.sentences, speech)) for excerpt in excerpts if excerpt.sentences]
    asking = interviewers((turn for _, voices in heard for turn in voices), speech)
    return tuple(_moment(excerpt, voices, speech, asking, rules) for excerpt, voices in heard)


def _moment(
    excerpt: Excerpt,
    voices: Sequence[Turn],
    speech: Speech,
    asking: frozenset[tuple[str, ...]],
    rules: Rules,
) -> Span:
    telling = Evidence.of(excerpt).weigh(rules.telling)
    anchor = int(np.argmax(telling))
    if speech.speaking == "interview" or (speech.speaking is None and len(voices) > 1):
        place = _answering(excerpt.sentences, voices, anchor, asking, rules)
        first = excerpt.sentences[place].span.first
    else:
        place, first = _solo(excerpt, anchor, telling, speech, rules)
    last = _end(excerpt.sentences, place, max(place, anchor), voices, telling, rules)
    return excerpt.row.span(first, excerpt.sentences[last].span.last)


def _answering(
    sentences: Sequence[Sentence],
    voices: Sequence[Turn],
    anchor: int,
    asking: frozenset[tuple[str, ...]],
    rules: Rules,
) -> int:
    """In an interview: the next turn of the person who is not asking, or the turn that holds the answer."""
    number = next(number for number, turn in enumerate(voices) if turn.first <= anchor <= turn.last)
    turn = voices[number]
    if asks(turn, asking):
        for later in voices[number + 1 :]:
            if later.speaker is None or (later.speaker != turn.speaker and later.speaker not in asking):
                return later.first
        return anchor
    began = sentences[turn.first].span.start
    if turn.opened and sentences[anchor].span.start - began <= rules.reach_back:
        return turn.first
    return anchor


def _solo(excerpt: Excerpt, anchor: int, telling: Values, speech: Speech, rules: Rules) -> tuple[int, int]:
    """A solo speaker: the sentence where to begin, and the word in it; with the question, if it is read aloud."""
    sentences = excerpt.sentences
    place = anchor
    if place and telling[place - 1] >= rules.nearly * telling[anchor]:
        place -= 1
    before = sentences[place - 1] if place else None
    if before and telling[place - 1] >= rules.read_aloud and is_question(before.span.text, language=speech.language):
        place -= 1
    nearby = sentences[max(0, place - 1) : place + 2]
    words = excerpt.row.span(nearby[0].span.first, nearby[-1].span.last)
    heard = echo(words.words, excerpt.terms)
    if heard is None or heard.share < rules.echo:
        return place, sentences[place].span.first
    position = words.first + heard.first
    echoing = next(number for number, sentence in enumerate(sentences) if sentence.span.last >= position)
    if not _bordered(sentences, echoing, speech):
        return echoing, position
    if is_question(sentences[echoing].span.text, language=speech.language):
        place = echoing
    return place, sentences[place].span.first


def _bordered(sentences: Sequence[Sentence], place: int, speech: Speech) -> bool:
    """Whether a sentence really is one, by the punctuation at both of its ends."""
    closed = _closed(sentences, place, speech)
    return closed and (place == 0 or _closed(sentences, place - 1, speech))


def _closed(sentences: Sequence[Sentence], place: int, speech: Speech) -> bool:
    following = sentences[place + 1].span.words[0].text if place + 1 < len(sentences) else ""
    return ends_sentence(sentences[place].span.words[-1].text, following, language=speech.language)


def _end(
    sentences: Sequence[Sentence], place: int, anchor: int, voices: Sequence[Turn], telling: Values, rules: Rules
) -> int:
    """The last sentence of the answer that begins with sentence `place` and is told best by `anchor`."""
    start = sentences[place].span.start
    openings = {turn.first: turn.asks for turn in voices}
    best = telling[place:].max()
    last = place
    while last + 1 < len(sentences) and sentences[last + 1].span.end - start <= rules.longest:
        lasting = sentences[last].span.end - start
        fading = telling[last + 1 : last + 1 + rules.ahead].max() < rules.fading * best
        if last + 1 in openings and lasting >= (rules.briefest if openings[last + 1] else rules.shortest):
            break
        if lasting >= rules.settled and last >= anchor and fading:
            break
        last += 1
    return last
