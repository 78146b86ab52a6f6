"""Amazon Transcribe: `results.items`, pronunciations and punctuation marks in turn; times in quotes."""

from __future__ import annotations

from collections.abc import Mapping

from qandai.ingest.captions.draft import Draft, Json, seconds, text_of
from qandai.ingest.captions.recognised import Heard, Speakers, attach, best, draft, label, objects, times
from qandai.ingest.captions.whisper import language

NAME = "Amazon Transcribe"


def fits(document: Json) -> bool:
    return isinstance(document, dict) and bool(objects(_results(document).get("items")))


def read(document: Json) -> Draft:
    assert isinstance(document, dict)
    results = _results(document)
    speakers = _speakers(results)
    words: list[Heard] = []
    for item in objects(results.get("items")):
        content = text_of(best(item).get("content"))
        if item.get("type") == "punctuation":
            attach(words, content)
        else:
            start, end = times(item, "start_time", "end_time")
            words.append(Heard(content, start, end, label(item.get("speaker_label")) or speakers.at(start)))
    return draft(words, language=language(results.get("language_code")))


def _results(document: Mapping[str, Json]) -> Mapping[str, Json]:
    results = document.get("results")
    return results if isinstance(results, dict) else {}


def _speakers(results: Mapping[str, Json]) -> Speakers:
    labels = results.get("speaker_labels")
    stretches = objects(labels.get("segments")) if isinstance(labels, dict) else []
    return Speakers((seconds(item.get("start_time")), text_of(item.get("speaker_label"))) for item in stretches)
