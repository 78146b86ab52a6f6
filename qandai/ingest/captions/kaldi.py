"""The BBC's Kaldi service: `words` with their punctuated form, under `retval`, and who spoke when."""

from __future__ import annotations

from collections.abc import Mapping

from qandai.ingest.captions.draft import Draft, Json, seconds, text_of
from qandai.ingest.captions.recognised import Heard, Speakers, draft, objects, times

NAME = "Kaldi"


def fits(document: Json) -> bool:
    return isinstance(document, dict) and "punct" in next(iter(objects(_returned(document).get("words"))), {})


def read(document: Json) -> Draft:
    assert isinstance(document, dict)
    returned = _returned(document)
    speakers = _speakers(returned)
    words: list[Heard] = []
    for item in objects(returned.get("words")):
        start, end = times(item, "start", "end")
        text = text_of(item.get("punct")) or text_of(item.get("word"))
        words.append(Heard(text, start, end, speakers.at(start)))
    return draft(words)


def _returned(document: Mapping[str, Json]) -> Mapping[str, Json]:
    returned = document.get("retval")
    return returned if isinstance(returned, dict) else document


def _speakers(returned: Mapping[str, Json]) -> Speakers:
    segmentation = returned.get("segmentation")
    stretches = objects(segmentation.get("segments")) if isinstance(segmentation, dict) else []
    return Speakers((seconds(item.get("start")), _name(item.get("speaker"))) for item in stretches)


def _name(speaker: Json) -> str:
    return text_of(speaker.get("@id")) if isinstance(speaker, dict) else ""
