"""`qandai ask` and `qandai passage` over a real, small index."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from qandai import compose
from qandai.cli.asking import command as ask
from qandai.cli.passages import command as passage
from qandai.errors import UnknownPerson, UnknownVideo, UsageError
from qandai.settings import Settings
from qandai.web.schemas import AskResponse
from tests.build import talk
from tests.provider import Provider, fails

pytestmark = pytest.mark.model

BOATS = (
    "We lived by the sea until I was twelve.",
    "My father sold his fishing boat because the engine had died for the third time.",
    "After that the harbour felt empty to all of us.",
    "Let me turn to the kitchen of my aunt.",
    "She baked bread with a sour starter that was older than she was.",
)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, lend: Callable[[Path], None]) -> Settings:
    home = tmp_path_factory.mktemp("home")
    lend(home)
    (home / "people").mkdir()
    (home / "people" / "ann.yaml").write_text("name: Ann Berg\nspeaker: solo\n", encoding="utf-8")
    made = Settings.read({}, home=home)
    compose.transcripts(made).write("ann", talk("boats", *BOATS, title="Boats and bread"))
    compose.indexer(made).index("ann")
    return made


def run(settings: Settings, *words: str) -> Result:
    return CliRunner().invoke(ask, list(words), obj=settings, catch_exceptions=True)


def test_an_answer_names_quote_person_title_and_second(settings: Settings) -> None:
    done = run(settings, "ann", "Why did your father sell his boat?")
    assert done.exit_code == 0
    shown = " ".join(done.stdout.split())
    assert "“My father sold his fishing boat" in shown
    assert "Ann Berg · Boats and bread · 2026-03-03" in shown
    assert "0:03" in shown


def test_json_is_what_the_api_answers(settings: Settings) -> None:
    done = run(settings, "ann", "Why did your father sell his boat?", "--json", "--top-k", "2")
    answer = AskResponse.model_validate_json(done.stdout)
    assert answer.answered
    assert answer.clip is not None
    assert answer.clip.quote.startswith("My father sold his fishing boat")
    assert answer.clip.start == pytest.approx(4.1 - 0.3, abs=0.05)
    assert len(answer.sources) <= 2


def test_never_said_is_an_answer_too(settings: Settings) -> None:
    done = run(settings, "ann", "Which planets have rings of ice around them?")
    assert done.exit_code == 0
    assert "This isn't covered in the recordings." in done.stdout
    assert json.loads(run(settings, "ann", "Which planets have rings?", "--json").stdout)["refused"] is True


def test_sources_are_ranked_passages_with_ids_to_replay(settings: Settings) -> None:
    done = run(settings, "ann", "bread", "--mode", "sources", "--json")
    sources = json.loads(done.stdout)["sources"]
    shown = CliRunner().invoke(passage, [sources[0]["passage_id"], "--json"], obj=settings)
    assert json.loads(shown.stdout)[0]["text"] == sources[0]["text"]


def test_why_a_model_failed_is_told_apart_from_the_answer(settings: Settings) -> None:
    with Provider(fails(401, "Invalid API Key")) as provider:
        served = replace(settings, llm="groq", groq_api_key="not-a-real-key", groq_base_url=provider.base_url)
        words = ("ann", "Why did your father sell his boat?", "--mode", "clip", "--json")
        done = run(served, *words)
    assert json.loads(done.stdout)["degraded"].startswith("The language model cannot be asked")
    assert "Invalid API Key" not in done.stdout
    assert "answered 401: Invalid API Key" in done.stderr
    assert done.stderr.count("\n") == 1
    assert run(settings, *words).stderr == ""


def test_an_unknown_person_and_an_empty_question_are_refused(settings: Settings) -> None:
    assert isinstance(run(settings, "bob", "why?").exception, UnknownPerson)
    assert isinstance(run(settings, "ann", "?!").exception, UsageError)


def test_a_passage_is_shown_with_its_neighbours(settings: Settings) -> None:
    done = CliRunner().invoke(passage, ["boats:9-23"], obj=settings)
    assert done.exit_code == 0
    assert "My father sold his fishing boat" in " ".join(done.stdout.split())
    shown = json.loads(CliRunner().invoke(passage, ["boats:9-23", "--json"], obj=settings).stdout)[0]
    assert shown["text"] == BOATS[1]
    assert (shown["person"], shown["video_id"]) == ("ann", "boats")
    assert shown["start"] < shown["end"]


@pytest.mark.parametrize("given", ["boats", "boats:5", "boats:9-2", "../x:1-2"])
def test_what_is_no_id_is_bad_usage(settings: Settings, given: str) -> None:
    assert isinstance(CliRunner().invoke(passage, [given], obj=settings).exception, UsageError)


@pytest.mark.parametrize("given", ["nowhere:1-2", "boats:9-9999"])
def test_a_passage_that_is_not_there_is_named(settings: Settings, given: str) -> None:
    failed = CliRunner().invoke(passage, [given], obj=settings).exception
    assert isinstance(failed, UnknownVideo)
    assert given in str(failed)
