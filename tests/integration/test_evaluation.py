"""The evaluation over the demo's own talks: what visitors of the demo get must not grow worse unnoticed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from eval import end_to_end, played, ranked, report, retrieval
from eval.data import load
from eval.forecast import forecast
from eval.options import Cell, cells
from eval.questions import Asked, read_questions
from eval.subject import Bench, Subject, prepare
from qandai.errors import UsageError
from tests.needs import ROOT

pytestmark = pytest.mark.model

TALKS = ROOT / "transcripts" / "guide"
QUESTIONS = ROOT / "eval" / "questions" / "guide.jsonl"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, lend: Callable[[Path], None]) -> Path:
    folder = tmp_path_factory.mktemp("home")
    lend(folder)
    return folder


@pytest.fixture(scope="module")
def subject(home: Path) -> Subject:
    return prepare(Bench(home), load(TALKS, QUESTIONS), Cell())


def test_only_what_is_not_embedded_yet_is_forecast(subject: Subject, home: Path) -> None:
    bench, data = Bench(home), load(TALKS, QUESTIONS)
    longer = cells(["passage_chars=900"])[0]
    assert forecast(bench, data, [Cell()]) == 0
    assert forecast(bench, data, [Cell(), longer]) > 0


def test_each_question_of_the_guide_can_be_answered_or_says_that_it_cannot() -> None:
    data = load(TALKS, QUESTIONS)
    said = " ".join(transcript.row.whole().text for transcript in data.transcripts)
    assert [asked.id for asked in data.questions if asked.answerable and not asked.worded_in(said)] == []


def test_the_guide_is_found(subject: Subject) -> None:
    figures = ranked.run(subject).metrics
    assert figures["hit@1"] >= 0.6
    assert figures["hit@5"] >= 0.85


def test_the_guide_answers_from_the_right_second(subject: Subject) -> None:
    figures = played.run(subject).metrics
    assert figures["right_play"] >= 0.55
    assert figures["refused"] <= 0.1


def test_a_run_twice_gives_the_same_figures(subject: Subject) -> None:
    one, other = played.run(subject, seed=3), played.run(subject, seed=3)
    assert {name: value for name, value in one.metrics.items() if "ms_" not in name} == {
        name: value for name, value in other.metrics.items() if "ms_" not in name
    }
    assert one.intervals == other.intervals


def test_a_sweep_goes_on_where_it_stopped_and_is_reported(
    home: Path, subject: Subject, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--transcripts", str(TALKS), "--questions", str(QUESTIONS), "--home", str(home)]
    given += ["--set", "fusion=linear,votes,vectors", "--json", str(tmp_path / "runs")]
    retrieval.main(given)
    first = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "runs").glob("*.json")}
    assert len(first) == 3
    spoiled = next((tmp_path / "runs").glob("*.json"))
    spoiled.write_text(spoiled.read_text()[:200])
    capsys.readouterr()
    retrieval.main(given)
    again = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "runs").glob("*.json")}
    assert [name for name in first if first[name] != again[name]] == [spoiled.name]
    end_to_end.main([*given[:6], "--limit", "5", "--json", str(tmp_path / "runs" / "played.json")])
    report.write(report.read_all([tmp_path / "runs"]), tmp_path / "out", title="Guide", markdown=True)
    page = (tmp_path / "out" / "index.html").read_text()
    assert "fusion=votes" in page
    assert 'src="data:image/png;base64,' in page
    assert "paired randomisation" in (tmp_path / "out" / "report.md").read_text()
    assert (tmp_path / "out" / "failures.png").read_bytes()[:4] == b"\x89PNG"


def test_a_run_says_what_was_measured_with_what(home: Path, tmp_path: Path) -> None:
    given = ["--transcripts", str(TALKS), "--questions", str(QUESTIONS), "--home", str(home), "--limit", "3"]
    retrieval.main([*given, "--json", str(tmp_path / "run.json")])
    run = json.loads((tmp_path / "run.json").read_text())
    assert {"code", "settings", "seed", "data", "metrics", "rows"} <= run.keys()
    assert set(run["data"]["hashes"]) == {"transcripts", "questions"}
    assert "ranker_trained_on" in run["settings"]
    assert len(run["rows"]) == 3


def test_a_recording_in_two_languages_asks_for_one(tmp_path: Path) -> None:
    for language in ("en", "fr"):
        document = {"video_id": "talk", "title": "A talk", "language": language}
        document |= {"segments": [{"start": 0, "end": 2, "text": "a few words"}]}
        (tmp_path / f"talk.{language}.json").write_text(json.dumps(document))
    with pytest.raises(UsageError, match="--language"):
        load(tmp_path, QUESTIONS)
    assert len(load(tmp_path, QUESTIONS, language="fr").transcripts) == 1


def test_near_misses_and_absurd_questions_have_no_answer() -> None:
    for name, count in (("datatalksclub-near-misses", 40), ("absurd", 30)):
        asked = read_questions(ROOT / "eval" / "questions" / f"{name}.jsonl")
        assert len(asked) == count
        assert not any(one.answerable for one in asked)


def test_presets_are_cells() -> None:
    assert cells(["preset=seed"])[0].label == "preset=seed"


def asked(folder: Path, **fields: object) -> Asked:
    path = folder / "asked.jsonl"
    path.write_text(json.dumps({"question": "why?", "video_id": "v", "start": 10.0, **fields}))
    return read_questions(path)[0]


@pytest.mark.parametrize("noted", [None, 4.0, 10.0])
def test_an_answer_that_nobody_noted_or_before_its_question_begins_with_it(tmp_path: Path, noted: float | None) -> None:
    moment = asked(tmp_path, answer_start=noted).moments[0]
    assert (moment.answer, moment.end) == (10.0, 70.0)


def test_a_time_that_is_none_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"asked\.jsonl:1: .*'soon' is not a number of seconds"):
        asked(tmp_path, answer_start="soon")
