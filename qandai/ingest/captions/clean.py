"""What stands in caption text and was not said: escapes, tags, direction marks, notes, [Music]."""

from __future__ import annotations

import html
import re

from qandai.words import split

# White space that `split` does not see, soft hyphens, direction marks, control characters, halves of characters.
# U+200C and U+200D stay: Persian and Indic spelling needs them.
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff]"
)
_NOTES = re.compile("[♩-♯\U0001d15e-\U0001d164\U0001f3b5\U0001f3b6\U0001f3bc]")
# WebVTT's and SubRip's own tags, inline times and ASS overrides; "<b and c>" in a talk about code is none.
_TAG = re.compile(
    r"</?(?:[bicuv]|lang|ruby|rt|font|span|br|p)(?:[.\s][^<>\n]{0,200}|/)?>|<\d{1,3}:[\d:.,]{1,15}>|\{\\[^{}\n]{0,200}\}",
    re.IGNORECASE,
)
_ANGLED = re.compile(r"</?[^\W\d_][^<>]{0,80}>\Z")
_SQUARE = re.compile(r"[\[【][^\[\]【】]{0,80}[\]】]")
_ROUND = re.compile(r"[^\w(（]*[(（]([^()（）]{0,80})[)）]\W*\Z")
_SOUND = re.compile(
    r"[\[(（【]\s*(?:background |soft |upbeat |dramatic |audience |loud )?"
    r"(?:music(?: playing)?|applause|laughter|laugh(?:s|ing)|cheer(?:s|ing)|cheers and applause|silence|blank_audio"
    r"|inaudible|crosstalk|clears throat|throat clearing|snorts?|sighs?|cough(?:s|ing)|gasps?|sniffs?|beep|noise"
    r"|sound|singing|foreign|__|\*)\s*[\])）】]",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W_]")


def plain(text: str) -> str:
    """Without escapes (undone up to twice), formatting tags, notes and what no eye sees. Keeps line breaks."""
    for _ in range(2):
        if "&" not in text:
            break
        text = html.unescape(text)
    if "<" in text or "{" in text:
        text = _TAG.sub("", text)
    return _NOTES.sub("", _INVISIBLE.sub("", text))


def said(line: str, *, tagged: bool = False) -> str:
    """A line without its noises. `tagged`: the file writes square brackets around nothing else (automatic ones).

    In hand-made captions brackets also hold words ("[There's] a lot"), so there a line goes if it is nothing but a
    bracket, and a bracket within it goes if it names a sound.
    """
    if line.startswith("<") and _ANGLED.match(line):
        return ""  # <trailer>
    if not any(mark in line for mark in "[(（【"):
        return line
    if tagged:
        line = _SQUARE.sub(" ", line)
    if not _LETTER.search(_SQUARE.sub("", line)):
        return ""
    aside = _ROUND.match(line)
    if aside and (len(split(aside[1])) <= 3 or aside[1].isupper()):
        return ""
    return _SOUND.sub(" ", line)


def ends_on_turn(text: str) -> bool:
    """Whether the text closes with `>>`: the turn belongs to the next cue's first word."""
    return text.rstrip().endswith(">>")
