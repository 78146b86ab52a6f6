"""A model that is none: it replies with the prompt's specimen, and walks the whole path of a model offline."""

from __future__ import annotations

from collections.abc import Iterator

from qandai.chat import Completion, Pieces, Prompt
from qandai.errors import Unusable

_PIECES = 4


class Echo:
    model = "echo"
    provider = "echo"

    def complete(self, prompt: Prompt, *, seconds: float) -> Completion:
        return Completion(_specimen(prompt), self.model)

    def stream(self, prompt: Prompt, *, seconds: float, first: float | None = None) -> Pieces:
        return _Echoed(prompt)


class _Echoed:
    def __init__(self, prompt: Prompt) -> None:
        self._prompt = prompt
        self._left: Iterator[str] | None = None

    def __iter__(self) -> _Echoed:
        return self

    def __next__(self) -> str:
        if self._left is None:
            text = _specimen(self._prompt)
            size = -(-len(text) // _PIECES)
            self._left = iter([text[at : at + size] for at in range(0, len(text), size)])
        return next(self._left)

    def close(self) -> None:
        self._left = iter(())


def _specimen(prompt: Prompt) -> str:
    text = prompt.specimen.strip()
    if not text:
        raise Unusable("There is no specimen of a reply to this.")
    return text
