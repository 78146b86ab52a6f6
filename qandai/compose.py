"""Builds the program from its settings. The only room that names adapters; vendors load when they are first needed."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from qandai.adapters.ledgers import LedgerFiles
from qandai.adapters.people import YamlPeople
from qandai.adapters.person_form import schema as person_schema
from qandai.adapters.slugs import slug_fault, slug_of
from qandai.adapters.transcripts import TranscriptFiles, read_file
from qandai.answering.extractive import ExtractiveSelector
from qandai.ask import Asker
from qandai.compose_models import helped, models
from qandai.ensemble import Ensemble, model_of
from qandai.errors import NotReady, UsageError
from qandai.feedback import Feedback
from qandai.ingest.indexing import Indexer
from qandai.ingest.searchable import Searchable
from qandai.model import Coverage, Person, Transcript
from qandai.ports import Calibration, Embedder, People, Recipe, Reranker, Selector, Shelves, Transcripts, Vault
from qandai.retrieval.ranking import Ranking
from qandai.retrieval.retriever import Retriever
from qandai.settings import Settings
from qandai.site import LiveShelves, Site, Youtube

if TYPE_CHECKING:  # SQLAlchemy is slow to load
    from qandai.adapters.database import Database

__all__ = [
    "asker",
    "indexer",
    "models",
    "people",
    "person_schema",
    "shelves",
    "site",
    "slug_fault",
    "slug_of",
    "transcripts",
]

EmbeddersOf = Callable[[Person], Ensemble]


def people(settings: Settings) -> People:
    return YamlPeople(settings.home / "people")


def transcripts(settings: Settings) -> Transcripts:
    return TranscriptFiles(settings.home / "transcripts")


def read_transcript(path: Path) -> Transcript:
    return read_file(path)


def ledgers(settings: Settings) -> LedgerFiles:
    command = " ".join(["qandai", *sys.argv[1:]])
    return LedgerFiles(settings.home / "transcripts", settings.store / "ingest", command=command)


def searchable(settings: Settings) -> Searchable:
    """The transcripts as the index sees them: `compose.indexer` reads these."""
    return Searchable(TranscriptFiles(settings.home / "transcripts"), ledgers(settings), people(settings))


_JOINED = re.compile(r"\+(?=(?:minilm|e5)(?:\+|\Z)|onnx:|openai:)")  # a folder's name may hold a +


class Embedders:
    """One embedder a name, shared by all persons that use it: a model is loaded once."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = Lock()
        self._made: dict[str, Embedder] = {}

    def of(self, person: Person) -> Ensemble:
        return self.all_of(person.embedding or default_embedding(person.language))

    def all_of(self, names: str) -> Ensemble:
        """As a person file names them: one, or several joined by `+`."""
        return tuple(self.named(name) for name in _JOINED.split(names))

    def named(self, name: str) -> Embedder:
        """`minilm`, `e5`, `onnx:<folder>` or `openai:<model>`. Raises UsageError for any other name."""
        with self._lock:
            if name not in self._made:
                self._made[name] = self._make(name)
            return self._made[name]

    def _make(self, name: str) -> Embedder:
        kind, _, rest = name.partition(":")
        settings = self._settings
        if kind == "minilm":
            from qandai.adapters.minilm import MiniLm

            return MiniLm(settings.store / "models", weights=settings.minilm_path, threads=settings.embed_threads)
        if kind == "e5":
            from qandai.adapters.e5 import E5

            return E5(settings.store / "models", weights=settings.e5_path, threads=settings.embed_threads)
        if kind == "onnx" and rest:
            from qandai.adapters.onnx import OnnxFolder

            return OnnxFolder(settings.home / rest, threads=settings.embed_threads)
        if kind == "openai" and rest:
            from qandai.adapters.openai_embeddings import OpenAiEmbedder

            return OpenAiEmbedder(rest, base_url=settings.openai_base_url, key=settings.openai_api_key)
        raise UsageError(f"There is no embedder {name!r}: use minilm, e5, minilm+e5, onnx:<folder> or openai:<model>.")


def default_embedding(language: str) -> str:
    """The embedders of a person whose file names none."""
    return "minilm+e5" if language.split("-")[0] == "en" else "e5"


def vault(settings: Settings) -> Vault:
    from qandai.adapters.vault import VectorVault

    return VectorVault(settings.store / "vectors")


def indexer(settings: Settings, embedders: Embedders | None = None) -> Indexer:
    from qandai.adapters.chroma_store import ChromaStore

    return Indexer(
        people(settings),
        searchable(settings),
        ChromaStore(settings.store, command=" ".join(["qandai", *sys.argv[1:]])),
        vault(settings),
        (embedders or Embedders(settings)).of,
        partial(recipe, settings),
    )


def recipe(settings: Settings, embedders: Ensemble) -> Recipe:
    """What a collection is made with."""
    return Recipe(model_of(embedders), settings.passage_chars, settings.passage_overlap, settings.passage_cut)


def shelves(settings: Settings, embedders: Embedders | None = None) -> LiveShelves:
    """Opens each person when first asked for; after `start`, everybody, and follows their newest generations."""
    from qandai.adapters.chroma_store import ChromaShop, ChromaStore
    from qandai.adapters.shelves import OpenShelves

    known = people(settings)
    embedders_of = (embedders or Embedders(settings)).of

    def recipe_of(slug: str) -> Recipe:
        return recipe(settings, embedders_of(known.get(slug)))

    return OpenShelves(known, ChromaShop(ChromaStore(settings.store), recipe_of))


def coverage(settings: Settings, slug: str) -> Coverage | None:
    """What the person's index holds, or None before the first. Raises StoreError."""
    try:
        with shelves(settings).borrow(slug) as shelf:
            return shelf.coverage
    except NotReady:
        return None


def asker(settings: Settings, lender: Shelves | None = None, embedders: Embedders | None = None) -> Asker:
    embedders = embedders or Embedders(settings)
    return Asker(
        people(settings),
        lender or shelves(settings, embedders),
        embedders_for=embedders.of,
        selector_for=partial(selector, settings),
        retriever=Retriever(ranking(settings), reranker(settings)),
        models=models(settings),
        lead=settings.lead_seconds,
    )


def ranking(settings: Settings) -> Ranking:
    return Ranking(fusion=settings.fusion, w_bm25=settings.w_bm25)


def reranker(settings: Settings) -> Reranker | None:
    if settings.reranker is None:
        return None
    from qandai.adapters.cross_encoder import CrossEncoder

    return CrossEncoder(settings.reranker)


def selector(settings: Settings, embedder: Embedder) -> Selector:
    return ExtractiveSelector(calibration(settings, embedder))


def calibration(settings: Settings, embedder: Embedder) -> Calibration:
    """The embedder's own, with the floor that the settings want."""
    own = embedder.calibration
    return own if settings.floor is None else replace(own, floor=settings.floor)


def feedback(settings: Settings) -> Database:
    """Not opened yet. Raises UsageError for an address that is none."""
    from qandai.adapters.database import Database, sqlite_url

    return Database(settings.database_url or sqlite_url(settings.store / "qandai.sqlite3"))


def site(settings: Settings, notes: Feedback | None = None) -> Site:
    """`notes` None: what visitors report is not kept."""
    embedders = Embedders(settings)
    lender = shelves(settings, embedders)
    return Site(
        asker(settings, lender, embedders),
        lender,
        people(settings),
        settings,
        feedback=notes,
        youtube=Youtube(host=settings.youtube_host),
        models=helped(settings),
    )
