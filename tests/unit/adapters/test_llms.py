"""Which models each step gets, and what is said where one cannot be had."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from qandai.adapters.llms import GROQ, OPENAI, STEPS, check, kind_of, models, names_of
from qandai.compose_models import helped
from qandai.errors import UsageError
from qandai.settings import Settings

OLLAMA = "http://127.0.0.1:11434/v1"


def test_a_key_for_groq_is_enough() -> None:
    assert kind_of(Settings()) == "none"
    assert kind_of(Settings(groq_api_key="k")) == "groq"
    assert kind_of(Settings(groq_api_key="k", llm="none")) == "none"
    assert models(Settings()).steps == {}


def test_an_echo_does_every_step() -> None:
    assert {step: [llm.model for llm in llms] for step, llms in models(Settings(llm="echo")).steps.items()} == {
        step: ["echo"] for step in STEPS
    }


def test_steps_share_a_model_that_they_have_in_common() -> None:
    with closing(models(Settings(groq_api_key="k"))) as made:
        assert {step: tuple(llm.model for llm in llms) for step, llms in made.steps.items()} == GROQ
        assert made.steps["expand"][0] is made.steps["classify"][0]
        assert made.steps["select"][1] is made.steps["synthesise"][0]


def test_a_list_names_the_order_of_fallbacks() -> None:
    settings = Settings(groq_api_key="k", model_select=" a, b ,,a ", model_expand=" , ")
    assert names_of(settings)["select"] == ("a", "b")
    assert names_of(settings)["expand"] == GROQ["expand"]
    assert names_of(Settings(llm="openai", openai_api_key="k")) == OPENAI


def test_a_server_of_ones_own_does_all_steps_with_the_model_that_chooses() -> None:
    settings = Settings(llm="openai", openai_base_url=OLLAMA, model_select="llama3.2", model_expand="tiny")
    with closing(models(settings)) as made:
        assert [llm.provider for llm in made.steps["select"]] == ["The model server"]
    assert names_of(settings) == {
        "expand": ("tiny",),
        "select": ("llama3.2",),
        "synthesise": ("llama3.2",),
        "classify": ("llama3.2",),
    }


def test_the_local_model_only_chooses() -> None:
    with closing(models(Settings(llm="local", local_model=Path("other.gguf")))) as made:
        assert {step: [llm.model for llm in llms] for step, llms in made.steps.items()} == {"select": ["other"]}


def test_a_step_may_go_without_and_so_do_those_that_follow_its_model() -> None:
    assert names_of(Settings(groq_api_key="k", model_select="none"))["select"] == ()
    own = Settings(llm="openai", openai_base_url=OLLAMA, model_select="none", model_synthesise="writer")
    assert names_of(own) == {"expand": (), "select": (), "synthesise": ("writer",), "classify": ()}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (Settings(llm="groq"), ["GROQ_API_KEY", "console.groq.com"]),
        (Settings(llm="openai"), ["OPENAI_API_KEY", "platform.openai.com"]),
        (Settings(llm="openai", openai_base_url=OLLAMA), ["QANDAI_MODEL_SELECT", "ollama list"]),
        (Settings(groq_api_key="k", groq_base_url="groq.com"), ["QANDAI_GROQ_BASE_URL", "groq.com"]),
        (
            Settings(llm="openai", openai_base_url="http://127.0.0.1:99999/v1", model_select="a"),
            ["QANDAI_OPENAI_BASE_URL"],
        ),
    ],
)
def test_what_is_missing_is_listed_with_where_to_get_it(settings: Settings, words: list[str]) -> None:
    for refuses in (check, models):
        with pytest.raises(UsageError) as caught:
            refuses(settings)
        assert all(word in str(caught.value) for word in words)


def test_whoever_names_no_model_loads_none() -> None:
    program = (
        "import sys\n"
        "from qandai.adapters.llms import models\n"
        "from qandai.settings import Settings\n"
        "models(Settings())\n"
        "models(Settings(llm='echo'))\n"
        "sys.exit(bool({'openai', 'httpx2', 'xllamacpp', 'asyncio'} & set(sys.modules)))\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    ("given", "elsewhere"),
    [
        ({"llm": "none"}, False),
        ({"llm": "local"}, False),
        ({"llm": "groq"}, True),
        ({"llm": "openai"}, True),
        ({"llm": "openai", "openai_base_url": "http://127.0.0.1:11434/v1"}, False),
        ({"llm": "openai", "openai_base_url": "http://models.example.org/v1"}, True),
    ],
)
def test_only_models_elsewhere_cost_this_machine_nothing(given: dict[str, str], elsewhere: bool) -> None:
    assert helped(Settings.read({}, **given)) is elsewhere
