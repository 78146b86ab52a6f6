"""BERT as an ONNX graph, built from the weights in a safetensors file. No torch.

    input_ids, attention_mask, token_type_ids    int64, batch × tokens
    → last_hidden_state                          float32, batch × tokens × width

Devlin et al. 2019, with the names that Hugging Face gives the weights.
"""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Weights = Mapping[str, NDArray[np.float32]]

_OPSET = 20  # the first with Gelu
_IR_VERSION = 9
_MASKED = -1e4  # added to the attention of padding: nothing of it is left after the softmax
_MOST_HEADER_BYTES = 10_000_000
_APART = 20_000_000  # bytes of a tensor that gets a file of its own: the words' vectors, and nothing else


def read_safetensors(path: Path) -> Weights:
    """The float32 tensors of the file by name. Raises ValueError for a file that is cut short."""
    content = path.read_bytes()
    if len(content) < 8:
        raise ValueError(f"{path.name} is empty")
    (length,) = struct.unpack("<Q", content[:8])
    if length > min(_MOST_HEADER_BYTES, len(content) - 8):
        raise ValueError(f"{path.name} is cut short")
    tensors: dict[str, NDArray[np.float32]] = {}
    for name, entry in json.loads(content[8 : 8 + length]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            tensors[name] = np.frombuffer(content[begin:end], "<f4").reshape(entry["shape"])
    return tensors


def build(weights: Weights, *, heads: int, epsilon: float = 1e-12) -> onnx.ModelProto:
    """The graph of an encoder whose layers are counted from the weights. Raises KeyError for a missing one."""
    return Graph(weights, heads=heads, epsilon=epsilon).model()


def write(model: onnx.ModelProto, path: Path) -> None:
    """The words' vectors, half of a small model, go into a file beside it that is mapped and not read: a process holds
    no more of them than the words that it was asked about."""
    beside = path.with_name(f"{path.name}.data")
    onnx.save_model(model, path, save_as_external_data=True, location=beside.name, size_threshold=_APART)
    shutil.copymode(path, beside)  # onnx lets nobody but its maker read it


class Graph:
    """Where weights are kept in another form, `linear` and `word_vectors` are what has to know it."""

    domains: tuple[tuple[str, int], ...] = (("", _OPSET),)

    def __init__(self, weights: Weights, *, heads: int, epsilon: float) -> None:
        self._weights = weights
        self._epsilon = epsilon
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []
        self._width = weights["embeddings.position_embeddings.weight"].shape[1]
        self._layers = sum(name.endswith(".attention.self.query.bias") for name in weights)
        per_head = self._width // heads
        self._scale = self.constant("scale", np.float32(per_head**-0.5))
        self._to_heads = self.constant("to_heads", np.array([0, 0, heads, per_head], np.int64))
        self._from_heads = self.constant("from_heads", np.array([0, 0, self._width], np.int64))

    def model(self) -> onnx.ModelProto:
        mask = self._mask()
        hidden = self._embeddings()
        for layer in range(self._layers):
            hidden = self._layer(f"encoder.layer.{layer}", hidden, mask)
        self._nodes.append(helper.make_node("Identity", [hidden], ["last_hidden_state"]))
        names = ("input_ids", "attention_mask", "token_type_ids")
        graph = helper.make_graph(
            self._nodes,
            "bert",
            [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in names],
            [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", self._width])],
            self._constants,
        )
        opsets = [helper.make_opsetid(*domain) for domain in self.domains]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION)
        onnx.checker.check_model(model)
        return model

    def _mask(self) -> str:
        """(batch, 1, 1, tokens): 0 for text, a large negative number for padding."""
        present = self.node("Cast", "attention_mask", to=TensorProto.FLOAT)
        absent = self.node("Sub", self.constant("one", np.float32(1)), present)
        added = self.node("Mul", absent, self.constant("masked", np.float32(_MASKED)))
        return self.node("Unsqueeze", added, self.constant("mask_axes", np.array([1, 2], np.int64)))

    def _embeddings(self) -> str:
        word = self.word_vectors()
        kind = self.node("Gather", self._weight("embeddings.token_type_embeddings.weight"), "token_type_ids")
        position = self.node(
            "Slice",
            self._weight("embeddings.position_embeddings.weight"),
            self.constant("from_first", np.array([0], np.int64)),
            self.node("Shape", "input_ids", start=1, end=2),
            self.constant("along_tokens", np.array([0], np.int64)),
        )
        return self._normalised("embeddings.LayerNorm", self.node("Add", self.node("Add", word, kind), position))

    def word_vectors(self) -> str:
        """(batch, tokens, width)"""
        return self.node("Gather", self._weight("embeddings.word_embeddings.weight"), "input_ids")

    def linear(self, name: str, hidden: str) -> str:
        matrix = self.constant(f"{name}.matrix", self._weights[f"{name}.weight"].T)
        return self.node("Add", self.node("MatMul", hidden, matrix), self._weight(f"{name}.bias"))

    def _layer(self, name: str, hidden: str, mask: str) -> str:
        attended = self.linear(
            f"{name}.attention.output.dense", self._attention(f"{name}.attention.self", hidden, mask)
        )
        hidden = self._normalised(f"{name}.attention.output.LayerNorm", self.node("Add", attended, hidden))
        inner = self.node("Gelu", self.linear(f"{name}.intermediate.dense", hidden))
        outer = self.linear(f"{name}.output.dense", inner)
        return self._normalised(f"{name}.output.LayerNorm", self.node("Add", outer, hidden))

    def _attention(self, name: str, hidden: str, mask: str) -> str:
        query, key, value = (
            self.node("Reshape", self.linear(f"{name}.{part}", hidden), self._to_heads)
            for part in ("query", "key", "value")
        )
        query = self.node("Transpose", query, perm=[0, 2, 1, 3])
        key = self.node("Transpose", key, perm=[0, 2, 3, 1])
        value = self.node("Transpose", value, perm=[0, 2, 1, 3])
        fit = self.node("Add", self.node("Mul", self.node("MatMul", query, key), self._scale), mask)
        mixed = self.node("MatMul", self.node("Softmax", fit, axis=-1), value)
        return self.node("Reshape", self.node("Transpose", mixed, perm=[0, 2, 1, 3]), self._from_heads)

    def _normalised(self, name: str, hidden: str) -> str:
        weight, bias = self._weight(f"{name}.weight"), self._weight(f"{name}.bias")
        return self.node("LayerNormalization", hidden, weight, bias, axis=-1, epsilon=self._epsilon)

    def _weight(self, name: str) -> str:
        return self.constant(name, self._weights[name])

    def constant(self, name: str, value: NDArray[np.generic] | np.generic) -> str:
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value).reshape(np.shape(value)), name))
        return name

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        output = f"{operator}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, list(inputs), [output], **attributes))
        return output
