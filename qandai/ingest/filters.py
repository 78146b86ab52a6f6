"""Which recordings of a source a person wants, by the words and numbers of the person file."""

from __future__ import annotations

import re

from qandai.model import Source
from qandai.text import fold

BEYOND = "beyond the limit of "
SHORT = "short"

_REASON = re.compile(
    rf"(?:not included|{SHORT})\Z|excluded: |(?:shorter|longer) than [\d.]+ minutes\Z"
    rf"|(?:before|after) \d{{4}}-\d\d-\d\d\Z|{BEYOND}"
)


def is_filtered(reason: str) -> bool:
    """Whether a recording was left out by the person file alone, so that another person file may take it."""
    return bool(_REASON.match(reason))


def asks_for_shorts(source: Source) -> bool:
    """By naming that tab or the videos themselves, or by a least length below a minute."""
    named = source.kind == "youtube_ids" or any("/shorts" in address for address in source.at)
    return named or (source.min_minutes is not None and source.min_minutes < 1)


def unwanted(source: Source, *, title: str, duration: float | None, published: str | None) -> str | None:
    """Why the source's filters leave a recording out, None if they do not. What is unknown (None) passes: it is
    judged again when it is known. `duration` in seconds, `published` an ISO date."""
    folded = fold(title)
    if source.include and not any(fold(text) in folded for text in source.include):
        return "not included"
    for text in source.exclude:
        if fold(text) in folded:
            return f"excluded: {text}"
    if duration is not None:
        if source.min_minutes is not None and duration < 60 * source.min_minutes:
            return f"shorter than {source.min_minutes:g} minutes"
        if source.max_minutes is not None and duration > 60 * source.max_minutes:
            return f"longer than {source.max_minutes:g} minutes"
    if published is not None:
        if source.after is not None and published < source.after:
            return f"before {source.after}"
        if source.before is not None and published > source.before:
            return f"after {source.before}"
    return None
