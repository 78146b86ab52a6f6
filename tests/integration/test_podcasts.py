"""Feeds over HTTP and folders of audio, from source to transcript."""

from __future__ import annotations

import json
import wave
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from qandai.adapters.audio_folders import AudioFiles
from qandai.adapters.feeds import HttpFeeds
from qandai.adapters.ledgers import LedgerFiles, WaitFile
from qandai.adapters.transcripts import TranscriptFiles
from qandai.errors import AccessRefused, ProviderError, Throttled, Unavailable, UsageError
from qandai.ingest.outcome import Heard, Later, Origin
from qandai.ingest.pipeline import Ingester
from qandai.ingest.podcast import Folder, Podcast
from qandai.ingest.report import Orders, Report
from qandai.links import media_url
from qandai.model import Person, Provenance, Source, Transcript
from qandai.model import Video as Recording
from qandai.origins import Place
from tests import needs
from tests.build import said

START = datetime(2026, 11, 30, 12, tzinfo=UTC)
FEED = "https://ann.test/feed.xml"
VTT = """WEBVTT

00:01.000 --> 00:04.000
<v Ann>Welcome to the second show.

00:05.000 --> 00:08.000
<v Bob>Thank you for having me."""
JSON = {
    "version": "1.0.0",
    "segments": [{"speaker": "Ann", "startTime": 1.0, "endTime": 4.0, "body": "Welcome to the show."}],
}
ITEM = """<item><title>{title}</title><guid>{guid}</guid><pubDate>Thu, 29 Feb 2024 09:00:00 GMT</pubDate>
<enclosure url="https://cdn.test/{guid}.mp3" length="5" type="audio/mpeg"/>{more}</item>"""


def rss(*items: str) -> bytes:
    namespace = 'xmlns:podcast="https://podcastindex.org/namespace/1.0"'
    return f'<rss version="2.0" {namespace}><channel><title>Ann talks</title>{"".join(items)}</channel></rss>'.encode()


def item(guid: str, title: str, *transcripts: tuple[str, str], more: str = "") -> str:
    tags = "".join(f'<podcast:transcript url="https://ann.test/{name}" type="{kind}"/>' for name, kind in transcripts)
    return ITEM.format(guid=guid, title=title, more=tags + more)


class Web:
    """Answers by address, and what was asked."""

    def __init__(self, answers: Mapping[str, httpx.Response | Callable[[httpx.Request], httpx.Response]]) -> None:
        self.answers = dict(answers)
        self.asked: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(str(request.url))
        answer = self.answers.get(str(request.url), httpx.Response(404))
        return answer(request) if callable(answer) else answer

    def feeds(self, folder: Path, *, most: int = 10_000) -> HttpFeeds:
        return HttpFeeds(
            folder / "feeds",
            most_audio_bytes=most,
            transport=httpx.MockTransport(self),
            lookup=lambda host: ("93.184.216.34",),
        )


def answers(feed: bytes) -> dict[str, httpx.Response | Callable[[httpx.Request], httpx.Response]]:
    def conditional(request: httpx.Request) -> httpx.Response:
        if request.headers.get("If-None-Match") == '"1"':
            return httpx.Response(304)
        return httpx.Response(200, content=feed, headers={"ETag": '"1"'})

    return {
        FEED: conditional,
        "https://ann.test/1.json": httpx.Response(200, content=json.dumps(JSON).encode()),
        "https://ann.test/2.vtt": httpx.Response(200, content=VTT.encode()),
        "https://ann.test/bad.srt": httpx.Response(200, content=b"<html>gone</html>"),
        "https://ann.test/c.json": httpx.Response(200, content=b'{"chapters":[{"startTime":0},{"startTime":1.2}]}'),
        "https://cdn.test/ep3.mp3": httpx.Response(302, headers={"Location": "https://cdn2.test/ep3.mp3"}),
        "https://cdn2.test/ep3.mp3": httpx.Response(200, content=b"sound"),
    }


def everything() -> bytes:
    chapters = '<podcast:chapters url="https://ann.test/c.json" type="application/json+chapters"/>'
    return rss(
        item("ep1", "First", ("1.txt", "text/plain"), ("1.json", "application/json")),
        item("ep2", "Second", ("bad.srt", "application/srt"), ("2.vtt", "text/vtt")),
        item("ep3", "Third", ("1.html", "text/html"), more=chapters),
        item("ep4", "Fourth"),
    )


def heard(recording: Path, video: Recording, person: Person) -> Heard | Later:
    assert recording.read_bytes() == b"sound"
    return Heard(Transcript(video, said("these are the words of the third show"), Provenance("whisper", "test"), (0,)))


def run(folder: Path, origin: Origin, person: Person, orders: Orders | None = None) -> Report:
    transcripts = TranscriptFiles(folder / "transcripts")
    ledgers = LedgerFiles(folder / "transcripts", folder / "locks")
    origins: dict[Place, Origin] = {origin.place: origin}
    ingester = Ingester(origins, transcripts, ledgers, WaitFile(folder / "waits.json"), now=lambda: START)
    return ingester.ingest(person, orders or Orders(), lambda *step: None)


ANN = Person("ann", "Ann", sources=(Source("feed", (FEED,)),))


def by_title(folder: Path) -> dict[str, Transcript]:
    files = TranscriptFiles(folder / "transcripts")
    read = [files.read("ann", video_id) for video_id in files.ids("ann")]
    return {transcript.video.title: transcript for transcript in read}


def test_a_feed_gives_its_own_transcripts_and_sound_where_there_are_none(tmp_path: Path) -> None:
    web = Web(answers(everything()))
    report = run(tmp_path, Podcast(web.feeds(tmp_path), heard, now=lambda: START, work=tmp_path), ANN)
    found = by_title(tmp_path)
    assert set(found) == {"First", "Second", "Third"}
    assert " ".join(word.text for word in found["First"].words) == "Welcome to the show."
    assert {word.speaker for word in found["Second"].words} == {"Ann", "Bob"}
    assert found["Second"].exact_share == 0.0, "every download may hold other advertisements"
    third = found["Third"]
    assert (third.provenance.captions, third.video.channel, third.video.published) == (
        "whisper",
        "Ann talks",
        "2024-02-29",
    )
    assert third.provenance.origin is not None
    assert "5 bytes, sha256" in third.provenance.origin
    assert third.segments == (0, 3), "a chapter begins a segment"
    assert media_url("ann", third.video) == "https://cdn.test/ep3.mp3"
    assert {entry.title: entry.state for entry in report.entries.values()}["Fourth"] == "skipped"
    asked = len(web.asked)
    again = run(tmp_path, Podcast(web.feeds(tmp_path), heard, now=lambda: START, work=tmp_path), ANN)
    assert (again.fetched, again.changed) == ((), ())
    assert web.asked[asked:] == [FEED]
    assert not list(tmp_path.glob("ingest-*")), "no recording is left behind"


def test_hosts_that_ask_to_wait_are_left_alone(tmp_path: Path) -> None:
    web = Web(answers(everything()))
    web.answers[FEED] = httpx.Response(429, headers={"Retry-After": "600"})
    report = run(tmp_path, Podcast(web.feeds(tmp_path), heard, now=lambda: START), ANN)
    assert report.partial
    assert report.go_on == START + timedelta(minutes=10)


@pytest.mark.parametrize(
    ("answer", "error", "said"),
    [
        (httpx.Response(404), Unavailable, "is gone"),
        (httpx.Response(401), AccessRefused, "refuses access"),
        (httpx.Response(503), Throttled, "not now"),
        (httpx.Response(500), ProviderError, "answers 500"),
        (httpx.Response(200, content=b"x" * 20_000), Unavailable, "larger than"),
        (httpx.Response(302, headers={"Location": "https://ann.test/loop"}), Unavailable, "redirects too often"),
        (httpx.Response(302, headers={"Location": "file:///etc/passwd"}), Unavailable, "no http"),
    ],
)
def test_what_a_host_may_answer(tmp_path: Path, answer: httpx.Response, error: type[Exception], said: str) -> None:
    web = Web({"https://ann.test/loop": answer})
    with pytest.raises(error, match=said):
        web.feeds(tmp_path, most=9000).audio("https://ann.test/loop", tmp_path, feed=FEED)


def sound(path: Path, seconds: float = 1.0, *, level: int = 1) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes([level, 0]) * int(8000 * seconds))
    return path


@pytest.fixture
def ffprobe() -> None:
    needs.program("ffprobe", "apt-get install ffmpeg")


def folder_run(home: Path, spoken: dict[str, str], orders: Orders | None = None) -> Report:
    def hear(recording: Path, video: Recording, person: Person) -> Heard | Later:
        return Heard(Transcript(video, said(spoken[video.title]), Provenance("whisper", "test"), (0,)))

    person = Person("ann", "Ann", sources=(Source("audio", ("audio/ann",)),))
    return run(home, Folder(AudioFiles(home, home / "audio.json"), hear), person, orders)


@pytest.mark.usefixtures("ffprobe")
def test_a_folder_of_audio_keeps_its_ids_when_files_are_renamed(tmp_path: Path) -> None:
    first = sound(tmp_path / "audio/ann/01 Opening.wav", 1.5)
    sound(tmp_path / "audio/ann/more/Closing.wav", level=2)
    (tmp_path / "audio/ann/notes.txt").write_text("no sound")
    (tmp_path / "audio/ann/list.m3u8").write_text("#EXTM3U\n#EXTINF:1\nhttp://127.0.0.1:9/x.ts\n")
    (tmp_path / "audio/ann/broken.mp3").write_bytes(b"not a recording at all")
    report = folder_run(tmp_path, {"01 Opening": "good evening", "Closing": "good night"})
    states = {entry.title: (entry.state, entry.reason) for entry in report.entries.values()}
    assert states == {
        "01 Opening": ("transcribed", ""), "Closing": ("transcribed", ""),
        "list": ("skipped", "no sound in it"), "broken": ("skipped", "no sound in it"),
    }  # fmt: skip
    opening = by_title(tmp_path)["01 Opening"].video
    assert (opening.source, opening.url, opening.duration) == ("audio", "audio/ann/01 Opening.wav", 1.5)
    first.rename(first.with_name("Prologue.wav"))
    again = folder_run(tmp_path, {})
    assert again.fetched == ()
    renamed = by_title(tmp_path)["Prologue"].video
    assert (renamed.id, renamed.url) == (opening.id, "audio/ann/Prologue.wav")


@pytest.mark.usefixtures("ffprobe")
def test_a_file_that_is_gone_leaves_the_search_and_comes_back_with_it(tmp_path: Path) -> None:
    path = sound(tmp_path / "audio/ann/Talk.wav")
    folder_run(tmp_path, {"Talk": "good evening"})
    kept = path.rename(tmp_path / "Talk.wav")
    report = folder_run(tmp_path, {})
    assert [(entry.state, entry.reason) for entry in report.entries.values()] == [("dead", "the file is gone")]
    kept.rename(path)
    assert [entry.state for entry in folder_run(tmp_path, {}).entries.values()] == ["transcribed"]


@pytest.mark.usefixtures("ffprobe")
def test_links_out_of_the_home_are_not_followed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    secret = sound(tmp_path / "elsewhere/secret.wav")
    (home / "audio/ann").mkdir(parents=True)
    (home / "audio/ann/link.wav").symlink_to(secret)
    (home / "audio/out").symlink_to(secret.parent)
    files = AudioFiles(home, home / "audio.json")
    assert list(files.find("audio/ann")) == []
    with pytest.raises(UsageError, match="leads out of the home"):
        list(files.find("audio/out"))
    with pytest.raises(UsageError, match="is no folder"):
        list(files.find("audio/nowhere"))
