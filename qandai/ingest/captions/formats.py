"""Which parser reads a file: the first that says its content fits. A file's name is never asked.

To add a format, write a module with NAME, `fits` and `read`, and add its line here.
"""

from __future__ import annotations

import json
import re
from typing import Protocol

from qandai.errors import TranscriptError
from qandai.ingest.captions import (
    amazon,
    autoedit,
    ibm,
    json3,
    jsonld,
    kaldi,
    podcast,
    segments,
    speechmatics,
    srt,
    vtt,
    whisper,
)
from qandai.ingest.captions.draft import Draft, Json


class Text(Protocol):
    NAME: str

    def fits(self, text: str) -> bool: ...

    def read(self, text: str) -> Draft: ...


class Document(Protocol):
    NAME: str

    def fits(self, document: Json) -> bool: ...

    def read(self, document: Json) -> Draft: ...


TEXTS: tuple[Text, ...] = (vtt, srt)
DOCUMENTS: tuple[Document, ...] = (
    json3,
    amazon,
    ibm,
    speechmatics,
    kaldi,
    autoedit,
    jsonld,
    podcast,
    whisper,
    segments,
)
MOST_BYTES = 64 * 2**20  # a day of speech in json3 is a third of this


def read(content: bytes) -> tuple[str, Draft, Json]:
    """Name of the format, the draft, and the JSON document (None for text formats). Raises TranscriptError."""
    text = decoded(content)
    start = text[:4000].lstrip()
    if not start:
        raise TranscriptError("the file is empty.")
    if "replayChatItemAction" in start or "addChatItemAction" in start:
        raise TranscriptError("this is a live chat, not speech.")
    if start[0] in "{[" and not re.match(r"\[[^\]\n]{1,60}\]:", start):
        return _read_document(text)
    if re.match(r"<(?:!doctype|html)", start, re.IGNORECASE):
        raise TranscriptError("this is a web page.", hint="The download was answered by a page; fetch it again.")
    if start[0] == "<":
        raise TranscriptError("XML captions are not read.", hint="Save them as WebVTT, SRT or json3.")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for kind in TEXTS:
        if kind.fits(text):
            return kind.NAME, kind.read(text), None
    raise _unknown()


def decoded(content: bytes) -> str:
    """UTF-8, or UTF-16 with its mark."""
    if len(content) > MOST_BYTES:
        raise TranscriptError(f"the file has {len(content) >> 20} MB; at most {MOST_BYTES >> 20} are read.")
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as exc:
        line = content.count(b"\n", 0, exc.start) + 1
        raise TranscriptError(f"line {line} is not UTF-8.", hint="Save the file as UTF-8.") from exc


def _read_document(text: str) -> tuple[str, Draft, Json]:
    try:
        document: Json = json.loads(text)
    except json.JSONDecodeError as exc:
        raise TranscriptError(f"line {exc.lineno} is broken JSON: {exc.msg}.") from exc
    except (ValueError, RecursionError) as exc:  # a number of thousands of digits; brackets a thousand deep
        raise TranscriptError("the JSON cannot be read: a number is too long or it is nested too deeply.") from exc
    for kind in DOCUMENTS:
        if kind.fits(document):
            return kind.NAME, kind.read(document), document
    raise _unknown()


def _unknown() -> TranscriptError:
    known = ", ".join(kind.NAME for kind in (*TEXTS, *DOCUMENTS))
    return TranscriptError("the format is not known.", hint=f"Known are {known}.")
