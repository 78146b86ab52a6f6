from __future__ import annotations

from pathlib import Path

import pytest

from eval.assisted import Assistance, ask, by_provider, family, lost_to_provider, named
from eval.judge import panel
from qandai.answer import Making
from qandai.chain import Task
from qandai.chat import Prompt, Trouble
from qandai.errors import AccessRefused, ProviderError, UsageError
from qandai.settings import Settings
from tests.fakes import ScriptedLlm

SPENT = Trouble("select", "qwen", "spent", "wait", 5.0, "429")
UNUSABLE = Trouble("select", "qwen", "unusable", "switch", said="it quoted what was never said")


def test_what_a_provider_fails_is_told_from_what_a_model_does() -> None:
    assert lost_to_provider(Making(troubles=(SPENT,), lacking=("clip",)))
    assert not lost_to_provider(Making(troubles=(UNUSABLE,), lacking=("clip",)))
    assert not lost_to_provider(Making(troubles=(SPENT,)))  # the next model chose


def test_a_refused_key_ends_the_evaluation() -> None:
    with pytest.raises(AccessRefused, match="the key"):
        lost_to_provider(Making(troubles=(Trouble("select", "qwen", "key", "stop", said="the key"),)))
    with pytest.raises(AccessRefused):
        ask(ScriptedLlm(AccessRefused("the key")), Task(Prompt("", "", 1), str))


def test_one_task_tells_why_nothing_came_of_it() -> None:
    task = Task(Prompt("", "", 1), str)
    assert ask(ScriptedLlm("yes"), task).value == "yes"
    assert by_provider(ask(ScriptedLlm(ProviderError("503")), task))
    assert not by_provider(ask(ScriptedLlm("yes"), task))


def test_a_model_is_not_left_alone_after_it_failed() -> None:
    llm = ScriptedLlm(ProviderError("503"), "yes")
    task = Task(Prompt("", "", 1), str)
    assert [ask(llm, task).value for _ in range(2)] == [None, "yes"]


@pytest.mark.parametrize(
    ("model", "of"),
    [
        ("openai/gpt-oss-120b", "gpt"),
        ("gpt-5.4-mini", "gpt"),
        ("qwen/qwen3.8-27b", "qwen"),
        ("SmolLM2-135M-Instruct", "smollm"),
        ("meta-llama/llama-4-scout", "llama"),
        ("7b", "7b"),
    ],
)
def test_models_of_a_family_are_known_by_their_names(model: str, of: str) -> None:
    assert family(model) == of


def settings(home: Path, **more: object) -> Settings:
    given = {"QANDAI_LLM": "openai", "QANDAI_OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    given |= {f"QANDAI_MODEL_{step.upper()}": str(names) for step, names in more.items()}
    return Settings.read(given, home=home)


def test_the_second_judge_is_the_first_of_another_family(tmp_path: Path) -> None:
    with Assistance(settings(tmp_path, select="qwen3-32b,qwen3-8b", synthesise="gpt-oss-120b")) as assistance:
        assert [judge.model for judge in panel([assistance])] == ["qwen3-32b", "gpt-oss-120b"]


def test_judges_of_one_family_are_refused(tmp_path: Path) -> None:
    with Assistance(settings(tmp_path, select="qwen3-32b,qwen3-8b")) as assistance:
        with pytest.raises(UsageError, match="only one judge"):
            panel([assistance])
        assert [judge.model for judge in panel([assistance], related=True)] == ["qwen3-32b", "qwen3-8b"]
        of = [Assistance(named(settings(tmp_path, select="x"), name)) for name in ("qwen3-32b", "qwen3-8b")]
        with pytest.raises(UsageError, match="one family"):
            panel(of)
        assert len(panel(of, related=True)) == 2
        for each in of:
            each.__exit__(None, None, None)


def test_without_a_model_there_is_nothing_to_evaluate(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="QANDAI_LLM"):
        Assistance(Settings.read({"QANDAI_LLM": "none"}, home=tmp_path))
