"""Folders that are no cross-encoder, and what a long text costs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qandai.adapters.cross_encoder import CrossEncoder
from qandai.compose import reranker
from qandai.errors import ModelMissing
from qandai.settings import Settings
from tests import tiny_cross_encoder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_cross_encoder.write(tmp_path / "model")


def test_there_is_none_unless_it_is_asked_for(folder: Path) -> None:
    assert reranker(Settings()) is None
    asked_for = reranker(Settings.read({"QANDAI_RERANKER": str(folder)}))
    assert asked_for is not None
    assert asked_for.scores("oak boats", ["oak", "oak boats"]).tolist() == [1, 2]


def test_the_folder_is_read_when_it_is_first_needed(tmp_path: Path) -> None:
    missing = CrossEncoder(tmp_path / "nowhere")
    with pytest.raises(ModelMissing, match=r"nowhere holds no tokenizer\.json.*QANDAI_RERANKER"):
        missing.scores("oak", ["oak"])


def test_the_graph_may_lie_in_a_folder_of_its_own(folder: Path) -> None:
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    assert CrossEncoder(folder).scores("oak", ["oak"]).tolist() == [1]


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_damaged_file_is_named(folder: Path, name: str) -> None:
    (folder / name).write_bytes((folder / name).read_bytes()[:-40])
    with pytest.raises(ModelMissing, match=name.replace(".", r"\.")):
        CrossEncoder(folder).scores("oak", ["oak"])


def test_a_model_that_gives_anything_but_one_or_two_numbers_a_pair_is_refused(folder: Path) -> None:
    tiny_cross_encoder.write(folder, outputs=3)
    with pytest.raises(ModelMissing, match=r"gives 2 × 3 numbers for 2 pairs"):
        CrossEncoder(folder).scores("oak", ["oak", "bread"])


def test_scores_that_are_no_numbers_are_refused(folder: Path) -> None:
    tiny_cross_encoder.write(folder, weight=float("nan"))
    with pytest.raises(ModelMissing, match="no numbers"):
        CrossEncoder(folder).scores("oak", ["oak"])


def test_pairs_are_cut_to_what_the_model_reads(folder: Path) -> None:
    long = "oak " * 600
    assert CrossEncoder(folder).scores("oak", [long]).tolist() == [508]  # 512 less three marks and the question
    config = folder / "tokenizer_config.json"
    config.write_text(json.dumps({"model_max_length": 32}))
    assert CrossEncoder(folder).scores("oak", [long]).tolist() == [28]
    config.write_text('{"model_max_length": 1000000000000000019884624838656}')
    assert CrossEncoder(folder).scores("oak", [long]).tolist() == [508]
    config.write_text('{"model_max_length": "long"}')
    with pytest.raises(ModelMissing, match="model_max_length is 'long'"):
        CrossEncoder(folder).scores("oak", [long])
