"""A folder with a model that was exported to ONNX, laid out as sentence-transformers does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qandai.errors import ModelMissing

_MOST_CONFIG_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """`wanted_by` is the setting that named it, for messages. Every property and method raises ModelMissing."""

    path: Path
    wanted_by: str

    @property
    def graph(self) -> Path:
        return self._one_of("model.onnx", "onnx/model.onnx")

    @property
    def tokenizer(self) -> Path:
        return self._one_of("tokenizer.json", "onnx/tokenizer.json")

    def config(self, name: str) -> Mapping[str, Any]:
        """A JSON object; empty where the file is missing."""
        path = self.path / name
        try:
            with path.open("rb") as file:
                config = json.loads(file.read(_MOST_CONFIG_BYTES))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as exc:
            raise ModelMissing(f"{path} cannot be read: {exc}.") from exc
        if not isinstance(config, dict):
            raise ModelMissing(f"{path} is not a JSON object.")
        return config

    def _one_of(self, *names: str) -> Path:
        for name in names:
            if (self.path / name).is_file():
                return self.path / name
        raise ModelMissing(
            f"{self.path} holds no {names[0]}.",
            hint=f"{self.wanted_by} wants a folder with model.onnx and tokenizer.json.",
        )
