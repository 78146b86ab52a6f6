"""Transcript files on disk: found by the id inside, written whole, refused by name; and the edits beside them."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import get_args, get_type_hints

import jsonschema
import pytest

from qandai.adapters.transcripts import TranscriptFiles, read_file
from qandai.edits import Stretch
from qandai.errors import DiskFull, TranscriptError, UnknownPerson, UnknownVideo
from qandai.model import Captions, Gap, Provenance, SourceKind, Transcript, Word, join
from tests.build import talk

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "transcript.schema.json").read_text(encoding="utf-8"))
FLAT = {"video_id": "ZW0OOikcWN0", "title": "T", "segments": [{"start": 0, "end": 1, "text": "hello there"}]}


def files(tmp_path: Path, **documents: object) -> TranscriptFiles:
    folder = tmp_path / "ann"
    folder.mkdir(exist_ok=True)
    for stem, document in documents.items():
        (folder / f"{stem.replace('__', '-')}.json").write_text(json.dumps(document), encoding="utf-8")
    return TranscriptFiles(tmp_path)


def rich() -> Transcript:
    words = (
        Word("Hi", 0.0, 0.5, speaker="Ann"),
        Word("世", 0.5, 1.0, False, True, "Ben"),
        Word("界", 1.0, 1.5, False, False, "Ben", glued=True),
    )
    base = talk("t1", "hello")
    return replace(
        base,
        words=words,
        segments=(0, 1),
        provenance=Provenance("whisper", "base", "a.m4a", "2026-01-01T00:00:00+00:00"),
        gaps=(Gap(2.0, 9.0, "silence"),),
        repairs={"loops": 2},
    )


def test_a_transcript_comes_back_from_the_disk_the_same(tmp_path: Path) -> None:
    kept = files(tmp_path)
    kept.write("ann", rich())
    assert kept.ids("ann") == ("t1",)
    assert kept.read("ann", "t1") == rich()
    assert [path.name for path in (tmp_path / "ann").iterdir()] == ["t1.json"]


@pytest.mark.parametrize("transcript", [rich(), talk("t2", "one two", "three"), Transcript(talk("t3", "x").video, ())])
def test_the_schema_describes_what_is_written(tmp_path: Path, transcript: Transcript) -> None:
    kept = files(tmp_path)
    kept.write("ann", transcript)
    written = json.loads((tmp_path / "ann" / f"{transcript.video.id}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(written, SCHEMA)

    def undescribed(value: object, schema: dict) -> set[str]:
        if "$ref" in schema:
            schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]]
        if isinstance(value, list):
            return {name for item in value for name in undescribed(item, schema.get("items", {}))}
        if isinstance(value, dict) and "properties" in schema:
            inner = {n for k, v in value.items() for n in undescribed(v, schema["properties"].get(k, {}))}
            return inner | (value.keys() - schema["properties"].keys())
        return set()

    assert undescribed(written, SCHEMA) == set()


def test_the_schema_knows_the_same_kinds_as_the_model() -> None:
    properties = SCHEMA["properties"]
    assert properties["provenance"]["properties"]["captions"]["enum"] == list(get_args(Captions))
    assert properties["video"]["properties"]["source"]["enum"] == [*get_args(SourceKind), None]
    reasons = set(get_args(get_type_hints(Gap)["reason"])) - {"not this person"}  # an editor's, never in this file
    assert set(properties["gaps"]["items"]["properties"]["reason"]["enum"]) == reasons


def test_files_are_found_by_the_id_inside_and_lists_by_their_name(tmp_path: Path) -> None:
    kept = files(tmp_path, yt__ZW0OOikcWN0=FLAT, talk7=[{"start": 1, "text": "a list"}])
    (tmp_path / "ann" / "INDEX.tsv").write_text("not a transcript")
    assert kept.ids("ann") == ("ZW0OOikcWN0", "talk7")
    assert join(kept.read("ann", "ZW0OOikcWN0").words) == "hello there"
    assert kept.read("ann", "talk7").video.id == "talk7"


def test_an_id_deep_in_a_file_is_found_too(tmp_path: Path) -> None:
    kept = files(tmp_path, odd={"title": "x" * 5000, **FLAT})
    assert kept.ids("ann") == ("ZW0OOikcWN0",)


def test_writing_replaces_the_file_that_holds_the_recording_under_another_name(tmp_path: Path) -> None:
    kept = files(tmp_path, yt__ZW0OOikcWN0=FLAT)
    kept.write("ann", talk("ZW0OOikcWN0", "hello again"))
    assert [path.name for path in (tmp_path / "ann").iterdir()] == ["yt-ZW0OOikcWN0.json"]
    assert join(kept.read("ann", "ZW0OOikcWN0").words) == "hello again"


def test_a_changed_file_is_looked_at_again(tmp_path: Path) -> None:
    kept = files(tmp_path, a=FLAT)
    assert kept.ids("ann") == ("ZW0OOikcWN0",)
    files(tmp_path, a=FLAT | {"video_id": "other"})
    assert kept.ids("ann") == ("other",)


def test_one_recording_in_two_files_is_refused_with_both_names(tmp_path: Path) -> None:
    kept = files(tmp_path, a=FLAT, b=FLAT)
    assert kept.ids("ann") == ("ZW0OOikcWN0",)
    with pytest.raises(TranscriptError, match=r"several files \(a.json, b.json\)"):
        kept.read("ann", "ZW0OOikcWN0")


def test_a_broken_file_stands_under_its_name_and_says_what_is_wrong(tmp_path: Path) -> None:
    kept = files(tmp_path, good=FLAT)
    (tmp_path / "ann" / "broken one.json").write_text('{"video_id": \n "x", "segments": [')
    (tmp_path / "ann" / "not even.json").write_text("{")
    assert kept.ids("ann") == ("ZW0OOikcWN0", "not-even", "x")
    with pytest.raises(TranscriptError, match=r"broken one.json: line 2 is broken JSON"):
        kept.read("ann", "x")
    with pytest.raises(TranscriptError, match=r"not even.json: line 1 is broken JSON"):
        kept.read("ann", "not-even")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff\xfe", "line 1 is not UTF-8"),
        (b'[{"start": 0, "text": "a\\ud83d"}]', "half a character"),
        (b'[{"start": NaN, "text": "a"}]', "NaN is no number"),
        (b"[" * 100_000, "no JSON"),
        (b'[{"start": 0, "text": "a"}, {"start": 1, "end": 0, "text": "b"}]', "segment 2: ends at 0"),
        (b'{"format": 9}', "format 9 is not known"),
    ],
)
def test_what_cannot_be_read_is_refused_with_file_place_and_reason(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(content)
    with pytest.raises(TranscriptError, match=rf"^t\.json: .*{reason}"):
        read_file(path)


def test_a_file_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    with path.open("wb") as file:
        file.truncate(65 * 2**20)
    with pytest.raises(TranscriptError, match=r"t\.json: is larger than 64 MB"):
        read_file(path)


def test_nobody_and_nothing(tmp_path: Path) -> None:
    kept = files(tmp_path)
    assert kept.ids("nobody") == ()
    with pytest.raises(UnknownVideo, match="ann has no transcript 'x'"):
        kept.read("ann", "x")
    for slug in ("../ann", "a/b", "", "."):
        with pytest.raises(UnknownPerson):
            kept.ids(slug)


def test_an_id_that_leads_out_of_the_folder_is_not_written(tmp_path: Path) -> None:
    kept = files(tmp_path)
    with pytest.raises(TranscriptError, match="no video id"):
        kept.write("ann", talk("../x", "hello"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    kept = files(tmp_path)
    (tmp_path / "ann").chmod(0o500)
    with pytest.raises(TranscriptError, match=r"t1\.json cannot be written"):
        kept.write("ann", rich())


def test_a_full_disk_leaves_the_old_transcript_whole(tmp_path: Path) -> None:
    """The limit on file size stands in for the disk: the same error, without a disk to fill."""
    kept = files(tmp_path)
    kept.write("ann", rich())
    pid = os.fork()
    if pid == 0:
        import resource
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        try:
            kept.write("ann", talk("t1", "word " * 2000))
        except DiskFull:
            os._exit(0)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert kept.read("ann", "t1") == rich()
    assert [path.name for path in (tmp_path / "ann").iterdir()] == ["t1.json"]


def edits(tmp_path: Path, text: str) -> TranscriptFiles:
    kept = files(tmp_path)
    kept.write("ann", talk("t1", "we use cubes os here", "and so on"))
    (tmp_path / "ann" / "t1.edits.yaml").write_text(text, encoding="utf-8")
    return kept


def test_edits_are_laid_over_the_transcript_and_never_into_its_file(tmp_path: Path) -> None:
    kept = edits(
        tmp_path,
        "words:\n  - {at: 0.8, was: cubes os, now: Qubes OS}\nnot_this_person: [{start: 0, end: 41.5}]\n",
    )
    edited = kept.edited("ann", "t1")
    assert join(edited.transcript.words).startswith("we use Qubes OS here")
    assert edited.not_this_person == (Stretch(0.0, 41.5),)
    assert join(kept.read("ann", "t1").words).startswith("we use cubes os here")


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "words: []\n"])
def test_no_edits_change_nothing(tmp_path: Path, text: str) -> None:
    kept = edits(tmp_path, text)
    assert kept.edited("ann", "t1").transcript == kept.read("ann", "t1")
    (tmp_path / "ann" / "t1.edits.yaml").unlink()
    assert kept.edited("ann", "t1").transcript == kept.read("ann", "t1")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("words:\n  - {at: 0.8, was: keyboards, now: x}", "line 2: 'keyboards' is not said within 2 seconds"),
        ("words:\n  - at: x\n    was: a\n    now: b", "line 2: `at` must be a number of seconds"),
        ("words:\n  - {at: 1, was: cubes}", "line 2: `now` is missing"),
        ("words:\n  - {at: 1, was: cubes, now: ''}", "line 2: `now` must be a text"),
        ("words:\n  - {at: 1, was: '--', now: a}", "line 2: `was` must hold a word"),
        ("words: {at: 1}", "line 1: `words` must be a list"),
        ("wrods: []", "line 1: unknown key 'wrods'; known are words, not_this_person"),
        ("words: []\nwords: []", "line 2: `words` stands here twice"),
        ("not_this_person:\n  - {start: 5, end: 2}", r"line 2: `end` \(2\) must lie after `start` \(5\)"),
        ("not_this_person:\n  - 7", "line 2: must be a mapping with start, end"),
        ("- a", "line 1: must be a mapping"),
        ("words: [", "line 1: not YAML|line 2: not YAML"),
        ("a: &x [1]\nb: *x", "line 2: not YAML: aliases"),
        ("words: [{at: .inf, was: a, now: b}]", "line 1: `at` must be a number"),
    ],
)
def test_bad_edits_are_refused_with_line_and_reason(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(TranscriptError, match=rf"^t1\.edits\.yaml: ({reason})"):
        edits(tmp_path, text).edited("ann", "t1")
