"""The Whisper family: openai-whisper, faster-whisper, whisperX, whisper-timestamped, verbose_json.

They agree on `segments` with `words`; the words are keyed `word` or `text`, may lack times (whisperX's numerals), or
stand at the top of the document (verbose_json).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from qandai.errors import NoSpeech
from qandai.ingest.captions import segments
from qandai.ingest.captions.draft import Draft, Json, seconds, text_of
from qandai.text import tokens
from qandai.words import split

NAME = "Whisper JSON"
_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*\Z")
# verbose_json names the language in English words.
_LANGUAGES = dict(
    pair.split(":")
    for pair in (
        "english:en chinese:zh german:de spanish:es russian:ru korean:ko french:fr japanese:ja portuguese:pt turkish:tr"
        " polish:pl catalan:ca dutch:nl arabic:ar swedish:sv italian:it indonesian:id hindi:hi finnish:fi vietnamese:vi"
        " hebrew:he ukrainian:uk greek:el malay:ms czech:cs romanian:ro danish:da hungarian:hu norwegian:no thai:th"
        " urdu:ur croatian:hr bulgarian:bg lithuanian:lt slovak:sk persian:fa latvian:lv serbian:sr slovenian:sl"
        " estonian:et bengali:bn tamil:ta"
    ).split()
)


def fits(document: Json) -> bool:
    if not isinstance(document, dict):
        return False
    return isinstance(document.get("segments"), list) or _top_words(document) != []


def read(document: Json) -> Draft:
    assert isinstance(document, dict)
    listed = document.get("segments")
    words = _top_words(document)
    if isinstance(listed, list) and listed:
        listed = _with_words(listed, words)
    else:
        listed = [{"words": list(words)}] if words else []
    if not listed:
        raise NoSpeech("no speech: the document has no segments.")
    found, repairs = segments.read_segments(listed)
    return Draft(
        found,
        language=language(document.get("language")),
        duration=seconds(document.get("duration")),
        repairs=dict(repairs),
    )


def language(value: Json) -> str | None:
    """A language tag, or an English name of a language as a tag; None for anything else."""
    text = text_of(value).strip()
    return _LANGUAGES.get(text.casefold()) or (text if _TAG.match(text) else None)


def _top_words(document: Mapping[str, Json]) -> list[Json]:
    """The words at the top of the document. whisperX repeats there what its segments hold: then they are unused."""
    for key in ("words", "word_segments"):
        listed = document.get(key)
        if isinstance(listed, list) and listed and isinstance(listed[0], dict) and {"word", "text"} & listed[0].keys():
            return listed
    return []


def _with_words(listed: Sequence[Json], words: Sequence[Json]) -> list[Json]:
    """Segments that list no words, with those of the top. Their text has the punctuation that the words lack."""
    items = [item for item in listed if isinstance(item, dict)]
    if not words or len(items) != len(listed) or any(item.get("words") for item in items):
        return list(listed)
    given = _by_letters(items, words) or _by_time(items, words)
    return [{**item, "words": its_words} for item, its_words in zip(items, given, strict=True)]


def _by_letters(items: Sequence[Mapping[str, Json]], words: Sequence[Json]) -> list[list[Json]] | None:
    """The texts' words with the listed words' times; None if they are not the same letters in the same order."""
    given: list[list[Json]] = []
    place = 0
    for item in items:
        its_words: list[Json] = []
        for token in split(text_of(item.get("text"))):
            wanted, letters, first = _letters(token.text), "", place
            while letters != wanted:
                word = words[place] if place < len(words) else None
                if not isinstance(word, dict) or not wanted.startswith(letters):
                    return None
                letters += _letters(text_of(word.get("word", word.get("text"))))
                place += 1
            taken = [word for word in words[first:place] if isinstance(word, dict)]
            its_words.append(
                {"word": token.text, **({"start": taken[0].get("start"), "end": taken[-1].get("end")} if taken else {})}
            )
        given.append(its_words)
    return given if place == len(words) else None


def _by_time(items: Sequence[Mapping[str, Json]], words: Sequence[Json]) -> list[list[Json]]:
    """Each word goes to the last segment that has begun when it starts."""
    starts = [seconds(item.get("start")) for item in items[1:]]
    given: list[list[Json]] = [[] for _ in items]
    place = 0
    for word in words:
        start = seconds(word.get("start")) if isinstance(word, dict) else None
        while start is not None and place < len(starts) and (border := starts[place]) is not None and start >= border:
            place += 1
        given[place].append(word)
    return given


def _letters(text: str) -> str:
    return "".join(tokens(text))
