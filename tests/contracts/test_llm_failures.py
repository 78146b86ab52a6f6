"""Every way in which services fail: statuses, bodies, thoughts and cuts, read by the real SDK over real sockets."""

from __future__ import annotations

import gzip
import json
import time
import traceback
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from email.utils import formatdate

import pytest

from qandai.adapters.background import Background
from qandai.adapters.chat_api import ChatApi, ChatService
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
from tests.asked import KEY, OTHER, PLAIN, Make, both, kinds, maker
from tests.provider import Provider, Reply, Wire, cut, fails, hang, malformed, reply, sse

Narrow = type[ProviderError]


@pytest.fixture
def background() -> Iterator[Background]:
    with closing(Background()) as background:
        yield background


@pytest.fixture
def api(background: Background) -> Make:
    return maker(background)


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
    (fails(429, "You exceeded your current quota", code="insufficient_quota"), AccessRefused, "credit"),
    (fails(402, "Payment required"), AccessRefused, "credit"),
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


@pytest.mark.parametrize("status", [200, 429])
def test_a_body_that_comes_packed_is_not_unpacked(api: Make, status: int) -> None:
    sent = Wire(status, {"Content-Encoding": "gzip"}, (gzip.compress(b"x" * 30_000_000),))
    with Provider(Reply(lambda _: sent)) as provider:
        asked = api(provider)
        tracemalloc.start()
        try:
            told = kinds(asked)
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert most < 5_000_000
    assert (told == [Throttled, Throttled]) == (status == 429)


@pytest.mark.parametrize("charset", ["hex", "rot13", "utf-16", "undefined"])
def test_a_codec_that_is_none_for_texts_changes_nothing(api: Make, charset: str) -> None:
    with Provider(
        malformed('{"error": {"message": "over"}}', status=503, kind=f"text/json; charset={charset}")
    ) as provider:
        for error in both(api(provider)):
            assert type(error) is ProviderError
            assert "503: over" in str(error)


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


def test_a_reply_that_begins_in_time_has_all_the_time_that_there_is(api: Make) -> None:
    with Provider(sse(["one "] * 8, gap=0.1)) as provider:
        assert len(list(api(provider).stream(PLAIN, seconds=10, first=0.5))) == 8


def test_a_reply_that_does_not_begin_ends_sooner(api: Make) -> None:
    with Provider(hang()) as provider:
        began = time.monotonic()
        with pytest.raises(TimedOut):
            list(api(provider).stream(PLAIN, seconds=10, first=0.2))
        assert time.monotonic() - began < 1
        assert provider.wait_abandoned()


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


@pytest.mark.parametrize("url", ["nonsense", "http://", "ftp://127.0.0.1/v1", "http://[", "http://127.0.0.1:99999/v1"])
def test_a_wrong_address_is_said(background: Background, url: str) -> None:
    def ask() -> None:
        service = ChatService(name="The model server", base_url=url, key=None, background=background, kind="server")
        ChatApi(service, OTHER).complete(PLAIN, seconds=2)

    with pytest.raises(ProviderError, match="address"):
        ask()
