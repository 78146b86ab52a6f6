"""A cross-encoder of a few hundred bytes, in the layout of a real one: it counts the words that two texts share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

WORDS = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "boats", "bread", "oak", "winter", "sold", "yes")


def write(folder: Path, *, outputs: int = 1, weight: float = 1.0) -> Path:
    """`outputs` 1 scores a pair, 2 say no and yes; `weight` is what a shared word counts."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "model.onnx").write_bytes(_graph(outputs, weight).SerializeToString())
    return folder


def _graph(outputs: int, weight: float) -> helper.ModelProto:
    """Every token of the first text against every token of the second: one for each that is the same word."""
    names = ("input_ids", "attention_mask", "token_type_ids")
    constants = {
        "first_axis": np.array([1], np.int64),
        "second_axis": np.array([2], np.int64),
        "both": np.array([1, 2], np.int64),
        "last_mark": np.array(3, np.int64),  # what is no word of its own says nothing
        "columns": np.linspace(0, weight, outputs, dtype=np.float32) if outputs > 1 else np.array([weight], np.float32),
        "one": np.array(1, np.int64),
    }
    nodes = [
        helper.make_node("Greater", ["input_ids", "last_mark"], ["known"]),
        helper.make_node("Cast", ["known"], ["word"], to=TensorProto.INT64),
        helper.make_node("Mul", ["word", "attention_mask"], ["read"]),
        helper.make_node("Mul", ["read", "token_type_ids"], ["of_second"]),
        helper.make_node("Sub", ["one", "token_type_ids"], ["not_second"]),
        helper.make_node("Mul", ["read", "not_second"], ["of_first"]),
        helper.make_node("Unsqueeze", ["input_ids", "second_axis"], ["down"]),
        helper.make_node("Unsqueeze", ["input_ids", "first_axis"], ["across"]),
        helper.make_node("Equal", ["down", "across"], ["same"]),
        helper.make_node("Cast", ["same"], ["shared"], to=TensorProto.INT64),
        helper.make_node("Unsqueeze", ["of_first", "second_axis"], ["first_down"]),
        helper.make_node("Unsqueeze", ["of_second", "first_axis"], ["second_across"]),
        helper.make_node("Mul", ["shared", "first_down"], ["shared_first"]),
        helper.make_node("Mul", ["shared_first", "second_across"], ["pairs"]),
        helper.make_node("ReduceSum", ["pairs", "both"], ["counted"], keepdims=0),
        helper.make_node("Cast", ["counted"], ["count"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["count", "first_axis"], ["column"]),
        helper.make_node("Mul", ["column", "columns"], ["logits"]),
    ]
    graph = helper.make_graph(
        nodes,
        "shared_words",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["rows", "tokens"]) for name in names],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["rows", outputs])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
