"""What is measured: an archive and its questions, behind the real ranking and the real asker."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from eval.data import Data
from eval.embedded import known
from eval.options import Cell
from eval.shelf import MemoryShelf, OnePerson, build
from eval.trained import left_out
from qandai import compose
from qandai.ask import Asker
from qandai.asking.models import Models
from qandai.ensemble import Ensemble, model_of
from qandai.ingest.speakers import attributed
from qandai.model import Person, Query, Question
from qandai.ports import Calibration
from qandai.retrieval.expand import expand
from qandai.retrieval.ranker import Ranker
from qandai.retrieval.ranking import Ranking
from qandai.retrieval.retriever import EmbeddedQuery, Retriever, Search
from qandai.settings import Settings

Step = Callable[[int], object]


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
    """`rewrites`: imagined answers to search with, by question; without them a question is searched for alone."""

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
    rewrites: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def asker(self, *, live: bool = False, models: Models | None = None) -> Asker:
        """The asker that visitors get; `live`: questions are embedded when they are asked, to see how long it takes.
        `models` None: the recordings answer alone, whatever the settings name."""
        alone = OnePerson(self.person, self.shelf)
        return Asker(
            alone,
            alone,
            embedders_for=lambda _: self.embedders if live else self.known,
            selector_for=partial(compose.selector, self.settings),
            retriever=self.retriever,
            models=models,
            lead=self.settings.lead_seconds,
        )

    @property
    def calibration(self) -> Calibration:
        return compose.calibration(self.settings, self.embedders[0])

    def embedded(self, text: str) -> EmbeddedQuery:
        """A question as the asker searches for it."""
        asked = expand(Question(self.person.slug, text), self.person)
        query = self.retriever.put_right(self.shelf, asked, self.known, names=self.person.vocabulary)
        return self._embedded(query)

    def searched(self, text: str) -> Search:
        """What the search for a question finds, with its rewrites where there are any."""
        search = self.retriever.search(self.shelf, self.embedded(text))
        count = self.retriever.rewrite_models
        further = [self._embedded(Query(rewrite), count) for rewrite in self.rewrites.get(text, ())]
        return search.also(further) if further else search

    def _embedded(self, query: Query, models: int | None = None) -> EmbeddedQuery:
        return EmbeddedQuery(query, tuple(embedder.read_query(query.text) for embedder in self.known[:models]))

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
    person: Person | None = None,
    rewrites: Mapping[str, Sequence[str]] | None = None,
) -> Subject:
    """Cuts, embeds and opens an archive as the settings say. `foreign`: texts that will be asked, too. `untaught`: a
    ranker is about to learn from it, so none that left it out is looked for. `person`: whose archive it is; None where
    nothing is known of them."""
    settings = cell.settings(home=bench.home)
    name = embedding_of(cell, data, embedding or (person.embedding if person else None))
    person = person or Person("archive", "The archive", language=data.language, embedding=name)
    embedders = bench.ensemble(settings, name)
    vault = compose.vault(settings)
    recipe = compose.recipe(settings, embedders)
    key = (
        data.language,
        data.reborder_seed,
        data.hashes,
        recipe,
        (person.slug, person.speaker, person.host),
    )
    if key not in bench.shelves:
        bench.shelves.clear()  # one archive in memory at a time is enough
        heard = [attributed(transcript, person) for transcript in data.transcripts]
        bench.shelves[key] = build(
            heard, language=data.language, recipe=recipe, embedders=embedders, vault=vault, step=step
        )
    imagined = [text for found in (rewrites or {}).values() for text in found]
    texts = list(dict.fromkeys([*(question.text for question in data.questions), *foreign, *imagined]))
    left = None if untaught else left_out(data.hashes)
    ranking = cell.ranking(settings)
    if left is not None:
        ranking = replace(ranking, ranker=Ranker.read(left.ranker))
    return Subject(
        data, cell, settings, ranking, person, name, embedders, known(embedders, texts, settings.store / "questions"),
        bench.shelves[key], Retriever(ranking, compose.reranker(settings)), rewrites or {},
    )  # fmt: skip


def embedding_of(cell: Cell, data: Data, named: str | None) -> str:
    """The embedders of a run: those named, else the default of the language; `models` keeps the first so many."""
    names = named or compose.default_embedding(data.language)
    models = cell.values.get("models")
    return names if models is None else "+".join(names.split("+")[: int(models)])
