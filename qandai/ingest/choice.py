"""Which caption tracks hold a video's own speech. Machine translations and live chats never do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qandai.origins import Track


@dataclass(frozen=True, slots=True)
class Choice:
    """`by_hand` is merged onto `automatic` where both are there. `spoken`: language of the speech, None unknown.

    `note` says what was chosen between what, and why nothing was.
    """

    by_hand: Track | None = None
    automatic: Track | None = None
    spoken: str | None = None
    note: str = ""


def choose(tracks: Sequence[Track], *, language: str, region: str | None = None, spoken: str | None = None) -> Choice:
    """`language` is the person's, `region` their preferred variant of it, `spoken` that of the default audio.

    Hand-made captions count only in the language that is spoken: in any other they are somebody's translation.
    Where nobody tells what is spoken, the person's language is believed.
    """
    usable = [track for track in tracks if not track.translated]
    automatic = _automatic([track for track in usable if track.original], spoken, language)
    heard = automatic.language if automatic else spoken
    wanted = heard if heard and base(heard) != base(language) else language
    hands = [track for track in usable if track.by_hand]
    fitting = [track for track in hands if base(track.language) == base(wanted)]
    by_hand = _by_region(fitting, wanted, region, spoken)
    notes = [f"spoken in {heard}"] if heard and base(heard) != base(language) else []
    if by_hand and len(fitting) > 1:
        notes.append(f"{by_hand.key} of {', '.join(track.key for track in fitting)}")
    if not by_hand and not automatic:
        others = sorted({track.language for track in hands})
        notes.append(f"captions only in {', '.join(others)}" if others else "no captions")
    return Choice(by_hand, automatic, heard, "; ".join(notes))


def base(language: str) -> str:
    """The language without its region: pt of pt-BR."""
    return language.replace("_", "-").partition("-")[0].lower()


def _automatic(tracks: Sequence[Track], spoken: str | None, language: str) -> Track | None:
    """Dubbed videos have an original track for each audio: the default audio decides, then the person's language."""
    for wanted in (spoken, language):
        for track in tracks:
            if wanted and base(track.language) == base(wanted):
                return track
    return tracks[0] if tracks else None


def _by_region(tracks: Sequence[Track], language: str, region: str | None, spoken: str | None) -> Track | None:
    wanted = [tag.lower() for tag in (region, spoken, language) if tag]
    ranked = sorted(
        tracks,
        key=lambda track: next((n for n, tag in enumerate(wanted) if track.language.lower() == tag), len(wanted)),
    )
    return ranked[0] if ranked else None
