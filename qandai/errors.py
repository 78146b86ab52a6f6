"""Every failure that a caller may meet, each with a message that says what to do.

QandaiError
├── UsageError            the command or the settings are wrong (exit 2)
├── PersonFileError       a person file is refused; `problems` holds line, reason and remedy of each
├── UnknownPerson         nobody by that name
├── UnknownVideo          no such recording for that person
├── TranscriptError       a caption, transcript or media file is refused
│   └── NoSpeech          it holds no speech that can be used
├── StoreError            a collection cannot be used
│   ├── StoreLocked       another process writes to it
│   ├── StoreStale        it was made with another embedder or other passage settings
│   ├── StoreBroken       it is damaged; it is derived data and can be rebuilt
│   ├── DiskFull          no room for the copy that indexing needs
│   └── DatabaseFailed    what visitors report can be neither kept nor read
│       └── DatabaseNewer a newer version of this program made it
├── ModelMissing          a bundled model's package is missing or its weights are not the pinned ones
├── ToolMissing           a program or package that this task needs is not installed
├── ProviderError         an outside service failed
│   ├── Throttled         it wants us to wait before we ask for anything else
│   ├── Withheld          it has what we asked for and does not hand it out now
│   ├── Unavailable       what we asked for is not there for us, and asking again does not help
│   ├── AccessRefused     a key or cookies are missing, stale or refused
│   ├── TimedOut          it did not answer in the time that we had
│   ├── Unusable          it answered, and nothing can be made of what it said
│   └── Refused           it will never do what was asked; asking the same again is useless
│       └── TooLarge      it takes less at once
├── NotReady              a person's collection is still being made
└── Busy                  more questions at once than the site answers; asking again in a moment helps
"""

from __future__ import annotations

from dataclasses import dataclass


class QandaiError(Exception):
    """`hint` says what to do next; empty where the message does."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        ended = not self.hint or self.message.endswith((".", "!", "?", "…", ":", "\n"))
        return f"{self.message}{'' if ended else '.'} {self.hint}".strip()


class UsageError(QandaiError):
    pass


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of a person file; `line` counts from 1."""

    line: int
    reason: str


class PersonFileError(QandaiError):
    def __init__(self, path: str, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(f"{path}:{problem.line}: {problem.reason}" for problem in problems))
        self.path = path
        self.problems = problems


class UnknownPerson(QandaiError):
    pass


class UnknownVideo(QandaiError):
    pass


class TranscriptError(QandaiError):
    pass


class NoSpeech(TranscriptError):
    pass


class StoreError(QandaiError):
    pass


class StoreLocked(StoreError):
    pass


class StoreStale(StoreError):
    pass


class StoreBroken(StoreError):
    pass


class DiskFull(StoreError):
    pass


class DatabaseFailed(StoreError):
    pass


class DatabaseNewer(DatabaseFailed):
    pass


class ModelMissing(QandaiError):
    pass


class ToolMissing(QandaiError):
    pass


class ProviderError(QandaiError):
    pass


class Refused(ProviderError):
    pass


class TooLarge(Refused):
    pass


class Throttled(ProviderError):
    """`wait` is what the service asked for, seconds; None if it named no time."""

    def __init__(self, message: str, *, hint: str = "", wait: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.wait = wait


class Withheld(ProviderError):
    pass


class Unavailable(ProviderError):
    pass


class AccessRefused(ProviderError):
    pass


class TimedOut(ProviderError):
    pass


class Unusable(ProviderError):
    pass


class NotReady(QandaiError):
    pass


class Busy(QandaiError):
    pass
