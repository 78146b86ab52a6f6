"""The transcripts as the index sees them: corrected, attributed, and without what should not be found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from qandai.edits import Edited
from qandai.ingest.speakers import attributed, only_theirs
from qandai.model import Transcript
from qandai.origins import Entry, Ledgers
from qandai.ports import People


class EditedTranscripts(Protocol):
    def ids(self, slug: str) -> tuple[str, ...]: ...

    def edited(self, slug: str, video_id: str) -> Edited: ...

    def write(self, slug: str, transcript: Transcript) -> None: ...


class Searchable:
    """The `Transcripts` port for indexing."""

    def __init__(self, transcripts: EditedTranscripts, ledgers: Ledgers, people: People) -> None:
        self._transcripts = transcripts
        self._ledgers = ledgers
        self._people = people

    def ids(self, slug: str) -> tuple[str, ...]:
        hidden = left_out(self._ledgers.read(slug))
        return tuple(video_id for video_id in self._transcripts.ids(slug) if video_id not in hidden)

    def read(self, slug: str, video_id: str) -> Transcript:
        return attributed(only_theirs(self._transcripts.edited(slug, video_id)), self._people.get(slug))

    def write(self, slug: str, transcript: Transcript) -> None:
        self._transcripts.write(slug, transcript)


def left_out(entries: Mapping[str, Entry]) -> Mapping[str, str]:
    """Why recordings stay out of search although their transcripts are kept: dead, or said in a fuller one."""
    return {entry.id: entry.reason for entry in entries.values() if entry.state in ("dead", "skipped")}
