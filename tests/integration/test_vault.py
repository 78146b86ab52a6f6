"""Vectors that are kept by model and text."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from qandai.adapters.vault import CHECKPOINT, VectorVault
from qandai.errors import ProviderError
from qandai.ports import Reading
from qandai.signs import pack
from tests.fakes import BagOfWordsEmbedder


def test_a_text_is_embedded_once(tmp_path: Path) -> None:
    embedder = BagOfWordsEmbedder()
    first = VectorVault(tmp_path).passages(embedder, "v", ["a b", "c", "a b"])
    assert embedder.embedded == ["a b", "c"]
    again = VectorVault(tmp_path).passages(embedder, "v", ["c", "a b", "d"])
    assert embedder.embedded == ["a b", "c", "d"]
    assert np.array_equal(again[:2], first[[1, 0]])


def test_another_model_has_its_own_vectors(tmp_path: Path) -> None:
    one, other = BagOfWordsEmbedder(model="x/y"), BagOfWordsEmbedder(model="x-y", dimension=8)
    VectorVault(tmp_path).passages(one, "v", ["a"])
    assert VectorVault(tmp_path).passages(other, "v", ["a"]).shape == (1, 8)
    assert VectorVault(tmp_path).passages(one, "v", ["a"]).shape == (1, 64)
    assert len(one.embedded) == 1


def only_file(folder: Path) -> Path:
    (path,) = folder.rglob("*.vec")
    return path


@pytest.mark.parametrize("damage", ["cut", "emptied", "flipped", "another model", "header", "padded", "endless"])
def test_a_damaged_file_is_made_anew_and_never_trusted(tmp_path: Path, damage: str) -> None:
    embedder = BagOfWordsEmbedder()
    expected = VectorVault(tmp_path).passages(embedder, "v", ["a", "b"])
    path = only_file(tmp_path)
    content = bytearray(path.read_bytes())
    if damage == "flipped":
        content[-3] ^= 1
    changed = {
        "cut": content[:-5],
        "emptied": b"",
        "flipped": content,
        "another model": content.replace(b"bag-of-words", b"bag-of-birds"),
        "header": b"{}\n" + content,
        "padded": content + b"\0\0\0\0",
        "endless": content.replace(b'"rows": 2', b'"rows": 1e999'),
    }[damage]
    path.write_bytes(bytes(changed))
    assert np.array_equal(VectorVault(tmp_path).passages(embedder, "v", ["a", "b"]), expected)
    assert len(embedder.embedded) == 4
    VectorVault(tmp_path).passages(embedder, "v", ["a", "b"])
    assert len(embedder.embedded) == 4


def test_what_was_embedded_before_a_failure_is_kept(tmp_path: Path) -> None:
    class Failing(BagOfWordsEmbedder):
        def passages(self, texts: list[str]) -> np.ndarray:  # type: ignore[override]
            if self.calls == 2:
                raise ProviderError("The server went away.")
            return super().passages(texts)

    texts = [f"text {at}" for at in range(3 * CHECKPOINT)]
    with pytest.raises(ProviderError):
        VectorVault(tmp_path).passages(Failing(), "v", texts)
    embedder = BagOfWordsEmbedder()
    VectorVault(tmp_path).passages(embedder, "v", texts)
    assert len(embedder.embedded) == CHECKPOINT


def test_the_words_of_a_text_are_read_once_and_its_vector_with_them(tmp_path: Path) -> None:
    embedder = BagOfWordsEmbedder()
    texts = ["old boats leak", "bread", ""]
    found = VectorVault(tmp_path).signs(embedder, "v", texts)
    assert [len(signs) for signs in found] == [3, 1, 1]
    assert np.array_equal(found[0], pack(embedder.read_query(texts[0]).words))
    again = VectorVault(tmp_path).signs(embedder, "v", texts[::-1])
    assert all(np.array_equal(one, other) for one, other in zip(again[::-1], found, strict=True))
    VectorVault(tmp_path).passages(embedder, "v", texts)
    assert embedder.embedded == texts
    assert VectorVault(tmp_path).missing(embedder, "v", ["bread", "oven"], by_words=["bread", "oven", "salt"]) == 2


@pytest.mark.parametrize("cut", [0, 10, 200, -1])
def test_damaged_words_are_read_again(tmp_path: Path, cut: int) -> None:
    embedder = BagOfWordsEmbedder()
    expected = VectorVault(tmp_path).signs(embedder, "v", ["old boats", "bread"])
    (path,) = tmp_path.rglob("*.words")
    path.write_bytes(path.read_bytes()[:cut])
    found = VectorVault(tmp_path).signs(embedder, "v", ["old boats", "bread"])
    assert all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True))
    assert len(embedder.embedded) == 4


@pytest.mark.parametrize("lie", ['"rows": 0', '"rows": 1e999', '"rows": 1' + "0" * 30, '"reading": 1'])
def test_a_header_that_lies_counts_as_no_words(tmp_path: Path, lie: str) -> None:
    embedder = BagOfWordsEmbedder()
    vault = VectorVault(tmp_path)
    vault.signs(embedder, "talk", ["old boats leak"])
    (path,) = tmp_path.glob("*/*.words")
    header, _, body = path.read_bytes().partition(b"\n")
    name = lie.split(":")[0].encode()
    kept = [part for part in header.strip(b"{}").split(b", ") if not part.startswith(name)]
    path.write_bytes(b"{" + b", ".join([*kept, lie.encode()]) + b"}\n" + body)
    assert vault.missing(embedder, "talk", [], by_words=["old boats leak"]) == 1
    (again,) = vault.signs(embedder, "talk", ["old boats leak"])
    assert np.array_equal(again, pack(embedder.read_query("old boats leak").words))


def test_a_model_that_tells_no_words_is_not_asked_for_them(tmp_path: Path) -> None:
    embedder = BagOfWordsEmbedder()
    embedder.tells_words = False
    vault = VectorVault(tmp_path)
    vault.passages(embedder, "talk", ["old boats leak"])
    assert vault.missing(embedder, "talk", [], by_words=["old boats leak", "bread"]) == 1
    assert [len(signs) for signs in vault.signs(embedder, "talk", ["old boats leak", "bread"])] == [0, 0]
    assert embedder.embedded == ["old boats leak"]
    assert not list(tmp_path.rglob("*.words"))


def test_reading_words_drops_no_vector_of_the_same_recording(tmp_path: Path) -> None:
    embedder = BagOfWordsEmbedder()
    vault = VectorVault(tmp_path)
    sentences = [f"sentence {number}" for number in range(1500)]
    vault.passages(embedder, "talk", sentences)
    vault.signs(embedder, "talk", ["old boats leak"])
    vault.passages(embedder, "talk", [*sentences, "old boats leak"])
    assert len(embedder.embedded) == len(set(embedder.embedded))


def test_words_are_read_a_few_texts_at_a_time_and_saved_with_many(tmp_path: Path) -> None:
    class Sized(BagOfWordsEmbedder):
        most = 0

        def read_passages(self, texts: Sequence[str]) -> list[Reading]:
            self.most = max(self.most, len(texts))
            return super().read_passages(texts)

    embedder = Sized()
    texts = [f"old boats {number}" for number in range(CHECKPOINT + 5)]
    found = VectorVault(tmp_path).signs(embedder, "v", texts)
    assert embedder.most == 32
    assert embedder.embedded == texts
    assert all(
        np.array_equal(pack(embedder.read_query(text).words), signs) for text, signs in zip(texts, found, strict=True)
    )


def test_vectors_that_are_read_with_words_are_not_kept_for_ever_either(tmp_path: Path) -> None:
    embedder = BagOfWordsEmbedder(dimension=4)
    VectorVault(tmp_path).passages(embedder, "v", ["the same"])
    for round_ in range(40):
        VectorVault(tmp_path).signs(embedder, "v", [f"round {round_} text {at}" for at in range(100)])
        VectorVault(tmp_path).passages(embedder, "v", ["the same"])
    assert only_file(tmp_path).stat().st_size < 1200 * (16 + 4 * 4)


def test_a_recording_is_forgotten_with_its_words(tmp_path: Path) -> None:
    VectorVault(tmp_path).signs(BagOfWordsEmbedder(), "v", ["old boats"])
    VectorVault(tmp_path).forget("v")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_older_texts_are_kept_but_not_for_ever(tmp_path: Path) -> None:
    embedder = BagOfWordsEmbedder(dimension=4)
    for round_ in range(40):
        VectorVault(tmp_path).passages(embedder, "v", [f"round {round_} text {at}" for at in range(100)])
    assert only_file(tmp_path).stat().st_size < 1600 * (16 + 4 * 4)
    before = len(embedder.embedded)
    VectorVault(tmp_path).passages(embedder, "v", [f"round 38 text {at}" for at in range(100)])
    assert len(embedder.embedded) == before


def test_a_model_that_changed_under_its_name_is_refused_with_what_to_do(tmp_path: Path) -> None:
    VectorVault(tmp_path).passages(BagOfWordsEmbedder(), "v", ["a"])
    with pytest.raises(ProviderError, match=r"32 numbers a vector, but made 64 before.*delete"):
        VectorVault(tmp_path).passages(BagOfWordsEmbedder(dimension=32), "v", ["a", "b"])


def test_vectors_that_are_not_numbers_are_refused(tmp_path: Path) -> None:
    class Broken(BagOfWordsEmbedder):
        def passages(self, texts: list[str]) -> np.ndarray:  # type: ignore[override]
            return np.full((len(texts), 4), np.nan, np.float32)

    with pytest.raises(ProviderError, match="cannot be used"):
        VectorVault(tmp_path).passages(Broken(), "v", ["a"])
    assert not list(tmp_path.rglob("*.vec"))


def test_what_a_killed_writer_left_is_swept_after_an_hour(tmp_path: Path) -> None:
    VectorVault(tmp_path).passages(BagOfWordsEmbedder(), "v", ["a"])
    folder = only_file(tmp_path).parent
    old, young = folder / ".v.vec.00", folder / ".w.vec.00"
    old.touch()
    young.touch()
    os.utime(old, (time.time() - 7200,) * 2)
    VectorVault(tmp_path)
    assert [path.name for path in folder.glob(".*")] == [".w.vec.00"]


def test_a_forgotten_recording_has_no_vectors(tmp_path: Path) -> None:
    vault = VectorVault(tmp_path)
    vault.passages(BagOfWordsEmbedder(), "v", ["a"])
    vault.passages(BagOfWordsEmbedder(model="other"), "v", ["a"])
    vault.passages(BagOfWordsEmbedder(), "w", ["a"])
    vault.forget("v")
    assert [path.name for path in tmp_path.rglob("*.vec")] == ["w.vec"]
