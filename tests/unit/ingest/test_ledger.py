"""The ledger: one state a recording, waits that grow, and filters that can be judged again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from qandai.ingest.filters import asks_for_shorts, is_filtered, unwanted
from qandai.ingest.ledger import Ledger, backoff, longer
from qandai.ingest.report import Report
from qandai.ingest.searchable import left_out
from qandai.ingest.services import Services
from qandai.model import Source
from qandai.origins import Entry, Wait
from tests.fakes import MemoryLedgers, MemoryWaits

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def ledger(ledgers: MemoryLedgers) -> Ledger:
    return Ledger("ann", ledgers, now=lambda: NOW)


def test_every_change_is_written_before_the_call_returns_and_no_change_writes_nothing() -> None:
    ledgers = MemoryLedgers()
    kept = ledger(ledgers)
    kept.add([Entry("a", "found", "youtube", title="A")])
    assert ledgers.kept["ann"]["a"].state == "found"
    kept.mark(["a"], "transcribed", note="en")
    kept.add([Entry("a", "found", "youtube", title="A, renamed")])
    entry = ledgers.kept["ann"]["a"]
    assert (entry.state, entry.note, entry.title) == ("transcribed", "en", "A, renamed")
    writes = ledgers.writes
    kept.add([Entry("a", "found", "youtube", title="A, renamed")])
    kept.mark(["a"], "transcribed")
    assert ledgers.writes == writes


def test_waits_double_with_every_failure_in_a_row_across_runs() -> None:
    ledgers = MemoryLedgers()
    ledger(ledgers).add([Entry("a", "found", "youtube")])
    for hours in (1, 2, 4):
        again = ledger(ledgers)
        again.postpone("a", "withheld")
        entry = again.entries["a"]
        assert entry.next_try == NOW + timedelta(hours=hours)
        assert not again.is_due(entry)
    assert backoff(50) == timedelta(days=7)
    kept = ledger(ledgers)
    kept.mark(["a"], "transcribed")
    assert kept.entries["a"].tries == 0


def test_a_service_that_refuses_again_is_given_longer_and_a_named_time_is_believed() -> None:
    first = longer(None, NOW, None)
    assert first == Wait(NOW + timedelta(minutes=15), 1)
    assert longer(first, NOW, None) == Wait(NOW + timedelta(minutes=30), 2)
    assert longer(Wait(NOW, 40), NOW, None).until == NOW + timedelta(hours=6)
    assert longer(first, NOW, 7200).until == NOW + timedelta(hours=2)


def test_three_failures_in_a_row_close_a_service_and_an_answer_starts_anew() -> None:
    services = Services(MemoryWaits(), now=lambda: NOW)
    for _ in range(2):
        services.failed("youtube", "came empty")
    services.answered("youtube")
    for _ in range(2):
        services.failed("youtube", "came empty")
    assert services.is_open("youtube")
    services.failed("youtube", "came empty")
    assert not services.is_open("youtube")
    assert services.is_open("feed")
    assert services.go_on() == NOW + timedelta(minutes=15)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (Source("youtube", ("x",), include=("podcast",)), "not included"),
        (Source("youtube", ("x",), include=("ΟΔΌΣ", "talk")), None),
        (Source("youtube", ("x",), exclude=("Trailer", "a talk")), "excluded: a talk"),
        (Source("youtube", ("x",), min_minutes=20), "shorter than 20 minutes"),
        (Source("youtube", ("x",), max_minutes=5), "longer than 5 minutes"),
        (Source("youtube", ("x",), after="2025-01-01"), "before 2025-01-01"),
        (Source("youtube", ("x",), before="2023-12-31"), "after 2023-12-31"),
        (Source("youtube", ("x",), after="2024-05-01", before="2024-05-01"), None),
    ],
)
def test_filters_say_why_and_their_words_are_known_again(source: Source, reason: str | None) -> None:
    assert unwanted(source, title="A Talk", duration=600.0, published="2024-05-01") == reason
    assert reason is None or is_filtered(reason)


def test_what_is_unknown_passes_until_it_is_known() -> None:
    source = Source("youtube", ("x",), min_minutes=20, after="2025-01-01")
    assert unwanted(source, title="A talk", duration=None, published=None) is None


def test_shorts_are_asked_for_by_their_tab_by_id_or_by_a_tiny_least_length() -> None:
    assert asks_for_shorts(Source("youtube", ("https://www.youtube.com/@ann/shorts",)))
    assert asks_for_shorts(Source("youtube_ids", ("dQw4w9WgXcQ",)))
    assert asks_for_shorts(Source("youtube", ("x",), min_minutes=0.5))
    assert not asks_for_shorts(Source("youtube", ("https://www.youtube.com/@ann/videos",)))


@pytest.mark.parametrize("reason", ["private", "no speech", "forgotten", "the same as x (X)", "age-restricted"])
def test_reasons_that_no_person_file_can_change_are_none_of_the_filters(reason: str) -> None:
    assert not is_filtered(reason)


def test_the_index_sees_neither_the_dead_nor_copies() -> None:
    entries = {
        "a": Entry("a", "indexed", "youtube"),
        "b": Entry("b", "dead", "youtube", reason="removed"),
        "c": Entry("c", "skipped", "youtube", reason="the same as a (A)"),
        "d": Entry("d", "pending", "youtube", reason="10 minutes are not transcribed yet"),
    }
    assert set(left_out(entries)) == {"b", "c"}
    counts = Report("ann", entries).counts
    assert next(iter(counts)) == ("indexed", "")
    assert counts["skipped", "the same as another"] == 1
