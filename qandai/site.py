"""What a site stands on: the collaborators that `compose` builds and the web room closes over."""

from __future__ import annotations

from collections.abc import Collection, Generator
from dataclasses import dataclass
from typing import Protocol

from qandai.answer import Answer, Event, NoAnswer
from qandai.feedback import Feedback
from qandai.leaving import Leaving
from qandai.model import Excerpt, Question
from qandai.ports import People, Shelves
from qandai.settings import Settings


class Asking(Protocol):
    """Answers questions; `qandai.ask.Asker` is the real one. All raise UnknownPerson, NotReady, StoreError,
    ProviderError."""

    def ask(self, question: Question) -> Answer | NoAnswer:
        """The last of what `stream` tells."""

    def stream(self, question: Question, leaving: Leaving | None = None) -> Generator[Event, None, None]:
        """The answer in its parts, each as soon as it is there. Closing it, and `leaving`, end calls to models."""

    def search(self, question: Question) -> tuple[Excerpt, ...]:
        """The ranked passages with their neighbours, best first. Never calls a language model."""

    def warm(self, slug: str) -> None:
        """Prepares a person's newest shelf, so that the first visitor does not wait."""

    def close(self) -> None:
        """Ends every call to a language model, and what serves it."""


class LiveShelves(Shelves, Protocol):
    """Shelves that follow what is indexed while the site runs."""

    def start(self) -> None:
        """Opens everybody in the background."""

    def await_index(self, slugs: Collection[str]) -> None:
        """Says for whom an index run is under way: who has no shelf yet is being indexed, and has not failed."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Youtube:
    """Where the YouTube player comes from. `host` may be the privacy host; both must be https origins' addresses."""

    loader: str = "https://www.youtube.com/iframe_api"
    host: str = "https://www.youtube.com"


@dataclass(frozen=True, slots=True)
class Site:
    """`feedback` None: nothing is kept, and pages do not report. `models`: language models elsewhere help
    with answers, which wait for them without working."""

    asker: Asking
    shelves: LiveShelves
    people: People
    settings: Settings
    youtube: Youtube = Youtube()
    feedback: Feedback | None = None
    models: bool = False
