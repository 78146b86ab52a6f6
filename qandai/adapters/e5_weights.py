"""The file of multilingual-e5-small's 4-bit weights: read as data, and made into an ONNX graph and a tokenizer.

Little-endian, one part after the other:

    header    magic, version, sizes (see `_HEADER`)
    pieces    u32 offsets (n + 1), f32 scores (n), UTF-8 text; the place of a piece is its id
    table     i32 entries, u32 bytes, a normalisation table that Python's NFKC stands in for
    tensors   i32 count, then of each: u16 + name, u8 kind (0 float, 1 4-bit), u32 numbers, u64 place, u64 bytes
    blocks    of a 4-bit tensor: f16 scale and 16 bytes for every 32 weights of a row; byte j holds weight j in its low
              half and weight j + 16 in its high half; a weight is (half - 8) * scale
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto

from qandai.adapters.bert import Graph

_HEADER = struct.Struct("<4sI7ifi5iQ")
_BLOCK = 32
_BLOCKS = np.dtype([("scale", "<f2"), ("halves", "u1", 16)])
_CONTROL, _UNKNOWN = 3, 2  # SentencePiece's names for <s>, <pad>, </s> and for <unk>

_PARTS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
_ENDS = {"w": "weight", "b": "bias"}


@dataclass(frozen=True, slots=True)
class E5Weights:
    """`floats` are whole tensors by BERT's names, `packed` the blocks of 4-bit ones (blocks,), `pieces` text and
    score in the order of their ids."""

    floats: Mapping[str, NDArray[np.float32]]
    packed: Mapping[str, NDArray[Any]]
    pieces: tuple[tuple[str, float], ...]
    heads: int
    epsilon: float


def read(path: Path) -> E5Weights:
    """Raises ValueError for another kind of file. The caller has checked its hash."""
    content = path.read_bytes()
    header = _HEADER.unpack_from(content)
    magic, version, width, _layers, heads, _inner, _rows, positions, kinds, epsilon, block, count, *_, text_bytes = (
        header
    )
    if magic != b"E5S1" or version != 1 or block != _BLOCK:
        raise ValueError(f"{path.name} is not a file of e5 weights")
    at = _HEADER.size
    offsets = np.frombuffer(content, "<u4", count + 1, at)
    at += offsets.nbytes
    scores = np.frombuffer(content, "<f4", count, at)
    at += scores.nbytes
    texts = (content[at + begin : at + end].decode() for begin, end in pairwise(offsets))
    pieces = tuple(zip(texts, map(float, scores), strict=True))
    at += text_bytes
    (table_bytes,) = struct.unpack_from("<I", content, at + 4)
    tensors = dict(_tensors(content, at + 8 + table_bytes))
    shapes = {
        "embeddings.position_embeddings.weight": (positions, width),
        "embeddings.token_type_embeddings.weight": (kinds, width),
    }
    floats = {
        name: array.reshape(shapes.get(name, array.shape)) for name, array in tensors.items() if array.dtype == "<f4"
    }
    packed = {name: array for name, array in tensors.items() if array.dtype == _BLOCKS}
    packed["embeddings.word_embeddings.weight"] = packed["embeddings.word_embeddings.weight"][: count * width // _BLOCK]
    return E5Weights(floats, packed, pieces, heads, epsilon)


def _tensors(content: bytes, at: int) -> Iterator[tuple[str, NDArray[Any]]]:
    (count,) = struct.unpack_from("<i", content, at)
    at += 4
    for _ in range(count):
        (length,) = struct.unpack_from("<H", content, at)
        name = content[at + 2 : at + 2 + length].decode()
        at += 2 + length
        kind, numbers, place, _ = struct.unpack_from("<BIQQ", content, at)
        at += 21
        packed = kind != 0
        dtype, items = (_BLOCKS, numbers // _BLOCK) if packed else (np.dtype("<f4"), numbers)
        yield _bert_name(name), np.frombuffer(content, dtype, items, place)


def _bert_name(name: str) -> str:
    """`l3.fi.w` is `encoder.layer.3.intermediate.dense.weight`."""
    first, *rest = name.split(".")
    if first == "emb":
        plain = {"word": "word_embeddings", "pos": "position_embeddings", "type": "token_type_embeddings"}
        return f"embeddings.{plain[rest[0]]}.weight" if rest[0] in plain else f"embeddings.LayerNorm.{_ENDS[rest[1]]}"
    part, end = rest
    return f"encoder.layer.{first.removeprefix('l')}.{_PARTS[part]}.{_ENDS[end]}"


def graph(weights: E5Weights) -> onnx.ModelProto:
    return _PackedGraph(weights).model()


class _PackedGraph(Graph):
    """Word vectors and linear layers stay 4-bit: 68 MB instead of 470, and vectors within .9999 of the unpacked ones.
    Activations are rounded to 8 bits within a row's own blocks, so a vector does not depend on its batch mates."""

    domains = (*Graph.domains, ("com.microsoft", 1))

    def __init__(self, weights: E5Weights) -> None:
        super().__init__(weights.floats, heads=weights.heads, epsilon=weights.epsilon)
        self._packed = weights.packed

    def word_vectors(self) -> str:
        """Unpacks the rows in use."""
        blocks = self._packed["embeddings.word_embeddings.weight"].reshape(-1, self._width // _BLOCK)
        halves = self.node("Gather", self.constant("word.halves", blocks["halves"]), "input_ids")
        scales = self.node("Gather", self.constant("word.scales", blocks["scale"]), "input_ids")
        low = self.node("BitwiseAnd", halves, self.constant("word.low", np.uint8(15)))
        high = self.node("BitShift", halves, self.constant("word.high", np.uint8(4)), direction="RIGHT")
        both = self.node("Cast", self.node("Concat", low, high, axis=-1), to=TensorProto.FLOAT)
        centred = self.node("Sub", both, self.constant("word.centre", np.float32(8)))
        last = self.constant("word.last", np.array([-1], np.int64))
        scale = self.node("Unsqueeze", self.node("Cast", scales, to=TensorProto.FLOAT), last)
        flat = self.constant("word.flat", np.array([0, 0, self._width], np.int64))
        return self.node("Reshape", self.node("Mul", centred, scale), flat)

    def linear(self, name: str, hidden: str) -> str:
        blocks = self._packed[f"{name}.weight"]
        bias = self._weights[f"{name}.bias"]
        rows, columns = len(bias), blocks.size * _BLOCK // len(bias)
        each = np.concatenate([blocks["halves"] & 15, blocks["halves"] >> 4], axis=-1)
        pairs = each[:, 0::2] | (each[:, 1::2] << 4)  # MatMulNBits holds neighbours in one byte
        product = self.node(
            "MatMulNBits",
            hidden,
            self.constant(f"{name}.pairs", pairs.reshape(rows, columns // _BLOCK, _BLOCK // 2)),
            self.constant(f"{name}.scales", blocks["scale"].astype(np.float32).reshape(rows, columns // _BLOCK)),
            domain="com.microsoft",
            K=columns,
            N=rows,
            bits=4,
            block_size=_BLOCK,
            accuracy_level=4,
        )
        return self.node("Add", product, self.constant(f"{name}.bias", bias))


def pieces(weights: E5Weights) -> bytes:
    """A SentencePiece model with these pieces. Its own normalisation is off: `Pieces` does NFKC before."""
    from sentencepiece import sentencepiece_model_pb2

    model = sentencepiece_model_pb2.ModelProto()  # type: ignore[attr-defined]  # protobuf makes its classes at import
    trainer, normaliser = model.trainer_spec, model.normalizer_spec
    trainer.model_type = 1  # Unigram
    trainer.bos_id, trainer.pad_id, trainer.eos_id, trainer.unk_id = range(4)
    normaliser.name = "identity"
    normaliser.add_dummy_prefix = normaliser.remove_extra_whitespaces = normaliser.escape_whitespaces = True
    kinds = {0: _CONTROL, 1: _CONTROL, 2: _CONTROL, 3: _UNKNOWN}
    for place, (text, score) in enumerate(weights.pieces):
        model.pieces.add(piece=text, score=score, type=kinds.get(place, 1))
    return bytes(model.SerializeToString(deterministic=True))
