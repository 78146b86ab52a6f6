"""Speechmatics: its first format (`words` with `time` and `duration` in quotes) and its second (`results`)."""

from __future__ import annotations

from collections.abc import Mapping

from qandai.ingest.captions.draft import Draft, Json, seconds, text_of
from qandai.ingest.captions.recognised import Heard, Speakers, attach, best, draft, label, objects, times
from qandai.ingest.captions.whisper import language

NAME = "Speechmatics"
_UNKNOWN = "UU"  # its label for nobody in particular


def fits(document: Json) -> bool:
    if not isinstance(document, dict):
        return False
    first = next(iter(objects(document.get("words"))), {})
    second = next(iter(objects(document.get("results"))), {})
    return {"name", "time", "duration"} <= first.keys() or {"type", "start_time", "alternatives"} <= second.keys()


def read(document: Json) -> Draft:
    assert isinstance(document, dict)
    if isinstance(document.get("words"), list):
        job = document.get("job")
        return draft(_first(document), language=language(job.get("lang")) if isinstance(job, dict) else None)
    metadata = document.get("metadata")
    config = metadata.get("transcription_config") if isinstance(metadata, dict) else None
    return draft(_second(document), language=language(config.get("language")) if isinstance(config, dict) else None)


def _first(document: Mapping[str, Json]) -> list[Heard]:
    speakers = Speakers((seconds(item.get("time")), text_of(item.get("name"))) for item in _turns(document))
    words: list[Heard] = []
    for item in objects(document.get("words")):
        name = text_of(item.get("name"))
        start, length = times(item, "time", "duration")
        if not any(char.isalnum() for char in name):
            attach(words, name)
        else:
            end = round(start + length, 3) if start is not None and length is not None else None
            words.append(Heard(name, start, end, speakers.at(start)))
    return words


def _turns(document: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    return objects(document.get("speakers"))


def _second(document: Mapping[str, Json]) -> list[Heard]:
    words: list[Heard] = []
    for item in objects(document.get("results")):
        content = best(item)
        text = text_of(content.get("content"))
        if item.get("type") == "punctuation" and item.get("attaches_to") != "next":
            attach(words, text)
        elif item.get("type") == "word":
            speaker = label(content.get("speaker"))
            words.append(Heard(text, *times(item, "start_time", "end_time"), None if speaker == _UNKNOWN else speaker))
    return words
