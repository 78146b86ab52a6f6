"""The content tells the format; what is none is refused with the reason."""

from __future__ import annotations

import pytest

from qandai.errors import TranscriptError
from qandai.ingest.captions import parse
from tests.unit.ingest.captions.files import text, vtt

SRT = "1\n00:00:01,000 --> 00:00:02,000\nΓεια σου\n"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b" \n\t", "empty"),
        (b"just some words", "format is not known"),
        (b"{}", "format is not known"),
        (b'{"results": {}}', "format is not known"),
        (b"[1, 2]", "format is not known"),
        (b'{"segments": [\n{"start": 1,\n', "line 3 is broken JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"segments": ' + b"9" * 5000 + b"}", "number is too long"),
        (b"<!DOCTYPE html><html>unusual traffic</html>", "web page"),
        (b"<?xml version='1.0'?><timedtext/>", "XML"),
        (b'{"replayChatItemAction": {"actions": []}}\n{"replayChatItemAction": {}}', "live chat"),
        (b"1\n00:00:01,000 --> 00:00:02,000\ncaf\xe9\n", "line 3 is not UTF-8"),
        (b"x" * (64 * 2**20 + 1), "at most 64"),
    ],
)
def test_what_is_no_caption_file_is_refused_with_the_reason(content: bytes, reason: str) -> None:
    with pytest.raises(TranscriptError, match=reason):
        parse(content)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_srt_is_read_in_the_encodings_that_say_what_they_are(encoding: str) -> None:
    assert text(SRT.encode(encoding)) == "Γεια σου"


def test_text_that_begins_with_a_bracket_is_not_taken_for_json() -> None:
    with pytest.raises(TranscriptError, match="format is not known"):
        parse(b"[Guest 1]: hello")


def test_escapes_and_invisible_characters_leave_no_trace() -> None:
    content = vtt(("0 1", "Tom &amp;amp; Jerry&#39;s\u200b so\u00adft\u200e"), ("1 2", "می\u200cخواهم a < b and c > d"))
    assert text(content) == "Tom & Jerry's soft می\u200cخواهم a < b and c > d"


def test_half_characters_and_control_characters_are_dropped() -> None:
    assert text(b'[{"start": 0, "text": "a\\ud83d b\\u0007c \\ud83d\\ude97"}]') == "a bc 🚗"
