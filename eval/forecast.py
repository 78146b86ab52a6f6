"""How long embedding an archive will take, told before it begins."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial

from eval.data import Data
from eval.options import Cell
from eval.subject import Bench, embedding_of
from qandai import compose
from qandai.adapters.vault import VectorVault
from qandai.ensemble import Ensemble
from qandai.ingest.indexing import passages_of, vectors_of
from qandai.ingest.speakers import attributed
from qandai.model import Person, Transcript
from qandai.ports import Embedder, Recipe

Texts = Mapping[str, tuple[Sequence[str], Sequence[str]]]
"""The passages of each recording, and its sentences."""

_SAMPLE = 64  # texts that are embedded to see how long the rest will take


def forecast(bench: Bench, data: Data, wanted: Iterable[Cell]) -> float:
    """Seconds for all settings that are wanted; 0 where all is cached. What two of them want counts once."""
    seconds, counted = 0.0, set[tuple[str, str, str]]()
    for cell in wanted:
        settings = cell.settings(home=bench.home)
        names = embedding_of(cell, data, None)
        person = Person("archive", "The archive", language=data.language, embedding=names)
        embedders, vault = bench.ensemble(settings, names), VectorVault(settings.store / "vectors")
        recipe = compose.recipe(settings, embedders)
        texts = {
            heard.video.id: _texts(heard, embedders, vault, recipe, data.language)
            for heard in (attributed(transcript, person) for transcript in data.transcripts)
            if heard.words
        }
        for embedder in embedders:
            seconds += _embedding(embedder, vault, _uncounted(embedder.model, texts, counted))
            counted |= {(embedder.model, video_id, text) for video_id, (_, said) in texts.items() for text in said}
    return seconds


def _uncounted(model: str, texts: Texts, counted: AbstractSet[tuple[str, str, str]]) -> Texts:
    """Without the sentences that other settings have embedded by then."""
    return {
        video_id: (passages, [text for text in said if (model, video_id, text) not in counted])
        for video_id, (passages, said) in texts.items()
    }


def _texts(
    heard: Transcript, embedders: Ensemble, vault: VectorVault, recipe: Recipe, language: str
) -> tuple[Sequence[str], Sequence[str]]:
    """The passages of a recording, which are read word by word, and its sentences. As long as these have no vectors,
    nobody knows what passages they will make: those that are cut without vectors stand in."""
    vectors = partial(vectors_of, embedders, vault, heard.video.id)
    plain = replace(recipe, passage_cut="sentences")
    passages = passages_of(heard, plain, vectors, language=language)
    said = [sentence.text for passage in passages for sentence in passage.sentences]
    if not any(vault.missing(embedder, heard.video.id, said) for embedder in embedders):
        passages = passages_of(heard, recipe, vectors, language=language)
    return [passage.text for passage in passages], said


def _embedding(embedder: Embedder, vault: VectorVault, texts: Texts) -> float:
    """Seconds for what the cache lacks of the texts of each recording, by how long a sample takes."""
    missing = sum(
        vault.missing(embedder, video_id, said, by_words=passages) for video_id, (passages, said) in texts.items()
    )
    if not missing:
        return 0.0
    sample = _evenly([text for passages, said in texts.values() for text in (*passages, *said)])
    embedder.passages(sample[:1])  # whose model is loaded first, and perhaps built
    began = time.perf_counter()
    embedder.passages(sample)
    return missing * (time.perf_counter() - began) / len(sample)


def _evenly(texts: Sequence[str]) -> Sequence[str]:
    """Passages take three times as long as sentences, so a sample has as many of each as there are."""
    return texts[:: max(1, -(-len(texts) // _SAMPLE))]
