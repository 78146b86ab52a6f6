"""A reply that is still being written, cut into its sentences. How it arrives in pieces changes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from qandai.answering.citations import CITATION, OPEN, bare
from qandai.passages import ends_sentence

MOST_CHARS = 9000
"""Of a reply that are read, thoughts included. Five hundred tokens are a third of it."""

LONGEST = 700
"""Characters of a sentence. A model that writes more without a stop is lost in a loop."""

_BREAK = "\n"
_FULL_STOPS = "。！？"  # where words are not spaced, these end one
_TAG = re.compile(r"(</?(?:think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad)>)", re.IGNORECASE)
_GLUED = re.compile(r"(?<=\d[\]】])(?=[^\W\d_])|(?<=\d[\]】][.!?])(?=[^\W\d_])")
_BULLET = re.compile(r"(?:[-*+•‣·–—>|]|\d{1,2}[.)]|\*\*\d{1,2}[.)]\*\*|#{1,6}|(?:```|~~~)[\w+-]*)\Z")
_STOPPED = re.compile(r"[.!?…。！？][\"'’”»)\]]*\Z")
_CLOSING = re.compile(r"[.!?…;\"'’”»)\]]+\Z")
_LABEL = re.compile(r"\s+(?=[*_#]*(?:THEMES?|KEY[ _-]QUOTES?)[*_]*(?:\s*[:：]|\s*[\[(]))")


@dataclass(frozen=True, slots=True)
class Typed:
    """A sentence with its marks and citations, words apart by one space. `opens` a line; as an item of a list where it
    is a `bullet`. `whole`: its end was there, or that of its line."""

    text: str
    opens: bool = False
    bullet: bool = False
    whole: bool = True


def sentences(pieces: Iterable[str], *, language: str = "en") -> Iterator[Typed]:
    """Each as soon as the word behind it is known. A line's end ends a sentence; a citation belongs to the one that it
    follows, before or behind the stop. Ends where a sentence or the reply grows too long."""
    held: list[str] = []
    size = 0
    last = ""  # of the words held, the last one that is not only a citation
    cited = False  # and whether one came with it
    opens, bullet = True, False
    for word in _seen(_words(pieces)):
        own = bare(word)
        if word == _BREAK or (held and _parts(last, cited, own, language)):
            if held:
                yield from _labelled(Typed(" ".join(held), opens, bullet))
            opens, bullet = word == _BREAK, bullet and word != _BREAK
            held, size, last, cited = [], 0, "", False
        if word == _BREAK:
            continue
        if opens and not held and _BULLET.match(word):
            bullet = True
            continue
        held.append(word)
        size += len(word) + 1
        if any(map(str.isalnum, own)):
            last, cited = own, False
        elif _CLOSING.match(own):
            last += own
        cited = cited or CITATION.search(word) is not None
        if size > LONGEST:
            return
    if held:
        yield from _labelled(Typed(" ".join(held), opens, bullet, whole=False))


def _parts(last: str, cited: bool, following: str, language: str) -> bool:
    """Whether a new sentence begins with a word, citations aside: with a letter, a digit or the mark of an item. A stop
    beside a citation is never that of an abbreviation."""
    if not any(map(str.isalnum, following)) and not _BULLET.match(following):
        return False
    return (cited and _STOPPED.search(last) is not None) or ends_sentence(
        last, following.lstrip("\"'“«(["), language=language
    )


def _labelled(typed: Typed) -> Iterator[Typed]:
    """Apart where a label of the tail stands in the middle of a line."""
    first, *others = _LABEL.split(typed.text)
    yield replace(typed, text=first, whole=typed.whole or bool(others))
    for other in others:
        yield Typed(other, whole=typed.whole)


def _seen(words: Iterable[str]) -> Iterator[str]:
    """Without what a model only thought. One that does not stop thinking says nothing."""
    thinking = False
    for word in words:
        for part in _TAG.split(word):
            if _TAG.match(part):
                thinking = not part.startswith("</")
            elif part and not thinking:
                yield from _GLUED.split(part)


def _words(pieces: Iterable[str]) -> Iterator[str]:
    """Words, and line breaks. What stands in the brackets of a citation is one word."""
    held = ""
    for char in _chars(pieces):
        if not char.isspace():
            held += char
            if char in _FULL_STOPS or len(held) > LONGEST:
                yield held
                held = ""
        elif char not in "\n\r\u2028\u2029\v\f" and OPEN.search(held[-40:]):
            held += " "
        else:
            yield from _apart(held)
            held = ""
            if char in "\n\r\u2028\u2029":
                yield _BREAK
    yield from _apart(held)


def _apart(held: str) -> Iterable[str]:
    return (held,) if held and not bare(held).count(" ") else held.split()


def _chars(pieces: Iterable[str]) -> Iterator[str]:
    left = MOST_CHARS
    for piece in pieces:
        yield from piece[:left]
        left -= len(piece)
        if left <= 0:
            return
