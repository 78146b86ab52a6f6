"""A transformer in an ONNX file as a function from texts to vectors: tokens, session, pooling, length 1."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal, cast

import numpy as np
from numpy.typing import NDArray

from qandai.errors import ModelMissing
from qandai.ports import Vectors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

Pooling = Literal["mean", "cls"]

BATCH = 8
"""Texts at a time, of like length. More gain nothing on a processor, and padding costs."""

_MOST_CHARS = 20_000  # far more than any model reads; spares the tokenizer what would be cut off


class Encoder:
    """Loads model and tokenizer when first used. Threads may share it.

    A vector depends on its own text alone, to float rounding (1e-7): padding is masked out of attention and pooling.
    """

    def __init__(self, model: Path, tokenizer: Path, *, max_tokens: int, pooling: Pooling, threads: int) -> None:
        self._model = model
        self._tokenizer_file = tokenizer
        self._max_tokens = max_tokens
        self._pooling = pooling
        self._threads = threads
        self._lock = Lock()
        self._loaded: tuple[InferenceSession, Tokenizer] | None = None

    def encode(self, texts: Sequence[str]) -> Vectors:
        """(len(texts), dimension), rows of length 1. Raises ModelMissing if the files cannot be loaded."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        session, tokenizer = self._load()
        tokens = tokenizer.encode_batch([text[:_MOST_CHARS] for text in texts])
        by_length = sorted(range(len(tokens)), key=lambda row: len(tokens[row].ids))
        batches = (by_length[begin : begin + BATCH] for begin in range(0, len(by_length), BATCH))
        found = np.concatenate([self._pool(session, [tokens[row] for row in batch], tokenizer) for batch in batches])
        vectors = np.empty_like(found)
        vectors[by_length] = found
        return cast(Vectors, vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))

    @property
    def dimension(self) -> int:
        session, tokenizer = self._load()
        return int(self._pool(session, [tokenizer.encode("a")], tokenizer).shape[1])

    def _pool(self, session: InferenceSession, batch: Sequence[Encoding], tokenizer: Tokenizer) -> NDArray[np.float32]:
        longest = max(len(encoding.ids) for encoding in batch)
        ids = np.full((len(batch), longest), _padding(tokenizer), np.int64)
        mask = np.zeros((len(batch), longest), np.int64)
        for row, encoding in enumerate(batch):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        offered = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        wanted = {port.name for port in session.get_inputs()}
        hidden = session.run(None, {name: array for name, array in offered.items() if name in wanted})[0]
        if hidden.ndim == 2:  # the graph pools by itself
            return cast("NDArray[np.float32]", hidden)
        if self._pooling == "cls":
            return cast("NDArray[np.float32]", hidden[:, 0])
        weights = mask[..., None].astype(np.float32)
        return cast("NDArray[np.float32]", (hidden * weights).sum(1) / np.maximum(weights.sum(1), 1))

    def _load(self) -> tuple[InferenceSession, Tokenizer]:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._session(), self._tokenizer()
            return self._loaded

    def _session(self) -> InferenceSession:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # idle threads leave the cores alone
        try:
            session = onnxruntime.InferenceSession(str(self._model), options, providers=["CPUExecutionProvider"])
        except Exception as exc:  # onnxruntime's errors have no common base
            raise ModelMissing(f"{self._model} is not a model that can be loaded: {exc!s:.200}.") from exc
        known = {"input_ids", "attention_mask", "token_type_ids"}
        foreign = sorted({port.name for port in session.get_inputs()} - known)
        if foreign:
            raise ModelMissing(f"{self._model} wants inputs that a text encoder has not: {', '.join(foreign)}.")
        return cast("InferenceSession", session)

    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_file(str(self._tokenizer_file))
        except Exception as exc:  # the tokenizers package raises bare Exceptions
            raise ModelMissing(f"{self._tokenizer_file} is not a tokenizer: {exc!s:.200}.") from exc
        tokenizer.no_padding()
        tokenizer.enable_truncation(self._max_tokens)
        return tokenizer


def _padding(tokenizer: Tokenizer) -> int:
    """Masked out in any case, but some models count their positions from it."""
    for name in ("[PAD]", "<pad>"):
        found = tokenizer.token_to_id(name)
        if found is not None:
            return int(found)
    return 0
