"""The story of one YouTube video: look it up, see whether visitors can play it, take its own words."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from qandai.errors import ToolMissing, TranscriptError, Unavailable, Withheld
from qandai.ingest.captions import parse
from qandai.ingest.choice import Choice, choose
from qandai.ingest.filters import SHORT, asks_for_shorts, unwanted
from qandai.ingest.merge import merged, without_credits
from qandai.ingest.outcome import Got, Item, Later, Outcome, Skip, Transcribe
from qandai.model import Person, Provenance, Source, Transcript, Video
from qandai.origins import Details, Entry, Listed, Place, Track, VideoSite

_SHORT_SECONDS = 60.0
_CAPTIONS_COME = timedelta(hours=6)  # after the end of a stream
_ASK_AGAIN = timedelta(days=1)
_AIRING = {"live": "live now", "upcoming": "upcoming", "just_ended": "just ended"}


class YouTube:
    """The `Origin` of YouTube's sources. `transcribe` None: there is no speech to text."""

    place: Place = "youtube"
    at_once = 1  # it counts what an address asks

    def __init__(
        self, site: VideoSite, transcribe: Transcribe | None, *, now: Callable[[], datetime], work: Path | None = None
    ) -> None:
        self._site = site
        self._transcribe = transcribe
        self._now = now
        self._work = work

    def list(self, source: Source, person: Person) -> tuple[Item, ...]:
        if source.kind == "youtube_ids":
            return tuple(
                Item(Entry(video_id, "found", "youtube", url=_url(video_id)), source) for video_id in source.at
            )
        found: dict[str, Item] = {}
        for address in source.at:
            for listed in self._site.listing(address, limit=source.limit if source.kind == "youtube_search" else None):
                found.setdefault(listed.id, Item(_entry(listed, source), source))
        return tuple(found.values())

    def fetch(self, item: Item, person: Person) -> Outcome:
        details = self._site.look_up(item.entry.id)
        refused = self._refused(details, item.source)
        if refused is not None:
            return replace(refused, video=details.video)
        choice = choose(details.tracks, language=person.language, region=person.captions_region, spoken=details.spoken)
        video = replace(details.video, language=choice.spoken or person.language)
        if choice.automatic is None and choice.by_hand is None:
            if details.withheld:
                return Later("captions withheld", video=video)
            return self._listen(video, person, choice)
        return self._read(video, choice)

    def listens(self, entry: Entry, person: Person) -> bool:
        return False  # nobody knows before the look-up, and few videos are without captions

    def gone(self, entry: Entry) -> str | None:
        try:
            details = self._site.look_up(entry.id, fresh=True)
        except Unavailable as exc:
            return exc.message
        refused = self._refused(details, None)
        if isinstance(refused, Later) and details.airing is None:
            raise Withheld(f"Nobody tells whether {entry.id} plays here.")
        return refused.reason if isinstance(refused, Skip) else None

    def _refused(self, details: Details, source: Source | None) -> Skip | Later | None:
        """Why visitors could not play it here, now or ever; or why the person file does not want it."""
        if details.airing is not None:
            start = details.starts if details.starts and details.starts > self._now() else self._now()
            return Later(_AIRING[details.airing], start + _CAPTIONS_COME)
        if details.age_limit >= 18:
            return Skip("age-restricted")
        if details.availability not in ("public", "unlisted", None):
            return Skip(details.availability.replace("_", " "))
        if details.embeddable is False:
            return Skip("does not play on other sites")
        if source is not None:
            video = details.video
            if details.short and not asks_for_shorts(source):
                return Skip(SHORT)
            if reason := unwanted(source, title=video.title, duration=video.duration, published=video.published):
                return Skip(reason)
        if details.embeddable is None or details.availability is None:
            return self._second_look(details.video.id)
        return None

    def _second_look(self, video_id: str) -> Skip | Later | None:
        """What plays in the embedded player is open to everybody."""
        plays = self._site.embeds(video_id)
        if plays is None:
            return Later("unknown whether it plays on other sites", self._now() + _ASK_AGAIN)
        return None if plays else Skip("does not play on other sites")

    def _read(self, video: Video, choice: Choice) -> Outcome:
        heard = self._parsed(choice.automatic, video)
        written = self._parsed(choice.by_hand, video)
        notes = [choice.note, *(reason for reason in (heard, written) if isinstance(reason, str))]
        if isinstance(heard, Transcript) and isinstance(written, Transcript):
            merge = merged(heard, written)
            return Got(merge.transcript, _joined(*notes, merge.note))
        if isinstance(heard, Transcript):
            return Got(heard, _joined(*notes))
        if isinstance(written, Transcript):
            return Got(without_credits(written), _joined(*notes))
        return Skip(_joined("no usable captions", *notes), video)

    def _parsed(self, track: Track | None, video: Video) -> Transcript | str | None:
        """A transcript, why there is none, or None for no track."""
        if track is None:
            return None
        content = self._site.captions(track)
        try:
            parsed = parse(content, media_duration=video.duration)
        except TranscriptError as exc:
            return f"{track.key}: {exc.message}"
        provenance = Provenance(
            "manual" if track.by_hand else "auto",
            origin=f"youtube {track.key}",
            fetched_at=self._now().isoformat(timespec="seconds"),
        )
        return Transcript(video, parsed.words, provenance, parsed.segments, parsed.gaps, parsed.repairs)

    def _listen(self, video: Video, person: Person, choice: Choice) -> Outcome:
        if self._transcribe is None:
            raise ToolMissing(f"{choice.note}, and no speech to text", hint="Set it up, or exclude the video.")
        with tempfile.TemporaryDirectory(dir=self._work, prefix="ingest-") as folder:
            recording = self._site.audio(video.id, Path(folder))
            heard = self._transcribe(recording, video, person)
        return heard if isinstance(heard, Later) else Got(heard.transcript, choice.note, heard.rest)


def _entry(listed: Listed, source: Source) -> Entry:
    entry = Entry(
        listed.id,
        "found",
        "youtube",
        title=listed.title,
        duration=listed.duration,
        published=listed.published,
        url=_url(listed.id),
    )
    if listed.withdrawn:
        return replace(entry, state="skipped", reason=listed.withdrawn)
    if listed.airing:
        return replace(entry, state="pending", reason=_AIRING[listed.airing])
    tiny = listed.short or (listed.duration is not None and listed.duration < _SHORT_SECONDS)
    if tiny and not asks_for_shorts(source):
        return replace(entry, state="skipped", reason=SHORT)
    return entry


def _url(video_id: str) -> str:
    return f"https://www.youtube.com/watch?v={video_id}"


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)
