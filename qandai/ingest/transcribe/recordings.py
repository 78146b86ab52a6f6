"""Speech to text as the pipeline asks for it: a recording, what is known of it, and whose it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from qandai.ingest.outcome import Heard, Later, Transcribe
from qandai.ingest.transcribe.speech import Failure
from qandai.ingest.transcribe.story import Scribe
from qandai.model import Person, Video

Progress = Callable[[Video, float, float], None]
"""Told the recording, the seconds done and their total: nothing is done when it begins, all when it ends, whatever
became of it. Called from several threads."""


def transcribe_with(scribe: Scribe, *, now: Callable[[], datetime], progress: Progress | None = None) -> Transcribe:
    """`now` gives an aware time."""

    def transcribe(recording: Path, video: Video, person: Person) -> Heard:
        def told(done: float, total: float) -> None:
            if progress is not None:
                progress(video, done, total)

        length = video.duration or 1.0
        told(0.0, length)
        try:
            speech = scribe.transcribe(
                recording,
                language=video.language or person.language,
                vocabulary=person.vocabulary,
                video_id=video.id,
                progress=told,
            )
        finally:
            told(length, length)
        if video.duration is None:
            video = replace(video, duration=speech.duration)
        made_at = now()
        transcript = speech.transcript(video, fetched_at=made_at.isoformat(timespec="seconds"))
        return Heard(transcript, _rest(speech.failures, made_at))

    return transcribe


def _rest(failures: tuple[Failure, ...], at: datetime) -> Later | None:
    """What must be asked for again: the pieces whose failure may pass. All others stay gaps."""
    passing = [failure for failure in failures if failure.passing]
    if not passing:
        return None
    waits = [failure.wait for failure in passing if failure.wait is not None]
    minutes = sum(failure.end - failure.start for failure in passing) / 60
    return Later(
        f"{minutes:.0f} minutes are not transcribed yet: {passing[0].reason}",
        at + timedelta(seconds=max(waits)) if waits else None,
    )
