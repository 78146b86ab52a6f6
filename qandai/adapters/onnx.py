"""`onnx:<folder>`: any sentence encoder that was exported to ONNX, laid out as sentence-transformers does.

model.onnx or onnx/model.onnx · tokenizer.json          both needed
sentence_bert_config.json      max_seq_length           (512)
1_Pooling/config.json          mean or first token      (mean)
config_sentence_transformers.json   prompts: {"query": …, "passage": …}   (none)
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from qandai.adapters.encoded import Encoded
from qandai.adapters.encoder import Encoder, Pooling
from qandai.adapters.graph import TokenizerFile
from qandai.adapters.model_folder import ModelFolder
from qandai.errors import ModelMissing
from qandai.ports import Calibration

FLOOR = 0.30
_PASSAGE_PROMPTS = ("passage", "document")  # both names are in use


class OnnxFolder(Encoded):
    """The `Embedder` port over a folder. Raises ModelMissing, at first use, for one that is not such a model."""

    calibration = Calibration(floor=FLOOR)

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        super().__init__()
        self._files = ModelFolder(folder, "embedding: onnx:<folder>")
        self._threads = threads

    @property
    def model(self) -> str:
        """Names the files by content: another model in the same folder is another model."""
        with self._lock:
            return self._name

    @property
    def dimension(self) -> int:
        return self._ready().dimension

    @cached_property
    def _name(self) -> str:
        digest = hashlib.sha256(json.dumps([self._pooling, self._max_tokens, dict(self._prompts)]).encode())
        for path in (self._files.graph, self._files.tokenizer):
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        return f"onnx-{self._files.path.name}-{digest.hexdigest()[:8]}"

    def _open(self) -> Encoder:
        return Encoder(
            self._files.graph,
            lambda: TokenizerFile(self._files.tokenizer, max_tokens=self._max_tokens),
            pooling=self._pooling,
            threads=self._threads,
        )

    @cached_property
    def _max_tokens(self) -> int:
        most = self._files.config("sentence_bert_config.json").get("max_seq_length", 512)
        if not isinstance(most, int) or not 8 <= most <= 32_768:
            raise ModelMissing(f"{self._files.path}/sentence_bert_config.json: max_seq_length is {most!r}.")
        return most

    @cached_property
    def _pooling(self) -> Pooling:
        config = self._files.config("1_Pooling/config.json")
        chosen = {key for key, value in config.items() if key.startswith("pooling_mode_") and value is True}
        if not chosen or chosen == {"pooling_mode_mean_tokens"}:
            return "mean"
        if chosen == {"pooling_mode_cls_token"}:
            return "cls"
        raise ModelMissing(
            f"{self._files.path}/1_Pooling/config.json asks for {', '.join(sorted(chosen))}.",
            hint="Only pooling_mode_mean_tokens and pooling_mode_cls_token are known.",
        )

    @property
    def _query_prompt(self) -> str:
        return self._prompts.get("query", "")

    @property
    def _passage_prompt(self) -> str:
        return next((self._prompts[name] for name in _PASSAGE_PROMPTS if name in self._prompts), "")

    @cached_property
    def _prompts(self) -> Mapping[str, str]:
        name = "config_sentence_transformers.json"
        prompts = self._files.config(name).get("prompts") or {}
        if not isinstance(prompts, dict) or not all(isinstance(prompt, str) for prompt in prompts.values()):
            raise ModelMissing(f"{self._files.path}/{name}: prompts must map names to texts.")
        return prompts
