"""The evaluation of language models, against a provider on a real socket: what is measured, counted apart, and kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from eval import end_to_end, generate, judge, retrieval
from eval import models as comparing
from eval.data import load, read_archive
from eval.options import Cell
from eval.patient import Patience
from eval.questions import read_questions
from eval.runs import read_run
from eval.subject import Bench, Subject, prepare
from qandai.settings import Settings
from tests.fakes import ScriptedLlm
from tests.needs import ROOT
from tests.provider import Provider, Reply, Request, fails, reply

pytestmark = pytest.mark.model

TALKS = ROOT / "transcripts" / "guide"
QUESTIONS = ROOT / "eval" / "questions" / "guide.jsonl"
ASKED = 6
SAID = {asked.text: " ".join(asked.contains[0]) for asked in read_questions(QUESTIONS)[:ASKED]}
EMBEDDING = "minilm"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, lend: Callable[[Path], None]) -> Path:
    folder = tmp_path_factory.mktemp("home")
    lend(folder)
    (folder / "people").symlink_to(ROOT / "people")
    (folder / "transcripts").symlink_to(ROOT / "transcripts")
    return folder


@pytest.fixture(scope="module")
def subject(home: Path) -> Subject:
    return prepare(Bench(home), load(TALKS, QUESTIONS, limit=ASKED), Cell(), embedding=EMBEDDING)


def knows(request: Request) -> Reply:
    """The words that answer, whichever question is asked."""
    return next((reply(f"1: {said}") for text, said in SAID.items() if text in request.user), reply("NOT_COVERED"))


def set_up(home: Path, provider: Provider, **models: str) -> Settings:
    given = {"QANDAI_LLM": "openai", "QANDAI_OPENAI_BASE_URL": provider.base_url, "QANDAI_MODEL_SELECT": "qwen3-32b"}
    given["QANDAI_FLOOR"] = "0"  # no question is refused before a model reads it
    given |= {f"QANDAI_MODEL_{step.upper()}": name for step, name in models.items()}
    (home / ".env").write_text("".join(f"{name}={value}\n" for name, value in given.items()))
    return Settings.read({}, home=home)


@pytest.fixture
def own(home: Path, tmp_path: Path) -> Path:
    """A home of this test: nothing that another model once replied is kept in it."""
    for name in ("people", "transcripts"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "store").mkdir()
    for name in ("models", "vectors"):
        if (home / "store" / name).exists():
            (tmp_path / "store" / name).symlink_to(home / "store" / name)
    return tmp_path


def grid(subject: Subject, settings: Settings, *models: str) -> dict[str, dict[str, object]]:
    measured = replace(subject, settings=settings)
    patience = Patience(tries=0, longest_wait=2)
    return {
        str(run.settings["label"]): dict(run.metrics)
        for run in comparing.grid(measured, models, ("quote",), patience=patience)
    }


def test_good_and_lying_models_are_told_apart_and_absent_ones_not_judged(subject: Subject, own: Path) -> None:
    def script(request: Request) -> Reply:
        if request.model == "absent":
            return fails(503)
        return (
            knows(request) if request.model == "knows" else reply("1: It was Napoleon who wrote all of the captions.")
        )

    with Provider(script) as provider:
        found = grid(subject, set_up(own, provider), "knows", "liar", "absent")
    assert found["knows · quote"]["right_play"] == 1
    assert found["knows · quote"]["tokens_in"] == 100
    alone, liar = found["none"], found["liar · quote"]
    assert (liar["unverified"], liar["right_play"]) == (1, alone["right_play"])
    assert found["absent · quote"]["provider_errors"] == ASKED
    assert found["absent · quote"]["unusable"] == 0


def test_each_combination_may_be_judged(subject: Subject, own: Path) -> None:
    judges = [ScriptedLlm(f'{{"score": {score}}}', model=name) for name, score in (("a", 3), ("b", 4))]
    with Provider(knows) as provider:
        measured = replace(subject, settings=set_up(own, provider))
        alone, helped = comparing.grid(measured, ["knows"], ["quote"], judges, patience=Patience(tries=0))
    assert alone.number("directness") == helped.number("directness") == 3.5
    assert helped.number("agree_within_1") == 1
    assert [row["directness"] for row in helped.rows] == [3.5] * ASKED


def test_a_retry_after_is_obeyed_and_what_was_replied_is_not_asked_again(subject: Subject, own: Path) -> None:
    replies = [fails(429, headers={"Retry-After": "1"}), *[reply("NOT_COVERED")] * 20]
    with Provider(replies) as provider:
        settings = set_up(own, provider)
        first = grid(subject, settings, "busy")
        count = len(provider.requests)
        again = grid(subject, settings, "busy")
        assert len(provider.requests) == count
    assert first["busy · quote"]["provider_errors"] == 0
    assert first["busy · quote"]["refused"] == 1
    assert {name: value for name, value in first["busy · quote"].items() if "ms_" not in name} == {
        name: value for name, value in again["busy · quote"].items() if "ms_" not in name
    }
    assert again["busy · quote"]["model_ms_p50"] == first["busy · quote"]["model_ms_p50"]


def test_two_judges_score_what_a_page_suggests(own: Path, tmp_path: Path) -> None:
    def script(request: Request) -> Reply:
        if request.model == "gpt-oss-120b" and "names get lost" in request.user:
            return reply("Splendid!")
        return reply(json.dumps({"reason": "…", "score": 5 if request.model == "qwen3-32b" else 4}))

    with Provider(script) as provider:
        set_up(own, provider, synthesise="gpt-oss-120b")
        judge.main(
            ["--person", "guide", "--home", str(own), "--embedding", EMBEDDING, "--json", str(tmp_path / "run.json")]
        )
    run = read_run(tmp_path / "run.json")
    assert run.settings["judges"] == ["qwen3-32b", "gpt-oss-120b"]
    assert run.number("unusable") == 1
    assert run.number("directness") == 4.5
    assert (run.number("agree"), run.number("agree_within_1")) == (0, 1)
    assert run.number("judged") == len(run.rows) - 1


def test_questions_are_made_with_the_second_that_answers_them(own: Path, tmp_path: Path) -> None:
    def script(request: Request) -> Reply:
        if '{"answered": true}' in request.system:
            return reply('{"answered": false}')
        said = request.user.split("\n")[1].split()
        told = {"question": f"Wherefore {len(provider.requests)}?", "answer": " ".join(said[4:16])}
        return reply(json.dumps(told))

    out = tmp_path / "made.jsonl"
    given = ["--transcripts", str(TALKS), "--home", str(own), "--out", str(out), "--embedding", EMBEDDING]
    with Provider(script) as provider:
        set_up(own, provider)
        generate.main([*given, "--count", "3", "--near-misses", "1"])
        asked = len(provider.requests)
        generate.main([*given, "--count", "3", "--near-misses", "1"])
        assert len(provider.requests) == asked
    made = read_questions(out)
    assert [one.answerable for one in made] == [True, True, True, False]
    videos = {transcript.video.id for transcript in read_archive(TALKS).transcripts}
    assert {moment.video_id for one in made for moment in one.moments} <= videos
    assert all(moment.start < moment.answer < moment.end for one in made for moment in one.moments)


def test_a_text_is_measured_beside_its_clip(own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def script(request: Request) -> Reply:
        if "Choose the excerpt" in request.system:
            return knows(request)
        cited = request.user.split("]")[0].rpartition("[")[2]
        sentence = request.user.split("\n")[2].split(". ")[0]
        return reply(f"{sentence} [{cited}]." if request.form is None else "nothing")

    given = ["--transcripts", str(TALKS), "--questions", str(QUESTIONS), "--limit", str(ASKED), "--home", str(own)]
    given += ["--embedding", EMBEDDING, "--mode", "synthesis"]
    with Provider(script) as provider:
        set_up(own, provider)
        end_to_end.main([*given, "--llm", "--json", str(tmp_path / "helped.json")])
        helped = len(provider.requests)
        end_to_end.main([*given, "--json", str(tmp_path / "alone.json")])
        assert len(provider.requests) == helped
    helped_run, alone = read_run(tmp_path / "helped.json"), read_run(tmp_path / "alone.json")
    assert helped_run.number("right_play") == 1
    assert (alone.number("text_missing"), alone.number("sentences")) == (1, None)
    assert (helped_run.number("text_missing"), helped_run.number("supported")) == (0, 1)
    assert (helped_run.number("holds_answer") or 0) > 0
    assert "tokens_in" in capsys.readouterr().out


def test_imagined_answers_are_made_once_and_weighed(own: Path, tmp_path: Path) -> None:
    given = ["--transcripts", str(TALKS), "--questions", str(QUESTIONS), "--limit", str(ASKED), "--home", str(own)]
    given += ["--embedding", EMBEDDING, "--rewrites", str(tmp_path / "imagined.jsonl")]

    def imagine(request: Request) -> Reply:
        return next(reply(said) for text, said in SAID.items() if text in request.user)

    with Provider(imagine) as provider:
        set_up(own, provider)
        retrieval.main([*given, "--llm", "--set", "w_original=0.1,3", "--json", str(tmp_path / "runs")])
        assert len(provider.requests) == ASKED
    retrieval.main([*given, "--json", str(tmp_path / "again.json")])
    by_label = {str(run.settings["label"]): run for run in map(read_run, (tmp_path / "runs").glob("*.json"))}
    assert by_label["w_original=0.1"].number("hit@1") == 1  # the words of the answer itself were imagined
    assert by_label["w_original=3"].number("hit@1") == read_run(tmp_path / "again.json").number("hit@1")
    assert read_run(tmp_path / "again.json").number("rewritten") == 1
