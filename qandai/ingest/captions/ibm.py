"""IBM Watson: `results`, each with alternatives whose `timestamps` are [word, start, end]; one such document, or
several in a list under another `results`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from qandai.ingest.captions.draft import Draft, Json, seconds, text_of
from qandai.ingest.captions.recognised import Heard, Speakers, best, draft, label, objects

NAME = "IBM Watson"
_HESITATION = "%HESITATION"


def fits(document: Json) -> bool:
    return isinstance(document, dict) and any(
        isinstance(best(result).get("timestamps"), list) for part in _parts(document) for result in _results(part)
    )


def read(document: Json) -> Draft:
    assert isinstance(document, dict)
    words: list[Heard] = []
    for part in _parts(document):
        speakers = Speakers(
            (seconds(item.get("from")), label(item.get("speaker")) or "")
            for item in objects(part.get("speaker_labels"))
        )
        for result in _results(part):
            words.extend(_words(best(result), speakers))
    return draft(words)


def _parts(document: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    inner = [item for item in objects(document.get("results")) if "results" in item]
    return inner or [document]


def _results(part: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    return objects(part.get("results"))


def _words(choice: Mapping[str, Json], speakers: Speakers) -> Iterator[Heard]:
    stamps = choice.get("timestamps")
    for stamp in stamps if isinstance(stamps, list) else []:
        if not isinstance(stamp, list) or len(stamp) != 3 or text_of(stamp[0]) in ("", _HESITATION):
            continue
        start = seconds(stamp[1])
        yield Heard(text_of(stamp[0]), start, seconds(stamp[2]), speakers.at(start))
