"""The story of `index`: one person's transcripts, and a collection in step with them.

A recording whose transcript is as it was is not touched. What is new or changed is cut, embedded and put; what has
no transcript any more is dropped. Readers see nothing of it before all of it is verified.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from qandai.ensemble import Ensemble, join
from qandai.errors import ModelMissing, StoreBroken, TranscriptError
from qandai.ingest.speakers import rows
from qandai.model import Person, Transcript
from qandai.passages import Passage, cut, sentences
from qandai.ports import Leaf, PassageStore, People, Recipe, Signs, Transcripts, Vault, Vectors, Writer
from qandai.signs import side_by_side
from qandai.topics import by_topic

CUTTING = 2
"""Counts up when a transcript would be cut differently by the same recipe, so that archives are cut again."""

Progress = Callable[[int, int, str], None]
"""Told before each recording: how many are done, of how many, and its id."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one run did for one person. `failed` gives the reason by video id; `overlong` of how many passages that were
    written the named model does not read the end; `mended` says why the collection had to be made from nothing, None if
    it did not; `stopped`: told to end before all was done."""

    person: str
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0
    failed: Mapping[str, str] = field(default_factory=dict)
    passages: int = 0
    overlong: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    written: bool = False
    mended: str | None = None
    stopped: bool = False


@dataclass(slots=True)
class _Tally:
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unchanged: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    passages: int = 0
    overlong: Counter[str] = field(default_factory=Counter)
    stopped: bool = False
    written: bool = False


class Indexer:
    """`recipe_of` gives what a person's collection is made with, by their embedders; `clock` seconds."""

    def __init__(
        self,
        people: People,
        transcripts: Transcripts,
        store: PassageStore,
        vault: Vault,
        embedders_of: Callable[[Person], Ensemble],
        recipe_of: Callable[[Ensemble], Recipe],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._people = people
        self._transcripts = transcripts
        self._store = store
        self._vault = vault
        self._embedders_of = embedders_of
        self._recipe_of = recipe_of
        self._clock = clock

    def index(
        self,
        slug: str,
        *,
        rebuild: bool = False,
        progress: Progress | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> IndexReport:
        """`rebuild` starts from nothing, as does a collection found broken; vectors still come from the vault.
        `stop` is asked before each recording: what is done by then is kept.

        Raises UnknownPerson, PersonFileError, StoreLocked, StoreStale, DiskFull, ModelMissing, ProviderError.
        """
        began = self._clock()
        person = self._people.get(slug)
        mended: str | None = None
        try:
            tally = self._bring_in_step(person, rebuild=rebuild, progress=progress, stop=stop)
        except StoreBroken as broken:
            if rebuild:
                raise
            mended = broken.message
            tally = self._bring_in_step(person, rebuild=True, progress=progress, stop=stop)
        return IndexReport(
            person=slug,
            added=tuple(tally.added),
            changed=tuple(tally.changed),
            removed=tuple(tally.removed),
            unchanged=tally.unchanged,
            failed=tally.failed,
            passages=tally.passages,
            overlong=dict(tally.overlong),
            seconds=self._clock() - began,
            written=tally.written,
            mended=mended,
            stopped=tally.stopped,
        )

    def _bring_in_step(
        self, person: Person, *, rebuild: bool, progress: Progress | None, stop: Callable[[], bool]
    ) -> _Tally:
        embedders = self._embedders_of(person)
        recipe = self._recipe_of(embedders)
        tally = _Tally()
        with self._store.writing(person.slug, recipe, rebuild=rebuild) as writer:
            held = writer.held
            video_ids = self._transcripts.ids(person.slug)
            for video_id in sorted(held.keys() - set(video_ids)):
                writer.drop(video_id)
                tally.removed.append(video_id)
            for done, video_id in enumerate(video_ids):
                if stop():
                    tally.stopped = True
                    break
                if progress is not None:
                    progress(done, len(video_ids), video_id)
                self._take(person, video_id, held.get(video_id), embedders, recipe, writer, tally)
            tally.passages = writer.passages
            # Stopped half-way, an archive made from nothing must not take the place of a whole one.
            tally.written = not (tally.stopped and rebuild) and writer.commit()
        return tally

    def _take(
        self,
        person: Person,
        video_id: str,
        held: str | None,
        embedders: Ensemble,
        recipe: Recipe,
        writer: Writer,
        tally: _Tally,
    ) -> None:
        """A transcript that cannot be used leaves what was indexed of it before as it is, and is reported."""
        try:
            transcript = self._transcripts.read(person.slug, video_id)
            if transcript.video.id != video_id:
                raise TranscriptError(f"The transcript of {video_id} calls itself {transcript.video.id}.")
            wanted = fingerprint(transcript, person.language)
            if wanted == held:
                tally.unchanged += 1
                return
            leaves, vectors = embed(transcript, embedders, self._vault, recipe, language=person.language)
            if not leaves:
                raise TranscriptError(f"{video_id} holds no words.")
            writer.put(leaves, vectors, fingerprint=wanted)
        except (TranscriptError, ValueError) as exc:
            tally.failed[video_id] = str(exc)
            return
        (tally.added if held is None else tally.changed).append(video_id)
        tally.overlong.update(overlong([leaf.passage.text for leaf in leaves], embedders))


def embed(
    transcript: Transcript, embedders: Ensemble, vault: Vault, recipe: Recipe, *, language: str
) -> tuple[Sequence[Leaf], Vectors]:
    """The passages of a recording as they are stored, and a row of vectors for each; `language` where the
    recording names none. A model reads the sentences first where they tell where passages end, then the passages word
    by word, then what it has not read yet. Raises ProviderError."""
    remembered = partial(vectors_of, embedders, vault, transcript.video.id)
    passages = passages_of(transcript, recipe, remembered, language=language)
    texts = [passage.text for passage in passages]
    said = [sentence.text for passage in passages for sentence in passage.sentences]
    words = signs_of(embedders, vault, transcript.video.id, texts)
    vectors = remembered([*texts, *said])
    return tuple(_leaves(passages, vectors[len(texts) :], words)), vectors[: len(texts)]


def signs_of(embedders: Ensemble, vault: Vault, video_id: str, texts: Sequence[str]) -> Sequence[Signs]:
    """Of the words of each text, of all models side by side; no rows where one of them does not tell words apart.
    Raises ProviderError."""
    by_model = [vault.signs(embedder, video_id, texts) for embedder in embedders]
    return [side_by_side(parts) for parts in zip(*by_model, strict=True)]


def vectors_of(embedders: Ensemble, vault: Vault, video_id: str, texts: Sequence[str]) -> Vectors:
    """(texts, dimensions of all embedders). Raises ProviderError."""
    return join([vault.passages(embedder, video_id, texts) for embedder in embedders])


def passages_of(
    transcript: Transcript, recipe: Recipe, remembered: Callable[[Sequence[str]], Vectors], *, language: str
) -> Sequence[Passage]:
    """`remembered` is asked for the vectors of the sentences where the recipe cuts by them."""
    spoken = transcript.video.language or language
    sized = {"chars": recipe.passage_chars, "overlap": recipe.passage_overlap}
    if recipe.passage_cut == "sentences":
        return [passage for row in rows(transcript) for passage in cut(row, language=spoken, **sized)]
    said = [sentences(row, language=spoken) for row in rows(transcript)]
    return by_topic(said, remembered([sentence.text for row in said for sentence in row]), **sized)


def overlong(texts: Sequence[str], embedders: Ensemble) -> Mapping[str, int]:
    """Of how many passages a model does not read the end, by its name. A model that is not here cannot tell: it was not
    needed either, because all vectors were remembered."""
    counts = {}
    for embedder in embedders:
        with suppress(ModelMissing):
            counts[embedder.model] = embedder.overlong(texts)
    return {model: count for model, count in counts.items() if count}


def _leaves(passages: Sequence[Passage], vectors: Vectors, words: Sequence[Signs]) -> Iterator[Leaf]:
    at = 0
    for passage, of_words in zip(passages, words, strict=True):
        end = at + len(passage.sentences)
        yield Leaf(passage.span, passage.sentences, vectors[at:end], of_words)
        at = end


def fingerprint(transcript: Transcript, language: str) -> str:
    """Changes when what is stored of the transcript would."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(repr((CUTTING, language, transcript.video)).encode())
    for word in transcript.words:
        digest.update(repr(word).encode())
    return digest.hexdigest()
