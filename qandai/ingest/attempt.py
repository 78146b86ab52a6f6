"""One attempt at one recording, and what each way of failing means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from qandai.errors import AccessRefused, DiskFull, ProviderError, Throttled, TranscriptError, Unavailable, Withheld
from qandai.ingest.outcome import Got, Item, Later, Outcome, Skip
from qandai.ingest.run import Run
from qandai.ingest.survey import OPERATORS
from qandai.model import Video
from qandai.origins import Place
from qandai.ports import Transcripts


def attempt(run: Run, item: Item, transcripts: Transcripts) -> None:
    """The ledger knows the outcome when this returns. Raises DiskFull, which ends the run."""
    conclude(run, item, transcripts, lambda: run.origins[item.entry.place].fetch(item, run.person))


def conclude(run: Run, item: Item, transcripts: Transcripts, fetch: Callable[[], Outcome]) -> None:
    """Enters what `fetch` returns or raises. Raises DiskFull."""
    video_id, place = item.entry.id, item.entry.place
    try:
        _settle(run, video_id, fetch(), transcripts)
    except Throttled as exc:
        _throttled(run, video_id, place, exc)
    except Unavailable as exc:
        run.services.answered(place)
        run.mark([video_id], "skipped", exc.message)
    except DiskFull:
        raise
    except OPERATORS as exc:
        run.fault(exc)
        if isinstance(exc, AccessRefused):
            run.services.close(place, str(exc))
        run.ledger.mark([video_id], "pending", reason=exc.message)  # due at once: the next run finds it mended
        run.changed.append(video_id)
    except Withheld as exc:
        _postpone(run, video_id, f"withheld: {exc.message}")
        run.services.failed(place, str(exc))
    except ProviderError as exc:
        _postpone(run, video_id, exc.message)
        run.services.failed(place, str(exc))
    except TranscriptError as exc:
        run.services.answered(place)
        run.mark([video_id], "skipped", exc.message.rstrip("."))
    except Exception as exc:  # noqa: BLE001 # one bad recording never stops the run
        _postpone(run, video_id, f"unexpected {type(exc).__name__}: {str(exc)[:200]}")
    else:
        run.services.answered(place)


def _settle(run: Run, video_id: str, outcome: Outcome, transcripts: Transcripts) -> None:
    match outcome:
        case Got(transcript, note, rest):
            transcripts.write(run.person.slug, transcript)
            _learn(run, video_id, transcript.video)
            run.ledger.mark([video_id], "transcribed", note=note, checked=True)
            run.fetched.append(video_id)
            run.changed.append(video_id)
            if rest is not None:
                run.ledger.postpone(video_id, rest.reason, until=rest.until)
        case Skip(reason, video):
            _learn(run, video_id, video)
            run.mark([video_id], "skipped", reason)
        case Later(reason):
            _learn(run, video_id, outcome.video)
            _postpone(run, video_id, reason, outcome)


def _throttled(run: Run, video_id: str, place: Place, error: Throttled) -> None:
    wait = run.services.throttled(place, error)
    run.ledger.postpone(video_id, "throttled", until=wait.until)
    run.changed.append(video_id)


def _postpone(run: Run, video_id: str, reason: str, later: Later | None = None) -> None:
    run.ledger.postpone(video_id, reason, until=later.until if later else None)
    run.changed.append(video_id)


def _learn(run: Run, video_id: str, video: Video | None) -> None:
    if video is not None:
        entry = run.entry(video_id)
        run.ledger.add(
            [replace(entry, title=video.title, duration=video.duration, published=video.published, url=video.url)]
        )
