"""What is asked of what: transcripts and questions as read, and as dealt anew to see what a setting has learned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from eval.questions import Asked, read_questions
from eval.reborder import moved, reborder
from eval.runs import combined, digest, file_hash
from eval.slips import said, slipped
from qandai import compose
from qandai.errors import UsageError
from qandai.model import Transcript


@dataclass(frozen=True, slots=True)
class Data:
    """Transcripts and questions as read. `hashes` of the transcript files, one each."""

    name: str
    transcripts: tuple[Transcript, ...]
    questions: tuple[Asked, ...]
    language: str
    paths: Mapping[str, str]
    hashes: tuple[str, ...]
    questions_hash: str
    reborder_seed: int | None = None
    slips_seed: int | None = None

    def described(self) -> dict[str, object]:
        """As a run's JSON says it."""
        return {
            "name": self.name,
            "paths": dict(self.paths),
            "hashes": {"transcripts": combined(self.hashes), "questions": self.questions_hash},
            "counts": {
                "videos": len(self.transcripts),
                "words": sum(len(transcript.words) for transcript in self.transcripts),
                "questions": len(self.questions),
                "answerable": sum(question.answerable for question in self.questions),
            },
            "language": self.language,
            "reborder": self.reborder_seed,
            "slips": self.slips_seed,
        }

    def asking(self, path: Path) -> Data:
        """Other questions to the same archive."""
        return replace(
            self,
            name=path.stem,
            questions=read_questions(path),
            paths={**self.paths, "questions": path.name},
            questions_hash=digest([path]),
        )

    def rebordered(self, seed: int) -> Data:
        cut_anew = [reborder(transcript, seed=seed) for transcript in self.transcripts]
        clocks = {transcript.video.id: clock for transcript, clock in cut_anew}
        return replace(
            self,
            name=f"{self.name}, rebordered",
            transcripts=tuple(transcript for transcript, _ in cut_anew),
            questions=tuple(moved(question, clocks) for question in self.questions),
            reborder_seed=seed,
        )

    def slipped(self, seed: int) -> Data:
        """Asked with a slip of the fingers in each question."""
        words = said(word.text for transcript in self.transcripts for word in transcript.words)
        asked = (replace(each, text=slipped(each.text, words, seed=str(seed))) for each in self.questions)
        return replace(self, name=f"{self.name}, slipped", questions=tuple(asked), slips_seed=seed)


def load(
    folder: Path, questions: Path, *, language: str | None = None, limit: int | None = None, name: str | None = None
) -> Data:
    """Raises UsageError for what is not there or given twice, TranscriptError for a file that cannot be read."""
    asked = read_questions(questions)[:limit]
    archive = read_archive(folder, language=language or _common([question.language for question in asked]))
    return replace(archive.asking(questions), name=name or questions.stem, questions=asked)


def read_archive(folder: Path, *, language: str | None = None) -> Data:
    """Transcripts that nobody has asked anything yet. Raises as `load` does."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder.", hint="--transcripts names a folder of transcript files.")
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise UsageError(f"{folder} holds no transcript files (*.json).")
    read = [(path, compose.read_transcript(path)) for path in paths]
    kept = [(path, transcript) for path, transcript in read if _speaks(transcript, language)]
    if not kept:
        raise UsageError(f"{folder} holds no transcript in {language}.", hint="--language names another.")
    _refuse_twice([transcript for _, transcript in kept])
    spoken = language or _common([transcript.video.language for _, transcript in kept], most=True) or "en"
    return Data(
        name=folder.name,
        transcripts=tuple(transcript for _, transcript in kept),
        questions=(),
        language=_base(spoken),
        paths={"transcripts": folder.name},
        hashes=tuple(file_hash(path) for path, _ in kept),
        questions_hash="",
    )


def _base(language: str) -> str:
    return language.split("-")[0].lower()


def _common(languages: Sequence[str | None], *, most: bool = False) -> str | None:
    """The one language that all name, or with `most` the one named most often; None where there is none."""
    counts = Counter(_base(language) for language in languages if language)
    if most or (len(counts) == 1 and None not in languages):
        return counts.most_common(1)[0][0] if counts else None
    return None


def _speaks(transcript: Transcript, language: str | None) -> bool:
    spoken = transcript.video.language
    return language is None or spoken is None or _base(spoken) == _base(language)


def _refuse_twice(transcripts: Sequence[Transcript]) -> None:
    twice = [video_id for video_id, count in Counter(t.video.id for t in transcripts).items() if count > 1]
    if twice:
        raise UsageError(
            f"The recording {twice[0]} stands in several files{f', as do {len(twice) - 1} more' if twice[1:] else ''}.",
            hint="They may be translations: --language keeps those of one language.",
        )
