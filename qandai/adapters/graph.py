"""A transformer in an ONNX file and its tokenizer: from texts to token ids, and from these to its states."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from qandai.errors import ModelMissing
from qandai.memory import give_back


class Tokenize(Protocol):
    """From texts to token ids, with the marks that the model wants around them, cut to what it reads."""

    @property
    def padding(self) -> int:
        """Masked out in any case, but some models count their positions from it."""

    def __call__(self, texts: Sequence[str]) -> Sequence[Sequence[int]]: ...

    def places(self, texts: Sequence[str]) -> Sequence[Sequence[tuple[int, int]]]:
        """Where in its text each token stands, (0, 0) for a mark. Between its words a text has one blank."""

    def overlong(self, texts: Sequence[str]) -> int:
        """How many texts are cut."""


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

    def places(self, texts: Sequence[str]) -> Sequence[Sequence[tuple[int, int]]]:
        return [encoding.offsets for encoding in self._tokenizer.encode_batch(list(texts))]

    def overlong(self, texts: Sequence[str]) -> int:
        return sum(bool(encoding.overflowing) for encoding in self._tokenizer.encode_batch(list(texts)))

    def pairs(self, question: str, texts: Sequence[str]) -> tuple[Sequence[Sequence[int]], Sequence[Sequence[int]]]:
        """The question with each text: ids, and which of the two each token belongs to (0, 1). The longer of the two is
        cut first."""
        found = self._tokenizer.encode_batch([(question, text) for text in texts])
        return [encoding.ids for encoding in found], [encoding.type_ids for encoding in found]
