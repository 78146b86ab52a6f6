"""Speak the demo persons' talks: `python -m scripts.make_demo [PERSON…] [--force] [--compare]`.

A talk whose text is unchanged is left alone. What it needs and measures: scripts/README.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.demo import sound, transcript
from scripts.demo.kokoro import Kokoro
from scripts.demo.recognise import Recogniser, missed_share, start_differences, summary
from scripts.demo.talk import Talk, read_talk
from scripts.demo.transcript import Kept, Recording, Spoken
from scripts.demo.voices import Heart, Voice
from scripts.demo.words import Aligner, TimedWord, estimate

ROOT = Path(__file__).resolve().parents[1]
# Silence in seconds before the first sentence, within a paragraph, between paragraphs, and after the last.
OPENING, WITHIN, BETWEEN, TAIL = 0.4, 0.45, 0.9, 0.6
RECIPE = 1  # raised when a change of the scripts should make every talk anew


@dataclass(frozen=True, slots=True)
class Person:
    """Who speaks, and how the clock is found; without an aligner only a sentence's first word is exact."""

    slug: str
    language: str
    voice: Callable[[], Voice]
    aligner: Callable[[], Aligner] | None

    def talks(self) -> list[Talk]:
        return [read_talk(path) for path in sorted((ROOT / "scripts" / "talks" / self.slug).glob("*.md"))]

    def audio(self, talk: Talk) -> Path:
        return ROOT / "audio" / self.slug / f"{talk.slug}{sound.SUFFIX}"

    def origin(self, talk: Talk) -> str:
        return f"scripts/talks/{self.slug}/{talk.slug}.md, {talk.digest}, recipe {RECIPE}"

    def transcripts(self) -> list[Kept]:
        return list(transcript.read(ROOT / "transcripts" / self.slug).values())


def persons(kokoro: Path) -> tuple[Person, ...]:
    """All of them; `kokoro` is the folder of the Greek voice, looked at only when a Greek talk is to be spoken."""
    return (Person("guide", "en", Heart, Aligner), Person("odigos", "el", lambda: Kokoro(kokoro), None))


def record(person: Person, talks: Sequence[Talk]) -> None:
    """Speak, join, encode and time each talk; writes its recording and its transcript."""
    voice, aligner = person.voice(), person.aligner() if person.aligner else None
    clock = aligner.name if aligner else "words estimated by length"
    for talk in talks:
        utterances = [sound.trim(sound.louder(voice.speak(sentence))) for sentence in talk.sentences]
        samples, starts = sound.join(utterances, _pauses(talk), TAIL)
        path = person.audio(talk)
        sound.encode(samples, path)
        recording = Recording(
            id=sound.content_id(path),
            url=path.relative_to(ROOT).as_posix(),
            duration=len(samples) / sound.RATE,
            language=person.language,
            model=f"{voice.name}; {clock}",
            origin=person.origin(talk),
        )
        timed = zip(talk.sentences, utterances, starts, strict=True)
        spoken = [_time(aligner, sentence, utterance, start) for sentence, utterance, start in timed]
        transcript.write(ROOT / "transcripts" / person.slug, talk, recording, spoken)
        print(f"{talk.slug}: {recording.duration:.1f} s, {path.stat().st_size / 1e6:.2f} MB, {len(spoken)} sentences")


def _time(aligner: Aligner | None, sentence: str, utterance: sound.Utterance, start: float) -> Spoken:
    words = sentence.split()
    aligned = aligner.align(words, utterance.samples, utterance.onset, utterance.last) if aligner else None
    if aligner and not aligned:
        print(f"  estimated ({aligner.unknown(words) or 'cannot be aligned'}): {sentence}")
    shift = start - utterance.onset
    timed = tuple(
        TimedWord(word.text, word.start + shift, word.end + shift, word.exact)
        for word in aligned or estimate(words, utterance.onset, utterance.last)
    )
    return Spoken(sentence, start, timed[-1].end, timed)


def _pauses(talk: Talk) -> list[float]:
    pauses = [BETWEEN if number == 0 else WITHIN for block in talk.paragraphs for number in range(len(block))]
    return [OPENING, *pauses[1:]]


def measure_starts(person: Person) -> None:
    """Find each sentence's first sound in the encoded files again, by another rule, and print the largest error."""
    kept = person.transcripts()
    errors = [abs(error) for made in kept for error in sound.onset_errors(sound.decode(ROOT / made.url), made.starts)]
    words = sum(len(made.words) for made in kept)
    exact = sum(made.exact_share * len(made.words) for made in kept) / words
    print(f"{person.slug}: {len(errors)} sentence starts, largest error in the encoded files {max(errors):.4f} s")
    print(f"{person.slug}: {words} words, {exact:.1%} of them exact")


def compare(person: Person) -> None:
    """Hold word starts against speech recognition and print the differences."""
    recogniser = Recogniser()
    differences: list[float] = []
    for made in person.transcripts():
        heard = recogniser.hear(ROOT / made.url, person.language)
        here = start_differences(made.words, heard)
        differences += here
        missed = missed_share([text for text, _ in made.words], heard)
        print(f"  {made.url}: {summary(here)}; {missed:.1%} of the words not heard", flush=True)
    print(f"{person.slug}: word starts against Whisper base: {summary(differences)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    slugs = [person.slug for person in persons(ROOT)]
    parser.add_argument("person", nargs="*", metavar="PERSON", help=f"one or more of {', '.join(slugs)}; default: all")
    parser.add_argument("--force", action="store_true", help="make unchanged talks anew, too")
    parser.add_argument("--compare", action="store_true", help="compare word starts with Whisper base (minutes)")
    parser.add_argument("--kokoro", type=Path, default=ROOT / "store" / "kokoro", help="folder of the Greek voice")
    wanted = parser.parse_args()
    if unknown := set(wanted.person) - set(slugs):
        parser.error(f"no such demo person: {', '.join(sorted(unknown))}")
    for person in (p for p in persons(wanted.kokoro) if p.slug in (wanted.person or slugs)):
        done = set() if wanted.force else {made.origin for made in person.transcripts() if (ROOT / made.url).exists()}
        if changed := [talk for talk in person.talks() if person.origin(talk) not in done]:
            record(person, changed)
        measure_starts(person)
        if wanted.compare:
            compare(person)


if __name__ == "__main__":
    main()
