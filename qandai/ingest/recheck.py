"""Whether what can be asked still plays. What does not leaves the search and keeps its transcript."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from qandai.errors import ProviderError, Throttled
from qandai.ingest.run import Run
from qandai.ingest.survey import OPERATORS
from qandai.origins import Entry

_NEVER = datetime.min.replace(tzinfo=UTC)


def recheck(run: Run, refused: Mapping[str, datetime], *, all_of_them: bool) -> None:
    """`refused`: when a visitor's player last refused a video, by id. Those checked longest ago come first, so that a
    run that is cut short and the next one together see everything. Whether a file is there is asked every time."""
    entries = [
        entry
        for entry in run.ledger.entries.values()
        if entry.state in ("transcribed", "indexed", "dead")
        and entry.place in run.origins
        and (all_of_them or entry.place == "audio" or refused.get(entry.id, _NEVER) > (entry.checked or _NEVER))
    ]
    entries.sort(key=lambda entry: entry.checked or _NEVER)
    for number, entry in enumerate(entries):
        if run.services.is_open(entry.place):
            run.watch("checking", number, len(entries), entry.title or entry.id)
            _check(run, entry)


def _check(run: Run, entry: Entry) -> None:
    try:
        reason = run.origins[entry.place].gone(entry)
    except Throttled as exc:
        run.services.throttled(entry.place, exc)
        return
    except OPERATORS as exc:
        run.fault(exc)
        run.services.close(entry.place, str(exc))
        return
    except ProviderError as exc:  # nobody knows: it stays as it is
        run.services.failed(entry.place, str(exc))
        return
    run.services.answered(entry.place)
    if reason is not None:
        run.mark([entry.id], "dead", reason, checked=True)
    elif entry.state == "dead":
        run.mark([entry.id], "transcribed", checked=True)
    elif entry.place != "audio":
        run.mark([entry.id], entry.state, checked=True)
