"""What a person is called in addresses and file names."""

from __future__ import annotations

import unicodedata

from qandai.model import RESERVED_SLUGS


def slug_fault(slug: str) -> str | None:
    """Why a slug cannot be used, or None."""
    if slug in RESERVED_SLUGS:
        return f"{slug!r} is the name of a page of the site; choose another"
    letters = all(c == "-" or c.isdigit() or (c.isalpha() and c == c.lower()) for c in slug)
    if not slug or not letters or slug != slug.strip("-") or len(slug) > 64:
        return f"{slug!r} must be at most 64 lower-case letters, digits and hyphens"
    return None


def slug_of(name: str) -> str:
    """The slug that a new person of this name gets."""
    kept = "".join(c if c.isalnum() else " " for c in unicodedata.normalize("NFC", name).lower())
    return "-".join(kept.split())[:64].strip("-")
