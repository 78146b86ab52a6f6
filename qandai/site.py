"""What a site stands on: the collaborators that `compose` builds and the web room closes over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from qandai.model import Answer, Excerpt, NoAnswer, Question
from qandai.ports import People, Shelves
from qandai.settings import Settings


class Asking(Protocol):
    """Answers questions; `qandai.ask.Asker` is the real one. Both raise UnknownPerson, NotReady, StoreError,
    ProviderError."""

    def ask(self, question: Question) -> Answer | NoAnswer: ...

    def search(self, question: Question) -> tuple[Excerpt, ...]:
        """The ranked passages with their neighbours, best first. Never calls a language model."""


@dataclass(frozen=True, slots=True)
class Youtube:
    """Where the YouTube player comes from. `host` may be the privacy host; both must be https origins' addresses."""

    loader: str = "https://www.youtube.com/iframe_api"
    host: str = "https://www.youtube.com"


@dataclass(frozen=True, slots=True)
class Site:
    asker: Asking
    shelves: Shelves
    people: People
    settings: Settings
    youtube: Youtube = Youtube()
