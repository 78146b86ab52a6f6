"""Whose words a transcript holds, from what captions, person file and editor say.

    captions: `>>` (a turn), `<v Name>`, "Name:", `speaker` fields ─► words with turn and speaker (the parsers)
    person file: solo | interview, host, name                      ─► one name for each voice (here)
    edits.yaml: not_this_person                                    ─► words that are no one's to quote (here)

Who asks is told by the form of what they say. A voice itself is heard by nobody yet: see `origins.Voices`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from qandai.answering.questions import is_question
from qandai.edits import Edited
from qandai.model import Gap, Person, Row, Transcript, Word, join
from qandai.text import tokens

_NUMBERED = re.compile(r"(?:speaker|spk|sprecher|locuteur|s)?[ _-]?(?:\d{1,3}|[A-H])\Z", re.IGNORECASE)
_LONGEST_QUESTION = 80  # words of a turn that is only a question
_SHORTEST_ANSWER = 12
_CLOSING = 30  # words at the end of a turn among which its question stands
_OFTEN = 0.4  # share of turns that ask, from which on somebody is the interviewer
_LONG_GAP = 2.0  # seconds without usable words that no passage may bridge


def attributed(transcript: Transcript, person: Person) -> Transcript:
    """With the person's and the host's own names for the voices that are theirs; every other name stays.

    Where captions mark turns without names, an interview's turns are shared out by their form if the host has a name.
    """
    labels = {word.speaker for word in transcript.words if word.speaker}
    if labels:
        names = _names(transcript, person, sorted(labels))
        words = [replace(w, speaker=names.get(w.speaker or "", w.speaker)) for w in transcript.words]
        return replace(transcript, words=tuple(words))
    if person.speaker == "interview" and person.host and any(word.turn for word in transcript.words):
        return replace(transcript, words=tuple(_by_form(transcript.words, person)))
    return transcript


def only_theirs(edited: Edited) -> Transcript:
    """Without the stretches that an editor marked as somebody else's. A word belongs where its middle lies."""
    transcript, stretches = edited.transcript, edited.not_this_person
    if not stretches:
        return transcript
    kept = [
        number
        for number, word in enumerate(transcript.words)
        if not any(stretch.start <= (word.start + word.end) / 2 < stretch.end for stretch in stretches)
    ]
    places = {number: place for place, number in enumerate(kept)}
    gaps = [*transcript.gaps, *(Gap(stretch.start, stretch.end, "not this person") for stretch in stretches)]
    return replace(
        transcript,
        words=tuple(transcript.words[number] for number in kept),
        segments=tuple(sorted({0, *(places[at] for at in transcript.segments if at in places)})) if kept else (),
        gaps=tuple(sorted(gaps, key=lambda gap: gap.start)),
    )


def rows(transcript: Transcript) -> tuple[Row, ...]:
    """The words between gaps: what a passage may hold together. Short gaps of missing words do not part them."""
    borders = [
        gap.start for gap in transcript.gaps if gap.reason == "not this person" or gap.end - gap.start >= _LONG_GAP
    ]
    found: list[Row] = []
    first = 0
    for number, word in enumerate(transcript.words):
        before = transcript.words[number - 1] if number else None
        if before and any(before.start < border <= word.start for border in borders):
            found.append(Row(transcript.video, transcript.words[first:number], first))
            first = number
    rest = transcript.words[first:]
    return (*found, Row(transcript.video, rest, first)) if rest else tuple(found)


def _names(transcript: Transcript, person: Person, labels: Sequence[str]) -> Mapping[str, str]:
    """The names that labels stand for. "A. Lovelace" is Ada Lovelace; "SPEAKER_01" is who asks, or who speaks most."""
    names: dict[str, str] = {}
    for label in labels:
        if _is_name_of(label, person.name):
            names[label] = person.name
        elif person.host and _is_name_of(label, person.host):
            names[label] = person.host
    unknown = [label for label in labels if label not in names and _NUMBERED.match(label)]
    if len(unknown) < 2 or names:
        return names
    asking = _asking(transcript)
    hosts = [label for label in unknown if asking.get(label, 0.0) >= _OFTEN]
    if len(hosts) == 1:
        if person.host:
            names[hosts[0]] = person.host
        spoken = Counter(word.speaker for word in transcript.words)
        names[max((label for label in unknown if label not in hosts), key=lambda label: spoken[label])] = person.name
    return names


def _asking(transcript: Transcript) -> Mapping[str, float]:
    """The share of each speaker's turns that end in a question."""
    asked: dict[str, list[bool]] = {}
    language = transcript.video.language or "en"
    for turn in _turns(transcript.words):
        if turn[0].speaker:
            asked.setdefault(turn[0].speaker, []).append(_asks(turn, language))
    return {speaker: sum(turns) / len(turns) for speaker, turns in asked.items()}


def _by_form(words: Sequence[Word], person: Person) -> list[Word]:
    """A short turn that asks is the host's, a long one the person's; of what is in between nobody can tell."""
    named: list[Word] = []
    for turn in _turns(words):
        speaker: str | None = None
        if _asks(turn, person.language) and len(turn) <= _LONGEST_QUESTION:
            speaker = person.host
        elif len(turn) >= _SHORTEST_ANSWER:
            speaker = person.name
        named += [replace(word, speaker=speaker) for word in turn]
    return named


def _turns(words: Sequence[Word]) -> list[list[Word]]:
    found: list[list[Word]] = []
    for word in words:
        if not found or word.turn or word.speaker != found[-1][-1].speaker:
            found.append([])
        found[-1].append(word)
    return found


def _asks(turn: Sequence[Word], language: str) -> bool:
    closing = turn[-_CLOSING:]
    starts = [0] + [at + 1 for at, word in enumerate(closing[:-1]) if word.text[-1:] in ".!…?;"]
    ends = [*starts[1:], len(closing)]
    return any(is_question(join(closing[a:b]), language=language) for a, b in zip(starts, ends, strict=True))


def _is_name_of(label: str, name: str) -> bool:
    """Whether they share a whole word of more than two letters, or the label is the name's initials."""
    said, full = set(tokens(label)), tokens(name)
    initials = "".join(token[0] for token in full)
    return any(len(token) > 2 and token in full for token in said) or (len(full) > 1 and tokens(label) == (initials,))
