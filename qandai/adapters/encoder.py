"""A transformer as a function from texts to vectors, of texts and of their words: batches, pooling, length 1."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from qandai.adapters.graph import Graph, Tokenize
from qandai.ports import Reading, Vectors
from qandai.text import word_places

_T = TypeVar("_T")


Pooling = Literal["mean", "cls"]

BATCH = 8
"""Texts at a time, of like length. More gain nothing on a processor, and padding costs."""

MOST_CHARS = 20_000  # far more than any model reads; spares the tokenizer what would be cut off


_SPEECH = (
    "So what I wanted to say is that you never really know how these things turn out.",
    "We started it with two friends, and after a year there were thirty people and no money.",
    "Yeah, I think the main difference is how much time somebody has to learn it.",
    "When I was a child my mother read to us every evening, and that stayed with me.",
    "First you open the box, then you take out the small part and put it on the table.",
    "There is a question here about the price, and whether it will change next summer.",
    "Je crois que la vraie question, c'est de savoir qui va payer pour tout cela.",
    "Nous étions très jeunes, et personne ne nous avait dit comment il fallait faire.",
    "Ich habe damals gedacht, dass es in ein paar Wochen vorbei ist, aber so war es nicht.",
    "Cuando llegamos a la ciudad no conocíamos a nadie, y eso lo hizo más difícil.",
    "Quando ho cominciato a lavorare non sapevo niente di queste cose, davvero.",
    "Όταν ξεκινήσαμε δεν είχαμε ιδέα πόσο δύσκολο θα ήταν, αλλά μάθαμε πολλά.",
)
"""What people say, so that what the words of all texts have in common can be taken off. Whoever changes it counts
`vault.READING` up."""


class Encoder:
    """Loads model and tokenizer when first used. Threads may share it.

    `threads` batches are worked on at a time, 0: one a core. A batch takes one thread, so a question never takes more,
    and its numbers are the same to the bit whoever works on it. Two threads inside a batch gain 1.7 times where two
    batches gain 2.1.
    A vector depends on its own text alone, to float rounding (1e-7): padding is masked out of attention and pooling.
    """

    def __init__(self, model: Path, tokenizer: Callable[[], Tokenize], *, pooling: Pooling, threads: int) -> None:
        self._model = model
        self._load_tokenizer = tokenizer
        self._pooling = pooling
        self._threads = threads or os.cpu_count() or 1
        self._lock = Lock()
        self._loaded: tuple[Graph, Tokenize] | None = None
        self._tokenizer: Tokenize | None = None
        self._centring = Lock()
        self._centres: dict[str, NDArray[np.float32]] = {}

    def encode(self, texts: Sequence[str]) -> Vectors:
        """(len(texts), dimension), rows of length 1. Raises ModelMissing if the files cannot be loaded."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        graph, tokenize = self._load()
        tokens = tokenize([text[:MOST_CHARS] for text in texts])
        work = partial(self._pooled, graph, tokens, padding=tokenize.padding)
        return normalised(np.stack(self._over_all(tokens, work)))

    def read(self, texts: Sequence[str], *, prompt: str = "") -> Sequence[Reading]:
        """Each text behind the prompt, as `encode` does, and each of its words as its tokens stand in the text. A word
        that the model does not read is as the text on the whole."""
        if not texts:
            return []
        centre = self._centre(prompt)
        return [
            replace(reading, words=normalised(reading.words - centre))
            for reading in self._read_all([prompt + " ".join(text[:MOST_CHARS].split()) for text in texts], len(prompt))
        ]

    def _centre(self, prompt: str) -> NDArray[np.float32]:
        """What all words have in common, which in some models is most of each."""
        with self._centring:
            if prompt not in self._centres:
                # one at a time: the session never gives back what a batch took
                read = [self._read_all([prompt + text], len(prompt))[0] for text in _SPEECH]
                words = np.concatenate([reading.words for reading in read])
                self._centres[prompt] = words.mean(axis=0) if len(words) else np.zeros(self.dimension, np.float32)
            return self._centres[prompt]

    def _read_all(self, texts: Sequence[str], behind: int) -> Sequence[Reading]:
        graph, tokenize = self._load()
        tokens, places = tokenize(texts), tokenize.places(texts)
        words = [[(first + behind, last + behind) for first, last in word_places(text[behind:])] for text in texts]
        borders = [_borders(*each) for each in zip(places, words, strict=True)]
        return self._over_all(tokens, partial(self._read, graph, tokens, borders, padding=tokenize.padding))

    def _over_all(self, tokens: Sequence[Sequence[int]], work: Callable[[Sequence[int]], Sequence[_T]]) -> Sequence[_T]:
        """What `work` makes of the numbers of some texts, for all of them in their order."""
        by_length = sorted(range(len(tokens)), key=lambda row: -len(tokens[row]))  # so that the threads end together
        batches = [by_length[begin : begin + BATCH] for begin in range(0, len(by_length), BATCH)]
        if self._threads == 1 or len(batches) == 1:
            found = [work(batch) for batch in batches]
        else:
            with ThreadPoolExecutor(self._threads) as threads:  # the session runs without Python's lock
                found = list(threads.map(work, batches))
        made = dict(zip(by_length, (one for some in found for one in some), strict=True))
        return [made[row] for row in range(len(tokens))]

    def _pooled(
        self, graph: Graph, tokens: Sequence[Sequence[int]], batch: Sequence[int], *, padding: int
    ) -> Sequence[NDArray[np.float32]]:
        return list(self._pool(graph, [tokens[row] for row in batch], padding=padding))

    def _read(
        self,
        graph: Graph,
        tokens: Sequence[Sequence[int]],
        borders: Sequence[NDArray[np.int64]],
        batch: Sequence[int],
        *,
        padding: int,
    ) -> Sequence[Reading]:
        chosen = [tokens[row] for row in batch]
        hidden = graph.run(chosen, padding=padding)
        vectors = normalised(self._pooling_of(hidden, chosen))
        if hidden.ndim == 2:
            return [Reading(vector, np.zeros((0, len(vector)), np.float32)) for vector in vectors]
        return [
            Reading(vector, _words(states, borders[row], vector))
            for row, states, vector in zip(batch, hidden, vectors, strict=True)
        ]

    @cached_property
    def dimension(self) -> int:
        graph, tokenize = self._load()
        return int(self._pool(graph, tokenize(["a"]), padding=tokenize.padding).shape[1])

    def _pool(self, graph: Graph, batch: Sequence[Sequence[int]], *, padding: int) -> NDArray[np.float32]:
        return self._pooling_of(graph.run(batch, padding=padding), batch)

    def _pooling_of(self, hidden: NDArray[np.float32], batch: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        if hidden.ndim == 2:  # the graph pools by itself
            return hidden
        if self._pooling == "cls":
            return hidden[:, 0]
        lengths = np.array([len(tokens) for tokens in batch])[:, None]
        weights = (np.arange(hidden.shape[1]) < lengths)[..., None].astype(np.float32)
        return cast("NDArray[np.float32]", (hidden * weights).sum(1) / np.maximum(weights.sum(1), 1))

    def overlong(self, texts: Sequence[str]) -> int:
        """How many texts the model does not read to their end. Loads the tokenizer only."""
        with self._lock:
            tokenize = self._tokenize()
        return tokenize.overlong([text[:MOST_CHARS] for text in texts])

    def knows(self, word: str) -> bool:
        """Whether the word is a single token. Loads the tokenizer only."""
        with self._lock:
            tokenize = self._tokenize()
        nothing, ids = tokenize(["", word[:MOST_CHARS]])
        return len(ids) == len(nothing) + 1

    def _load(self) -> tuple[Graph, Tokenize]:
        with self._lock:
            if self._loaded is None:
                tokenize = self._tokenize()
                self._loaded = Graph(self._model), tokenize
            return self._loaded

    def _tokenize(self) -> Tokenize:
        if self._tokenizer is None:
            self._tokenizer = self._load_tokenizer()
        return self._tokenizer


def normalised(vectors: NDArray[np.float32]) -> Vectors:
    return cast(Vectors, vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))


def _borders(places: Sequence[tuple[int, int]], words: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
    """(words, 2): the first of the tokens that stand in each word, and the one behind the last."""
    if not words:
        return np.zeros((1, 2), np.int64)
    ends = np.maximum.accumulate([last for _, last in places])
    # A mark before the text begins with it, one behind it where it ends.
    begins = np.array([first if last or not end else end for (first, last), end in zip(places, ends, strict=True)])
    wanted = np.array(words)
    first = np.searchsorted(ends, wanted[:, 0], side="right")
    return np.stack([first, np.maximum(first, np.searchsorted(begins, wanted[:, 1], side="left"))], axis=1)


def _words(states: NDArray[np.float32], borders: NDArray[np.int64], whole: NDArray[np.float32]) -> Vectors:
    """A row for each word: the mean of its states, or the whole where there are none."""
    sums = np.concatenate([np.zeros((1, states.shape[1])), np.cumsum(states, axis=0, dtype=np.float64)])
    words = (sums[borders[:, 1]] - sums[borders[:, 0]]).astype(np.float32)
    words[borders[:, 1] == borders[:, 0]] = whole
    return normalised(words)
