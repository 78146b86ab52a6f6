"""A channel of forty videos that holds every case: one run leaves each in its right state, a second does nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from qandai.adapters.ledgers import LedgerFiles, WaitFile
from qandai.adapters.transcripts import TranscriptFiles
from qandai.adapters.ytdlp import Access, YtDlp
from qandai.errors import ModelMissing
from qandai.ingest.outcome import Heard, Later
from qandai.ingest.pipeline import Ingester
from qandai.ingest.report import Orders, Report
from qandai.ingest.youtube import YouTube
from qandai.model import Person, Provenance, Source, Transcript
from qandai.model import Video as Recording
from tests.build import said
from tests.youtube_site import Answer, Channel, Video, automatic, by_hand, cues, speech

ANN = Person(
    "ann",
    "Ann",
    sources=(Source("youtube", ("https://www.youtube.com/@ann/videos",), exclude=("trailer",), after="2020-01-01"),),
)
START = datetime(2026, 11, 30, 12, tzinfo=UTC)


def vid(number: int) -> str:
    return f"video{number:02}aaaa"


class Clock:
    def __init__(self) -> None:
        self.time = START

    def __call__(self) -> datetime:
        return self.time


class World:
    """Disk, channel and clock of one test; every run starts a new program."""

    def __init__(self, folder: Path, channel: Channel) -> None:
        self.folder = folder
        self.channel = channel
        self.clock = Clock()
        self.heard: list[str] = []
        self.transcripts = TranscriptFiles(folder / "transcripts")
        self.ledgers = LedgerFiles(folder / "transcripts", folder / "store" / "ingest")

    def run(
        self, orders: Orders | None = None, person: Person = ANN, refused: dict[str, datetime] | None = None
    ) -> Report:
        site = YtDlp(
            Access(self.folder / "cache", pause=0.0),
            opens=self.channel.opens,
            now=self.clock,
            sleep=lambda seconds: None,
        )
        origins = {"youtube": _Sounding(site, self.transcribe, now=self.clock)}
        ingester = Ingester(
            origins,
            self.transcripts,
            self.ledgers,
            WaitFile(self.folder / "waits.json"),
            refused=lambda _: refused or {},
            now=self.clock,
        )
        return ingester.ingest(person, orders or Orders(), lambda *step: None)

    def transcribe(self, recording: Path, video: Recording, person: Person) -> Heard | Later:
        self.heard.append(video.id)
        words = said(" ".join(speech(int(video.id[5:7]))))
        return Heard(Transcript(video, words, Provenance("whisper", "test"), (0,)))

    def states(self) -> dict[str, str]:
        return {
            video_id: f"{entry.state}: {entry.reason}" if entry.reason else entry.state
            for video_id, entry in self.ledgers.read("ann").items()
        }


class _Sounding(YouTube):
    """Without downloads: the stand-in has no sound."""

    def __init__(self, site: YtDlp, transcribe: object, *, now: Clock) -> None:
        super().__init__(_Silent(site), transcribe, now=now)  # type: ignore[arg-type]


class _Silent:
    def __init__(self, site: YtDlp) -> None:
        self.listing, self.look_up, self.embeds, self.captions = site.listing, site.look_up, site.embeds, site.captions

    def audio(self, video_id: str, folder: Path) -> Path:
        path = folder / f"{video_id}.m4a"
        path.write_bytes(b"sound")
        return path


def plain(number: int, **more: object) -> Video:
    return Video(vid(number), f"Talk {number}", auto={"en": f"a{number}"}, **more)  # type: ignore[arg-type]


def every_case() -> Channel:
    videos = [plain(n) for n in range(1, 7)]
    files: dict[str, Answer | bytes] = {f"a{n}": automatic(speech(n)) for n in range(1, 41)}
    files |= {f"m{n}": by_hand(cues(speech(n))) for n in range(1, 41)}
    files |= {
        "m14": by_hand([*cues(speech(50)), (40.0, 42.0, "Subtitles by the Amara.org community")]),
        "a20": b"", "a21": b"<!DOCTYPE html><title>Before you continue</title>", "a39": b'{"events": "none"}',
        "other": by_hand(cues(speech(77))), "ru": automatic("это наша первая встреча и мы вам рады".split() * 9),
        "a37": automatic(speech(1)), "a38": automatic(speech(2, 200)[20:140]), "a2": automatic(speech(2, 200)),
    }  # fmt: skip
    videos += [
        plain(7, manual={"en": "m7"}),
        plain(8, manual={"en-GB": "m8"}),
        plain(9, manual={"en-US": "other", "en-GB": "m9"}),
        plain(10, manual={"en": "other"}),
        Video(vid(11), "Manual only", manual={"en": "m14"}),
        Video(vid(12), "In Russian", auto={"ru": "ru"}, translations=("en", "de"), manual={"en": "m12"}),
        Video(vid(13), "Dubbed", auto={"es": "other", "en": "a13"}, info={"language": "en"}),
        plain(14, chat=True),
        Video(vid(15), "Only a live chat", chat=True),
        Video(vid(16), "No captions"),
        plain(20), plain(17), plain(21), plain(18),
        Video(vid(19), "Withheld by token", withheld=True),
        Video(vid(22), "[Private video]"),
        Video(vid(23), "[Deleted video]"),
        plain(24, flat={"live_status": "is_upcoming"}),
        plain(25, flat={"live_status": "is_live"}),
        plain(26, info={"live_status": "post_live"}),
        plain(27, flat={"duration": 45}),
        plain(28, info={"media_type": "short"}),
        plain(29, info={"age_limit": 18}),
        plain(30, flat={"availability": "subscriber_only"}),
        plain(31, info={"playable_in_embed": False}),
        plain(32, info={"playable_in_embed": None}, embeds=True),
        plain(33, info={"playable_in_embed": None}),
        plain(34, info={"playable_in_embed": "whitelist"}),
        plain(35, raises="Private video. Sign in if you've been granted access to this video"),
        plain(36, raises="Premieres in 3 hours"),
        plain(37, info={"upload_date": "20250801"}),
        plain(38),
        plain(39),
        Video(vid(40), "Trailer", auto={"en": "a40"}),
    ]  # fmt: skip
    return Channel(videos, files)


@pytest.fixture
def served() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def test_one_run_leaves_every_video_in_its_state_and_a_second_does_nothing(tmp_path: Path, served: ExitStack) -> None:
    world = World(tmp_path, served.enter_context(every_case().served()))
    assert len(world.channel.videos) == 40
    report = world.run(person=ANN)
    assert not report.faults
    assert not report.partial
    states = world.states()
    expected = {vid(n): "transcribed" for n in (*range(1, 19), 32)} | {
        vid(20): "pending: withheld: The captions (en-orig) came empty.",
        vid(21): "pending: withheld: A web page came in place of the captions (en-orig).",
        vid(19): "pending: captions withheld",
        vid(22): "skipped: private",
        vid(23): "skipped: removed",
        vid(24): "pending: upcoming",
        vid(25): "pending: live now",
        vid(26): "pending: just ended",
        vid(27): "skipped: short",
        vid(28): "skipped: short",
        vid(29): "skipped: age-restricted",
        vid(30): "skipped: members only",
        vid(31): "skipped: does not play on other sites",
        vid(33): "pending: unknown whether it plays on other sites",
        vid(34): "skipped: does not play on other sites",
        vid(35): "skipped: private",
        vid(36): "pending: upcoming",
        vid(37): f"skipped: the same as {vid(1)} (Talk 1)",
        vid(38): f"skipped: an excerpt of {vid(2)} (Talk 2)",
        vid(39): "skipped: no usable captions; en-orig: the format is not known.",
        vid(40): "skipped: excluded: trailer",
    }
    assert states == expected
    assert sorted(world.heard) == [vid(15), vid(16)]
    looked_up, fetched, files = list(world.channel.looked_up), list(world.channel.fetched), stamps(tmp_path)
    again = world.run()
    assert (again.fetched, again.changed) == ((), ())
    assert (world.channel.looked_up, world.channel.fetched) == (looked_up, fetched)
    assert stamps(tmp_path) == files
    assert len(world.heard) == 2


def stamps(folder: Path) -> dict[Path, int]:
    """Of what stays on disk; the lock and yt-dlp's own files come and go."""
    return {path: path.stat().st_mtime_ns for path in (folder / "transcripts").rglob("*") if path.is_file()}


def test_the_words_are_those_that_were_spoken(tmp_path: Path, served: ExitStack) -> None:
    world = World(tmp_path, served.enter_context(every_case().served()))
    world.run()

    def read(number: int) -> Transcript:
        return world.transcripts.read("ann", vid(number))

    merged = read(7)
    assert merged.provenance.captions == "merged"
    assert merged.words[0].text == speech(7)[0].capitalize()
    assert merged.exact_share > 0.95
    assert read(8).provenance.captions == "merged"
    assert read(10).provenance.captions == "auto"
    assert "set aside" in world.ledgers.read("ann")[vid(10)].note
    by_a_person = read(11)
    assert by_a_person.provenance.captions == "manual"
    assert "Amara" not in " ".join(word.text for word in by_a_person.words)
    russian = read(12)
    assert (russian.video.language, russian.words[0].text) == ("ru", "это")
    assert "spoken in ru" in world.ledgers.read("ann")[vid(12)].note
    assert [word.text for word in read(13).words[:5]] == speech(13)[:5]
    assert all("tlang" not in name for name in world.channel.fetched)


def test_a_region_of_the_config_decides_between_variants(tmp_path: Path, served: ExitStack) -> None:
    world = World(tmp_path, served.enter_context(every_case().served()))
    world.run(person=Person("ann", "Ann", captions_region="en-GB", sources=ANN.sources))
    assert world.transcripts.read("ann", vid(9)).provenance.captions == "merged"
    assert "en-GB of en-US, en-GB" in world.ledgers.read("ann")[vid(9)].note


def forty() -> Channel:
    return Channel([plain(n) for n in range(1, 41)], {f"a{n}": automatic(speech(n)) for n in range(1, 41)})


@pytest.mark.parametrize("retry_after", [None, "1800"])
def test_a_throttled_run_ends_partial_and_the_next_completes_it(
    tmp_path: Path, served: ExitStack, retry_after: str | None
) -> None:
    world = World(tmp_path, served.enter_context(forty().served()))
    world.channel.throttled_from, world.channel.retry_after = 11, retry_after
    report = world.run()
    assert report.partial
    assert len(report.fetched) == 10
    assert report.go_on == START + timedelta(minutes=30 if retry_after else 15)
    assert len(world.channel.fetched) == 11, "a throttled service is asked nothing more"
    assert len(world.channel.looked_up) == 11
    states = world.states()
    assert list(states.values()).count("found") == 29
    assert states[vid(11)] == "pending: throttled"
    # Still throttled: one question, and a longer wait.
    report = world.run()
    assert report.partial
    assert len(world.channel.fetched) == 12
    assert report.go_on is not None
    assert report.go_on >= START + timedelta(minutes=30)
    world.channel.throttled_from = None
    world.clock.time = report.go_on + timedelta(seconds=1)
    report = world.run()
    assert not report.partial
    assert set(world.states().values()) == {"transcribed"}
    assert len(world.channel.fetched) == 12 + 30, "nothing is fetched twice"
    assert len(world.channel.looked_up) == 40, "a look-up is remembered"


def test_an_operator_who_comes_early_is_served_if_the_service_relents(tmp_path: Path, served: ExitStack) -> None:
    world = World(tmp_path, served.enter_context(forty().served()))
    world.channel.throttled_from = 11
    assert world.run().partial
    world.channel.throttled_from = None
    report = world.run()
    assert not report.partial
    assert set(world.states().values()) == {"transcribed"}


def test_streams_are_looked_at_again_when_their_captions_can_be_there(tmp_path: Path, served: ExitStack) -> None:
    world = World(tmp_path, served.enter_context(every_case().served()))
    world.run()
    assert world.ledgers.read("ann")[vid(26)].next_try == START + timedelta(hours=6)
    world.channel.videos[vid(26)].info = {"live_status": "was_live"}
    for number in (24, 25):
        world.channel.videos[vid(number)].flat = {}
    world.channel.files["a20"] = automatic(speech(20))
    world.clock.time += timedelta(hours=7)
    assert set(world.run().fetched) == {vid(20), vid(24), vid(25), vid(26)}


def test_a_changed_person_file_is_obeyed_without_looking_anything_up(tmp_path: Path, served: ExitStack) -> None:
    world = World(tmp_path, served.enter_context(every_case().served()))
    source = Source("youtube", ANN.sources[0].at, after="2025-06-01")
    first = world.run(person=Person("ann", "Ann", sources=(source,)))
    assert vid(1) not in first.fetched
    assert world.states()[vid(1)] == "skipped: before 2025-06-01"
    seen = len(world.channel.looked_up)
    world.run(person=Person("ann", "Ann", sources=(source,)))
    assert len(world.channel.looked_up) == seen
    assert vid(1) in world.run().fetched


def test_what_does_not_play_any_more_leaves_the_search_and_keeps_its_transcript(
    tmp_path: Path, served: ExitStack
) -> None:
    world = World(tmp_path, served.enter_context(every_case().served()))
    world.run()
    world.channel.videos[vid(1)].raises = "Video unavailable. This video has been removed by the uploader"
    world.channel.videos[vid(3)].info = {"playable_in_embed": False}
    world.channel.videos[vid(4)].info = {"playable_in_embed": None}
    world.run(Orders(recheck=True))
    states = world.states()
    assert states[vid(1)] == "dead: removed"
    assert states[vid(3)] == "dead: does not play on other sites"
    assert states[vid(4)] == "transcribed", "nobody knows: it stays"
    assert states[vid(37)] == "transcribed", "its copy takes its place"
    assert vid(1) in world.transcripts.ids("ann")
    world.channel.videos[vid(3)].info = {}
    world.run(Orders(recheck=True))
    assert world.states()[vid(3)] == "transcribed"


def test_a_missing_tab_is_no_error_and_tabs_share_their_videos(tmp_path: Path, served: ExitStack) -> None:
    world = World(tmp_path, served.enter_context(forty().served()))
    sources = (
        Source("youtube", ("https://www.youtube.com/@ann/missing",)),
        Source("youtube", ("https://www.youtube.com/@ann/videos",), limit=3),
        Source("youtube", ("https://www.youtube.com/@ann/streams",), limit=3),
    )
    report = world.run(person=Person("ann", "Ann", sources=sources))
    assert not report.faults
    assert report.fetched == (vid(1), vid(2), vid(3))


def test_without_speech_to_text_the_operator_hears_what_to_install(tmp_path: Path, served: ExitStack) -> None:
    world = World(tmp_path, served.enter_context(every_case().served()))

    def absent(recording: Path, video: Recording, person: Person) -> Heard | Later:
        raise ModelMissing("no speech to text", hint="pip install faster-whisper")

    world.transcribe = absent  # type: ignore[method-assign]
    report = world.run()
    assert [str(fault) for fault in report.faults] == ["no speech to text pip install faster-whisper"]
    assert world.states()[vid(16)] == "pending: no speech to text"
    assert len(report.fetched) > 15


def test_a_run_fetches_no_more_than_it_is_told(tmp_path: Path, served: ExitStack) -> None:
    world = World(tmp_path, served.enter_context(forty().served()))
    assert world.run(Orders(limit=3)).fetched == (vid(1), vid(2), vid(3))
    assert list(world.states().values()).count("found") == 37
    assert world.run(Orders(limit=2)).fetched == (vid(4), vid(5))


def test_only_what_was_transcribed_is_transcribed_again(tmp_path: Path, served: ExitStack) -> None:
    world = World(tmp_path, served.enter_context(every_case().served()))
    world.run()
    assert set(world.run(Orders(retranscribe=True)).fetched) == {vid(15), vid(16)}


def test_what_visitors_could_not_play_is_looked_at_once(tmp_path: Path, served: ExitStack) -> None:
    world = World(tmp_path, served.enter_context(forty().served()))
    world.run()
    looked_up = len(world.channel.looked_up)
    world.channel.videos[vid(2)].info = {"playable_in_embed": False}
    refused = {vid(2): START + timedelta(hours=1), vid(3): START + timedelta(hours=1)}
    world.clock.time += timedelta(hours=2)
    world.run(refused=refused)
    assert world.channel.looked_up[looked_up:] == [vid(2), vid(3)]
    assert (world.states()[vid(2)], world.states()[vid(3)]) == ("dead: does not play on other sites", "transcribed")
    world.run(refused=refused)
    assert len(world.channel.looked_up) == looked_up + 2


def test_a_fault_of_our_own_costs_one_video(tmp_path: Path, served: ExitStack) -> None:
    world = World(tmp_path, served.enter_context(every_case().served()))

    def broken(recording: Path, video: Recording, person: Person) -> Heard | Later:
        raise KeyError("start")

    world.transcribe = broken  # type: ignore[method-assign]
    report = world.run()
    assert world.states()[vid(16)] == "pending: unexpected KeyError: 'start'"
    assert len(report.fetched) > 15


def test_three_empty_answers_in_a_row_are_the_address_not_the_videos(tmp_path: Path, served: ExitStack) -> None:
    channel = Channel([plain(n) for n in range(1, 41)], {f"a{n}": b"" for n in range(1, 41)})
    world = World(tmp_path, served.enter_context(channel.served()))
    report = world.run()
    assert report.partial
    assert len(channel.fetched) == 3
    assert set(world.states().values()) == {"found", "pending: withheld: The captions (en-orig) came empty."}
