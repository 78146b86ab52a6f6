"""Keeps what a model thinks out of what it says: `<think>…</think>`, in its spellings, wherever it stands."""

from __future__ import annotations

import re

from qandai.errors import Unusable

_NAMES = ("think", "thinking", "thought", "reasoning")
_TAG = re.compile(rf"<\s{{0,2}}(/?)\s{{0,2}}(?:{'|'.join(_NAMES)})\s{{0,2}}>", re.IGNORECASE)
_BEGUN = re.compile(r"<\s{0,2}/?\s{0,2}([a-z]{0,9})\s{0,2}\Z", re.IGNORECASE)


class Veil:
    """Lets the visible text of one reply through, piece by piece; a tag may be cut anywhere between two pieces."""

    def __init__(self) -> None:
        self._held = ""  # what may be the beginning of a tag
        self._thinking = False
        self._shown = False

    def feed(self, piece: str) -> str:
        """The visible text that is certain by now, perhaps empty. Raises Unusable where thoughts were shown as text."""
        text = self._held + piece
        visible: list[str] = []
        passed = 0
        for tag in _TAG.finditer(text):
            if not self._thinking:
                visible.append(text[passed : tag.start()])
            if tag[1] and not self._thinking:
                # Some chat templates open the thoughts themselves: all until here was thought.
                if self._shown:
                    raise Unusable("The model showed its thoughts as its reply.")
                visible.clear()
            self._thinking = not tag[1]
            passed = tag.end()
        begun = _begun(text, passed)
        self._held = text[begun:]
        if not self._thinking:
            visible.append(text[passed:begun])
        said = "".join(visible)
        self._shown = self._shown or bool(said.strip())
        return said

    def end(self) -> str:
        """What is left. Raises Unusable where thoughts were never closed: then there is no answer."""
        if self._thinking:
            raise Unusable("The model did not come to the end of its thoughts.")
        return self._held


def without_thoughts(text: str) -> str:
    """The visible text of a whole reply. Raises Unusable as `Veil`."""
    veil = Veil()
    return (veil.feed(text) + veil.end()).strip()


def _begun(text: str, passed: int) -> int:
    """Where at the end a tag may have begun; the length of the text where none has."""
    at = text.rfind("<", max(passed, len(text) - 20))
    match = _BEGUN.match(text, at) if at >= 0 else None
    if match and any(name.startswith(match[1].lower()) for name in _NAMES):
        return at
    return len(text)
