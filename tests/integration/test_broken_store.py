"""Damage to a collection: found when it is opened, named, and mended by `index` from the vectors that are kept."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from qandai.errors import StoreBroken
from tests.archive import Archive, texts, topical


def lose_segment(generation: Path) -> None:
    for path in generation.iterdir():
        if path.is_dir():
            shutil.rmtree(path)


def halve(name: str) -> Callable[[Path], None]:
    def damage(generation: Path) -> None:
        (path,) = generation.rglob(name)
        with path.open("r+b") as file:
            file.truncate(path.stat().st_size // 2)

    return damage


def lose(name: str) -> Callable[[Path], None]:
    def damage(generation: Path) -> None:
        (path,) = generation.rglob(name)
        path.unlink()

    return damage


def replace_database(content: bytes) -> Callable[[Path], None]:
    def damage(generation: Path) -> None:
        (generation / "chroma.sqlite3").write_bytes(content)

    return damage


def execute(statement: str) -> Callable[[Path], None]:
    def damage(generation: Path) -> None:
        database = sqlite3.connect(generation / "chroma.sqlite3")
        with database:
            database.execute(statement)
        database.close()

    return damage


def flip_vectors(generation: Path) -> None:
    (path,) = generation.rglob("data_level0.bin")
    content = bytearray(path.read_bytes())
    for at in range(200, len(content), 400):
        content[at] ^= 0xFF
    path.write_bytes(content)


def lose_generation(generation: Path) -> None:
    shutil.rmtree(generation)


def cut_pointer(generation: Path) -> None:
    (generation.parent / "current.json").write_text("{")


DAMAGES = {
    "vectors lost": lose_segment,
    "vectors cut": halve("data_level0.bin"),
    "vectors changed": flip_vectors,
    "vectors' ids lost": lose("index_metadata.pickle"),
    "database cut": halve("chroma.sqlite3"),
    "database lost": lose("chroma.sqlite3"),
    "database empty": replace_database(b""),
    "database foreign": replace_database(b"hello" * 1000),
    "rows lost": execute("delete from embeddings where rowid % 3 = 0"),
    "heads lost": execute("delete from embedding_metadata where key = 'head'"),
    "fingerprints lost": execute("delete from embedding_metadata where key = 'fingerprint'"),
    "collection lost": execute("delete from collections"),
    "generation lost": lose_generation,
    "pointer cut": cut_pointer,
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    archive = Archive(tmp_path_factory.mktemp("whole"))
    archive.chars = 100
    archive.add(*(topical(f"v{at:02d}", start=at, count=40) for at in range(3)))
    archive.indexer().index("ann")
    assert any(path.is_dir() for path in archive.generation.iterdir())
    return archive


@pytest.fixture
def archive(whole: Archive, tmp_path: Path) -> Archive:
    shutil.copytree(whole.folder, tmp_path / "home")
    copy = Archive(tmp_path / "home")
    copy.transcripts = whole.transcripts
    copy.chars = whole.chars
    return copy


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damage_is_named_at_opening_and_mended_by_index_without_embedding(
    archive: Archive, whole: Archive, damage: Callable[[Path], None]
) -> None:
    damage(archive.generation)
    with pytest.raises(StoreBroken, match=r"ann.*qandai index ann --rebuild"):
        archive.read(texts)
    report = archive.indexer().index("ann")
    assert report.mended is not None
    assert archive.read(texts) == whole.read(texts)
    assert archive.embedder.calls == 0


@pytest.mark.parametrize("count", [1, 3, 700])
def test_reading_changes_nothing_but_the_database_of_a_generation(tmp_path: Path, count: int) -> None:
    archive = Archive(tmp_path)
    archive.add(topical("a", count=count))
    archive.indexer().index("ann")

    def vector_files() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in archive.generation.glob("*/*")}

    before = vector_files()
    for _ in range(2):
        archive.read(texts)
    assert vector_files() == before


def test_damage_that_comes_while_a_copy_is_made_is_noticed_before_it_is_read(archive: Archive, whole: Archive) -> None:
    archive.add(topical("new"))

    spoilt: list[Path] = []

    def spoil(done: int, total: int, video_id: str) -> None:
        for part in (archive.folder / "ann").glob("part-*"):
            if not spoilt:
                spoilt.append(part)
                execute("delete from embeddings where rowid % 3 = 0")(part)

    report = archive.indexer().index("ann", progress=spoil)
    assert spoilt
    assert report.mended is not None
    assert archive.read(lambda shelf: len(shelf.texts)) > whole.read(lambda shelf: len(shelf.texts))
    whole.transcripts.kept.pop(("ann", "new"))


def test_somebody_elses_collection_is_named(tmp_path: Path) -> None:
    ann, bo = Archive(tmp_path), Archive(tmp_path, slug="bo")
    for archive in (ann, bo):
        archive.add(topical("a"))
        archive.indexer().index(archive.slug)
    shutil.rmtree(ann.generation)
    shutil.copytree(bo.generation, ann.folder / "ann" / pointed_at(ann))
    with pytest.raises(StoreBroken, match="ann"):
        ann.read(texts)


def pointed_at(archive: Archive) -> str:
    return str(json.loads((archive.folder / archive.slug / "current.json").read_text())["generation"])


def test_a_damaged_record_is_named_when_it_is_read(archive: Archive) -> None:
    execute("update embedding_metadata set string_value = 'AA' where key = 'words'")(archive.generation)
    with pytest.raises(StoreBroken, match="qandai index ann --rebuild"):
        archive.read(lambda shelf: shelf.read([0]))
