"""What an attempt at one recording comes to. A failure that may pass, or that somebody must mend, is an exception."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from qandai.errors import ToolMissing
from qandai.model import Person, Source, Transcript, Video
from qandai.origins import Entry, Place


@dataclass(frozen=True, slots=True)
class Later:
    """Not now. `until` None: the ledger decides, by the failures so far."""

    reason: str
    until: datetime | None = None
    video: Video | None = None


@dataclass(frozen=True, slots=True)
class Skip:
    """Not wanted, or not possible, whenever it is asked for. `video`: what was learnt of it."""

    reason: str
    video: Video | None = None


@dataclass(frozen=True, slots=True)
class Got:
    """A transcript. `note` says what was chosen, `rest` what of it must be asked for again."""

    transcript: Transcript
    note: str = ""
    rest: Later | None = None


Outcome = Got | Skip | Later


@dataclass(frozen=True, slots=True)
class Item:
    """A recording as its source shows it. `entry` is in the state that can be told without looking closer.

    `source` None: no source shows it any more, so no filter speaks about it.
    """

    entry: Entry
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """What speech to text made of a recording: `rest` is there if a part of it failed and may succeed later."""

    transcript: Transcript
    rest: Later | None = None


Transcribe = Callable[[Path, Video, Person], Heard | Later]
"""Speech to text; Later where its own service cannot now. Raises NoSpeech, TranscriptError, and for what an operator
must mend ToolMissing, ModelMissing, UsageError. Failures of its service never look like those of the place that the
recording comes from."""


class Origin(Protocol):
    """A kind of place that recordings come from. Calls raise ProviderError and its kin, TranscriptError, ToolMissing,
    UsageError; the pipeline knows what each means for the run."""

    @property
    def place(self) -> Place: ...

    @property
    def at_once(self) -> int:
        """How many recordings may be fetched side by side, each in a thread; 1: one after the other."""

    def list(self, source: Source, person: Person) -> tuple[Item, ...]:
        """All of a source, in its order; nothing is looked up."""

    def fetch(self, item: Item, person: Person) -> Outcome:
        """Looks closer, and makes the transcript."""

    def listens(self, entry: Entry, person: Person) -> bool:
        """Whether the words of a recording just listed will come from speech to text, as far as the listing tells."""

    def gone(self, entry: Entry) -> str | None:
        """Why a recording with a transcript does not play any more; None if it plays. Raises Withheld if nobody
        tells."""


@dataclass(frozen=True, slots=True)
class Absent:
    """The origin of a place whose tool is not installed: nothing is lost, and the operator hears why."""

    place: Place
    error: ToolMissing
    at_once: int = 1

    def list(self, source: Source, person: Person) -> tuple[Item, ...]:
        raise self.error

    def fetch(self, item: Item, person: Person) -> Outcome:
        raise self.error

    def listens(self, entry: Entry, person: Person) -> bool:
        return False

    def gone(self, entry: Entry) -> str | None:
        raise self.error
