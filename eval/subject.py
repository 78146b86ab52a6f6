"""What is measured: an archive and its questions, behind the real ranking and the real asker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from eval.embedded import known
from eval.options import Cell
from eval.questions import Asked, read_questions
from eval.reborder import moved, reborder
from eval.runs import combined, digest, file_hash
from eval.shelf import MemoryShelf, OnePerson, build, passages_of
from eval.slips import said, slipped
from eval.trained import left_out
from qandai import compose
from qandai.ask import Asker
from qandai.ensemble import Ensemble, model_of
from qandai.errors import UsageError
from qandai.ingest.speakers import attributed
from qandai.model import Person, Question, Transcript
from qandai.ports import Calibration
from qandai.retrieval.expand import expand
from qandai.retrieval.ranker import Ranker
from qandai.retrieval.ranking import Ranking
from qandai.retrieval.retriever import EmbeddedQuery, Retriever
from qandai.settings import Settings

Step = Callable[[int], object]


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
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder.", hint="--transcripts names a folder of transcript files.")
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise UsageError(f"{folder} holds no transcript files (*.json).")
    wanted = language or _common([question.language for question in asked])
    read = [(path, compose.read_transcript(path)) for path in paths]
    kept = [(path, transcript) for path, transcript in read if _speaks(transcript, wanted)]
    if not kept:
        raise UsageError(f"{folder} holds no transcript in {wanted}.", hint="--language names another.")
    _refuse_twice([transcript for _, transcript in kept])
    spoken = wanted or _common([transcript.video.language for _, transcript in kept], most=True) or "en"
    return Data(
        name=name or questions.stem,
        transcripts=tuple(transcript for _, transcript in kept),
        questions=asked,
        language=_base(spoken),
        paths={"transcripts": folder.name, "questions": questions.name},
        hashes=tuple(file_hash(path) for path, _ in kept),
        questions_hash=digest([questions]),
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


@dataclass(frozen=True, slots=True)
class Bench:
    """Embedders and cache that several runs share, and shelves that are kept from run to run."""

    home: Path
    ensembles: dict[str, Ensemble] = field(default_factory=dict)
    shelves: dict[object, MemoryShelf] = field(default_factory=dict)

    def ensemble(self, settings: Settings, names: str) -> Ensemble:
        if names not in self.ensembles:
            self.ensembles[names] = compose.Embedders(settings).all_of(names)
        return self.ensembles[names]


@dataclass(frozen=True, slots=True)
class Subject:
    data: Data
    cell: Cell
    settings: Settings
    ranking: Ranking
    person: Person
    embedding: str
    embedders: Ensemble
    known: Ensemble
    shelf: MemoryShelf
    retriever: Retriever

    def asker(self, *, live: bool = False) -> Asker:
        """The asker that visitors get; `live`: questions are embedded when they are asked, to see how long it takes."""
        alone = OnePerson(self.person, self.shelf)
        return Asker(
            alone,
            alone,
            embedders_for=lambda _: self.embedders if live else self.known,
            selector_for=partial(compose.selector, self.settings),
            retriever=self.retriever,
            lead=self.settings.lead_seconds,
        )

    @property
    def calibration(self) -> Calibration:
        return compose.calibration(self.settings, self.embedders[0])

    def embedded(self, text: str) -> tuple[EmbeddedQuery, ...]:
        """The queries of a question, as the asker makes them."""
        asked = expand(Question(self.person.slug, text), self.person)
        return tuple(
            EmbeddedQuery(query, tuple(embedder.query(query.text) for embedder in self.known))
            for query in self.retriever.put_right(self.shelf, asked, self.known, names=self.person.vocabulary)
        )

    def described(self) -> dict[str, object]:
        """The settings of a run's JSON."""
        names = ("passage_chars", "passage_overlap", "passage_cut", "top_k", "lead_seconds")
        ranking = {name: getattr(self.ranking, name) for name in Ranking.__dataclass_fields__}
        plain = {name: value for name, value in ranking.items() if isinstance(value, str | int | float | None)}
        return {
            "label": self.cell.label,
            "given": dict(self.cell.given),
            **{name: getattr(self.settings, name) for name in names},
            **plain,
            "floor": self.calibration.floor,
            "embedding": self.embedding,
            "reranker": self.settings.reranker and self.settings.reranker.name,
            "model": model_of(self.embedders),
            "ranker_trained_on": list(self.ranking.ranker.trained_on) if self.ranking.fusion == "ranker" else None,
        }


def prepare(
    bench: Bench,
    data: Data,
    cell: Cell,
    *,
    embedding: str | None = None,
    foreign: Collection[str] = (),
    step: Step = lambda _: None,
    untaught: bool = False,
) -> Subject:
    """Cuts, embeds and opens an archive as the settings say. `foreign`: texts that will be asked, too. `untaught`: a
    ranker is about to learn from it, so none that left it out is looked for."""
    settings = cell.settings(home=bench.home)
    name = embedding_of(cell, data, embedding)
    person = Person("archive", "The archive", language=data.language, embedding=name)
    embedders = bench.ensemble(settings, name)
    vault = compose.vault(settings)
    key = (
        data.language,
        data.reborder_seed,
        data.hashes,
        model_of(embedders),
        settings.passage_chars,
        settings.passage_overlap,
        settings.passage_cut,
    )
    if key not in bench.shelves:
        bench.shelves.clear()  # one archive in memory at a time is enough
        heard = [attributed(transcript, person) for transcript in data.transcripts]
        cut_up = passages_of(heard, settings, language=data.language)
        bench.shelves[key] = build(
            cut_up, embedders=embedders, vault=vault, topics=settings.passage_cut == "topics", step=step
        )
    texts = list(dict.fromkeys([question.text for question in data.questions] + list(foreign)))
    left = None if untaught else left_out(data.hashes)
    ranking = cell.ranking(settings)
    if left is not None:
        ranking = replace(ranking, ranker=Ranker.read(left.ranker))
    return Subject(
        data, cell, settings, ranking, person, name, embedders, known(embedders, texts, vault),
        bench.shelves[key], Retriever(ranking, compose.reranker(settings)),
    )  # fmt: skip


def embedding_of(cell: Cell, data: Data, named: str | None) -> str:
    """The embedders of a run: those named, else the default of the language; `models` keeps the first so many."""
    names = named or compose.default_embedding(data.language)
    models = cell.values.get("models")
    return names if models is None else "+".join(names.split("+")[: int(models)])
