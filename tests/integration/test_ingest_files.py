"""The ledger on disk, what is forgotten, and the commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from qandai import compose, compose_doctor, compose_ingest
from qandai.adapters.ledgers import LedgerFiles, WaitFile
from qandai.adapters.transcripts import TranscriptFiles
from qandai.adapters.ytdlp_setup import cookies_fault
from qandai.cli.ingesting import command as ingest
from qandai.errors import StoreLocked, TranscriptError, UnknownPerson, UnknownVideo
from qandai.findings import Finding
from qandai.ingest.forgetting import Forgetter
from qandai.origins import Entry, Wait
from qandai.settings import Settings
from tests import needs
from tests.build import talk
from tests.youtube_site import Channel, Video, automatic, speech

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def ledgers(folder: Path) -> LedgerFiles:
    return LedgerFiles(folder / "transcripts", folder / "locks")


def test_a_ledger_comes_back_as_it_was_written(tmp_path: Path) -> None:
    entries = {
        "a": Entry(
            "a", "pending", "youtube", "Τίτλος", "withheld", NOW, 2, 61.5, "2024-02-29", "https://x", "en", NOW, NOW
        ),
        "b": Entry("b", "found", "audio"),
    }
    ledgers(tmp_path).write("ann", entries)
    assert ledgers(tmp_path).read("ann") == entries
    assert list(ledgers(tmp_path).read("ann")) == ["a", "b"]
    assert ledgers(tmp_path).read("bob") == {}


@pytest.mark.parametrize(
    "line",
    [
        "{",
        '{"id":"../x","state":"found","place":"audio"}',
        '{"id":"a","state":"lost","place":"audio"}',
        '{"id":"a","state":"found","place":"audio","at":"2026-01-01T00:00:00"}',
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    ledgers(tmp_path).write("ann", {"b": Entry("b", "found", "audio")})
    path = tmp_path / "transcripts/ann/ledger.jsonl"
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(TranscriptError, match=r"ann/ledger.jsonl:2 is damaged"):
        ledgers(tmp_path).read("ann")


def test_a_slug_cannot_leave_the_folder(tmp_path: Path) -> None:
    with pytest.raises(UnknownPerson):
        ledgers(tmp_path).read("../ann")


def test_a_second_ingest_of_the_same_person_is_refused_and_names_the_first(tmp_path: Path) -> None:
    with ledgers(tmp_path).holding("ann"), ledgers(tmp_path).holding("bob"):
        again = ledgers(tmp_path).holding("ann")
        with pytest.raises(StoreLocked, match=f"process {os.getpid()}"):
            again.__enter__()
    with ledgers(tmp_path).holding("ann"):
        pass


def test_waits_are_remembered_and_a_damaged_file_counts_as_empty(tmp_path: Path) -> None:
    path = tmp_path / "waits.json"
    WaitFile(path).put("youtube", Wait(NOW, 3))
    assert WaitFile(path).get("youtube") == Wait(NOW, 3)
    WaitFile(path).put("youtube", None)
    assert WaitFile(path).get("youtube") is None
    path.write_text("{")
    assert WaitFile(path).get("youtube") is None


def test_what_is_forgotten_is_gone_and_stays_away(tmp_path: Path) -> None:
    files = TranscriptFiles(tmp_path / "transcripts")
    for video_id in ("one", "two"):
        files.write("ann", talk(video_id, "We said a few words."))
    (tmp_path / "transcripts/ann/one.edits.yaml").write_text("not_this_person: [{start: 0, end: 1}]\n")
    asked: list[tuple[str, tuple[str, ...]]] = []

    def erase(slug: str, ids: object) -> str:
        asked.append((slug, tuple(ids)))  # type: ignore[arg-type]
        return "cached answers"

    forgetter = Forgetter(files, ledgers(tmp_path), [erase], now=lambda: NOW)
    done = forgetter.forget("ann", "one")
    assert (done.ids, done.erased, asked) == (("one",), ("cached answers",), [("ann", ("one",))])
    assert files.ids("ann") == ("two",)
    assert not (tmp_path / "transcripts/ann/one.edits.yaml").exists()
    assert ledgers(tmp_path).read("ann")["one"].reason == "forgotten"
    with pytest.raises(UnknownVideo):
        forgetter.forget("ann", "three")
    assert forgetter.forget("ann").ids == ("one", "two")
    assert files.ids("ann") == ()


PERSON = "name: Ann\nsources:\n  - youtube: https://www.youtube.com/@ann/videos\n"


def home(folder: Path, person: str = PERSON) -> Settings:
    (folder / "people").mkdir()
    (folder / "people/ann.yaml").write_text(person)
    return Settings.read({"QANDAI_HOME": str(folder), "QANDAI_YOUTUBE_PAUSE": "0"})


def test_a_forgotten_video_is_not_fetched_again_even_by_force(tmp_path: Path) -> None:
    settings = home(tmp_path)
    channel = Channel([Video("video01aaaa", "A talk", auto={"en": "a"})], {"a": automatic(speech(1))})
    from qandai import compose
    from qandai.ingest.report import Orders

    ann = compose.people(settings).get("ann")
    with channel.served():
        for orders, fetched in ((Orders(), ("video01aaaa",)), (Orders(force=True), ())):
            with compose_ingest.ingester(settings, opens=channel.opens, index=False) as ingester:
                assert ingester.ingest(ann, orders, lambda *step: None).fetched == fetched
            compose_ingest.forgetter(settings).forget("ann", "video01aaaa")


def test_ingest_says_what_is_missing_before_it_starts(tmp_path: Path) -> None:
    result = CliRunner().invoke(ingest, ["ann"], obj=home(tmp_path, "name: Ann\n"))
    assert result.exception is not None
    assert "names no sources" in str(result.exception)


def test_a_dry_run_of_a_folder_says_minutes_and_price_and_writes_nothing(tmp_path: Path) -> None:
    needs.program("ffprobe", "apt-get install ffmpeg")
    from tests.integration.test_podcasts import sound

    settings = home(tmp_path, "name: Ann\nsources: [{audio: audio/ann}]\n")
    sound(tmp_path / "audio/ann/Talk.wav", 90)
    result = CliRunner().invoke(ingest, ["ann", "--dry-run"], obj=settings)
    assert result.exit_code == 0, result.output
    assert "1 recording would be fetched, 1:30 in all." in result.output
    assert "Speech to text: 1 recording" in result.output
    assert not (tmp_path / "transcripts").exists()
    as_json = CliRunner().invoke(ingest, ["ann", "--dry-run", "--json"], obj=settings)
    assert json.loads(as_json.stdout)["wanted"][0]["title"] == "Talk"


def found(settings: Settings, **more: object) -> dict[str, Finding]:
    return {f.about: f for f in compose_doctor.diagnoses(settings, online=False, **more)}  # type: ignore[arg-type]


def test_the_doctor_tells_an_old_ytdlp_from_a_new_one(tmp_path: Path) -> None:
    settings = home(tmp_path)
    assert found(settings, today=date(2026, 11, 1))["yt-dlp"].state == "ok"
    old = found(settings, today=date(2027, 11, 1))["yt-dlp"]
    assert (old.state, old.remedy) == ("fault", "pip install -U 'yt-dlp[default]'")


def test_the_doctor_names_a_missing_runtime_a_missing_key_and_stale_cookies(tmp_path: Path) -> None:
    home(tmp_path)
    cookies = tmp_path / "cookies.txt"
    cookies.write_text("# Netscape HTTP Cookie File\n.youtube.com\tTRUE\t/\tTRUE\t1000000000\tLOGIN_INFO\tx\n")
    settings = Settings.read(
        {
            "QANDAI_HOME": str(tmp_path), "QANDAI_JS_RUNTIME": "none",
            "QANDAI_TRANSCRIBER": "groq", "QANDAI_YOUTUBE_COOKIES": str(cookies),
        }
    )  # fmt: skip
    findings = found(settings)
    assert "missing" in findings["JavaScript runtime"].said
    assert "key missing" in findings["speech to text"].said
    assert "expired" in findings["cookies"].said
    assert all(findings[about].remedy for about in ("JavaScript runtime", "speech to text", "cookies"))
    cookies.write_text("SID=1")
    assert "Netscape" in str(cookies_fault(cookies))


def test_the_doctor_tells_a_blocked_address_from_stale_cookies_and_from_an_old_ytdlp(tmp_path: Path) -> None:
    settings = home(tmp_path)
    for says, said in (
        ("Sign in to confirm you're not a bot", "this address is blocked"),
        ("The provided YouTube account cookies are no longer valid", "cookies stale"),
        ("Unable to extract yt initial data; please report this issue", "could not read"),
    ):
        channel = Channel([Video("jNQXAC9IVRw", "First", raises=says)])
        findings = {f.about: f for f in compose_doctor.diagnoses(settings, online=True, opens=channel.opens)}
        assert said in findings["YouTube"].said
        assert findings["YouTube"].remedy


def test_the_doctor_names_a_lock_a_wait_and_an_index_that_is_behind(tmp_path: Path) -> None:
    settings = home(tmp_path)
    compose_ingest.waits(settings).put("youtube", Wait(datetime.now(UTC) + timedelta(hours=2), 3))
    TranscriptFiles(tmp_path / "transcripts").write("ann", talk("one", "We said a few words."))
    with compose.ledgers(settings).holding("ann"):
        findings = list(compose_doctor.diagnoses(settings, online=False))
    said = [f"{finding.about}: {finding.said}" for finding in findings]
    assert any("YouTube: asked us to wait until" in line for line in said)
    assert any(line.startswith("ann: locked: being ingested by") for line in said)
    assert "ann: not indexed yet" in said


def test_serving_never_imports_what_only_ingest_needs() -> None:
    program = "import sys, qandai.compose, qandai.web.app; print({'yt_dlp', 'feedparser'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
