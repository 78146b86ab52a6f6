"""The site's plain words for figures and dates."""

from __future__ import annotations

from qandai.model import Coverage

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def plain_date(iso: str | None) -> str:
    """2026-03-03 → 3 March 2026. What is not a whole ISO date is shown as it is; None as nothing."""
    if not iso:
        return ""
    parts = iso[:10].split("-")
    try:
        year, month, day = (int(part) for part in parts)
        return f"{day} {_MONTHS[month - 1]} {year}" if 1 <= month <= 12 else iso
    except ValueError:
        return iso


def plain_length(hours: float) -> str:
    """Under two hours in minutes; a started minute counts."""
    if hours < 2:
        minutes = max(1, round(hours * 60))
        return f"{minutes} minute{'' if minutes == 1 else 's'}"
    return f"{hours:.0f} hours"


def coverage_words(coverage: Coverage) -> tuple[str, ...]:
    """("9 recordings", "27 minutes", "3 March to 9 May 2026")"""
    parts = [f"{coverage.videos:,} recording{'' if coverage.videos == 1 else 's'}", plain_length(coverage.hours)]
    since, until = plain_date(coverage.since), plain_date(coverage.until)
    if since and until and since != until:
        same_year = since[-5:] == until[-5:]
        parts.append(f"{since[:-5] if same_year else since} to {until}")
    elif since or until:
        parts.append(since or until)
    return tuple(parts)
