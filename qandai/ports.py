"""What the rooms above need of the outside world, each the smallest thing that serves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from qandai.model import Coverage, Excerpt, Person, Pick, Question, Span, Transcript, Video

Vectors = NDArray[np.float32]
"""(n, dimension), each row L2-normalised."""

Signs = NDArray[np.uint8]
"""(words, bytes): the signs of the vectors of a text's words, of all models side by side; `qandai.signs` packs them."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a model makes of a text. `words` has a row for each word of `qandai.text.word_places` as it stands there,
    and one for a text without any; no rows where the model does not tell words apart. They are made for cosines between
    the words of a question and those of a passage."""

    vector: NDArray[np.float32]
    words: Vectors


@dataclass(frozen=True, slots=True)
class Calibration:
    """What the cosines of an embedder say, found by evaluation.

    `floor`: the confidence below which a question counts as never answered. `words`: what is added to the cosine where
    all words of the question are said. `across`: what is added where the question is in another language than the
    archive, none of whose words can be said there; 0 for a model of one language. `meant`: what `Excerpt.meant` counts,
    from `meant_floor` on; below it counts against. Words of another language are farther off: there it counts from
    `meant_across` lower on.

    `imagined`: what `Hit.imagined` counts, from `imagined_floor` on; below it counts against. 0: nothing, where it was
    not measured.
    """

    floor: float
    words: float = 0.2
    across: float = 0.0
    meant: float = 0.0
    meant_floor: float = 0.0
    meant_across: float = 0.0
    imagined: float = 0.0
    imagined_floor: float = 0.0


class Embedder(Protocol):
    """Turns texts into vectors. A vector depends on its own text alone, never on its batch mates."""

    @property
    def model(self) -> str:
        """Names weights and preparation; two embedders share it only if their vectors are interchangeable."""

    @property
    def dimension(self) -> int: ...

    @property
    def calibration(self) -> Calibration: ...

    @property
    def tells_words(self) -> bool:
        """Whether there are words in what it reads: False where asking for them would cost and bring nothing."""

    def passages(self, texts: Sequence[str]) -> Vectors:
        """(len(texts), dimension). Raises ProviderError."""

    def query(self, text: str) -> NDArray[np.float32]:
        """(dimension,). Raises ProviderError."""

    def read_passages(self, texts: Sequence[str]) -> Sequence[Reading]:
        """With the same vectors as `passages`. Raises ProviderError."""

    def read_query(self, text: str) -> Reading:
        """With the same vector as `query`. Raises ProviderError."""

    def overlong(self, texts: Sequence[str]) -> int:
        """How many passages have an end that it does not read; 0 where it cannot tell. Raises ModelMissing."""

    def knows(self, word: str) -> bool:
        """Whether it reads a word in one piece: then it is one, and no slip of the fingers. True where it cannot tell.
        Raises ModelMissing."""


class Reranker(Protocol):
    """Reads a question and a passage together, which says more than comparing them, and takes longer."""

    def scores(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """(len(texts),), higher for what answers better; only their order means anything. Raises ModelMissing."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a stored passage lies: word positions `first` to `last`, inclusive."""

    video_id: str
    first: int
    last: int

    @property
    def id(self) -> str:
        return f"{self.video_id}:{self.first}-{self.last}"


@dataclass(frozen=True, slots=True)
class Leaf:
    """A stored passage with its words. `sentences` tile it in order; `vectors` has a row for each of them. `signs` are
    those of its words; no rows where a model does not tell words apart."""

    passage: Span
    sentences: tuple[Span, ...]
    vectors: Vectors
    signs: Signs = field(default_factory=lambda: np.zeros((0, 0), np.uint8))


@dataclass(frozen=True, slots=True)
class Inside:
    """What `Leaf` knows of the parts of a passage, without its words."""

    sentences: Vectors
    signs: Signs


class Shelf(Protocol):
    """One generation of one person's collection, open for reading. Never changes; threads share it.

    `places`, `texts` and `vectors` run in step, ordered by video and position, so the neighbours of a passage
    stand beside it. Word times are read only for what is shown.
    """

    @property
    def generation(self) -> str: ...

    @property
    def videos(self) -> Mapping[str, Video]: ...

    @property
    def places(self) -> Sequence[Place]: ...

    @property
    def texts(self) -> Sequence[str]: ...

    @property
    def vectors(self) -> Vectors: ...

    @property
    def coverage(self) -> Coverage: ...

    def read(self, indices: Sequence[int]) -> tuple[Leaf, ...]:
        """The passages at `indices`, in that order. Raises StoreBroken."""

    def inside(self, indices: Sequence[int]) -> tuple[Inside, ...]:
        """Of the passages at `indices`, in that order. Raises StoreBroken."""


@dataclass(frozen=True, slots=True)
class ShelfState:
    """Whether a person can be asked now. `reason` says why not, or what is being done; safe to show to a visitor."""

    state: Literal["ready", "indexing", "failed"]
    passages: int = 0
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a collection was made with. Vectors of one recipe mean nothing beside those of another."""

    model: str
    passage_chars: int
    passage_overlap: int
    passage_cut: str = "sentences"


class Vault(Protocol):
    """Remembers vectors by model and text, so that nothing is embedded twice."""

    def passages(self, embedder: Embedder, video_id: str, texts: Sequence[str]) -> Vectors:
        """(len(texts), dimension). `video_id` names the recording they belong to. Raises ProviderError."""

    def signs(self, embedder: Embedder, video_id: str, texts: Sequence[str]) -> Sequence[Signs]:
        """Of the words of each text; no rows for a model that tells none. What it reads `passages` knows, too. Raises
        ProviderError."""


class Writer(Protocol):
    """The next generation of one person's collection. Nothing is seen by readers before `commit`."""

    @property
    def held(self) -> Mapping[str, str]:
        """The fingerprint of each recording that the collection holds now, by id."""

    @property
    def passages(self) -> int:
        """How many it holds, with what was put and without what was dropped."""

    def put(self, leaves: Sequence[Leaf], vectors: Vectors, *, fingerprint: str) -> None:
        """All passages of one recording, in order, in place of those held; a row of `vectors` for each."""

    def drop(self, video_id: str) -> None: ...

    def commit(self) -> bool:
        """Verifies what was written and shows it to readers; False if there was nothing to do.

        Raises StoreBroken, DiskFull; the generation before then stays as it is.
        """


class PassageStore(Protocol):
    """The collections of all persons, for writing."""

    def writing(self, slug: str, recipe: Recipe, *, rebuild: bool = False) -> AbstractContextManager[Writer]:
        """One writer a person. `rebuild` starts from nothing instead of the last generation.

        Raises StoreLocked, StoreStale for another recipe, StoreBroken for a last generation beyond use, DiskFull.
        """


class Shelves(Protocol):
    """Lends each person's newest open shelf."""

    def states(self) -> Mapping[str, ShelfState]:
        """Of every person, by slug. No I/O: what is known now."""

    def borrow(self, slug: str) -> AbstractContextManager[Shelf]:
        """Open for the length of a `with` block, though a newer generation may arrive meanwhile.

        Raises UnknownPerson, NotReady, StoreError.
        """


class Transcripts(Protocol):
    """The transcript files of all persons."""

    def ids(self, slug: str) -> tuple[str, ...]:
        """Video ids that have a file, sorted."""

    def read(self, slug: str, video_id: str) -> Transcript:
        """Raises UnknownVideo, TranscriptError."""

    def write(self, slug: str, transcript: Transcript) -> None:
        """Atomic: a reader sees the old file or the new one, whole."""


class People(Protocol):
    """The person files. A broken file never hides the others."""

    def slugs(self) -> tuple[str, ...]: ...

    def get(self, slug: str) -> Person:
        """Raises UnknownPerson, PersonFileError."""


class Selector(Protocol):
    """Claims which words answer a question."""

    def select(self, question: Question, excerpts: Sequence[Excerpt], moments: Sequence[Span]) -> Sequence[Pick | Span]:
        """Best first; empty for "they never said". A `Pick` was typed and must be aligned; a `Span` is said.

        `moments`: where each excerpt would begin to answer, the likeliest first.
        """
