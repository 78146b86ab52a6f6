"""Captions that time each piece of text: YouTube's automatic json3 and VTT, karaoke VTT.

A piece is most often one word with its leading space, sometimes several, sometimes a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import itemgetter
from typing import TypeAlias

from qandai.ingest.captions import clean
from qandai.ingest.captions.draft import Segment
from qandai.model import Word
from qandai.words import SECONDS_A_WORD, Token, split, spread

Piece: TypeAlias = tuple[float, str, int, float, bool]
"""Start (seconds), text, number of its cue, end of its cue (seconds; infinity if not given), whether the start was
measured. Plain tuples: an hour has ten thousand of them, and they are the parser's hot loop."""

# Nine in ten pieces: one word in a script with spaces, nothing to clean.
_PLAIN_WORD = re.compile(r"\s?([0-9A-Za-zÀ-ɏͰ-ϿЀ-ӿ'.,?!$%-]+)\s?\Z")


def segments(pieces: Sequence[Piece]) -> tuple[list[Segment], dict[str, int]]:
    """Each cue in words; a word ends where the next begins, with its cue, or after SECONDS_A_WORD."""
    ordered = sorted(pieces, key=itemgetter(0))
    followings = [piece[0] for piece in ordered[1:]] + [float("inf")]
    found: list[Segment] = []
    words: list[Word] = []
    doubled, cue, turn = 0, -1, False
    last_start, last_text = -1.0, ""
    match = _PLAIN_WORD.match
    for (start, text, number, limit, exact), following in zip(ordered, followings, strict=True):
        if start == last_start and text == last_text:
            doubled += 1
            continue
        last_start, last_text = start, text
        if number != cue:
            cue, words = number, []
            found.append(Segment(words))
        word = text[1:] if text[0] == " " else text
        if not (word.isalpha() and word.isascii()):  # most are; the pattern costs three times as much
            plain = match(word)
            word = plain[1] if plain else ""
        if word:
            end = following  # min() would take a tenth of the whole parse
            if end > start + SECONDS_A_WORD:
                end = round(start + SECONDS_A_WORD, 3)
            if limit < end:
                end = limit if limit > start else start
            words.append(Word(word, start, end, exact, turn))
            turn = False
        else:
            tokens, ends_on_turn = _tokens(text, turn)
            words.extend(_timed(tokens, start, min(following, max(limit, start)), exact))
            turn = ends_on_turn or (turn and not tokens)
    return [segment for segment in found if segment.words], {"doubled words": doubled} if doubled else {}


def _tokens(text: str, turn: bool) -> tuple[list[Token], bool]:
    """The words of a piece, the first after a turn if one was announced; whether the piece ends with one."""
    cleaned = clean.said(clean.plain(text), tagged=True)
    tokens = split(cleaned)
    if turn and tokens:
        tokens[0] = tokens[0]._replace(turn=True)
    return tokens, clean.ends_on_turn(cleaned)


def _timed(tokens: Sequence[Token], start: float, end: float, exact: bool) -> list[Word]:
    times = spread([token.text for token in tokens], start, None if end == float("inf") else end)
    return [
        Word(token.text, left, right, exact and number == 0, token.turn, None, token.glued)
        for number, (token, (left, right)) in enumerate(zip(tokens, times, strict=True))
    ]
