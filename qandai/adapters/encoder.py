"""A transformer in an ONNX file as a function from texts to vectors: tokens, session, pooling, length 1."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import Literal, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from qandai.errors import ModelMissing
from qandai.memory import give_back
from qandai.ports import Vectors


class Tokenize(Protocol):
    """From texts to token ids, with the marks that the model wants around them, cut to what it reads."""

    @property
    def padding(self) -> int:
        """Masked out in any case, but some models count their positions from it."""

    def __call__(self, texts: Sequence[str]) -> Sequence[Sequence[int]]: ...

    def overlong(self, texts: Sequence[str]) -> int:
        """How many texts are cut."""


Pooling = Literal["mean", "cls"]

BATCH = 8
"""Texts at a time, of like length. More gain nothing on a processor, and padding costs."""

MOST_CHARS = 20_000  # far more than any model reads; spares the tokenizer what would be cut off


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

    def encode(self, texts: Sequence[str]) -> Vectors:
        """(len(texts), dimension), rows of length 1. Raises ModelMissing if the files cannot be loaded."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        graph, tokenize = self._load()
        tokens = tokenize([text[:MOST_CHARS] for text in texts])
        # Longest first: the threads end together.
        by_length = sorted(range(len(tokens)), key=lambda row: -len(tokens[row]))
        batches = [
            [tokens[row] for row in by_length[begin : begin + BATCH]] for begin in range(0, len(by_length), BATCH)
        ]
        found = np.concatenate(self._pool_all(graph, batches, tokenize.padding))
        vectors = np.empty_like(found)
        vectors[by_length] = found
        return cast(Vectors, vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))

    def _pool_all(
        self, graph: Graph, batches: Sequence[Sequence[Sequence[int]]], padding: int
    ) -> Sequence[NDArray[np.float32]]:
        pool = partial(self._pool, graph, padding=padding)
        if self._threads == 1 or len(batches) == 1:
            return [pool(batch) for batch in batches]
        with ThreadPoolExecutor(self._threads) as threads:  # the session runs without Python's lock
            return list(threads.map(pool, batches))

    @cached_property
    def dimension(self) -> int:
        graph, tokenize = self._load()
        return int(self._pool(graph, tokenize(["a"]), padding=tokenize.padding).shape[1])

    def _pool(self, graph: Graph, batch: Sequence[Sequence[int]], *, padding: int) -> NDArray[np.float32]:
        hidden = graph.run(batch, padding=padding)
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


class Graph:
    """A transformer in an ONNX file, on one thread. Raises ModelMissing. Threads may share it."""

    def __init__(self, path: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        try:
            session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as exc:  # onnxruntime's errors have no common base
            raise ModelMissing(f"{path} is not a model that can be loaded: {exc!s:.200}.") from exc
        known = {"input_ids", "attention_mask", "token_type_ids"}
        self._wanted = {port.name for port in session.get_inputs()}
        if foreign := sorted(self._wanted - known):
            raise ModelMissing(f"{path} wants inputs that a text encoder has not: {', '.join(foreign)}.")
        self._session = session
        give_back()

    def run(
        self, batch: Sequence[Sequence[int]], *, padding: int, types: Sequence[Sequence[int]] | None = None
    ) -> NDArray[np.float32]:
        """The first output for rows of token ids, padded to the longest; `types` says of each token whether it belongs
        to the second of two texts. The graph gets those inputs that it wants."""
        longest = max(map(len, batch))
        ids = np.full((len(batch), longest), padding, np.int64)
        mask = np.zeros_like(ids)
        second = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
            if types is not None:
                second[row, : len(tokens)] = types[row]
        offered = {"input_ids": ids, "attention_mask": mask, "token_type_ids": second}
        found = self._session.run(None, {name: array for name, array in offered.items() if name in self._wanted})
        return cast("NDArray[np.float32]", found[0])


class TokenizerFile:
    """A tokenizer.json, as Hugging Face's models carry it. Raises ModelMissing."""

    def __init__(self, path: Path, *, max_tokens: int) -> None:
        from tokenizers import Tokenizer

        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as exc:  # the tokenizers package raises bare Exceptions
            raise ModelMissing(f"{path} is not a tokenizer: {exc!s:.200}.") from exc
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)
        found = (self._tokenizer.token_to_id(name) for name in ("[PAD]", "<pad>"))
        self.padding = next((int(token) for token in found if token is not None), 0)

    def __call__(self, texts: Sequence[str]) -> Sequence[Sequence[int]]:
        return [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]

    def overlong(self, texts: Sequence[str]) -> int:
        return sum(bool(encoding.overflowing) for encoding in self._tokenizer.encode_batch(list(texts)))

    def pairs(self, question: str, texts: Sequence[str]) -> tuple[Sequence[Sequence[int]], Sequence[Sequence[int]]]:
        """The question with each text: ids, and which of the two each token belongs to (0, 1). The longer of the two is
        cut first."""
        found = self._tokenizer.encode_batch([(question, text) for text in texts])
        return [encoding.ids for encoding in found], [encoding.type_ids for encoding in found]
