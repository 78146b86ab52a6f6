"""Any cross-encoder that was exported to ONNX, laid out as sentence-transformers does.

model.onnx or onnx/model.onnx · tokenizer.json          both needed
tokenizer_config.json          model_max_length         (512, and never more)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from qandai.adapters.encoder import BATCH, MOST_CHARS
from qandai.adapters.graph import Graph, TokenizerFile
from qandai.adapters.model_folder import ModelFolder
from qandai.errors import ModelMissing

_MOST_TOKENS = 512  # a question and a passage are shorter; more would let one odd text take seconds


class CrossEncoder:
    """The `Reranker` port. The folder is read at first use, and refused then if it is not such a model. Threads
    share it.

    A model with one output scores by it; one with two says no and yes.
    """

    def __init__(self, folder: Path) -> None:
        self._files = ModelFolder(folder, "QANDAI_RERANKER")
        self._lock = Lock()
        self._loaded: tuple[Graph, TokenizerFile] | None = None

    def scores(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        graph, tokenizer = self._load()
        ids, types = tokenizer.pairs(question[:MOST_CHARS], [text[:MOST_CHARS] for text in texts])
        found = np.zeros(len(texts), np.float32)
        by_length = sorted(range(len(texts)), key=lambda row: len(ids[row]))
        for begin in range(0, len(by_length), BATCH):
            rows = by_length[begin : begin + BATCH]
            batch, marks = [ids[row] for row in rows], [types[row] for row in rows]
            try:
                logits = graph.run(batch, types=marks, padding=tokenizer.padding)
            except Exception as exc:  # onnxruntime's errors have no common base
                raise ModelMissing(
                    f"{self._files.graph} cannot read {len(batch[-1])} tokens: {exc!s:.200}.",
                    hint="If it reads fewer at once, say so in its tokenizer_config.json (model_max_length).",
                ) from exc
            found[rows] = self._score(logits, len(rows))
        return found

    def _score(self, logits: NDArray[np.float32], rows: int) -> NDArray[np.float32]:
        outputs = logits[:, None] if logits.ndim == 1 else logits
        if outputs.shape[0] != rows or outputs.ndim != 2 or outputs.shape[1] > 2:
            raise ModelMissing(
                f"{self._files.graph} gives {' × '.join(map(str, logits.shape))} numbers for {rows} pairs.",
                hint="QANDAI_RERANKER wants a cross-encoder, which gives one or two for a pair.",
            )
        scores: NDArray[np.float32] = outputs[:, -1] - outputs[:, 0] if outputs.shape[1] == 2 else outputs[:, 0]
        if not np.isfinite(scores).all():
            raise ModelMissing(f"{self._files.graph} gives scores that are no numbers.")
        return scores

    def _load(self) -> tuple[Graph, TokenizerFile]:
        with self._lock:
            if self._loaded is None:
                tokenizer = TokenizerFile(self._files.tokenizer, max_tokens=self._max_tokens())
                self._loaded = Graph(self._files.graph), tokenizer
            return self._loaded

    def _max_tokens(self) -> int:
        most = self._files.config("tokenizer_config.json").get("model_max_length", _MOST_TOKENS)
        if isinstance(most, bool) or not isinstance(most, int | float) or not most >= 16:
            raise ModelMissing(f"{self._files.path}/tokenizer_config.json: model_max_length is {most!r}.")
        return int(min(most, _MOST_TOKENS))  # exporters write 1e30 where a tokenizer knows no limit
