"""Chroma, and what its vendor's quirks need: the only module that imports it.

A collection is used with our own vectors alone. Without `embedding_function=None` Chroma would attach a model of its
own, and download it at the first text.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from qandai.adapters.generations import mend
from qandai.adapters.records import HEADS, Metadata
from qandai.errors import StoreBroken
from qandai.ports import Vectors

if TYPE_CHECKING:
    from chromadb.api.client import Client

ROWS = 500
"""Records fetched at a time. Chroma hands vectors over as Python floats: 5000 of them would leave 60 MB behind."""

SYNC_THRESHOLD = 1
"""Changes that may wait to be written into the vector files. What waits is written there by whoever opens the folder
next, a reader too, who then changes a generation under the others and takes ten times as long to open it. Writing at
once costs nothing that shows."""


@dataclass(frozen=True, slots=True)
class Page:
    ids: Sequence[str]
    documents: Sequence[str]
    vectors: Vectors


class Collection:
    """One person's collection in one folder. `close` it: Chroma keeps every folder open that it was shown."""

    def __init__(self, client: Client, collection: Any, label: str) -> None:
        self._client = client
        self._collection = collection
        self._label = label

    @property
    def metadata(self) -> Mapping[str, Any]:
        return self._collection.metadata or {}

    def describe(self, metadata: Metadata) -> None:
        with _translated(self._label):
            self._collection.modify(metadata=dict(metadata))

    @property
    def space(self) -> str | None:
        """The distance that the collection was made with; Chroma ignores another that is asked for later."""
        hnsw = (self._collection.configuration_json or {}).get("hnsw") or {}
        return cast("str | None", hnsw.get("space"))

    def count(self) -> int:
        with _translated(self._label):
            return int(self._collection.count())

    def pages(self) -> Iterator[Page]:
        """All records, in chunks, in no useful order."""
        at = 0
        while True:
            with _translated(self._label):
                found = self._collection.get(include=["documents", "embeddings"], limit=ROWS, offset=at)
            ids = found["ids"]
            if not ids:
                return
            vectors = np.asarray(found["embeddings"], np.float32)
            yield Page(ids, [document or "" for document in found["documents"]], vectors)
            at += len(ids)

    def heads(self) -> Sequence[Metadata]:
        """The metadata of each video's first record."""
        with _translated(self._label):
            return cast("Sequence[Metadata]", self._collection.get(where=HEADS, include=["metadatas"])["metadatas"])

    def fetch(self, ids: Sequence[str]) -> Mapping[str, Metadata]:
        """The metadata of those of the ids that exist."""
        found: dict[str, Metadata] = {}
        for begin in range(0, len(ids), ROWS):
            with _translated(self._label):
                rows = self._collection.get(ids=list(ids[begin : begin + ROWS]), include=["metadatas"])
            found.update(zip(rows["ids"], rows["metadatas"], strict=True))
        return found

    def nearest(self, vector: np.ndarray, count: int) -> Sequence[str]:
        """Up to `count` ids as Chroma's own index finds them, which may be fewer than it holds."""
        with _translated(self._label):
            found = self._collection.query(query_embeddings=[vector.tolist()], n_results=count, include=[])
        return cast("Sequence[str]", found["ids"][0])

    def put(
        self, ids: Sequence[str], documents: Sequence[str], vectors: Vectors, metadatas: Sequence[Metadata]
    ) -> None:
        """In batches that Chroma takes. The ids must be new: upserting merges old metadata into the new."""
        with _translated(self._label):
            most = self._client.get_max_batch_size()
            for begin in range(0, len(ids), most):
                rows = slice(begin, begin + most)
                self._collection.upsert(
                    ids=list(ids[rows]),
                    documents=list(documents[rows]),
                    embeddings=vectors[rows],
                    metadatas=[dict(metadata) for metadata in metadatas[rows]],
                )

    def delete(self, ids: Sequence[str]) -> None:
        for begin in range(0, len(ids), ROWS):
            with _translated(self._label):
                self._collection.delete(ids=list(ids[begin : begin + ROWS]))

    def close(self) -> None:
        with _translated(self._label):
            self._client.close()


def collection_name(slug: str) -> str:
    """Chroma wants 3 to 512 ASCII characters, so Greek and two-letter slugs get a hash that tells them apart."""
    plain = unicodedata.normalize("NFKD", slug).encode("ascii", "ignore").decode()
    readable = re.sub(r"[^a-z0-9-]", "", plain)[:40]
    return f"qa_{readable}_{hashlib.blake2s(slug.encode(), digest_size=4).hexdigest()}"


def create(folder: Path, slug: str, metadata: Metadata) -> Collection:
    """An empty collection in an empty folder."""
    label = f"{slug}/{folder.name}"
    with _translated(label):
        client = _client(folder)
        collection = client.create_collection(
            collection_name(slug),
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine", "sync_threshold": SYNC_THRESHOLD}},
            metadata=dict(metadata),
        )
    return Collection(client, collection, label)


def open_collection(folder: Path, slug: str) -> Collection:
    """Raises StoreBroken, also for a folder that holds other things than this person's collection."""
    label = f"{slug}/{folder.name}"
    if not (folder / "chroma.sqlite3").is_file():  # Chroma would make an empty one
        raise StoreBroken(f"The collection {label} cannot be used: its database is gone.", hint=mend(slug))
    with _translated(label):
        client = _client(folder)
        try:
            collection = client.get_collection(collection_name(slug), embedding_function=None)
        except BaseException:
            client.close()
            raise
    return Collection(client, collection, label)


def _client(folder: Path) -> Client:
    import chromadb  # takes a second to import; a command that needs no store should not wait for it
    from chromadb.config import Settings

    # _env_file: Chroma would read the .env of the folder we happen to stand in.
    settings = Settings(_env_file=None, anonymized_telemetry=False)  # type: ignore[call-arg]  # known to pydantic only
    return cast("Client", chromadb.PersistentClient(str(folder), settings=settings))


@contextmanager
def _translated(label: str) -> Iterator[None]:
    try:
        yield
    except (StoreBroken, GeneratorExit, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as exc:  # a panic in Chroma's Rust core is no Exception
        raise StoreBroken(f"The collection {label} cannot be used: {exc!s:.200}.", hint=_mend(label)) from exc


def _mend(label: str) -> str:
    return mend(label.split("/")[0])
